"""The section of the curator's report about what a release is still good for."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.assess.utility.distributions import ClassShare, Distribution
from shoal.assess.utility.propensity import WORST
from shoal.numbers import figure as written
from shoal.numbers import percent
from shoal.present.charts.bars import bars_chart
from shoal.present.charts.utility_charts import SERIES, column_bars, moved_bars
from shoal.present.report.facts import Facts, number, part, parts, text
from shoal.present.report.layout import Figure, figure


@dataclass(frozen=True)
class UseSection:
    """What the report shows: sentences, how much of every column moved, and each column's bars."""

    sentences: tuple[str, ...]
    moved: Figure
    columns: tuple[tuple[str, Figure], ...]


def use_section(facts: Facts) -> UseSection | None:
    """Return the section, or None if the facts do not tell what is kept."""
    given = part(facts, "use")
    columns = [column_of(one) for one in parts(given, "columns")]
    average, propensity = number(given, "distance"), number(given, "propensity")
    if not columns or average is None or propensity is None:
        return None
    said = [
        f"On average {percent(average)} of a column's distribution moved, if every label counts evenly for "
        "the values that it may stand for.",
        f"pMSE is {written(propensity, 3)}: 0 means that nothing tells released from original rows, {WORST} "
        "that everything does.",
        "shoal utility tells more: means with intervals, models, predictions, your own indicators.",
    ]
    return UseSection(
        tuple(said),
        figure(lambda width: bars_chart(moved_bars(columns), width)),
        tuple((one.column, _bars(one)) for one in columns),
    )


def _bars(one: Distribution) -> Figure:
    return figure(lambda width: bars_chart(column_bars(one), width), SERIES)


def column_of(given: Facts) -> Distribution:
    """Return a column from a document or from a report's facts; its numbers in short are not in it."""
    classes = tuple(
        ClassShare(text(one, "name"), number(one, "before") or 0.0, number(one, "after") or 0.0)
        for one in parts(given, "classes")
    )
    return Distribution(
        text(given, "column") or "",
        True,
        int(number(given, "labels") or 0),
        int(number(given, "values") or 0),
        number(given, "distance") or 0.0,
        number(given, "class_distance") or 0.0,
        classes,
        bool(given.get("recoded")),
        number(given, "missing_before") or 0.0,
        number(given, "missing_after") or 0.0,
        None,
    )
