"""Reads the solutions that commands save with --save, and detects those found on other counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.answers.found_on import changes
from shoal.answers.kept_curves import costs_in
from shoal.answers.kept_groups import decision_in
from shoal.answers.privacy_costs import PrivacyCosts
from shoal.answers.recoding import Decision
from shoal.answers.solution import Frontier
from shoal.data.opening import settle
from shoal.documents import solution_in, undamaged
from shoal.errors import InputError, NoSolutionError
from shoal.recode.treatment import Treatment


def read_solution(
    path: str | Path, k: int | None = None, point: int | None = None, recoding: str | None = None
) -> Decision:
    """Return the decision of a saved solution; for a frontier, that of the point which `choose` returns."""
    path = Path(path)
    settle(path)
    document = solution_in(path)
    with undamaged(path):
        front = frontier_in(document, path)
    if front is not None:
        return choose(front, k, point, recoding)
    check_single(k, point, recoding, path)
    with undamaged(path):
        return decision_of(document, path)


def check_single(
    k: int | None, point: int | None, recoding: str | None, path: Path | None = None
) -> None:
    """Refuse what chooses from a frontier, beside a single solution."""
    given = {"point": point, "k": k, "recoding": recoding}
    for name in [name for name, value in given.items() if value is not None]:
        raise InputError(f"`{name}` chooses a point of a frontier; this is a single solution", file=path)


def frontier_in(document: Mapping[str, Any], path: Path | None = None) -> Frontier | None:
    """Return the frontier of a document, that of all recodings too; None where it is no frontier.

    The groups of its points are read from the file beside its path.
    """
    if "curves" in document:
        return costs_in(document, path)
    return Frontier.from_dict(document) if "points" in document else None


def decision_of(document: Mapping[str, Any], path: Path | None = None) -> Decision:
    """Return the decision of a solution document; for a negotiation, that of its exact answer."""
    if "exact" not in document:
        return Decision.from_dict(document) if path is None else decision_in(document, path)
    if document["exact"] is None:
        raise InputError(
            "this negotiation has no exact answer, only suggestions; choose suppression, "
            "height or privacy, and save that",
            file=path,
        )
    named = ("found_on", "suppression_limit", "metric")
    marks = {name: document[name] for name in named if name in document}
    proven = {"method": "negotiation", "certified": True}
    return Decision.from_dict(proven | document["exact"] | marks)


def choose(
    front: Frontier, k: int | None = None, point: int | None = None, recoding: str | None = None
) -> Decision:
    """Return the decision for a point by its number, from 1, or for the cheapest with at least k.

    Without either it is the knee. Of points that cost the same the first is taken. A frontier of all
    recodings needs the curve (`recoding`) and k.
    """
    if isinstance(front, PrivacyCosts):
        if point is not None:
            raise InputError("the curves' points have no numbers; give `recoding` and `k`")
        return front.chosen(recoding, k)
    if recoding is not None:
        raise InputError("`recoding` chooses a curve of a frontier of all recodings; leave it out")
    if k is not None and point is not None:
        raise InputError("k and a point are both given; choose a point of the frontier by one of them")
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
    """Return a decision about the present counts; one about other counts is refused unless `again` is True.

    `found_on` gives the mark of the present counts over the quasi columns and those it is given.
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
            f"the table has changed since this solution was found: {'; '.join(told)}; search again, or "
            "apply the recoding to the table as it is, without its proof (`again`)"
        )
    return replace(decision.unproven(), found_on=now)


def agrees(decision: Decision, treatment: Treatment) -> bool:
    """Return whether a proof can be about these counts: it has their mark, or states their figures."""
    stated = decision.found_on
    if "counts" in stated:
        return True
    found = {"rows": treatment.rows, "suppressed": treatment.suppressed_rows}
    return "suppressed" in stated and all(found[name] == stated.get(name, found[name]) for name in found)
