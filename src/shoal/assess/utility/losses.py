"""What a release loses by every metric, overall and by attribute."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from shoal.answers.recoding import Recoding
from shoal.assess.utility.majorities import majorities
from shoal.assess.utility.released_labels import released_labels
from shoal.assess.utility.rows import released_sizes
from shoal.data.tally import Tally
from shoal.data.tally.ladders import make_ladder
from shoal.data.tally.problem import Problem
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.specification import Role
from shoal.metrics import LM, METRICS
from shoal.metrics.metric import Loss, Metric
from shoal.questions.material import Material
from shoal.recode import Treatment


@dataclass(frozen=True)
class AttributeLoss:
    """The average LM of one attribute, from 0 (untouched) to 1 (nothing left).

    `released` averages the released rows (None if there are none); in `all_rows` each suppressed row
    counts 1.
    """

    released: float | None
    all_rows: float

    def to_dict(self) -> dict[str, Any]:
        """Return the loss as documents show it."""
        return asdict(self)


@dataclass(frozen=True)
class Utility:
    """The losses of a release by metric, as far as they are known, and LM by attribute."""

    rows: int
    suppressed: int
    losses: Mapping[str, Loss]
    attributes: Mapping[str, AttributeLoss]

    @property
    def figures(self) -> dict[str, dict[str, float]]:
        """The `losses` and the `shares` by metric, as answers keep them."""
        return {
            "losses": {name: float(loss.loss) for name, loss in self.losses.items()},
            "shares": {name: float(loss.share) for name, loss in self.losses.items()},
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as documents show them."""
        return {
            "rows": self.rows,
            "suppressed": self.suppressed,
            "losses": {name: loss.to_dict() for name, loss in self.losses.items()},
            "attributes": {name: loss.to_dict() for name, loss in self.attributes.items()},
        }


def with_class(material: Material, tally: Tally) -> tuple[Tally, str | None]:
    """Return a tally that also counts the class column, and that column; the combinations are the same."""
    column = next(iter(material.specification.having(Role.CLASS)), None)
    if column is None or column in (*tally.others, *tally.attributes):
        return tally, column
    return material.tally(*tally.others, column), column


def utility_of(
    material: Material,
    recoding: Recoding,
    treatment: Treatment,
    tally: Tally,
    aim: Metric | None = None,
) -> Utility:
    """Return what a treatment of a study's rows loses by every metric; by CM if there is a class column.

    An `aim` is one more metric, of the same rows.
    """
    labelled, column = with_class(material, tally)
    weights = material.specification.weights
    return measure_utility(recoding, treatment, labelled, material.hierarchies, column, weights, aim)


def measure_utility(
    recoding: Recoding,
    treatment: Treatment,
    tally: Tally,
    hierarchies: Mapping[str, Hierarchy],
    class_column: str | None = None,
    weights: Mapping[str, Fraction] | None = None,
    aim: Metric | None = None,
) -> Utility:
    """Return what a treatment loses by every metric, over all rows.

    A suppressed row counts as the metric says (LM: 1 per attribute); a suppressed sensitive value costs
    nothing here, because no metric of quasi attributes sees it. CM needs a class column in the tally, and is
    missing if the seed decides which rows of a class remain. `weights` are those of the attributes, 1 by
    default; the losses by attribute are not weighted.
    """
    problem = problem_of(tally, hierarchies, weights or {})
    released = released_sizes(treatment, tally)
    labels = released_labels(recoding, treatment, tally, problem, hierarchies)
    majority = majorities(treatment, tally, released, class_column)
    losses = {}
    for kind in METRICS:
        metric = kind(problem)
        if metric.needs_class and majority is None:
            continue
        if metric.figure(metric.largest) > sys.float_info.max:
            continue  # an ambiguity too large for any document
        sums = metric.sums(released, majority, metric.cells(labels))
        losses[kind.name] = metric.told(metric.loss(sums, treatment.suppressed_rows))
    if aim is not None:
        sums = aim.sums(released, majority, aim.cells(labels))
        losses[aim.name] = aim.told(aim.loss(sums, treatment.suppressed_rows))
    kept = int(released.sum())
    lm, attributes = LM(problem), {}
    for name, ladder, one in zip(tally.attributes, problem.ladders, labels, strict=True):
        lost = Fraction(int(lm.cell(one) @ released), lm.divisor(ladder.leaves, ladder.height))
        attributes[name] = AttributeLoss(
            float(lost / kept) if kept else None,
            float((lost + treatment.suppressed_rows) / tally.rows) if tally.rows else 0.0,
        )
    return Utility(tally.rows, treatment.suppressed_rows, losses, attributes)


def problem_of(
    tally: Tally, hierarchies: Mapping[str, Hierarchy], weights: Mapping[str, Fraction]
) -> Problem:
    """Return what the metrics look at; a value without a place in its hierarchy is never released."""
    ladders = []
    for name in tally.attributes:
        hierarchy = hierarchies[name]
        leaves = {None, *hierarchy.leaves}
        domain = [value if value in leaves else hierarchy.leaves[0] for value in tally.domain(name)]
        weight = weights.get(name, Fraction(1))
        ladders.append(make_ladder(name, hierarchy, domain, tally.totals(name), weight=weight))
    rows = tuple(tally.totals(name) for name in tally.attributes)
    return Problem(tuple(ladders), tally.codes, tally.counts, value_rows=rows)
