"""The figures of pinned solutions as rows of tables; the best of each row is marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from shoal.numbers import count, percent, rounded

Document = Mapping[str, Any]

METRICS = {
    "LM": "Values that each could stand for (LM)",
    "DM": "Size of the groups (DM)",
    "CM": "Wrong majority (CM)",
    "Prec": "Levels climbed (Prec)",
    "NUE": "Entropy lost (NUE)",
}
BEST = "★"
SAMPLE: dict[str, tuple[str, Callable[[float], str]]] = {
    "sample_highest": ("Highest risk, if nobody knows who was drawn", percent),
    "sample_expected": ("Right links by the same attacker, expected", partial(rounded, digits=1)),
    "population_uniques": ("Unique in the population (Dankar's rule)", percent),
}
"""What is estimated of a sample, and how it is shown."""


def cost_rows(solutions: Sequence[Document]) -> list[list[str]]:
    """Return what each solution costs, with a star at the cheapest of each row."""
    rows = [
        _row("Rows released", solutions, lambda s: s["released"], count, best=max),
        _row("Rows suppressed", solutions, lambda s: s["suppressed"], count),
        _row("Sensitive values suppressed", solutions, lambda s: s["suppressed_values"], count),
    ]
    return [_row("Detail lost", solutions, detail_lost, percent), *rows]


def detail_lost(solution: Document) -> float:
    """Return the share of the detail that a solution loses, by LM, as everywhere on the pages."""
    return _loss("LM", solution)


def other_losses(solutions: Sequence[Document]) -> list[list[str]]:
    """Return what each solution loses by every metric, with a star at the least of each row."""
    return [
        _row(words, solutions, partial(_loss, name), percent)
        for name, words in METRICS.items()
        if all(name in solution["utility"]["losses"] for solution in solutions)
    ]


def _loss(name: str, solution: Document) -> float:
    return float(solution["utility"]["losses"][name]["share"])


def risk_rows(solutions: Sequence[Document]) -> list[list[str]]:
    """Return the risk that each solution leaves, with a star at the lowest of each row."""
    return [
        _row("Smallest group (k)", solutions, lambda s: s["risk"]["k"], count, best=max),
        _row("Groups", solutions, lambda s: s["risk"]["classes"], count, best=None),
        _row("Highest risk of a row", solutions, lambda s: s["risk"]["prosecutor"]["highest"], percent),
        _row("Average risk", solutions, lambda s: s["risk"]["prosecutor"]["average"], percent),
        _row("Rows at a risk above 20%", solutions, _above, percent),
        *(
            _row(words, solutions, partial(_of_sample, name), show)
            for name, (words, show) in SAMPLE.items()
            if all(solution["risk"].get("sample") for solution in solutions)
        ),
    ]


def _of_sample(name: str, solution: Document) -> float:
    return float(solution["risk"]["sample"][name])


def _above(solution: Document) -> float:
    above = solution["risk"]["prosecutor"]["above"]
    return next((float(each["share"]) for each in above if each["threshold"] == 0.2), 0.0)


def _row(
    words: str,
    solutions: Sequence[Document],
    value: Callable[[Document], float],
    show: Callable[[float], str],
    best: Callable[..., float] | None = min,
) -> list[str]:
    values = [value(solution) for solution in solutions]
    # If all are equal, none is best.
    star = best(values) if best is not None and len(set(values)) > 1 else None
    return [words, *(show(each) + (f" {BEST}" if each == star else "") for each in values)]


def promise_words(promise: Mapping[str, Any]) -> str:
    """Return in words what a solution promises.

    >>> promise_words({"k": 3, "theta": {"diagnosis": {"uniform": "1/2", "values": {"flu": "3/4"}}}})
    'k = 3; no value of diagnosis above 1/2 of a group, but flu up to 3/4'
    """
    told = []
    for name, given in promise.items():
        if name == "theta":
            told += [_shares(column, limits) for column, limits in given.items()]
        elif isinstance(given, (int, float, str)):
            told.append(f"{name} = {given}")
        else:
            told.append(name)
    return "; ".join(told) or "nothing"


def _shares(column: str, limits: Mapping[str, Any]) -> str:
    uniform = limits.get("uniform")
    words = (
        f"no value of {column} above {uniform} of a group" if uniform else f"some of {column} limited"
    )
    own = [f"{value} up to {limit}" for value, limit in limits.get("values", {}).items()]
    if len(own) > 3:
        return f"{words}, but {len(own)} values with their own limits"
    return words + (f", but {', '.join(own)}" if own else "")


def attribute_shares(solutions: Sequence[Document]) -> dict[str, list[float | None]]:
    """Return what each solution loses in each attribute, as a share."""
    lost = [solution["utility"]["attributes"] for solution in solutions]
    return {
        name: [float(each[name]["all_rows"]) if name in each else None for each in lost]
        for name in dict.fromkeys(name for each in lost for name in each)
    }
