"""How much of what the columns tell about one other column is lost: for a release with a purpose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import log, log2

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Ladder, Problem
from shoal.errors import InputError
from shoal.metrics.by_cell import CellMetric
from shoal.metrics.labels import Labels
from shoal.metrics.metric import Ints

FINEST = 32
"""Bits are counted in multiples of 2^-32, or coarser ones if many rows would not fit into 62 bits."""
NAME = "target"


class TargetLoss(CellMetric):
    """A row costs, per attribute, the bits about the target that were lost on its value's way to its label.

    Merging some labels into one loses information about the target: the entropy of the target's values among
    the rows of the new label, less the average of the entropies among those of the merged ones. That is the
    information gain of splitting the label again (J. R. Quinlan, "Induction of decision trees", 1986), and it
    is shared evenly among the label's rows. From each merger is subtracted, down to 0, what chance would give
    if the target did not depend on it: (labels merged - 1) (target's values - 1) / (2 ln 2) bits in all, the
    mean of chi-square's distribution. Otherwise columns with many rare values would seem to tell everything.

    Without suppression and without what is subtracted, the loss of a node is, by the chain rule, rows times
    the sum over attributes of I(value; target) - I(label; target): what each column for itself tells less.
    What columns tell only together is not seen.

    What a label still keeps, the sum of all mergers above it, depends on the label alone. A cell costs a
    constant less that; the constant is subtracted again for all rows alike (`refund`). Monotone: no merger
    costs less than 0, so a cell's cost never falls when it is generalized, and at the root, as suppressed, it
    keeps nothing. Costs are rounded to a grid, merger by merger, so all this holds in whole numbers too.
    """

    name = NAME
    aliases = ()
    title = "information about a target, in bits"
    needs_class = True

    def __init__(self, problem: Problem) -> None:
        counts = problem.labels_of_values
        if counts is None:
            raise InputError("a target is a column whose values are counted; name one, as target:income")
        bits = [_kept(ladder, of) for ladder, of in zip(problem.ladders, counts, strict=True)]
        most = max((float(one.max(initial=0.0)) for one in bits), default=0.0)
        room = problem.rows * (most + 1) * 2 if problem.rows else 1.0
        self._grid = 1 << max(min(FINEST, 61 - int(log2(room))), 1)
        self._kept = [_summed(one, self._grid) for one in bits]
        self._most = max((int(one.max(initial=0)) for one in self._kept), default=0)
        super().__init__(problem)

    def divisor(self, leaves: int, height: int) -> int:
        """Return the steps of the grid in a bit."""
        return self._grid

    def suppressed(self, leaves: int, height: int) -> int:
        """Return what a cell costs that tells nothing."""
        return self._most

    def kept_bits(self) -> Iterator[tuple[Ladder, int, int, Ints]]:
        """Return of every attribute its ladder, its factor, the constant, and what labels keep."""
        for ladder, factor, kept in zip(self.problem.ladders, self.factors, self._kept, strict=True):
            yield ladder, factor, self._most, kept

    def cells(self, labels: Sequence[Labels]) -> list[Ints]:
        """Return the constant less what every label keeps."""
        pairs = zip(self._kept, labels, strict=True)
        return [self._most - kept[one.level, one.value] for kept, one in pairs]


def _kept(ladder: Ladder, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return, by level and value, the bits a row loses when the value's label is merged into the next one."""
    own = counts.astype(np.float64)
    lost = np.zeros(ladder.codes.shape)
    for level in range(1, ladder.height + 1):
        codes, below = ladder.codes[level], ladder.codes[level - 1]
        size = int(codes.max(initial=0)) + 1
        lower = int(below.max(initial=0)) + 1
        fine, whole = _sums(below, own, lower), _sums(codes, own, size)
        into = np.zeros(lower, dtype=np.int64)
        into[below] = codes
        parts = np.bincount(into, weights=_bits(fine) * (fine.sum(axis=1) > 0), minlength=size)
        merged = np.bincount(into[fine.sum(axis=1) > 0], minlength=size)
        chance = np.maximum(merged - 1, 0) * np.maximum((whole > 0).sum(axis=1) - 1, 0) / (2 * log(2))
        gain = np.maximum(_bits(whole) - parts - chance, 0.0)
        lost[level - 1] = (gain / np.maximum(whole.sum(axis=1), 1))[codes]
    return lost


def _sums(
    places: npt.NDArray[np.int32], counts: npt.NDArray[np.float64], size: int
) -> npt.NDArray[np.float64]:
    found = np.zeros((size, counts.shape[1]))
    np.add.at(found, places, counts)
    return found


def _bits(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the bits that the target's values need in each line: rows times their entropy."""
    total = counts.sum(axis=1)
    safe = np.where(counts > 0, counts, 1.0)
    found: npt.NDArray[np.float64] = total * np.log2(np.maximum(total, 1.0)) - (
        counts * np.log2(safe)
    ).sum(axis=1)
    return found


def _summed(lost: npt.NDArray[np.float64], grid: int) -> npt.NDArray[np.int64]:
    """Return what each label keeps: all that would be lost on the way from it to the root."""
    steps = np.rint(lost * grid).astype(np.int64)
    kept: npt.NDArray[np.int64] = steps[::-1].cumsum(axis=0)[::-1]
    return kept


@cache
def target_of(column: str | None) -> type[TargetLoss]:
    """Return the metric that aims at a column; without one, at the class column.

    >>> target_of("income").name
    'target:income'
    """
    if column is None:
        return TargetLoss
    return type("TargetLoss", (TargetLoss,), {"name": f"{NAME}:{column}", "column": column})


def target_named(name: str) -> type[TargetLoss] | None:
    """Return the target of a name such as target:income; None if it names none.

    >>> target_named("Target").name, target_named("LM")
    ('target', None)
    """
    word, colon, column = name.partition(":")
    if word.strip().lower() != NAME or (colon and not column.strip()):
        return None
    return target_of(column.strip() if colon else None)
