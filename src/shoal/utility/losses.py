"""What a release costs by every metric, in all and by attribute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.hierarchy import Hierarchy
from shoal.loss import METRICS
from shoal.recoding import Recoding
from shoal.release.treatment import Treatment
from shoal.tally import Tally
from shoal.utility.coverage import Coverage, coverage
from shoal.utility.rows import cell_values, draws_by_label, released_sizes, value_places

Ints = npt.NDArray[np.int64]


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


@dataclass(frozen=True)
class _Case:
    """What the metrics look at."""

    treatment: Treatment
    tally: Tally
    released: Ints
    coverages: tuple[Coverage, ...]
    class_column: str | None

    @property
    def suppressed(self) -> int:
        return self.treatment.suppressed_rows


def measure_utility(
    recoding: Recoding,
    treatment: Treatment,
    tally: Tally,
    hierarchies: Mapping[str, Hierarchy],
    class_column: str | None = None,
) -> Utility:
    """Return what a treatment costs by every metric of the contract, over all rows.

    A suppressed row counts as the contract says (LM: 1 per attribute); a blanked sensitive value costs
    nothing here, because no metric of quasi attributes sees it. CM needs a class column that the tally
    holds, and is left out where the seed decides which rows of a class stay.
    """
    case = _Case(
        treatment,
        tally,
        released_sizes(treatment, tally),
        coverage(recoding, treatment, tally, hierarchies),
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
        lost = _lm_of(one, case.released)
        attributes[name] = AttributeLoss(
            float(lost / kept) if kept else None,
            float((lost + case.suppressed) / tally.rows) if tally.rows else 0.0,
        )
    return Utility(tally.rows, case.suppressed, losses, attributes)


def _lm_of(one: Coverage, released: Ints) -> Fraction:
    return Fraction(int(((one.covered - 1) * released).sum()), max(one.leaves - 1, 1))


def _lm(case: _Case) -> tuple[Fraction, int]:
    attributes = len(case.coverages)
    lost = sum((_lm_of(one, case.released) for one in case.coverages), Fraction(0))
    return lost + case.suppressed * attributes, case.tally.rows * attributes


def _dm(case: _Case) -> tuple[int, int]:
    squares = sum(n * n for n in case.released.tolist())
    return squares + case.suppressed * case.tally.rows, case.tally.rows**2


def _precision(case: _Case) -> tuple[Fraction, int]:
    attributes = len(case.coverages)
    lost = sum(
        (
            Fraction(int((one.levels * case.released).sum()), max(one.height, 1))
            for one in case.coverages
        ),
        Fraction(0),
    )
    return lost + case.suppressed * attributes, case.tally.rows * attributes


def _cm(case: _Case) -> tuple[int, int] | None:
    treatment, tally, column = case.treatment, case.tally, case.class_column
    if column is None or column not in (*tally.attributes, *tally.others):
        return None
    labels = np.zeros((len(treatment.labels), len(tally.domain(column))), dtype=np.int64)
    classes = treatment.classes[tally.cell_combinations]
    np.add.at(labels, (classes, cell_values(tally, column)), tally.cell_counts)
    majority = labels.max(axis=1, initial=0)
    majority[case.released == 0] = 0
    if treatment.quotas:
        kept = _kept_majority(case, column)
        if kept is None:
            return None
        for class_, rows in kept.items():
            majority[class_] = rows
    return tally.rows - int(majority.sum()), tally.rows


def _kept_majority(case: _Case, column: str) -> dict[int, int] | None:
    """Return the majority that is left in each class with quotas, None where the seed decides.

    The rows of the favoured label y are kept first, so it keeps the sum over values s of min(kept_s, rows
    with s and y); no label keeps more than its own such sum, and y was chosen to have the largest. Of a
    column by which quotas choose it is known how many rows of each value stay.
    """
    treatment, tally = case.treatment, case.tally
    sensitive = treatment.sensitive
    if not (column in sensitive or draws_by_label(treatment)):
        return None
    places = value_places(treatment, tally)
    labels = {label: code for code, label in enumerate(tally.domain(column))}
    gone: dict[int, dict[tuple[int, ...], int]] = {}
    favoured: dict[int, int] = {}
    for quota in treatment.quotas:
        codes = tuple(place[value] for place, value in zip(places, quota.values, strict=True))
        gone.setdefault(quota.class_, {})[codes] = quota.rows
        favoured[quota.class_] = labels.get(quota.favoured, -1)
    classes = treatment.classes[tally.cell_combinations]
    here = np.isin(classes, list(gone))
    rows: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    cells = zip(
        classes[here].tolist(),
        zip(*(cell_values(tally, name)[here].tolist() for name in sensitive), strict=True),
        cell_values(tally, column)[here].tolist(),
        tally.cell_counts[here].tolist(),
        strict=True,
    )
    for class_, values, label, count in cells:
        found = rows.setdefault((class_, values), [0, 0])
        found[0] += count
        found[1] += count if label == favoured[class_] else 0
    majority = dict.fromkeys(gone, 0)
    stays: dict[tuple[int, int], int] = {}
    for (class_, values), (count, liked) in rows.items():
        kept = count - gone[class_].get(values, 0)
        if column in sensitive:
            label = values[sensitive.index(column)]
            stays[class_, label] = stays.get((class_, label), 0) + kept
            majority[class_] = max(majority[class_], stays[class_, label])
        else:
            majority[class_] += min(kept, liked)
    return majority


CALCULATORS: dict[str, Callable[[_Case], tuple[Fraction | int, int] | None]] = {
    "LM": _lm,
    "DM": _dm,
    "CM": _cm,
    "Prec": _precision,
}
"""One for each metric of `loss.METRICS`, by name: loss and the most, None where it cannot be told."""
