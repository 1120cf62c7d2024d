"""Which rows vioRec suppresses: the fewest that make a class keep every share limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import Decision
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Label
from shoal.describe.promise import ShareLimits
from shoal.errors import InputError
from shoal.kernels import keep_jointly
from shoal.search.cuts.cut_problem import limit_rows, refuse_too_hard

Ints = npt.NDArray[np.int64]
Values = tuple[Label, ...]


@dataclass(frozen=True)
class Quota:
    """How many rows of a class with these sensitive values are suppressed, the `favoured` label last."""

    class_: int
    values: Values
    rows: int
    favoured: Label = None


@dataclass(frozen=True)
class _KeptRows:
    """One class: the rows with each combination of limited columns' values, and how many are kept."""

    class_: int
    values: Sequence[Values]
    rows: Sequence[int]
    kept: Sequence[int]

    def distinct(self, column: int) -> int:
        """Return how many distinct values of a column are kept, without the missing value."""
        pairs = zip(self.values, self.kept, strict=True)
        return len({values[column] for values, n in pairs if n > 0} - {None})


def keep_most(counts: Sequence[int], limits: Sequence[tuple[int, int] | None]) -> list[int]:
    """Return how many rows of each value vioRec keeps: the most that keep every limit.

    Limits are (numerator, denominator) or None. The number kept, m, is the largest with m = sum over s
    of min(n_s, floor(theta_s * m)). The right side never falls as m rises, so stepping down from all
    rows reaches its largest fixed point, and no larger m can be one.

    >>> keep_most([3, 2, 1], [(1, 3)] * 3)
    [1, 1, 1]
    """
    kept = list(counts)
    total = sum(kept)
    while True:
        kept = [
            n if limit is None else min(n, limit[0] * total // limit[1])
            for n, limit in zip(counts, limits, strict=True)
        ]
        if sum(kept) == total:
            return kept
        total = sum(kept)


def suppress_some(
    decision: Decision,
    tally: Tally,
    classes: Ints,
    hopeless: npt.NDArray[np.bool_],
    histograms: Mapping[str, Ints],
    class_column: str | None,
) -> tuple[npt.NDArray[np.bool_], tuple[Quota, ...]]:
    """Return the classes that vioRec suppresses whole, and how many rows of the others."""
    promise = decision.promise
    label_column = class_column if decision.metric == "CM" else None
    if not promise.theta:
        return hopeless, ()
    if label_column is not None and len(promise.theta) > 1:
        raise InputError(
            "CM with vioRec limits the shares of one sensitive column; choose another metric or scheme"
        )
    gone = hopeless.copy()
    quotas: list[Quota] = []
    if len(promise.theta) == 1:
        ((column, limits),) = promise.theta.items()
        found = _kept_of_one(limits, tally.domain(column), histograms[column], ~hopeless)
    else:
        found = _kept_of_several(promise.theta, tally, classes, ~hopeless)
    for one in found:
        if list(one.kept) == list(one.rows):
            continue
        least = min(one.distinct(c) for c in range(len(promise.theta)))
        if sum(one.kept) < (promise.k or 1) or least < (promise.l or 0):
            gone[one.class_] = True
            continue
        favoured = None
        if label_column is not None:
            (column,) = promise.theta
            favoured = _favoured(tally, classes, one, column, label_column)
        quotas += [
            Quota(one.class_, values, n - keep, favoured)
            for values, n, keep in zip(one.values, one.rows, one.kept, strict=True)
            if n > keep
        ]
    return gone, tuple(quotas)


def _kept_of_one(
    limits: ShareLimits, domain: Sequence[Label], histogram: Ints, wanted: npt.NDArray[np.bool_]
) -> Iterator[_KeptRows]:
    """Yield what is kept of each wanted class if one column is limited."""
    pairs = [
        None if (limit := limits.of(value)) is None else (limit.numerator, limit.denominator)
        for value in domain
    ]
    values = [(value,) for value in domain]
    for c in np.flatnonzero(wanted).tolist():
        counts = histogram[c].tolist()
        yield _KeptRows(c, values, counts, keep_most(counts, pairs))


def _kept_of_several(
    limits: Mapping[str, ShareLimits], tally: Tally, classes: Ints, wanted: npt.NDArray[np.bool_]
) -> Iterator[_KeptRows]:
    """Yield what is kept of each wanted class if several columns are limited."""
    rows = limit_rows(limits, tally)
    domains = [tally.domain(column) for column in limits]
    firsts = np.cumsum([0, *map(len, domains)])[:-1].astype(np.int32)
    of = classes[tally.cell_combinations]
    columns: list[npt.NDArray[Any]] = [of, *(tally.in_cells(column) for column in limits)]
    cells, place = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    counts = np.bincount(place.reshape(-1), weights=tally.cell_counts).astype(np.int64)
    ends = np.searchsorted(cells[:, 0], np.arange(len(wanted) + 1))
    for c in np.flatnonzero(wanted).tolist():
        here = slice(int(ends[c]), int(ends[c + 1]))
        codes = cells[here, 1:].astype(np.int32)
        kept, certain = keep_jointly(rows, np.ascontiguousarray(codes + firsts), counts[here])
        refuse_too_hard(not certain)
        values = [tuple(of[v] for of, v in zip(domains, row, strict=True)) for row in codes.tolist()]
        yield _KeptRows(c, values, counts[here].tolist(), kept)


def _favoured(tally: Tally, classes: Ints, one: _KeptRows, column: str, class_column: str) -> Label:
    """Return the class label that leaves the fewest minority rows when its rows are kept first.

    With label y kept first, the majority is at most sum over s of min(kept_s, rows with s and y); the
    label for which that is largest leaves the fewest rows outside it.
    """
    cells = np.flatnonzero(classes[tally.cell_combinations] == one.class_)
    values, labels = tally.in_cells(column)[cells], tally.in_cells(class_column)[cells]
    joint = np.zeros((len(one.kept), len(tally.domain(class_column))), dtype=np.int64)
    np.add.at(joint, (values, labels), tally.cell_counts[cells])
    majority = np.minimum(joint, np.array(one.kept)[:, None]).sum(axis=0)
    return tally.domain(class_column)[int(majority.argmax())]
