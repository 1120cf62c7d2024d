"""What cuts cost `optimize`: the prices of the l+ paper, and how to add one.

A cost is not a loss: it may charge more for a suppressed row or value than the metric of the same name does
(`shoal.metrics`), which also defines what a released row costs here. It is a class with up to four parts, all
in the same unit:

- `value_cost`: what a row costs for being released as a value of one attribute;
- `size_cost`: what a released group costs by its number of rows;
- `label_cost`: what a released group costs by the rows of each class label, summed over the labels;
- `record_cost` and `blank_cost`: what a suppressed row, and a suppressed sensitive value, cost.

The search proves its answers from the monotonicity of the cost, so a new one must be monotone (`check_metric`
tries to refute it): specializing never costs more (`value_cost` never falls towards the root; a group costs,
by size and labels, at least what its parts cost, and by size alone, per row, no less than a smaller group),
and a suppressed row costs at least as much as a released one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import log2
from typing import ClassVar

from shoal.answers.recoding import Scheme
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.errors import InputError, did_you_mean, show
from shoal.metrics import CM, DM, LM, METRICS, NCP
from shoal.metrics.labels import Labels
from shoal.metrics.metric import Named, named_in
from shoal.metrics.target import TargetLoss, target_named

Number = int | float | Fraction

RECORDS = (Scheme.NO_SUPP, Scheme.ALL_REC, Scheme.VIO_REC)


class CutMetric(Named, ABC):
    """A cost of cuts. Subclasses say what it consists of; by default only suppressed rows cost anything."""

    schemes: ClassVar[tuple[Scheme, ...]] = RECORDS

    sized: ClassVar[bool] = False
    """Whether `size_cost` counts."""
    labelled: ClassVar[bool] = False
    """Whether `label_cost` counts."""
    squares: ClassVar[bool] = False
    """Whether a group costs the square of its rows: a `size_cost` that needs no table."""
    minority: ClassVar[bool] = False
    """Whether a group costs its rows outside the most frequent label."""

    def __init__(
        self,
        attributes: Sequence[str],
        rows: int,
        labels: int = 0,
        weights: Mapping[str, Fraction] | None = None,
    ) -> None:
        self.attributes = tuple(attributes)
        self.rows = rows
        self.labels = labels
        self.weights = {name: (weights or {}).get(name, Fraction(1)) for name in attributes}

    def value_cost(self, attribute: str, covered: int, leaves: int) -> Number:
        """Return what a row costs as a value that covers so many of an attribute's leaves."""
        return 0

    def value_costs(
        self, attribute: str, covered: Mapping[Label, int], leaves: int
    ) -> dict[Label, Number]:
        """Return what a row costs as each label of an attribute, given the leaves that each covers."""
        return {label: self.value_cost(attribute, each, leaves) for label, each in covered.items()}

    def size_cost(self, rows: int) -> Number:
        """Return what a released group of so many rows costs."""
        return 0

    def label_cost(self, rows: int) -> Number:
        """Return what a released group costs for having so many rows of one label."""
        return 0

    @abstractmethod
    def record_cost(self) -> Number:
        """Return what a suppressed row costs."""

    def blank_cost(self) -> Number:
        """Return what a suppressed sensitive value costs."""
        return 0


class LMCost(CutMetric):
    """A released row costs what LM says. A sensitive value is worth as much as all quasi values together.

    So a suppressed row, which loses both, costs twice what LM says.
    """

    name = LM.name
    aliases: ClassVar[tuple[str, ...]] = LM.aliases
    title = LM.title
    schemes = tuple(Scheme)
    metric: ClassVar[type[LM | NCP]] = LM

    def value_cost(self, attribute: str, covered: int, leaves: int) -> Number:
        """Return what a cell costs by the metric, weighted."""
        cell = int(self.metric.cell(Labels(covered)))
        return self.weights[attribute] * Fraction(cell, self.metric.divisor(leaves, 0))

    def record_cost(self) -> Number:
        """Return twice the sum of the weights."""
        return 2 * self.blank_cost()

    def blank_cost(self) -> Number:
        """Return the sum of the weights."""
        return sum(self.weights.values(), Fraction(0))


class NCPCost(LMCost):
    """A released row costs what NCP says. Suppressed values and rows cost the same as with LM."""

    name = NCP.name
    aliases: ClassVar[tuple[str, ...]] = NCP.aliases
    title = NCP.title
    metric = NCP


class DMCost(CutMetric):
    """The discernibility metric: a released row costs the rows of its group, a suppressed one all rows."""

    name = DM.name
    aliases = DM.aliases
    title = DM.title
    squares = True

    def record_cost(self) -> Number:
        """Return the number of rows."""
        return self.rows


class CMCost(CutMetric):
    """The classification metric: a row outside its group's majority label costs 1, a suppressed one 1."""

    name = CM.name
    aliases = CM.aliases
    title = CM.title
    needs_class = True
    minority = True

    def record_cost(self) -> Number:
        """Return 1."""
        return CM.row


class EntropyCost(CutMetric):
    """The bits that class labels still need once the group is known; suppressed rows need all bits.

    A group of n rows, c of them with a label, costs the sum of c * log2(n / c) over its labels.
    """

    name = "Entropy"
    aliases = ("label-entropy",)
    title = "entropy of the class labels"
    schemes = (Scheme.NO_SUPP, Scheme.ALL_REC)
    needs_class = True
    sized = True
    labelled = True

    def size_cost(self, rows: int) -> Number:
        """Return n log2 n."""
        return rows * log2(rows) if rows else 0.0

    def label_cost(self, rows: int) -> Number:
        """Return -c log2 c."""
        return -rows * log2(rows) if rows else 0.0

    def record_cost(self) -> Number:
        """Return the bits that tell all labels apart."""
        return log2(self.labels) if self.labels > 1 else 0


