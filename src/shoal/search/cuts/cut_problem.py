"""The input of a search over cuts: forest, tally, limits, scheme and metric, in whole numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import Scheme
from shoal.criteria import Groups, broken, criteria_of
from shoal.data.coding import placed
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Label
from shoal.describe.promise import Promise, ShareLimits
from shoal.errors import InputError
from shoal.kernels import NEVER, CutQuestion
from shoal.metrics.on_cuts import CutMetric, Number, TargetCost
from shoal.search.cuts.forest import Branches, Forest
from shoal.search.cuts.person_weights import MOST_SHARE, Cells, PersonWeights, weigh_persons
from shoal.search.kernel_persons import given_persons

MOST_ROWS = 2**31 - 1
MOST_ATTRIBUTES = 64
LARGEST = 2**61
"""Costs are whole numbers below this, so that they add up in 64 bits."""

SCHEMES = tuple(Scheme)
NO_LIMIT = (0, 0)
MOST_COUNTS = 2**27
"""Combinations of quasi values times tuples of sensitive ones: half a gigabyte of counts."""


@dataclass(frozen=True)
class CutProblem:
    """The problem of finding the best cut. `limits` are the share limits of each sensitive column.

    `most_lost` is how many rows the scheme may suppress at most, or how many values it may blank. A
    group has k if that many persons have rows in it: every row is a person's only one unless the tally
    says otherwise. `distinct` says that distinct values are asked for, not shares.

    Costs are whole multiples of 1 / `unit`. The unit is the common denominator of all costs, so they are
    exact; if that is too large, costs are rounded to a grid (`exact` is false) of about 2^-60 of what the
    table can cost.
    """

    branches: tuple[Branches, ...]
    tally: Tally
    scheme: Scheme
    metric: CutMetric
    limits: Mapping[str, ShareLimits]
    k: int = 1
    class_column: str | None = None
    most_lost: int | None = None
    distinct: bool = False

    def __post_init__(self) -> None:
        if self.weighed and self.scheme is Scheme.VIO_REC:
            raise InputError(
                "vioRec suppresses single rows of a group, and a person may have several; use allRec"
            )
        if self.scheme not in self.metric.schemes:
            allowed = ", ".join(scheme.value for scheme in self.metric.schemes)
            raise InputError(
                f"the metric {self.metric.name} works with {allowed}, not with {self.scheme.value}"
            )
        if self.metric.minority and self._several:
            raise InputError(
                f"{self.metric.name} with vioRec limits one sensitive column, because choosing rows for "
                "several is a hard problem; name one column (`sensitive`), or use allRec"
            )
        if len(self.tuples) * len(self.tally) > MOST_COUNTS:
            raise InputError(
                f"vioRec handles up to {MOST_COUNTS:,} counts for several sensitive columns; this table has "
                f"{len(self.tally):,} combinations of quasi values and {len(self.tuples):,} of sensitive "
                "ones; name one column (`sensitive`), or use allRec"
            )
        if len(self.branches) > MOST_ATTRIBUTES:
            raise InputError(
                f"the search over cuts handles up to {MOST_ATTRIBUTES} attributes, not {len(self.branches)}"
            )
        if self.tally.rows > MOST_ROWS:
            raise InputError(
                f"the search over cuts handles up to {MOST_ROWS:,} rows; this table has {self.tally.rows:,}"
            )

    @cached_property
    def costs(self) -> Costs:
        """All costs in whole numbers."""
        return Costs.of(self.metric, self.branches, self.tally.rows)

    @property
    def unit(self) -> int:
        """How many units make a cost of 1."""
        return self.costs.unit

    def share(self, cost: Fraction) -> float | None:
        """Return what a cost is as a share of all detail; None where costs are no losses.

        They are none where something suppressed costs more than all detail of its row, and where they begin
        with what labels tell at most.
        """
        row = Fraction(self.metric.blank_cost() or self.metric.record_cost())
        charged = self.scheme is not Scheme.NO_SUPP and self.metric.record_cost() != row
        if charged or self.scheme not in (Scheme.NO_SUPP, Scheme.ALL_REC):
            return None
        if isinstance(self.metric, TargetCost) or not row or not self.tally.rows:
            return None
        return float(cost / (row * self.tally.rows))

    @property
    def weighed(self) -> bool:
        """Whether values are limited by what persons with several rows weigh."""
        return self.tally.persons is not None and bool(self.limits)

    @property
    def values(self) -> tuple[tuple[str, str | None], ...]:
        """The sensitive values, column by column, as the histograms count them."""
        return tuple((column, value) for column in self.limits for value in self.tally.domain(column))

    def forest(self, *, merged: bool) -> Forest:
        """Return the numbered taxonomies."""
        return Forest(self.branches, merged)

    def lost_under(self, cut: Mapping[str, Collection[Label]], promise: Promise) -> int | None:
        """Return how many persons have all their rows in groups of a cut that break a promise."""
        if self.tally.persons is None:
            return None
        at = [
            branch.shown(cut[branch.name])[self.tally.codes[:, a]]
            for a, branch in enumerate(self.branches)
        ]
        found, place = placed(np.stack(at, axis=1))
        groups = Groups.of(self.tally, place, len(found), tuple(self.limits))
        return self.tally.lost(broken(groups, criteria_of(promise, self.tally, self.limits))[place])

    @property
    def _several(self) -> bool:
        """Whether rows are suppressed because of several columns."""
        return self.scheme is Scheme.VIO_REC and len(self.limits) > 1

    @cached_property
    def tuples(self) -> npt.NDArray[np.int32]:
        """Which sensitive values occur together, if it matters: slots of the values, one per column."""
        return self._tuples[0]

    @cached_property
    def _tuples(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The tuples, and the tuple of each cell."""
        if not self._several:
            return np.empty((0, len(self.limits)), dtype=np.int32), np.empty(0, dtype=np.int32)
        firsts = np.cumsum([0, *(len(self.tally.domain(column)) for column in self.limits)])
        codes = np.stack(
            [self.tally.in_cells(column) + firsts[c] for c, column in enumerate(self.limits)], axis=1
        )
        distinct, place = np.unique(codes, axis=0, return_inverse=True)
        return np.ascontiguousarray(distinct, dtype=np.int32), place.reshape(-1).astype(np.int32)

    @property
    def joint(self) -> bool:
        """Whether it matters which sensitive values occur with which class labels."""
        return self.metric.minority and self.scheme is Scheme.VIO_REC and bool(self.limits)

    @property
    def cells(self) -> list[Cells]:
        """How many rows of each combination have each sensitive value, each label, and each pair if needed.

        Slots are numbered in this order: the values of the sensitive columns, the labels, then the pairs of
        both, or the tuples of sensitive values. If persons are weighed and values blanked, the values' rows
        come last, and what they weigh comes first.
        """
        columns = [*self.limits, *(() if self.class_column is None else (self.class_column,))]
        found, first = [], 0
        for column in columns:
            codes = self.tally.in_cells(column) + first
            found.append((self.tally.cell_combinations, codes.astype(np.int32), self.tally.cell_counts))
            first += len(self.tally.domain(column))
        if self.joint:
            (sensitive,) = self.limits
            assert self.class_column is not None
            width = len(self.tally.domain(self.class_column))
            codes = (
                self.tally.in_cells(sensitive) * width + self.tally.in_cells(self.class_column) + first
            )
            found.append((self.tally.cell_combinations, codes.astype(np.int32), self.tally.cell_counts))
        if self._several:
            codes = self._tuples[1] + np.int32(first)
            found.append((self.tally.cell_combinations, codes, self.tally.cell_counts))
        if self.weighed:
            values = len(self.limits)
            blanked = found[:values] if self.scheme in (Scheme.ALL_SA, Scheme.VIO_SA) else []
            found = found[values:] + [(at, slots + np.int32(first), n) for at, slots, n in blanked]
        return found

    @cached_property
    def _placed(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Where each distinct combination of leaves first is, and which of these each combination has.

        A lowest level merges values, and the kernels need distinct combinations.
        """
        own = np.arange(len(self.tally))
        if all(len(set(branch.values)) == len(branch.values) for branch in self.branches):
            return own, own
        codes = self.tally.codes.copy()
        for a, branch in enumerate(self.branches):
            place = {leaf: i for i, leaf in enumerate(dict.fromkeys(branch.values))}
            codes[:, a] = np.array([place[leaf] for leaf in branch.values])[codes[:, a]]
        _, first, at = np.unique(codes, axis=0, return_index=True, return_inverse=True)
        return first, at.reshape(-1).astype(np.int64)

    @cached_property
    def weights(self) -> PersonWeights | None:
        """What persons weigh, if their values are limited."""
        if not self.weighed:
            return None
        first, place = self._placed
        return weigh_persons(self.tally, tuple(self.limits), place, len(first), several=self.distinct)

    def limit_rows(self, limits: Mapping[str, ShareLimits]) -> npt.NDArray[np.int64]:
        """Return limits of the same columns in the kernels' form.

        By persons there are two for each value: one for sums of weights, and the limit itself.
        """
        if self.weights is None:
            return limit_rows(limits, self.tally)
        finest = max((one.finest for one in limits.values()), default=1)
        if not self.weights.largest and finest > MOST_SHARE:
            raise InputError(
                "a limit has too many digits where somebody has so many rows in different combinations; "
                "write it with at most 18"
            )
        given = limit_rows(limits, self.tally, self.weights.total)
        return np.concatenate([given, limit_rows(limits, self.tally, MOST_SHARE)[:, :2]], axis=1)

    def question(self, forest: Forest) -> CutQuestion:
        """Return the problem in the kernels' form."""
        costs = self.costs
        below = [self.branches[a].below[node.label] for a, node, _ in forest.nodes]
        size_part = 1 if self.metric.squares else 2 if self.metric.sized else 0
        class_part = 1 if self.metric.minority else 2 if self.metric.labelled else 0
        labels = 0 if self.class_column is None else len(self.tally.domain(self.class_column))
        first, place = self._placed
        rows = np.bincount(place, weights=self.tally.counts).astype(np.int64)
        cells = [(place[at], slots, counts) for at, slots, counts in self.cells]
        persons, weights = given_persons(self.tally, place, len(first)), self.weights
        if weights is not None:
            cells = [*weights.cells, *cells]
            persons = weights.persons
        return CutQuestion(
            attribute=[a for a, _, _ in forest.nodes],
            parent=[parent for _, _, parent in forest.nodes],
            weight=[costs.values[a][node.label] for a, node, _ in forest.nodes],
            below=below,
            leaves=np.ascontiguousarray(forest.leaves(self.tally.codes)[first]),
            rows=rows,
            cells=cells,
            scheme=SCHEMES.index(self.scheme),
            k=self.k,
            limits=self.limit_rows(self.limits),
            tuples=self.tuples,
            labels=labels,
            joint=self.joint,
            unit=costs.unit,
            record_cost=costs.record,
            value_cost=costs.blank,
            size_part=size_part,
            class_part=class_part,
            size_table=costs.sizes,
            class_table=costs.labels,
            most_lost=NEVER if self.most_lost is None else self.most_lost,
            persons=persons,
            weights=None if weights is None else (weights.scale, weights.listed),
        )


def refuse_too_hard(gave_up: bool) -> None:
    """Refuse an answer if the kernel could not prove how many rows of some group can be kept."""
    if gave_up:
        raise InputError(
            "vioRec could not prove how many rows of a group can be kept: three or more sensitive columns "
            "exceed their limits at once; limit fewer (`sensitive`), or use allRec"
        )


def limit_rows(
    limits: Mapping[str, ShareLimits], tally: Tally, most: int | None = None
) -> npt.NDArray[np.int64]:
    """Return for each sensitive value its limit (as two numbers), its column, and whether it is missing.

    Shares have denominators up to `most`: the rows, if it is not given.
    """
    rows = []
    for c, (column, given) in enumerate(limits.items()):
        for value in tally.domain(column):
            limit = given.of(value)
            if limit is not None:
                limit = share_below(limit, tally.rows if most is None else most)
            pair = NO_LIMIT if limit is None else (limit.numerator, limit.denominator)
            rows.append((*pair, c, int(value is None)))
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def share_below(limit: Fraction, rows: int) -> Fraction:
    """Return the largest share of at most `rows` rows, or of that weight, that is not above a limit.

    Shares of groups are fractions with such denominators, so they exceed the result exactly if they
    exceed the limit. The expansion of the limit into a continued fraction ends with the two neighbours
    that enclose it among all fractions with denominators up to `rows`.

    >>> share_below(Fraction("0.33333333333333334"), 6), share_below(Fraction("0.33333333333333333"), 6)
    (Fraction(1, 3), Fraction(1, 4))
    """
    if limit.denominator <= rows:
        return limit
    p0, q0, p1, q1 = 0, 1, 1, 0
    n, d = limit.numerator, limit.denominator
    while q0 + (n // d) * q1 <= rows:
        whole = n // d
        p0, q0, p1, q1 = p1, q1, p0 + whole * p1, q0 + whole * q1
        n, d = d, n - whole * d
    steps = (rows - q0) // q1
    ends = (Fraction(p0 + steps * p1, q0 + steps * q1), Fraction(p1, q1))
    return max(end for end in ends if end <= limit)


@dataclass(frozen=True)
class Costs:
    """A metric's costs as whole multiples of 1 / unit."""

    unit: int
    exact: bool
    values: tuple[Mapping[str | None, int], ...]
    record: int
    blank: int
    sizes: list[int]
    labels: list[int]

    @classmethod
    def of(cls, metric: CutMetric, branches: Sequence[Branches], rows: int) -> Costs:
        """Return the costs of a metric for some taxonomies."""
        values: list[dict[str | None, Number]] = [
            metric.value_costs(branch.name, branch.covered, branch.leaves) for branch in branches
        ]
        tables = [
            [cost(n) for n in range(rows + 1)] if wanted and not metric.squares else []
            for wanted, cost in ((metric.sized, metric.size_cost), (metric.labelled, metric.label_cost))
        ]
        record, blank = metric.record_cost(), metric.blank_cost()
        numbers = [record, blank, *tables[0], *tables[1]]
        numbers += [cost for costs in values for cost in costs.values()]
        unit, exact = _unit(numbers, _most(metric, values, tables, record, blank, rows))

        def whole(number: Number) -> int:
            return round(Fraction(number) * unit)

        return cls(
            unit,
            exact,
            tuple({label: whole(cost) for label, cost in costs.items()} for costs in values),
            whole(record),
            whole(blank),
            [whole(cost) for cost in tables[0]],
            [whole(cost) for cost in tables[1]],
        )


def _most(
    metric: CutMetric,
    values: Sequence[Mapping[str | None, Number]],
    tables: Sequence[Sequence[Number]],
    record: Number,
    blank: Number,
    rows: int,
) -> Fraction:
    """Return a number above what any cut of the table can cost."""
    row = Fraction(record) + Fraction(blank) + sum(Fraction(max(costs.values())) for costs in values)
    groups = sum((max(abs(Fraction(cost)) for cost in table) for table in tables if table), Fraction(0))
    return (row + (rows if metric.squares else 1)) * rows + groups * rows


def _unit(numbers: Sequence[Number], most: Fraction) -> tuple[int, bool]:
    """Return the common denominator of all numbers, or else the finest grid that fits."""
    if all(isinstance(number, (int, Fraction)) for number in numbers):
        unit = lcm(*(Fraction(number).denominator for number in numbers))
        if most * unit < LARGEST:
            return unit, True
    if most >= LARGEST:
        raise InputError("the costs of this table are too large to be added up exactly; use LM")
    return 1 << (int(LARGEST / most).bit_length() - 1), False
