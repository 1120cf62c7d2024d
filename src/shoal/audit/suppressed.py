"""A suppressed set smaller than k: the difference to a known total points at those in it."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.audit.base import AuditWarning, Released


def check(released: Released) -> Iterator[AuditWarning]:
    """Yield a warning where between 1 and k - 1 rows were suppressed."""
    gone, k = released.facts.suppressed_rows, released.k
    if 1 <= gone < k:
        rows = "1 row was" if gone == 1 else f"{gone:,} rows were"
        sentence = (
            f"Only {rows} suppressed, fewer than k = {k:,}: who knows the persons of the table, or another "
            "release of it, can single out those who are missing; suppress none, or at least k."
        )
        yield AuditWarning("small-suppressed-set", "warning", sentence, {"suppressed": gone, "k": k})