class TargetCost(CutMetric):
    """A cell costs the bits about a column that its label no longer tells, of the most that any label tells.

    So two cuts differ by what they differ by `TargetLoss`, in which each row's own value is where its costs
    begin; here a row released as it is may cost something too. `on` gives it a table to look at.
    """

    name = TargetLoss.name
    title = TargetLoss.title
    needs_class = True
    lost: ClassVar[Mapping[str, Mapping[Label, Fraction]]] = {}
    """What a row costs by attribute and label, of those that have rows."""
    row: ClassVar[Fraction] = Fraction(0)

    @classmethod
    def on(
        cls,
        metric: TargetLoss,
        hierarchies: Mapping[str, Hierarchy],
        domains: Mapping[str, Sequence[Label]],
    ) -> type[TargetCost]:
        """Return the cost of cuts that goes by the same figures as a metric of nodes."""
        lost = {}
        for ladder, factor, most, kept in metric.kept_bits():
            domain, tree = domains[ladder.name], hierarchies[ladder.name]
            if None in domain:
                tree = tree.with_missing()
            paths = dict(zip(tree.leaves, tree.rows(), strict=True))
            # A label that is on several levels keeps the same on each: nothing is merged between them.
            lost[ladder.name] = {
                label: Fraction(factor * (most - int(kept[level, place])), metric.unit)
                for place, value in enumerate(domain)
                for level, label in enumerate(paths[value])
            }
        row = Fraction(metric.row, metric.unit)
        told = {"name": metric.name, "needs_class": False, "lost": lost, "row": row}
        return type("TargetCost", (cls,), told)

    def value_costs(
        self, attribute: str, covered: Mapping[Label, int], leaves: int
    ) -> dict[Label, Number]:
        """Return what each label lost; labels without rows cost nobody anything."""
        lost = self.lost[attribute]
        return {label: lost.get(label, Fraction(0)) for label in covered}

    def record_cost(self) -> Number:
        """Return what a row costs that tells nothing."""
        return self.row


CUT_COSTS: tuple[type[CutMetric], ...] = (LMCost, DMCost, CMCost, NCPCost, EntropyCost)


def cut_metric_named(name: str) -> type[CutMetric]:
    """Return the cost of a name or one of its aliases, in upper or lower case.

    >>> cut_metric_named("discernibility").name
    'DM'
    """
    found = named_in(CUT_COSTS, name)
    if found is not None:
        return found
    if (target := target_named(name)) is not None:
        return type("TargetCost", (TargetCost,), {"name": target.name, "column": target.column})
    known = [metric.name for metric in CUT_COSTS]
    if named_in(METRICS, name) is not None:
        raise InputError(f"{name} is a metric of nodes, not of cuts; use one of {', '.join(known)}")
    raise InputError(f"unknown metric {show(name)}; {did_you_mean(name, known)}")


def check_metric(metric: CutMetric, *, leaves: int = 8, rows: int = 12, labels: int = 2) -> None:
    """Look for a small example on which a metric is not monotone, and raise a ValueError that shows it.

    It compares all values that cover up to `leaves` leaves, and all pairs of groups of up to `rows` rows with
    up to two labels. It is meant for the tests of a new metric.
    """
    slack = 1e-9
    for name in metric.attributes:
        costs = [metric.value_cost(name, covered, leaves) for covered in range(1, leaves + 1)]
        for covered, (low, high) in enumerate(pairwise(costs), 1):
            if high < low - slack:
                raise ValueError(
                    f"{metric.name}: a value of {name} over {covered + 1} leaves costs {high}, less than one "
                    f"over {covered}, which costs {low}; specializing would cost more"
                )
    top = sum(float(metric.value_cost(name, leaves, leaves)) for name in metric.attributes)
    counts = [c for c in product(range(rows + 1), repeat=min(labels, 2)) if 0 < sum(c) <= rows]
    for one in counts:
        mine = _group_cost(metric, one)
        if mine < -slack or mine + top * sum(one) > float(metric.record_cost()) * sum(one) + slack:
            raise ValueError(
                f"{metric.name}: a group with {one} rows of its labels costs {mine + top * sum(one)} "
                f"at the root, suppressed {float(metric.record_cost()) * sum(one)}"
            )
        for other in counts:
            both = tuple(a + b for a, b in zip(one, other, strict=True))
            if sum(both) > rows:
                continue
            parts = mine + _group_cost(metric, other)
            if _group_cost(metric, both) < parts - slack:
                raise ValueError(
                    f"{metric.name}: groups with {one} and {other} rows of their labels cost {parts}, "
                    f"and {_group_cost(metric, both)} together; splitting would cost more"
                )
    if not metric.labelled and not metric.minority:
        for n in range(1, rows):
            low, high = _group_cost(metric, (n,)) / n, _group_cost(metric, (n + 1,)) / (n + 1)
            if high < low - slack:
                raise ValueError(
                    f"{metric.name}: a row costs {low} in a group of {n}, {high} in a group of {n + 1}"
                )


def _group_cost(metric: CutMetric, counts: Sequence[int]) -> float:
    rows = sum(counts)
    total = float(rows * rows) if metric.squares else 0.0
    total += rows - max(counts) if metric.minority else 0.0
    total += float(metric.size_cost(rows)) if metric.sized else 0.0
    return total + (sum(float(metric.label_cost(c)) for c in counts) if metric.labelled else 0.0)
