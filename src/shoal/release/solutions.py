"""Reads the solutions that commands keep with --save."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import InputError, NoSolutionError
from shoal.recoding import Decision
from shoal.solution import Frontier
from shoal.verify import read_json, undamaged


def read_solution(path: str | Path, k: int | None = None) -> Decision:
    """Return the decision of a saved solution; of a frontier the point with at least this k, or the knee."""
    path = Path(path)
    document = read_json(path)
    if not isinstance(document, dict):
        raise InputError("this is no saved solution", file=path)
    with undamaged(path):
        if "points" in document:
            return choose(Frontier.from_dict(document), k)
        if k is not None:
            raise InputError("--k chooses a point of a frontier; this is a single solution", file=path)
        return decision_of(document, path)


def decision_of(document: Mapping[str, Any], path: Path | None = None) -> Decision:
    """Return the decision of a solution document; of a negotiation that of its exact answer."""
    if "exact" not in document:
        return Decision.from_dict(document)
    if document["exact"] is None:
        raise InputError(
            "this negotiation has no exact answer, only suggestions; save one of them with "
            "shoal negotiate --choose suppression, height or privacy",
            file=path,
        )
    return Decision.from_dict({**document["exact"], "method": "negotiation", "certified": True})


def choose(front: Frontier, k: int | None = None) -> Decision:
    """Return the decision for the frontier's cheapest point with at least this k, or for its knee."""
    if k is None:
        point = front.knee
    else:
        point = next((point for point in reversed(front.points) if point.k >= k), None)
    if point is None:
        wanted = "" if k is None else f" with k of {k:,} or more"
        raise NoSolutionError(f"the frontier has no point{wanted}")
    return front.decision(point)
