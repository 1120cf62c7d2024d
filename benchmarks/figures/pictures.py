"""Pictures of what was measured, drawn by Shoal's own charts for the page about benchmarks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.figures.query import Measured, MissingFigureError, plain
from benchmarks.figures.store import ROOT
from shoal.numbers import percent
from shoal.present.charts.bars import Bar, BarGroup, Bars, bars_chart
from shoal.present.charts.plane import ROW, Curve, Plane, names_below, plane_parts
from shoal.present.charts.scales import Scale, k_scale, share_scale
from shoal.present.charts.svg import Picture, Table, alone, drawing

FOLDER = ROOT / "docs" / "screenshots"
WIDTH, HEIGHT = 640.0, 320.0
LOST = "share of detail lost (LM)"


def drawings(measured: Measured) -> dict[Path, str | MissingFigureError]:
    """Return every picture by its file, or which figure it misses; never measured ones are left out."""
    found: dict[Path, str | MissingFigureError] = {}
    for name, (benchmark, draw_it) in PICTURES.items():
        place = FOLDER / f"benchmark-{name}.svg"
        if measured.has(benchmark):
            try:
                found[place] = alone(draw_it(measured)) + "\n"
            except MissingFigureError as missing:
                found[place] = missing
            except (ArithmeticError, LookupError, TypeError, ValueError) as problem:
                found[place] = MissingFigureError(f"{type(problem).__name__}: {problem}")
    return found


def draw(measured: Measured) -> list[str]:
    """Draw the pictures, and return what could not be drawn, and why."""
    drawn = drawings(measured)
    for place, text in drawn.items():
        if isinstance(text, str):
            place.write_text(text, encoding="utf-8")
    return [f"{place.name}: {why}" for place, why in drawn.items() if not isinstance(why, str)]


def any_means(measured: Measured) -> Picture:
    """What each way to recode loses over k."""
    rows = [measured.of("any_means", k=row["k"].value) for row in measured.of("any_means")]
    names = measured.of("any_means").columns[1:]
    curves = [
        Curve(
            tuple(
                (float(row["k"].value), row[name].value) for row in rows if row[name].value is not None
            ),
            name,
            style="bound" if name == names[-1] else "",
        )
        for name in names
    ]
    table = Table.of(
        "The share of detail lost at each k",
        ["k", *names],
        [[plain(row["k"].value), *(percent(row[name].value or 0.0) for name in names)] for row in rows],
        range(len(names) + 1),
    )
    plane = Plane(
        "What privacy costs by any means: Adult, nine columns, nothing suppressed",
        "",
        k_scale([row["k"].value for row in rows]),
        share_scale([y for curve in curves for _, y in curve.points], LOST),
        tuple(curves),
        table,
    )
    return _plane(plane)


def many_columns(measured: Measured) -> Picture:
    """What the node that each method found by then loses, on 24 columns."""
    rows = list(measured.of("many_columns", {"suppressed at most": "10%"}, table="24"))
    after = [name for name in measured.of("many_columns").columns if name.startswith("lost, ")]
    seconds = [float(name.removeprefix("lost, ").removesuffix(" s")) for name in after]
    curves = []
    for row in rows:
        points = [(x, row[name].value) for x, name in zip(seconds, after, strict=True)]
        known = tuple((x, y) for x, y in points if y is not None)
        if known:
            curves.append(Curve(known, str(row["method"])))
    cells = [
        [str(row["method"]), *("none" if row[n].value is None else percent(row[n].value) for n in after)]
        for row in rows
    ]
    told = Scale("processor seconds", seconds[0], seconds[-1], tuple(seconds), plain, "log")
    plane = Plane(
        "What the best answer so far loses: 30,000 rows, 24 columns, k = 5, 10% suppressed at most",
        "",
        told,
        share_scale([y for curve in curves for _, y in curve.points], LOST),
        tuple(curves),
        Table.of("The share of detail lost", ["method", *after], cells, range(1, len(after) + 1)),
        holds=True,
    )
    return _plane(plane)


def algorithms(measured: Measured) -> Picture:
    """What every algorithm loses on the same question, and how long it searches."""
    asked = measured.of("algorithms", {"no answer": None}, hierarchies="arx-12960", suppress="1%")
    told = [(str(row["algorithm"]), row["LM"].value, str(row["seconds"])) for row in asked.by("LM")]
    groups = tuple(
        BarGroup(name, (Bar(lost, f"{percent(lost)}, {seconds}"),)) for name, lost, seconds in told
    )
    table = Table.of(
        "Every algorithm on Adult, k = 5, 1% suppressed at most",
        ("algorithm", "detail lost", "processor time of the search"),
        [(name, percent(lost), seconds) for name, lost, seconds in told],
        (1, 2),
    )
    return bars_chart(Bars(table.caption, groups, table), WIDTH)


def _plane(plane: Plane) -> Picture:
    """A plane with the names of its curves below: they fill the whole plane."""
    inside = plane_parts(plane, WIDTH, HEIGHT, choice=False, legend=False)
    inside += names_below(plane, HEIGHT, short=False)
    high = HEIGHT + ROW * len(plane.curves) + 6
    return Picture(drawing(WIDTH, high, plane.title, inside, "plane", plane.desc), plane.table)


PICTURES: dict[str, tuple[str, Callable[[Measured], Picture]]] = {
    one.__name__.replace("_", "-"): (one.__name__, one) for one in (any_means, many_columns, algorithms)
}
"""By the name of the picture: the benchmark that it shows, and what draws it."""
