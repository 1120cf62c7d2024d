"""Labels that recur on another level for another group, as ARX takes them, get names of their own."""

from __future__ import annotations

from shoal.describe.hierarchies.levels import Hierarchy, Label
from shoal.errors import InputError


def told_apart(hierarchy: Hierarchy) -> Hierarchy:
    """Return the hierarchy in which no label names two groups; the same one where none does.

    A release by levels shows one level of a column, but cuts and groups show several, and nobody could tell
    there which group is meant. The lowest group keeps the label, and those above say their level. A label
    that only fills a row up to its length names no second group.

    >>> h = Hierarchy.from_rows([("a", "x", "y", "*"), ("b", "x", "y", "*"), ("x", "z", "y", "*")])
    >>> told_apart(h).rows()
    [('a', 'x (level 1)', 'y', '*'), ('b', 'x (level 1)', 'y', '*'), ('x', 'z', 'y', '*')]
    """
    try:
        hierarchy.tree()
    except InputError:
        pass
    else:
        return hierarchy
    rows = hierarchy.rows()
    taken = {label for row in rows for label in row}
    first: dict[Label, frozenset[Label]] = {}
    columns: list[dict[Label, Label]] = []
    for level in range(hierarchy.height + 1):
        groups: dict[Label, set[Label]] = {}
        for row in rows:
            groups.setdefault(row[level], set()).add(row[0])
        names: dict[Label, Label] = {}
        for label, leaves in groups.items():
            group = frozenset(leaves)
            if label is None or first.setdefault(label, group) == group:
                names[label] = label
                continue
            name, number = f"{label} (level {level})", 2
            while name in taken and first.get(name) != group:
                name, number = f"{label} (level {level}, {number})", number + 1
            taken.add(name)
            first[name] = group
            names[label] = name
        columns.append(names)
    apart = [tuple(columns[level][label] for level, label in enumerate(row)) for row in rows]
    return Hierarchy.from_rows(apart, hierarchy.source, date_form=hierarchy.date_form)
