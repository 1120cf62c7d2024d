"""Reads a release afresh and rechecks its promise; takes no part in making it."""

from shoal.verification.release_check import verify_release
from shoal.verification.table_check import verify_buckets, verify_table
from shoal.verification.verdict import Measurement, Verdict

__all__ = ["Measurement", "Verdict", "verify_buckets", "verify_release", "verify_table"]
