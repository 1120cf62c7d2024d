"""Where the labels of groups stand in a hierarchy, and what they cover."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.answers.group_recoding import Stretch
from shoal.describe.hierarchies import Hierarchy, Label

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class LabelStanding:
    """The level of a label, whether it is made up, and for made-up ones the leaves and rows they cover."""

    level: int
    made_up: bool
    covered: int
    rows: int


@dataclass(frozen=True)
class _OrderedValues:
    """The values of intervals in their order: places in the hierarchy, rows before each, and on every level
    where the run of equal labels ends that a value is in."""

    places: Ints
    before: Ints
    runs: Ints


class GroupLevels:
    """The levels of groups' labels in a hierarchy; `totals` are the rows of each value."""

    def __init__(self, hierarchy: Hierarchy, totals: Mapping[Label, int]) -> None:
        self.hierarchy = hierarchy
        self.totals = totals
        self._place = {leaf: i for i, leaf in enumerate(hierarchy.leaves)}
        self._codes = [{label: code for code, label in enumerate(labels)} for labels in hierarchy.labels]
        self._lines: dict[int, _OrderedValues] = {}

    def of(self, label: Label, inside: Collection[Label]) -> LabelStanding:
        """Return where a label stands that stands for these values.

        It is the lowest level on which the label covers all of them; for a label that the hierarchy lacks,
        the lowest level on which all values share a label.
        """
        if isinstance(inside, Stretch) and not any(label in codes for codes in self._codes):
            line = self._line(inside.line)
            if line is not None:
                return self._interval(inside, line)
        leaves = np.array([self._place[v] for v in inside if v in self._place], dtype=np.int64)
        covered, rows = len(set(inside)), sum(self.totals.get(value, 0) for value in set(inside))
        for level, codes in enumerate(self.hierarchy.codes):
            if label in self._codes[level] and (codes[leaves] == self._codes[level][label]).all():
                return LabelStanding(level, False, max(covered, 1), rows)
        for level, codes in enumerate(self.hierarchy.codes):
            if len(set(codes[leaves].tolist())) <= 1:
                return LabelStanding(level, True, max(covered, 1), rows)
        return LabelStanding(self.hierarchy.height, True, max(covered, 1), rows)

    def of_classes(
        self,
        shown: Sequence[Label],
        classes: Ints,
        domain: Sequence[Label],
        codes: npt.NDArray[np.int32],
    ) -> Ints:
        """Return the lowest level on which the label of each class covers all its values; -1 if none does.

        `shown` are the labels of the classes; each combination has a class, and a value of the domain. It is
        the level that `of` gives to a label that is not made up, for all classes at once.
        """
        names = {label: i for i, label in enumerate(dict.fromkeys(shown))}
        label_of = np.array([names[label] for label in shown], dtype=np.int64)
        leaf_of = np.array([self._place.get(value, -1) for value in domain], dtype=np.int64)
        leaves = leaf_of[codes]
        of, leaves = classes[leaves >= 0], leaves[leaves >= 0]
        found = np.full(len(shown), -1, dtype=np.int64)
        for level in reversed(range(len(self._codes))):
            code_of = np.array([self._codes[level].get(label, -1) for label in names], dtype=np.int64)
            wanted = code_of[label_of]
            covers = wanted >= 0
            covers[of[self.hierarchy.codes[level][leaves] != wanted[of]]] = False
            found[covers] = level
        return found

    def _interval(self, inside: Stretch, line: _OrderedValues) -> LabelStanding:
        """Return where an interval stands, without listing its values: the level on which a run covers it."""
        rows = int(line.before[inside.end] - line.before[inside.begin])
        fits = np.ones(len(self.hierarchy.codes), dtype=np.bool_)
        if inside.end > inside.begin:
            fits = line.runs[:, inside.begin] >= inside.end
        if inside.missing:
            rows += self.totals.get(inside.other, 0)
            if inside.other in self._place and inside.end > inside.begin:
                codes = np.array(self.hierarchy.codes)
                fits &= codes[:, line.places[inside.begin]] == codes[:, self._place[inside.other]]
        level = int(fits.argmax()) if fits.any() else self.hierarchy.height
        return LabelStanding(level, True, max(len(inside), 1), rows)

    def _line(self, line: tuple[Label, ...]) -> _OrderedValues | None:
        """Return what is known of the values in their order; None if the hierarchy lacks some."""
        known = self._lines.get(id(line))
        if known is None:
            if any(value not in self._place for value in line):
                return None
            places = np.array([self._place[value] for value in line], dtype=np.int64)
            rows = np.array([self.totals.get(value, 0) for value in line], dtype=np.int64)
            runs = []
            for codes in self.hierarchy.codes:
                along = codes[places]
                ends = np.append(np.flatnonzero(along[1:] != along[:-1]) + 1, len(along))
                runs.append(ends[np.searchsorted(ends, np.arange(len(along)), side="right")])
            known = _OrderedValues(places, np.append(0, np.cumsum(rows)), np.array(runs))
            self._lines[id(line)] = known
        return known
