"""What is drawn of what privacy costs by any means: a staircase a recoding, and the bound below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.answers.privacy_costs import BOUND_TITLE, SHORT
from shoal.numbers import count, many, percent
from shoal.present.charts.plane import ROW, Curve, Plane, Spot, names_below, plane_parts
from shoal.present.charts.scales import k_scale, share_scale
from shoal.present.charts.svg import Picture, Table, drawing
from shoal.present.charts.tradeoff import OBJECTIVES, lost

if TYPE_CHECKING:
    from shoal.answers.privacy_costs import PrivacyCosts

WIDTH = 760.0
APART = "mondrian"
"""The curve whose labels the bound is not about."""


def costs_series(costs: PrivacyCosts, chosen: tuple[str, int] | None = None) -> Plane:
    """Return what is drawn of the curves: what each loses at each k, the bound dashed below.

    The `chosen` point is that of a curve and a k.
    """
    curves = []
    for curve in costs.curves:
        places = ((k, curve.at(k)) for k in costs.ks)
        points = tuple((float(k), p.share) for k, p in places if p is not None and p.share is not None)
        name = f"{curve.title}: {SHORT[curve.name]}"
        curves.append(Curve(points, name, style="apart" if curve.name == APART else ""))
    if costs.lower_bound:
        points = tuple((float(k), share) for k, _, share in costs.lower_bound)
        curves.append(
            Curve(points, f"{BOUND_TITLE}: of the hierarchies, in any recoding", style="bound")
        )
    spot = None
    if (
        chosen is not None
        and (point := costs.curve(chosen[0]).at(chosen[1]))
        and point.share is not None
    ):
        words = f"chosen: k = {count(chosen[1])}, {percent(point.share)} lost"
        spot = Spot(float(chosen[1]), point.share, words)
    return Plane(
        f"What privacy costs by any means, {many(costs.rows, 'row')}, "
        f"{count(costs.suppression_limit)} suppressed at most",
        "",
        k_scale([float(k) for k in costs.ks], OBJECTIVES["k"].label),
        share_scale([y for curve in curves for _, y in curve.points], lost(costs.metric)),
        tuple(curves),
        costs_table(costs),
        chosen=spot,
    )


def costs_table(costs: PrivacyCosts) -> Table:
    """Return what each curve loses at each k."""
    shown = costs.as_table()
    rows = [[column.cell(i) for column in shown.columns] for i in range(len(costs.ks))]
    head = [column.title or column.name for column in shown.columns]
    return Table.of(shown.caption, head, rows, range(len(head)))


def costs_picture(
    costs: PrivacyCosts, width: float = WIDTH, chosen: tuple[str, int] | None = None
) -> Picture:
    """Return the picture of the curves, their names below it: they fill the whole plane."""
    plane = costs_series(costs, chosen)
    high = max(300.0, width * 0.53)
    inside = plane_parts(plane, width, high, legend=False)
    inside += names_below(plane, high, short=width < WIDTH)
    height = high + ROW * len(plane.curves) + 6
    return Picture(drawing(width, height, plane.title, inside, "plane"), plane.table)
