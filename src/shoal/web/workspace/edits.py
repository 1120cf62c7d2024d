"""Edits of a hierarchy, listed in rows from the leaf to the root; each edit returns new rows.

Level 0 holds the values of the data, which stay as they are; the last level is the root.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from shoal.describe.hierarchies import Hierarchy, Label
from shoal.errors import InputError, did_you_mean, show

Row = tuple[Label, ...]
Rows = list[Row]


def rename(rows: Sequence[Row], level: int, label: str, name: str) -> Rows:
    """Rename a group on every level where it is the same group.

    >>> rename([("a", "x", "*"), ("b", "x", "*")], 1, "x", "letters")
    [('a', 'letters', '*'), ('b', 'letters', '*')]
    """
    _check_group(level)
    members = _members(rows, level, label)
    _check_name(name)
    levels = [i for i in range(1, len(rows[0])) if _members(rows, i, label, strict=False) == members]
    if any(_members(rows, i, name, strict=False) - members for i in levels):
        raise InputError(
            f"another group is already called {show(name)}; choose another name, or group their members"
        )
    edited = [
        tuple(name if i in levels and r in members else cell for i, cell in enumerate(row))
        for r, row in enumerate(rows)
    ]
    _check_one(edited, name)
    return edited


def group(rows: Sequence[Row], level: int, labels: Collection[str | None], name: str) -> Rows:
    """Put some labels of a level into one group on the next level, a new one or an existing one.

    If the next level is the root, a level is inserted between them.

    >>> group([("a", "*"), ("b", "*"), ("c", "*")], 0, ["a", "b"], "ab")
    [('a', 'ab', '*'), ('b', 'ab', '*'), ('c', 'c', '*')]
    """
    _check_level(rows, level, len(rows[0]) - 2)
    _check_name(name)
    chosen = set(labels)
    if not chosen:
        raise InputError("no labels given; name those to group")
    members = set().union(*(_members(rows, level, label) for label in chosen))
    found = [list(row) for row in rows]
    if level == len(rows[0]) - 2:
        for row in found:
            row.insert(level + 1, row[level])
    joined = {r for r, row in enumerate(found) if row[level + 1] == name}
    top = level + 1
    # An existing group may span several levels; new members join it on all of them.
    while top + 2 < len(found[0]) and joined and all(found[r][top + 1] == name for r in joined):
        top += 1
    above = {found[r][top + 1] for r in members | joined}
    if len(above) > 1:
        words = ", ".join(sorted(map(show, above)))
        raise InputError(
            f"they are in different groups of level {top + 1} ({words}); group those first, or split them"
        )
    for r in members:
        found[r][level + 1 : top + 1] = [name] * (top - level)
    edited = _tidy([tuple(row) for row in found])
    _check_one(edited, name)
    return edited


def split(rows: Sequence[Row], level: int, label: str) -> Rows:
    """Dissolve a group: on every level where it is the same group, its members take its place.

    >>> split([("a", "ab", "*"), ("b", "ab", "*"), ("c", "de", "*"), ("d", "de", "*")], 1, "ab")
    [('a', 'a', '*'), ('b', 'b', '*'), ('c', 'de', '*'), ('d', 'de', '*')]
    """
    _check_group(level)
    if level == len(rows[0]) - 1:
        raise InputError("the root cannot be split; split the groups below it")
    members = _members(rows, level, label)
    inner = range(1, len(rows[0]) - 1)
    levels = [i for i in inner if _members(rows, i, label, strict=False) == members] or [level]
    below = min(levels) - 1
    return _tidy(
        [
            tuple(row[below] if i in levels and r in members else cell for i, cell in enumerate(row))
            for r, row in enumerate(rows)
        ]
    )


def reorder(rows: Sequence[Row], level: int, labels: Sequence[Label]) -> Rows:
    """Reorder the labels of a level; groups stay together and keep their order.

    >>> reorder([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")], 0, ["c", "b", "a"])
    [('b', 'x', '*'), ('a', 'x', '*'), ('c', 'y', '*')]
    """
    _check_level(rows, level, len(rows[0]) - 1)
    present = list(dict.fromkeys(row[level] for row in rows))
    if sorted(map(str, labels)) != sorted(map(str, present)) or set(labels) != set(present):
        raise InputError(f"an order must name each of the {len(present):,} labels of level {level} once")
    places: list[dict[Label, int]] = []
    for i in range(len(rows[0])):
        given = labels if i == level else dict.fromkeys(row[i] for row in rows)
        places.append({label: place for place, label in enumerate(given)})
    return sorted(rows, key=lambda row: [places[i][row[i]] for i in reversed(range(len(row)))])


def drop_level(rows: Sequence[Row], level: int) -> Rows:
    """Remove a level that is neither the values nor the root.

    >>> drop_level([("a", "x", "*"), ("b", "y", "*")], 1)
    [('a', '*'), ('b', '*')]
    """
    if level == len(rows[0]) - 1:
        raise InputError("the root must stay; drop another level")
    _check_level(rows, level, len(rows[0]) - 2, least=1)
    return [(*row[:level], *row[level + 1 :]) for row in rows]


OPERATIONS: Mapping[str, tuple[Any, tuple[str, ...]]] = {
    "rename": (rename, ("level", "label", "name")),
    "group": (group, ("level", "labels", "name")),
    "split": (split, ("level", "label")),
    "reorder": (reorder, ("level", "labels")),
    "drop_level": (drop_level, ("level",)),
}


def edit(rows: Sequence[Row], operation: str, options: Mapping[str, Any]) -> Rows:
    """Return the rows after the operation of that name; refuse an unsound result."""
    if operation not in OPERATIONS:
        raise InputError(f"no edit is called {show(operation)}; {did_you_mean(operation, OPERATIONS)}")
    function, names = OPERATIONS[operation]
    missing = [name for name in names if name not in options]
    if missing:
        raise InputError(f"the edit {operation} needs {missing[0]}")
    found: Rows = function(list(rows), *(options[name] for name in names))
    return Hierarchy.from_rows(found, "the edited hierarchy").rows()


def _tidy(rows: Rows) -> Rows:
    """Drop levels that are the same as the one below them, but not the root."""
    width = len(rows[0])
    kept = [0, *(i for i in range(1, width - 1) if any(row[i] != row[i - 1] for row in rows)), width - 1]
    return [tuple(row[i] for i in kept) for row in rows]


def _members(rows: Sequence[Row], level: int, label: Label, strict: bool = True) -> set[int]:
    """Return the rows below a label; refuse an unknown label if strict."""
    _check_level(rows, level, len(rows[0]) - 1)
    found = {r for r, row in enumerate(rows) if row[level] == label}
    if strict and not found:
        known = [label or "" for label in dict.fromkeys(row[level] for row in rows)]
        raise InputError(f"level {level} has no label {show(label)}; {did_you_mean(label or '', known)}")
    return found


def _check_one(rows: Sequence[Row], name: str) -> None:
    """Refuse one name for two different groups: in a released table nobody could tell them apart."""
    levels = range(len(rows[0]))
    groups = {frozenset(r for r, row in enumerate(rows) if row[i] == name) for i in levels}
    if len(groups - {frozenset()}) > 1:
        raise InputError(f"something else is already called {show(name)}; choose another name")


def _check_level(rows: Sequence[Row], level: int, most: int, least: int = 0) -> None:
    if not least <= level <= most:
        raise InputError(f"there is no level {level} to do this on; use {least} to {most}")


def _check_group(level: int) -> None:
    if level == 0:
        raise InputError("the values of the data stay as they are; choose a group above them")


def _check_name(name: str) -> None:
    if not name.strip():
        raise InputError("a group needs a name")
    if "\0" in name:
        raise InputError("a name contains a NUL byte; use another")
