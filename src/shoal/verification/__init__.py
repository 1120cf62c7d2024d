"""Reads a release afresh and rechecks its promise; takes no part in making it."""

from shoal.verification.release_check import (
    Measurement,
    Verdict,
    verify_buckets,
    verify_release,
    verify_table,
)

__all__ = ["Measurement", "Verdict", "verify_buckets", "verify_release", "verify_table"]
