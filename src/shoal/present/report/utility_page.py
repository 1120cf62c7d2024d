"""The page of what a release is still good for: before and after side by side, for the curator alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from shoal.assess.utility.distributions import Distribution
from shoal.assess.utility.indicators import Indicator
from shoal.assess.utility.propensity import WORST
from shoal.assess.utility.regressions import Model
from shoal.assess.utility.utility_report import UtilityReport, group_name
from shoal.numbers import count, figure, percent, share_of
from shoal.present.charts.bars import Bars, bars_chart
from shoal.present.charts.heat_map import HeatMap, heat_map
from shoal.present.charts.svg import Table, table_if_any
from shoal.present.charts.utility_charts import (
    SERIES,
    column_bars,
    correlations_map,
    model_picture,
    moved_bars,
    pairs_map,
    prediction_bars,
    table_map,
)
from shoal.present.report.html import render_page
from shoal.present.report.layout import Figure, KeyFigure
from shoal.present.report.layout import figure as drawn_figure
from shoal.version import VERSION

PREDICTED = (("b1", "learnt from original rows"), ("b0", "from released rows"), ("b2", "most frequent"))


@dataclass(frozen=True)
class ColumnSection:
    """What the page shows of one column."""

    column: Distribution
    sentences: tuple[str, ...]
    bars: Figure


@dataclass(frozen=True)
class ModelSection:
    """What the page shows of one regression."""

    model: Model
    told: str
    picture: Figure


def render_utility(found: UtilityReport) -> str:
    """Return what a release is still good for as one self-contained HTML page."""
    return render_page("utility.html", utility_view(found))


def utility_view(found: UtilityReport) -> dict[str, object]:
    """Return what the page shows."""
    head = found.headline
    correlations = correlations_map(found.pairs)
    return {
        "file": Path(found.file).name,
        "seed": found.seed,
        "made": datetime.now(UTC).strftime("%Y-%m-%d"),
        "version": VERSION,
        "figures": [
            KeyFigure("Moved on average", percent(head.distance), "of a column's distribution"),
            KeyFigure("pMSE", figure(head.propensity, 3), f"0 is best, {WORST} worst"),
            KeyFigure(
                "Suppressed", share_of(found.suppressed, found.rows), f"of {count(found.rows)} rows"
            ),
        ],
        "sentences": found.sentences,
        "notes": found.notes,
        "overview": _bars(moved_bars(found.columns)),
        "columns": [
            ColumnSection(one, column_sentences(one), _bars(column_bars(one), SERIES))
            for one in found.columns
        ],
        "pairs": _map(pairs_map(found.pairs)) if found.pairs else None,
        "correlations": None if correlations is None else _map(correlations),
        "tables": [_map(table_map(one)) for one in found.tables],
        "models": [_model(model) for model in found.models],
        "predictions": _bars(prediction_bars(found), PREDICTED) if found.predictions else None,
        "indicators": [indicator_table(one) for one in found.indicators],
        "groups": groups_table(found),
    }


def column_sentences(one: Distribution) -> tuple[str, ...]:
    """Return what became of a column, in words."""
    said = [
        f"{percent(one.distance)} of the distribution moved, if every label counts evenly for the values "
        f"that it may stand for; {one.values:,} values before, {one.labels:,} labels after."
    ]
    if one.missing_before or one.missing_after:
        said.append(
            f"Missing: {percent(one.missing_before)} before, {percent(one.missing_after)} after."
        )
    mean = one.summary
    if mean is not None and mean.mean_before is not None and mean.mean_after is not None:
        said.append(
            f"Mean {figure(mean.mean_before)} before, {figure(mean.mean_after)} after, from the middle of "
            f"each label; median {figure(mean.median_before or 0)} and {figure(mean.median_after or 0)}, "
            f"standard deviation {figure(mean.sd_before or 0)} and {figure(mean.sd_after or 0)}."
        )
    if mean is not None and mean.interval is not None:
        sure = f"The release proves that the mean of its rows lies from {_span(mean.interval)}"
        if mean.of_all is not None and mean.of_all != mean.interval:
            sure += f", and that of all rows, suppressed ones too, from {_span(mean.of_all)}"
        said.append(sure + ".")
    return tuple(said)


def groups_table(found: UtilityReport) -> Table | None:
    """Return the groups of people that lose most."""
    rows = [
        (
            group_name(one),
            count(one.rows),
            percent(one.suppressed),
            "" if one.error_before is None else percent(one.error_before),
            "" if one.error_after is None else percent(one.error_after),
        )
        for one in found.groups
    ]
    head = ("group", "rows", "suppressed", "guessed wrong before", "after")
    return table_if_any("Who loses most", head, rows, range(1, 5))


def indicator_table(one: Indicator) -> Table:
    """Return what an indicator gives on both tables."""
    rows = [
        (
            ", ".join([*("(missing)" if part is None else part for part in cell.key), cell.column]),
            "" if cell.before is None else figure(cell.before, 6),
            "" if cell.after is None else figure(cell.after, 6),
            "" if cell.before is None or cell.after is None else figure(cell.after - cell.before, 4),
        )
        for cell in one.compared
    ]
    return Table.of(one.name, ("indicator", "before", "after", "difference"), rows, range(1, 4))


def model_sentence(model: Model) -> str:
    """Return what a regression is of, and how far its intervals overlap."""
    told = (
        f"A {model.kind} regression of {model.predicts} on {model.rows_before:,} original and "
        f"{model.rows_after:,} released rows."
    )
    if model.overlap is not None:
        told += f" The intervals overlap by {percent(model.overlap)} on average."
    return told


def _model(model: Model) -> ModelSection:
    return ModelSection(
        model,
        model_sentence(model),
        drawn_figure(lambda width: model_picture(model, width), (("b2", "before"), ("b0", "after"))),
    )


def _bars(bars: Bars, legend: tuple[tuple[str, str], ...] = ()) -> Figure:
    return drawn_figure(lambda width: bars_chart(bars, width), legend)


def _map(one: HeatMap) -> Figure:
    return drawn_figure(lambda width: heat_map(one, width))


def _span(ends: tuple[float, float]) -> str:
    return f"{figure(ends[0])} to {figure(ends[1])}"
