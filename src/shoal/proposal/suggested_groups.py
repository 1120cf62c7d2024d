"""Initial groups of categories: by their numbers, their first words or their first letters.

Nobody can guess from the values alone which belong together, so the groups are simple and their labels
say what they are. Every label is new: none is also a value, and none names two groups.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, takewhile
from math import isqrt

from shoal.describe.hierarchies.levels import ROOT

Rows = tuple[tuple[str, ...], ...]
Level = Sequence[tuple[str, Sequence[str]]]
"""One level of groups: the label wanted for each, and its values."""

LETTERS = "first letters"
"""How values are grouped where nothing better is known, which is a last resort."""
MOST_FLAT = 8
"""Up to this many categories go straight to the root."""
MOST_BLOCKS = 100
"""Up to this many are put into blocks; more are cut to their first letters."""

_NUMBER_FIRST = re.compile(r"\s*([0-9]{1,15})(?!\d)(.*)", re.DOTALL)
_BAND = re.compile(r"\s*([0-9]{1,15})\s*[-–]\s*([0-9]{1,15})\s*")


def group_categories(values: Iterable[str]) -> tuple[Rows, str]:
    """Return a hierarchy's rows for some categories, and how they are grouped ("" if they are not).

    >>> rows, how = group_categories(["Female", "Male"])
    >>> rows, how
    ((('Female', '*'), ('Male', '*')), '')
    >>> rows, how = group_categories(["15-19", "20-24", "25-29", "30-34", "35-39"])
    >>> rows[0], how
    (('15-19', '15-24', '15-34', '*'), 'neighbours')
    """
    leaves = sorted(set(values))
    numbered = all(_NUMBER_FIRST.match(value) for value in leaves)
    if numbered:
        leaves.sort(key=_by_number)
    bands = all(_BAND.fullmatch(value) for value in leaves)
    if len(leaves) <= (MOST_FLAT // 2 if bands else MOST_FLAT):
        return assemble(leaves), ""
    if len(leaves) > MOST_BLOCKS:
        return assemble(leaves, *_prefixes(leaves)), LETTERS
    if numbered:
        return assemble(leaves, *_neighbours(leaves)), "neighbours"
    words = _first_words(leaves)
    if 2 <= len(words) <= 0.6 * len(leaves):
        return assemble(leaves, words), "first words"
    letters = _letter_blocks(leaves)
    if len(letters) >= 2:
        return assemble(leaves, letters), LETTERS
    return assemble(leaves, _runs(leaves, isqrt(len(leaves)) + 1)), "neighbours"


def assemble(leaves: Sequence[str], *levels: Level) -> Rows:
    """Return the rows of nested levels, the finest first, under a root, with labels that are all new.

    A group with a single member keeps that member's label, because it has no others to hide among. A
    level that changes nothing, or equals the root, is omitted.

    >>> assemble(["*", "a", "b"], [("a", ["a", "b"]), ("rest", ["*"])])
    (('*', '*', '(any)'), ('a', 'a (group)', '(any)'), ('b', 'a (group)', '(any)'))
    """
    taken = set(leaves)
    columns: list[dict[str, str]] = [{leaf: leaf for leaf in leaves}]
    for level in levels:
        below = columns[-1]
        column: dict[str, str] = {}
        for wanted, members in level:
            inside = {below[member] for member in members}
            label = inside.pop() if len(inside) == 1 else _new(wanted, f"{wanted} (group)", taken)
            column.update(dict.fromkeys(members, label))
        groups = len(set(column.values()))
        if 1 < groups < len(set(below.values())):
            columns.append(column)
    root = _new(ROOT, "(any)", taken)
    return tuple((*(column[leaf] for column in columns), root) for leaf in leaves)


def _new(wanted: str, instead: str, taken: set[str]) -> str:
    """Return the wanted label, or a similar one if it is taken, and mark it as taken."""
    label, number = wanted, 1
    while label in taken:
        label = instead if number == 1 else f"{instead} {number}"
        number += 1
    taken.add(label)
    return label


def _by_number(value: str) -> tuple[int, str]:
    match = _NUMBER_FIRST.match(value)
    return (int(match[1]) if match else 0, value)


def _neighbours(leaves: Sequence[str]) -> list[Level]:
    """Return levels of 2, 4, 8 ... neighbours, starting with more if there are many."""
    size = 2
    while len(leaves) > 16 * size:
        size *= 2
    levels = []
    while size < len(leaves):
        levels.append(_runs(leaves, size))
        size *= 2
    return levels[:3]


def _runs(leaves: Sequence[str], size: int) -> Level:
    """Return the leaves in runs of one size, each named by its ends."""
    runs = [leaves[at : at + size] for at in range(0, len(leaves), size)]
    return [(_span(run[0], run[-1]), run) for run in runs]


def _span(first: str, last: str) -> str:
    low, high = _BAND.fullmatch(first), _BAND.fullmatch(last)
    return f"{low[1]}-{high[2]}" if low and high else f"{_cut(first)} to {_cut(last)}"


def _cut(value: str) -> str:
    """Return a value as a part of a label, long ones cut."""
    value = value.strip()
    return value if len(value) <= 40 else value[:37] + "..."


def _prefixes(leaves: Sequence[str]) -> list[Level]:
    """Return the levels of the first three letters and of the first, after the common prefix."""
    pairs = zip(min(leaves), max(leaves), strict=False)  # all share what the first and the last share
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    def cut(kept: int) -> Level:
        return _grouped(leaves, lambda leaf: leaf[: common + kept] + "*")

    return [cut(3), cut(1)]


def _first_words(leaves: Sequence[str]) -> Level:
    def word(leaf: str) -> str:
        return re.split(r"[\W_]+", leaf.strip(), maxsplit=1)[0] or leaf

    return [(f"{_cut(label)} ...", group) for label, group in _grouped(leaves, word)]


def _letter_blocks(leaves: Sequence[str]) -> Level:
    """Return blocks of first letters such as A-F; digits and other characters stay separate."""
    target = isqrt(len(leaves)) + 1
    blocks: list[tuple[str, str, list[str]]] = []
    for _, of_kind in groupby(sorted(leaves, key=_initial), key=lambda leaf: _initial(leaf)[0]):
        begun = len(blocks)
        for (_, letter), group in groupby(of_kind, key=_initial):
            blocks.append((letter, letter, list(group)))
            if len(blocks) > begun + 1 and len(blocks[-2][2]) < target:
                _join_last(blocks)
        if len(blocks) > begun + 1 and len(blocks[-1][2]) <= target // 2:
            _join_last(blocks)
    return [(first if first == last else f"{first}-{last}", members) for first, last, members in blocks]


def _join_last(blocks: list[tuple[str, str, list[str]]]) -> None:
    _, last, members = blocks.pop()
    first, _, before = blocks.pop()
    blocks.append((first, last, before + members))


def _initial(leaf: str) -> tuple[int, str]:
    """Return the kind of the first character (other, digit, letter) and, of a letter, itself."""
    first = leaf.strip()[:1]
    if first.isalpha():
        return (2, first.upper()[0])
    return (1, "0-9") if first.isdigit() else (0, "other")


def _grouped(leaves: Sequence[str], key: Callable[[str], str]) -> Level:
    groups: dict[str, list[str]] = {}
    for leaf in leaves:
        groups.setdefault(key(leaf), []).append(leaf)
    return list(groups.items())
