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


class GroupLabels:
    """Labels sets of one attribute's leaves so that two different sets never have the same label.

    A single value is its own label. A set's label begins with a brace and lists its members; an interval's
    gives its ends. If the hierarchy uses the text for other leaves, marks are put before it; the rest still
    distinguishes sets and intervals.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._known: dict[Label, set[frozenset[Label]]] = {}
        for row in hierarchy.rows():
            for label in row:
                self._known.setdefault(label, set())
        for labels, codes in zip(hierarchy.labels, hierarchy.codes, strict=True):
            below: list[list[Label]] = [[] for _ in labels]
            for leaf, code in zip(hierarchy.leaves, codes.tolist(), strict=True):
                below[code].append(leaf)
            for label, leaves in zip(labels, below, strict=True):
                self._known[label].add(frozenset(leaves))
        self._own: dict[frozenset[Label], Label] = {}
        for label, meanings in self._known.items():
            for meaning in meanings if len(meanings) == 1 else ():
                self._own.setdefault(meaning, label)

    def made_up(self, label: Label) -> bool:
        """Return whether a label is not in the hierarchy."""
        return label not in self._known

    def of_set(self, leaves: Sequence[Label]) -> Label:
        """Return the label of a set of leaves, given in display order.

        A set that is a node of the hierarchy has the node's label.
        """
        if len(leaves) == 1:
            return self._single(leaves[0])
        own = self._own.get(frozenset(leaves))
        return self._free(set_text(leaves), leaves) if own is None else own

    def of_interval(self, leaves: Sequence[Label], missing: bool, other: Label = None) -> Label:
        """Return the label of consecutive numbers or dates, and of one other value if it is among them.

        By default that is the missing value.
        """
        if not leaves:
            return self._single(other)
        if len(leaves) == 1 and not missing:
            return self._single(leaves[0])
        first, last = str(leaves[0]), str(leaves[-1])
        shown = first if len(leaves) == 1 else interval_text(first, last)
        if not missing:
            return self._free(shown, leaves)
        return self._free(f"{shown} or {_member(other)}", leaves, other)

    def _single(self, leaf: Label) -> Label:
        """Return a leaf's own label, marked if a larger group has the same one."""
        if leaf is None or self._known[leaf] == {frozenset([leaf])}:
            return leaf
        return self._free(set_text([leaf]), [leaf])

    def _free(self, text: str, leaves: Sequence[Label], *more: Label) -> str:
        # An interval may have thousands of leaves: they are looked at only where the text is taken.
        while text in self._known and self._known[text] != {frozenset([*leaves, *more])}:
            text = MARK + text
        return text
