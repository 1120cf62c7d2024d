"""What a release is still good for, as figures and as sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.assess.utility.associations import PairOfColumns, TableOfTwo
from shoal.assess.utility.column_classes import shown_class
from shoal.assess.utility.distributions import Distribution
from shoal.assess.utility.indicators import Indicator
from shoal.assess.utility.lost_groups import LostGroup
from shoal.assess.utility.predictions import Prediction
from shoal.assess.utility.propensity import WORST
from shoal.assess.utility.regressions import Model
from shoal.numbers import figure, percent
from shoal.tabular import AnswerColumn, AnswerTable, Tabular


@dataclass(frozen=True)
class Headline:
    """The few figures by which releases are compared: the smaller, the better.

    `distance` is the average total variation distance of the columns, `worst` the largest and `worst_column`
    its column; `pairs` is the average over all pairs of columns. `propensity` is pMSE, from 0 to 1/4.
    """

    distance: float
    worst: float
    worst_column: str | None
    pairs: float
    propensity: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as documents show them."""
        return {
            "distance": self.distance,
            "worst": self.worst,
            "worst_column": self.worst_column,
            "pairs": self.pairs,
            "propensity": self.propensity,
        }


@dataclass(frozen=True, repr=False)
class UtilityReport(Tabular):
    """What a release is still good for, beside the table that it was made from."""

    file: str
    rows: int
    released: int
    headline: Headline
    columns: tuple[Distribution, ...]
    pairs: tuple[PairOfColumns, ...]
    tables: tuple[TableOfTwo, ...]
    groups: tuple[LostGroup, ...] = ()
    models: tuple[Model, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    indicators: tuple[Indicator, ...] = ()
    notes: tuple[str, ...] = ()
    weight: str | None = None
    seed: int = 0

    @property
    def suppressed(self) -> int:
        """How many rows are not released."""
        return self.rows - self.released

    def of(self, column: str) -> Distribution:
        """Return what became of one column."""
        return next(one for one in self.columns if one.column == column)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the figures say, in words."""
        head, said = self.headline, []
        if head.worst_column is not None:
            said.append(
                f"On average {percent(head.distance)} of a column's distribution moved; most in "
                f"{head.worst_column} ({percent(head.worst)})."
            )
        said.append(
            f"A model that guesses whether a row is released or original is off the even odds by "
            f"{figure(head.propensity, 3)} (pMSE; 0 is best, {WORST} means it always knows)."
        )
        said += [
            f"{model.formula}: the coefficients' intervals overlap by {percent(model.overlap)} on average."
            for model in self.models
            if model.overlap is not None
        ]
        said += [
            f"{one.column} by {one.model}: {percent(one.released.error)} of held-out rows wrong if learnt "
            f"from the release, {percent(one.original.error)} from the original rows, "
            f"{percent(one.majority.error)} if always the most frequent."
            for one in self.predictions
        ]
        return tuple(said)

    def as_table(self) -> AnswerTable:
        """Return one line for each column."""
        means = [one.summary for one in self.columns]
        columns = (
            AnswerColumn("column", str, [one.column for one in self.columns]),
            AnswerColumn("values", int, [one.values for one in self.columns]),
            AnswerColumn("labels", int, [one.labels for one in self.columns]),
            AnswerColumn("distance", float, [one.distance for one in self.columns]),
            AnswerColumn("mean before", float, [one and one.mean_before for one in means]),
            AnswerColumn("mean after", float, [one and one.mean_after for one in means]),
            AnswerColumn("missing before", float, [one.missing_before for one in self.columns]),
            AnswerColumn("missing after", float, [one.missing_after for one in self.columns]),
        )
        return AnswerTable(f"what {self.file} keeps of {self.rows:,} rows", columns)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal utility --json` prints."""
        parts: Mapping[str, tuple[Any, ...]] = {
            "columns": self.columns,
            "pairs": self.pairs,
            "tables": self.tables,
            "groups": self.groups,
            "models": self.models,
            "predictions": self.predictions,
            "indicators": self.indicators,
        }
        return {
            "kind": "utility",
            "file": self.file,
            "rows": self.rows,
            "released": self.released,
            "suppressed": self.suppressed,
            "weight": self.weight,
            "seed": self.seed,
            "headline": self.headline.to_dict(),
            **{name: [one.to_dict() for one in given] for name, given in parts.items()},
            "notes": list(self.notes),
        }


def group_name(group: LostGroup) -> str:
    """Return a group as people read it.

    >>> group_name(LostGroup("sex", None, 3, 0.0)), group_name(LostGroup(None, "rare", 3, 0.0))
    ('sex: (missing)', 'rare')
    """
    value = shown_class(group.value)
    return value if group.column is None else f"{group.column}: {value}"
