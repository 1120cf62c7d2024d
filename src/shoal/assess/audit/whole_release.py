"""Doubts about a release as a whole: its suppressed rows, and its optimality."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.assess.audit.look import AuditWarning, Released
from shoal.numbers import share_of

MANY = 0.2


def suppressed_rows(released: Released) -> Iterator[AuditWarning]:
    """Yield a warning if between 1 and k - 1 rows were suppressed, or a fifth of all rows."""
    gone, k = released.facts.suppressed_rows, released.k
    if 1 <= gone < k:
        rows = "1 row was" if gone == 1 else f"{gone:,} rows were"
        sentence = (
            f"Only {rows} suppressed, fewer than k = {k:,}: anyone who knows the persons of the table, or "
            "another release of it, can single out those who are missing; suppress none, or at least k."
        )
        yield AuditWarning("small-suppressed-set", "warning", sentence, {"suppressed": gone, "k": k})
    whole = released.rows + gone
    if gone >= MANY * whole:
        sentence = (
            f"{gone:,} of {whole:,} rows ({share_of(gone, whole)}) are suppressed: results from the others "
            "need not hold for all; ask for less, or allow coarser levels."
        )
        yield AuditWarning("many-suppressed", "warning", sentence, {"suppressed": gone, "rows": whole})


def minimality(released: Released) -> Iterator[AuditWarning]:
    """Yield a warning if a proven optimum is released that was not drawn from several solutions.

    It is a note if only k is promised: minimality then reveals only group sizes.
    """
    facts = released.facts
    if not facts.optimal or facts.drawn_from > 1:
        return
    limited = facts.promise.l is not None or bool(facts.promise.columns)
    sentence = (
        "The solution is proven optimal: anyone who knows that, the hierarchies and the parameters can "
        "rule out every table for which a finer release would have kept the promise (minimality attack); "
        "keep the record to yourself, or draw one of several good solutions (top)."
    )
    yield AuditWarning("minimality", "warning" if limited else "note", sentence, {"drawn_from": 1})
