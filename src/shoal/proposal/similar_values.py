"""A hierarchy of values that are alike: by what goes with them, or by how they are spelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log2

from shoal.errors import InputError
from shoal.proposal.suggested_groups import Level, Rows, assemble

MOST_ALIKE = 300
"""More values are not compared pair by pair."""
_LONGEST_LABEL = 40


def by_distribution(counts: Mapping[str, Mapping[str, int]]) -> Rows:
    """Return the rows of a hierarchy that joins values whose distributions of another column are alike.

    Each step joins the pair of groups that loses the least information about the other column: rows
    times entropy rises least. Equal pairs are joined in the order of their values, so that the same
    counts always give the same hierarchy. Levels have about half, a quarter and an eighth of the groups.

    >>> counts = {"a": {"x": 9, "y": 1}, "b": {"x": 1, "y": 9}, "c": {"x": 8, "y": 2}, "d": {"y": 9}}
    >>> by_distribution(counts)
    (('a', 'a, c', '*'), ('c', 'a, c', '*'), ('b', 'b, d', '*'), ('d', 'b, d', '*'))
    """
    values = sorted(counts)
    if len(values) > MOST_ALIKE:
        raise InputError(
            f"{len(values):,} values are too many to compare; {MOST_ALIKE} are the most, so group some first"
        )
    groups = [[value] for value in values]
    held = [Counter(counts[value]) for value in values]
    levels: list[list[list[str]]] = []
    wanted = [size for size in (len(values) // 2, len(values) // 4, len(values) // 8) if size > 1]
    losses = {
        (i, j): _loss(held[i], held[j]) for i in range(len(values)) for j in range(i + 1, len(values))
    }
    left = set(range(len(values)))
    while wanted:
        i, j = min(losses, key=lambda pair: (losses[pair], pair))
        groups[i], held[i] = sorted(groups[i] + groups[j]), held[i] + held[j]
        left.discard(j)
        losses = {pair: loss for pair, loss in losses.items() if not {i, j} & set(pair)}
        for other in left - {i}:
            losses[min(i, other), max(i, other)] = _loss(held[i], held[other])
        if len(left) == wanted[0]:
            levels.append([groups[one] for one in sorted(left)])
            wanted.pop(0)
    # Leaves stand beside those that are like them, and every level is in the same order.
    order = [value for group in (levels[-1] if levels else groups) for value in group]
    for level in reversed(levels[:-1]):
        place = {value: at for at, value in enumerate(order)}
        level.sort(key=lambda group: min(place[value] for value in group))
        order = [value for group in level for value in group]
    named: list[Level] = [[(_label(group), group) for group in level] for level in levels]
    return assemble(order, *named)


def by_spelling(values: Sequence[str]) -> Rows:
    """Return the rows of a hierarchy that joins values with the same runs of three letters."""
    runs = {
        value: dict(Counter(f"  {value.casefold()} "[at : at + 3] for at in range(len(value) + 1)))
        for value in values
    }
    return by_distribution(runs)


def _loss(one: Counter[str], other: Counter[str]) -> float:
    """Return how much rows times entropy rises if two groups are joined, rounded so that ties tie."""
    return round(_spread(one + other) - _spread(one) - _spread(other), 9)


def _spread(counts: Counter[str]) -> float:
    total = sum(counts.values())
    return sum(-count * log2(count / total) for count in counts.values() if count)


def _label(group: Sequence[str]) -> str:
    """Return a group's label: its values, or the first of them and how many more there are."""
    whole = ", ".join(group)
    return whole if len(whole) <= _LONGEST_LABEL else f"{group[0][:30]} and {len(group) - 1} more"
