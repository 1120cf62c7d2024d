"""How the rows of a released label count for the original values that it may stand for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.assess.meant_values import MeantValues

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabelSpread:
    """The values that each label may be, and how heavily: every value of run i has the weight `weights[i]`.

    A value's share of a label is its weight among those of all values of the label.
    """

    meant: MeantValues
    weights: Floats

    @classmethod
    def even(cls, meant: MeantValues) -> LabelSpread:
        """Return the spread under which a label counts for all of its values alike."""
        return cls(meant, np.ones(len(meant.of)))

    @cached_property
    def totals(self) -> Floats:
        """The weight of all values of each label; 1 for a label of none."""
        found = self._added(self.weights * self.meant.lengths)
        return np.where(found > 0, found, 1.0)

    def _added(self, of_runs: Floats) -> Floats:
        meant = self.meant
        return np.asarray(
            np.bincount(meant.of, weights=of_runs, minlength=meant.labels), dtype=np.float64
        )

    def onto(self, weights: Floats) -> Floats:
        """Return the weight of every value, from that of every label."""
        meant = self.meant
        each = self.weights * (weights / self.totals)[meant.of]
        found = np.zeros(len(meant.order))
        for block in meant.blocks():
            heavy = np.repeat(each[block.runs], meant.lengths[block.runs])
            found += np.bincount(block.values, weights=heavy, minlength=len(found))
        return found

    def shares(self, classes: Ints, count: int) -> Floats:
        """Return, for every label, its share of some classes of the values."""
        meant, along = self.meant, classes[self.meant.order]
        found = np.empty((meant.labels, count))
        for one in range(count):
            before = np.concatenate([[0], np.cumsum(along == one)])
            inside = before[meant.ends] - before[meant.begins]
            found[:, one] = self._added(self.weights * inside) / self.totals
        return found

    def average(self, numbers: Floats) -> Floats:
        """Return the values' average number for every label; 0 for a label of no value."""
        meant = self.meant
        sums = np.zeros(len(meant.of))
        for block in meant.blocks():
            sums[block.runs] = np.add.reduceat(numbers[block.values], block.starts)
        return self._added(self.weights * sums) / self.totals

    def drawn(self, label: int, chances: Floats) -> Ints:
        """Return a value of a label for each chance from 0 to 1."""
        meant = self.meant
        runs = slice(meant.firsts[label], meant.firsts[label + 1])
        lengths = meant.lengths[runs]
        along = np.concatenate(
            [np.arange(b, e) for b, e in zip(meant.begins[runs], meant.ends[runs], strict=True)]
        )
        values = meant.order[along]
        rising = np.argsort(values)
        edges = np.cumsum(np.repeat(self.weights[runs], lengths)[rising])
        at = np.searchsorted(edges, chances * edges[-1], side="right")
        found: Ints = values[rising][np.minimum(at, len(values) - 1)]
        return found
