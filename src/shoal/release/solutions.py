"""Reads the solutions that commands keep with --save, and tells those that were found on other counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.answers.found_on import changes
from shoal.answers.recoding import Decision
from shoal.answers.solution import Frontier
from shoal.data.landed import settle
from shoal.documents import solution_in, undamaged
from shoal.errors import InputError, NoSolutionError
from shoal.recode.treatment import Treatment


def read_solution(path: str | Path, k: int | None = None, point: int | None = None) -> Decision:
    """Return the decision of a saved solution; of a frontier that of the point that `choose` returns."""
    path = Path(path)
    settle(path)
    document = solution_in(path)
    with undamaged(path):
        front = Frontier.from_dict(document) if "points" in document else None
    if front is not None:
        return choose(front, k, point)
    if k is not None or point is not None:
        name = "k" if point is None else "point"
        raise InputError(f"`{name}` chooses a point of a frontier; this is a single solution", file=path)
    with undamaged(path):
        return decision_of(document, path)


def decision_of(document: Mapping[str, Any], path: Path | None = None) -> Decision:
    """Return the decision of a solution document; of a negotiation that of its exact answer."""
    if "exact" not in document:
        return Decision.from_dict(document)
    if document["exact"] is None:
        raise InputError(
            "this negotiation has no exact answer, only suggestions; choose suppression, "
            "height or privacy, and save that",
            file=path,
        )
    marks = {name: document[name] for name in ("found_on", "suppression_limit") if name in document}
    return Decision.from_dict({**document["exact"], **marks, "method": "negotiation", "certified": True})


def choose(front: Frontier, k: int | None = None, point: int | None = None) -> Decision:
    """Return the decision for the point of a number, counted from 1, or the cheapest with at least k.

    Or for the knee, where neither is given. Of points that cost the same the first is taken.
    """
    if k is not None and point is not None:
        raise InputError("k and a point are both given; one of them chooses a point of the frontier")
    if point is not None:
        if not 1 <= point <= len(front):
            raise InputError(f"there is no point {point}; the frontier has {len(front):,}, from 1 on")
        return front.decision(front[point - 1])
    if k is None:
        chosen = front.knee
    else:
        chosen = min((p for p in front if p.k >= k), key=lambda p: p.loss, default=None)
    if chosen is None:
        wanted = "" if k is None else f" with k of {k:,} or more"
        raise NoSolutionError(f"the frontier has no point{wanted}")
    return front.decision(chosen)


def current(decision: Decision, found_on: Callable[..., dict[str, Any]], again: bool) -> Decision:
    """Return a decision about the present counts, or refuse one about others unless `again` is said.

    `found_on` gives the mark of the present counts, over columns besides the quasi ones.
    """
    before = decision.found_on
    if "counts" not in before:
        return decision
    others = [name for name in before["columns"] if name not in before["hierarchies"]]
    now = found_on(*others)
    told = changes(before, now)
    if not told:
        return decision
    if not again:
        raise InputError(
            f"the table is not as it was when this solution was found: {'; '.join(told)}; search again, "
            "or carry the recoding out on the table as it is, without its proof (`again`)"
        )
    return replace(decision.unproven(), found_on=now)


def agrees(decision: Decision, treatment: Treatment) -> bool:
    """Whether what is proven can be of these counts: it has their mark, or states figures that are theirs."""
    stated = decision.found_on
    if "counts" in stated:
        return True
    found = {"rows": treatment.rows, "suppressed": treatment.suppressed_rows}
    return "suppressed" in stated and all(found[name] == stated.get(name, found[name]) for name in found)
