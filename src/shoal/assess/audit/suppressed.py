"""Suppressed sets that are too small, and point at those in them, or so large that little is left."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.assess.audit.look import AuditWarning, Released
from shoal.numbers import share_of

MANY = 0.2


def check(released: Released) -> Iterator[AuditWarning]:
    """Yield a warning where between 1 and k - 1 rows were suppressed, or every fifth."""
    gone, k = released.facts.suppressed_rows, released.k
    if 1 <= gone < k:
        rows = "1 row was" if gone == 1 else f"{gone:,} rows were"
        sentence = (
            f"Only {rows} suppressed, fewer than k = {k:,}: who knows the persons of the table, or another "
            "release of it, can single out those who are missing; suppress none, or at least k."
        )
        yield AuditWarning("small-suppressed-set", "warning", sentence, {"suppressed": gone, "k": k})
    whole = released.rows + gone
    if gone >= MANY * whole:
        sentence = (
            f"{gone:,} of {whole:,} rows ({share_of(gone, whole)}) are suppressed: what is counted or learnt "
            "from the others need not hold for all; ask for less, or allow coarser levels."
        )
        yield AuditWarning("many-suppressed", "warning", sentence, {"suppressed": gone, "rows": whole})
