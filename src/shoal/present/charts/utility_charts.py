"""Pictures of what a release keeps: bars before and after, heat maps of differences, intervals of models."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shoal.assess.utility.associations import PairOfColumns, TableOfTwo
from shoal.assess.utility.column_classes import shown_class
from shoal.assess.utility.distributions import Distribution
from shoal.assess.utility.predictions import Prediction
from shoal.assess.utility.regressions import Estimate, Model
from shoal.assess.utility.utility_report import UtilityReport
from shoal.numbers import figure, percent, rounded
from shoal.present.charts.bars import SOLID, STRIPED, Bar, BarGroup, Bars
from shoal.present.charts.heat_map import HeatMap
from shoal.present.charts.svg import Picture, Table, drawing, element, label, line, shorten

SERIES = ((STRIPED, "before"), (SOLID, "after"))


def column_bars(one: Distribution) -> Bars:
    """Return two bars for every class of a column: its share of the rows before and after."""
    title = f"{one.column} before and after"
    groups = tuple(
        BarGroup(
            shown_class(share.name),
            (Bar(share.before, percent(share.before), STRIPED), Bar(share.after, percent(share.after))),
        )
        for share in one.classes
    )
    rows = [
        (
            shown_class(share.name),
            percent(share.before),
            percent(share.after),
            _signed(share.after - share.before),
        )
        for share in one.classes
    ]
    table = Table.of(title, (one.column, "before", "after", "difference"), rows, range(1, 4))
    return Bars(title, groups, table, f"{percent(one.distance)} of the distribution moved.")


def moved_bars(columns: Sequence[Distribution]) -> Bars:
    """Return one bar for every column: how much of its distribution moved."""
    title = "How much of each column's distribution moved"
    groups = tuple(BarGroup(one.column, (Bar(one.distance, percent(one.distance)),)) for one in columns)
    rows = [(one.column, percent(one.distance), f"{one.values:,}", f"{one.labels:,}") for one in columns]
    table = Table.of(title, ("column", "moved", "values before", "labels after"), rows, range(1, 4))
    return Bars(title, groups, table, "Total variation distance of each column.", most=1.0)


def prediction_bars(found: UtilityReport) -> Bars:
    """Return the errors of every model: learnt from original rows, from released ones, and of no model."""
    title = "Held-out rows that are guessed wrong"
    groups, rows = [], []
    for one in found.predictions:
        errors = [score.error for score in (one.original, one.released, one.majority)]
        words = [percent(error) for error in errors]
        groups.append(
            BarGroup(
                f"{one.column}, {one.model}",
                (
                    Bar(errors[0], f"{words[0]} original", STRIPED),
                    Bar(errors[1], f"{words[1]} released"),
                    Bar(errors[2], f"{words[2]} most frequent", "b2"),
                ),
            )
        )
        rows.append((f"{one.column}, {one.model}", *words, *_f1(one)))
    head = ("model", "original", "released", "most frequent", "F1 original", "F1 released")
    return Bars(title, tuple(groups), Table.of(title, head, rows, range(1, 6)), title)


def _f1(one: Prediction) -> tuple[str, str]:
    return rounded(one.original.f1, 3), rounded(one.released.f1, 3)


def pairs_map(pairs: tuple[PairOfColumns, ...]) -> HeatMap:
    """Return the map of all pairs of columns: how much of their joint distribution moved."""
    names = tuple(dict.fromkeys(name for pair in pairs for name in (pair.one, pair.other)))
    known = {(pair.one, pair.other): pair.distance for pair in pairs}
    known |= {(other, one): distance for (one, other), distance in known.items()}
    title = "How much of each pair's joint distribution moved"
    shades = tuple(tuple(known.get((row, column)) for column in names) for row in names)
    words = tuple(tuple("" if one is None else percent(one, 0) for one in row) for row in shades)
    lines = [
        (
            f"{pair.one}, {pair.other}",
            percent(pair.distance),
            rounded(pair.strength_before, 3),
            rounded(pair.strength_after, 3),
        )
        for pair in pairs
    ]
    head = ("columns", "moved", "Cramér's V before", "after")
    table = Table.of(title, head, lines, range(1, 4))
    return HeatMap(
        title, "Total variation distance; darker is worse.", names, names, shades, words, table
    )


def correlations_map(pairs: tuple[PairOfColumns, ...]) -> HeatMap | None:
    """Return the map of what became of the correlations of numbers, if there are any."""
    told = [
        (pair, pair.correlation_before, pair.correlation_after)
        for pair in pairs
        if pair.correlation_before is not None and pair.correlation_after is not None
    ]
    if not told:
        return None
    names = tuple(dict.fromkeys(name for pair, _, _ in told for name in (pair.one, pair.other)))
    known = {(pair.one, pair.other): (one, other) for pair, one, other in told}
    known |= {(b, a): both for (a, b), both in known.items()}
    gaps = [[known.get((row, column)) for column in names] for row in names]
    shades = tuple(
        tuple(None if gap is None else abs(gap[1] - gap[0]) / 2 for gap in row) for row in gaps
    )
    words = tuple(tuple("" if gap is None else _gap(gap[1] - gap[0]) for gap in row) for row in gaps)
    title = "Correlations: after less before"
    lines = [
        (f"{pair.one}, {pair.other}", rounded(one, 3), rounded(other, 3), rounded(other - one, 3))
        for pair, one, other in told
    ]
    table = Table.of(title, ("columns", "before", "after", "difference"), lines, range(1, 4))
    meaning = "The difference of Pearson's correlation; darker is worse."
    return HeatMap(title, meaning, names, names, shades, words, table)


def table_map(one: TableOfTwo) -> HeatMap:
    """Return the map of a table of two columns: the share of the rows after less before, in each cell."""
    gaps = [
        [b - a for a, b in zip(first, second, strict=True)]
        for first, second in zip(one.before, one.after, strict=True)
    ]
    most = max((abs(gap) for row in gaps for gap in row), default=0.0) or 1.0
    shades = tuple(tuple(abs(gap) / most for gap in row) for row in gaps)
    words = tuple(tuple(_signed(gap) for gap in row) for row in gaps)
    rows, columns = (tuple(shown_class(name) for name in names) for names in (one.rows, one.columns))
    title = f"{one.one} by {one.other}: after less before"
    lines = [(rows[i], *words[i]) for i in range(len(rows))]
    table = Table.of(title, (one.one, *columns), lines, range(1, len(columns) + 1))
    meaning = f"Percentage points of all rows; rows are {one.one}, columns {one.other}."
    return HeatMap(title, meaning, rows, columns, shades, words, table)


def model_picture(model: Model, width: float = 460) -> Picture:
    """Return the intervals of a model's coefficients, before and after, on one scale."""
    shown = [one for one in model.coefficients if one.before is not None or one.after is not None]
    ends = [
        edge
        for one in shown
        for span in (one.before, one.after)
        if span
        for edge in (span.low, span.high)
    ]
    low, high = min([*ends, 0.0]), max([*ends, 0.0])
    stacked = width <= 400
    longest = max((len(one.term) for one in shown), default=0)
    side = 8.0 if stacked else min(7.0 * longest + 14, width * 0.36)
    room = width - side - 12

    def at(value: float) -> float:
        return side + room * (value - low) / ((high - low) or 1.0)

    inside, down = [], 10.0
    for one in shown:
        if stacked:
            inside.append(label(shorten(one.term, int(width / 7)), 0, down + 10, "name"))
            down += 18
        else:
            inside.append(label(shorten(one.term, int(side / 7)), side - 10, down + 14, "name", "end"))
        for span, kind in ((one.before, "before"), (one.after, "after")):
            if span is not None:
                inside += _interval(at, span, down + 4, kind)
            down += 11
        down += 6
    zero = line("axis-line", (at(0.0), 4), (at(0.0), down))
    ticks = [
        label(figure(low, 3), side, down + 14, "tick"),
        label(figure(high, 3), width - 12, down + 14, "tick", "end"),
    ]
    rows = [
        (one.term, *(_told(span) for span in (one.before, one.after)), _overlap(one.overlap))
        for one in shown
    ]
    table = Table.of(model.formula, ("term", "before", "after", "overlap"), rows, range(1, 4))
    desc = "Each term's interval before (hollow) and after (full)."
    return Picture(
        drawing(width, down + 22, model.formula, [zero, *inside, *ticks], "bars", desc), table
    )


def _interval(at: Callable[[float], float], span: Estimate, y: float, kind: str) -> list[str]:
    full = kind == "after"
    dot = element("circle", cx=at(span.value), cy=y, r=3.6, class_="b0" if full else "b2")
    return [line("curve" if full else "curve bound", (at(span.low), y), (at(span.high), y)), dot]


def _told(span: Estimate | None) -> str:
    return "" if span is None else f"{figure(span.value)} ({figure(span.low)} to {figure(span.high)})"


def _overlap(share: float | None) -> str:
    return "" if share is None else percent(share)


def _gap(gap: float) -> str:
    """Return a difference with its sign.

    >>> _gap(0.125), _gap(-0.5)
    ('+0.13', '-0.50')
    """
    return ("+" if gap >= 0 else "") + rounded(gap, 2)


def _signed(gap: float) -> str:
    """Return a difference of shares in percentage points, with its sign; 0 if it would read so.

    >>> _signed(0.0123), _signed(-0.0001)
    ('+1.2', '0')
    """
    return "0" if abs(gap) < 0.0005 else ("+" if gap > 0 else "") + rounded(100 * gap, 1)
