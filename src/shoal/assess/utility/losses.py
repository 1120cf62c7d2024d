"""What a release costs by every metric, in all and by attribute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.answers.recoding import Recoding
from shoal.assess.utility import cell_losses, class_losses
from shoal.assess.utility.below import below
from shoal.assess.utility.case import Case, Found
from shoal.assess.utility.coverage import coverage
from shoal.assess.utility.rows import released_sizes
from shoal.data.tally.tally import Tally
from shoal.describe.hierarchies import Hierarchy
from shoal.metrics import METRICS
from shoal.recode.treatment import Treatment


@dataclass(frozen=True)
class MetricLoss:
    """The loss over all rows, and the most it can be: that of a table whose rows are all suppressed."""

    loss: float
    most: float

    @property
    def share(self) -> float:
        """The loss as a share of the most."""
        return self.loss / self.most if self.most else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the loss as documents show it."""
        return {"loss": self.loss, "most": self.most, "share": self.share}


@dataclass(frozen=True)
class AttributeLoss:
    """The average LM of one attribute, from 0 (untouched) to 1 (nothing left).

    `released` is that of the released rows (None where there are none); in `all_rows` every suppressed
    row counts 1.
    """

    released: float | None
    all_rows: float

    def to_dict(self) -> dict[str, Any]:
        """Return the loss as documents show it."""
        return {"released": self.released, "all_rows": self.all_rows}


@dataclass(frozen=True)
class Utility:
    """The losses of a release by metric, as far as they can be told, and LM by attribute."""

    rows: int
    suppressed: int
    losses: Mapping[str, MetricLoss]
    attributes: Mapping[str, AttributeLoss]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as documents show them."""
        return {
            "rows": self.rows,
            "suppressed": self.suppressed,
            "losses": {name: loss.to_dict() for name, loss in self.losses.items()},
            "attributes": {name: loss.to_dict() for name, loss in self.attributes.items()},
        }


def measure_utility(
    recoding: Recoding,
    treatment: Treatment,
    tally: Tally,
    hierarchies: Mapping[str, Hierarchy],
    class_column: str | None = None,
    weights: Mapping[str, Fraction] | None = None,
) -> Utility:
    """Return what a treatment costs by every metric of `loss`, over all rows.

    A suppressed row counts as the metric says (LM: 1 per attribute); a blanked sensitive value costs
    nothing here, because no metric of quasi attributes sees it. CM needs a class column that the tally
    holds, and is left out where the seed decides which rows of a class stay. `weights` are those of the
    attributes, 1 where none is given; the losses by attribute are not weighted.
    """
    coverages = coverage(recoding, treatment, tally, hierarchies)
    case = Case(
        treatment,
        tally,
        released_sizes(treatment, tally),
        coverages,
        below(recoding, treatment, tally, hierarchies, coverages),
        tuple((weights or {}).get(name, Fraction(1)) for name in tally.attributes),
        class_column,
    )
    losses = {}
    for metric in METRICS:
        calculate = CALCULATORS.get(metric.name)
        found = calculate(case) if calculate is not None else None
        if found is not None:
            loss, most = found
            losses[metric.name] = MetricLoss(float(loss), float(most))
    attributes = {}
    kept = int(case.released.sum())
    for name, one in zip(tally.attributes, case.coverages, strict=True):
        lost = cell_losses.lm_of(one, case.released)
        attributes[name] = AttributeLoss(
            float(lost / kept) if kept else None,
            float((lost + case.suppressed) / tally.rows) if tally.rows else 0.0,
        )
    return Utility(tally.rows, case.suppressed, losses, attributes)


CALCULATORS: dict[str, Callable[[Case], Found | None]] = {
    "LM": cell_losses.lm,
    "DM": class_losses.dm,
    "CM": class_losses.cm,
    "Prec": cell_losses.precision,
    "NCP": cell_losses.ncp,
    "ClassSize": class_losses.class_size,
    "NUE": cell_losses.non_uniform_entropy,
    "Ambiguity": class_losses.ambiguity,
    "Height": class_losses.height,
    "Intensity": cell_losses.intensity,
}
"""One for each metric of `loss.METRICS`, by name: loss and the most, None where it cannot be told."""
