"""The same promise kept in several ways: what each loses, the least first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import ShoalError
from shoal.web.server.sentences import sentence
from shoal.web.workspace.bench import Bench

Document = dict[str, Any]


@dataclass(frozen=True)
class Way:
    """A kind of recoding as people without the papers may call it, and the method that finds it."""

    method: str
    title: str
    meaning: str


LEVELS = Way(
    "nodes",
    "Every column at one level",
    "All values of a column are coarsened alike, so a value has one meaning in the whole table.",
)
OTHERS = (
    Way(
        "k-optimize",
        "Every branch at its own level",
        "Some branches of a column's tree stay finer than others; a value still has one meaning in the "
        "whole table.",
    ),
    Way(
        "local-recoding",
        "Labels chosen group by group",
        "Every group of rows has the finest labels of the trees that fit it. The same value may be 37 in "
        "one row and 30-39 in another, so counts by value are estimates.",
    ),
    Way(
        "mondrian",
        "Ranges chosen group by group",
        "Every group of rows has the narrowest ranges and sets that fit it: nearest to the original values, "
        "but in no fixed bands, so counts by band are estimates.",
    ),
)
"""Besides the levels, which the negotiation itself answers with."""


def search_ways(
    bench: Bench,
    asked: Mapping[str, Any],
    heights: Mapping[str, int] | None,
    tell: Callable[[float, str], bool],
    seconds: float,
) -> Document:
    """Return what each of the other ways answers: its solution, or why it has none.

    `heights` are the highest levels allowed, where they are lower than the study says. `tell` is called
    before each way, and ends the search by returning True.
    """
    found: list[Document] = []
    study = bench.study() if heights is None else bench.own_study(heights=heights)
    try:
        for i, way in enumerate(OTHERS):
            if tell(i / len(OTHERS), way.title):
                break
            try:
                answer = study.anonymize(
                    way.method, time_limit=seconds, progress=_only_stops(tell), **asked
                )
                found.append({"method": way.method, "solution": answer.to_dict()})
            except ShoalError as problem:
                found.append({"method": way.method, "error": sentence(problem)})
    finally:
        if heights is not None:
            study.close()
    return {"ways": found}


def _only_stops(tell: Callable[[float, str], bool]) -> Callable[[float, str], bool]:
    return lambda _, words: tell(0.0, words)
