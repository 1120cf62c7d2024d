"""Labels that say exactly which values they stand for: intervals, sets, nodes of a hierarchy."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal

from shoal.describe.hierarchies import Hierarchy, Label

NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
PLAIN = re.compile(r"[^\s,{}\"\\]+( [^\s,{}\"\\]+)*")
"""Texts that need no quotes in a set; others are quoted as in JSON."""
JOINED = re.compile(r"^[~{\"]|( |^)(to|or)( |$)")
"""Texts that need quotes as an end of an interval."""
MISSING = "missing"
"""The missing value in a set; the same word as a text is quoted."""
MARK = "~"
"""Put before a label that the hierarchy uses for something else."""


def number_of(leaf: Label) -> Decimal | None:
    """Return a leaf as a number; None if it is not one.

    >>> number_of("-1.50"), number_of("1e3")
    (Decimal('-1.50'), None)
    """
    return Decimal(leaf) if leaf is not None and NUMBER.fullmatch(leaf) else None


def set_text(values: Sequence[Label]) -> str:
    """Return the text of a set of values; different sequences have different texts.

    >>> set_text(["Private", "State, local", "missing", None])
    '{Private, "State, local", "missing", missing}'
    """
    return "{" + ", ".join(_member(value) for value in values) + "}"


def _member(value: Label) -> str:
    if value is None:
        return MISSING
    if value != MISSING and PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def interval_text(first: str, last: str) -> str:
    """Return the text of an interval of numbers or dates.

    >>> interval_text("17", "25"), interval_text("-3", "4"), interval_text("31.01.2024", "01.02.2024")
    ('17-25', '-3 to 4', '31.01.2024 to 01.02.2024')
    """
    short = all(end[:1] != "-" and NUMBER.fullmatch(end) for end in (first, last))
    return f"{first}-{last}" if short else f"{first} to {last}"


def _end(label: Label) -> str:
    """Return the text of an end of an interval: quoted where it could be taken for more than one label."""
    text = str(label)
    return json.dumps(text, ensure_ascii=False) if JOINED.search(text) else text


class GroupLabels:
    """Labels sets of one attribute's leaves so that two different sets never have the same label.

    Sets are made of whole classes of the `lowest` level, and labels name these classes: nobody can read a
    finer value, even where a class has a single one. By default they are the leaves themselves.

    A single class has its own label. A set's label begins with a brace and lists its classes; an interval's
    gives those at its ends. If the hierarchy uses the text for other leaves, marks are put before it; the
    rest still distinguishes sets and intervals.
    """

    def __init__(self, hierarchy: Hierarchy, lowest: int = 0, highest: int | None = None) -> None:
        last = hierarchy.height if highest is None else highest
        self._known: dict[Label, set[frozenset[Label]]] = {}
        nodes: list[tuple[int, Label, frozenset[Label]]] = []
        for level, (labels, codes) in enumerate(zip(hierarchy.labels, hierarchy.codes, strict=True)):
            below: list[list[Label]] = [[] for _ in labels]
            for leaf, code in zip(hierarchy.leaves, codes.tolist(), strict=True):
                below[code].append(leaf)
            for label, leaves in zip(labels, below, strict=True):
                nodes.append((level, label, frozenset(leaves)))
                self._known.setdefault(label, set()).add(nodes[-1][2])
        self._own: dict[frozenset[Label], Label] = {}
        for level, label, meaning in nodes:
            if lowest <= level <= last and len(self._known[label]) == 1:
                self._own.setdefault(meaning, label)
        names, codes = hierarchy.labels[lowest], hierarchy.codes[lowest].tolist()
        self._class_of = {leaf: names[code] for leaf, code in zip(hierarchy.leaves, codes, strict=True)}

    def made_up(self, label: Label) -> bool:
        """Return whether a label is not in the hierarchy."""
        return label not in self._known

    def of_set(self, leaves: Sequence[Label]) -> Label:
        """Return the label of a set of leaves, given in display order.

        A set that is a node of the hierarchy has the node's label.
        """
        classes = list(dict.fromkeys(self._class_of[leaf] for leaf in leaves))
        if len(classes) == 1:
            return self._single(classes[0], leaves)
        own = self._own.get(frozenset(leaves))
        return self._free(set_text(classes), leaves) if own is None else own

    def of_interval(self, leaves: Sequence[Label], missing: bool, other: Label = None) -> Label:
        """Return the label of consecutive numbers or dates, and of one other value if it is among them.

        By default that is the missing value.
        """
        if not leaves:
            return self._single(self._class_of.get(other, other), [other])
        first, last = self._class_of[leaves[0]], self._class_of[leaves[-1]]
        if first == last and not missing:
            return self._single(first, leaves)
        shown = _end(first) if first == last else interval_text(_end(first), _end(last))
        if not missing:
            return self._free(shown, leaves)
        return self._free(f"{shown} or {_member(self._class_of.get(other, other))}", leaves, other)

    def _single(self, label: Label, leaves: Sequence[Label]) -> Label:
        """Return the label of a class, marked if other leaves have the same one."""
        if label is None or self._known[label] == {frozenset(leaves)}:
            return label
        return self._free(set_text([label]), leaves)

    def _free(self, text: str, leaves: Sequence[Label], *more: Label) -> str:
        # An interval may have thousands of leaves: they are looked at only where the text is taken.
        while text in self._known and self._known[text] != {frozenset([*leaves, *more])}:
            text = MARK + text
        return text
