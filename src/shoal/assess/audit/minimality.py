"""An optimal solution tells that every better one would have broken the promise."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.assess.audit.look import AuditWarning, Released


def check(released: Released) -> Iterator[AuditWarning]:
    """Yield a warning where a proven optimum is released that was not drawn from several.

    A note where only k is promised: what follows from minimality is then about group sizes alone.
    """
    facts = released.facts
    if not facts.optimal or facts.drawn_from > 1:
        return
    limited = facts.promise.l is not None or bool(facts.promise.columns)
    sentence = (
        "The solution is proven optimal: who knows that, the hierarchies and the parameters can rule out "
        "every table for which a finer release would have kept the promise (minimality attack); keep the "
        "record to yourself, or let chance pick one of the best cuts (optimize with top)."
    )
    yield AuditWarning("minimality", "warning" if limited else "note", sentence, {"drawn_from": 1})
