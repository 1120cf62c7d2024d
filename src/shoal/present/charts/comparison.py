"""The picture of a comparison: each answer against the exact frontier, and bars of what each loses."""

from __future__ import annotations

from typing import Any

from shoal.numbers import count, percent, seconds
from shoal.present.charts.bars import Bar, BarGroup, Bars, bars_parts
from shoal.present.charts.plane import Curve, Plane, Spot, plane_parts
from shoal.present.charts.scales import k_scale, share_scale
from shoal.present.charts.svg import Picture, Table, drawing, label, moved
from shoal.present.charts.tradeoff import lost, most_of, shares


def comparison_series(document: dict[str, Any]) -> tuple[Plane, Bars]:
    """Return the series of a comparison, given as `shoal compare --json` prints it."""
    metric, asked = document["metric"], document["asked"].get("k")
    answers = sorted(
        (result for result in document["results"] if result["verified"]),
        key=lambda result: float(result["losses"][metric]),
    )
    pairs = document["frontier"]
    losses = [pair["loss"] for pair in pairs] + [answer["losses"][metric] for answer in answers]
    known = [(pair["loss"], pair.get("share")) for pair in pairs]
    parts = shares(losses, most_of(known))
    kinds = ["node", "cut", "groups", "buckets"]
    curve = Curve(tuple((float(pair["k"]), part) for pair, part in zip(pairs, parts, strict=False)))
    spots, groups, rows = [], [], []
    for answer, part in zip(answers, parts[len(pairs) :], strict=True):
        kind = 1 + kinds.index(answer["recodes"])
        less = f", only k = {count(answer['k'])}" if answer["k"] < (asked or 0) else ""
        said = f"{percent(part)}, {seconds(answer['seconds'])}{less}"
        name, k = answer["algorithm"], count(answer["k"])
        spots.append(Spot(float(answer["k"]), part, f"{name}: k = {k}, {said}", kind))
        groups.append(BarGroup(name, (Bar(part, said, f"k{kind}"),)))
        rows.append((name, answer["recodes"], k, percent(part), seconds(answer["seconds"])))
    ks = [x for x, _ in curve.points] + [spot.x for spot in spots] + ([float(asked)] if asked else [])
    head = ("algorithm", "recodes", "k", f"{metric} lost", "search")
    table = Table.of("The answers, the least loss first", head, rows, (2, 3, 4))
    drawn = {spot.kind for spot in spots}
    plane = Plane(
        "The answers, and the exact frontier of full-domain recodings for the same question",
        "",
        k_scale(ks),
        share_scale(parts, lost(metric)),
        (curve,),
        table,
        spots=tuple(spots),
        kinds=tuple((1 + i, f"recodes by {name}") for i, name in enumerate(kinds) if 1 + i in drawn),
        asked=None if asked is None else float(asked),
    )
    return plane, Bars(f"{lost(metric)}; seconds of search", tuple(groups), table)


def comparison_picture(document: dict[str, Any]) -> Picture:
    """Return the picture of a comparison: the plane, and to its right the bars, the least loss on top."""
    plane, bars = comparison_series(document)
    left, right = 600.0, 460.0
    beside, high = bars_parts(bars, right)
    height = max(430.0, high + 60)
    inside = [
        *plane_parts(plane, left, 430),
        label(bars.title, left + 30, 14, "axis"),
        moved(left + 30, 30, beside),
    ]
    return Picture(drawing(left + 30 + right, height, plane.title, inside, "plane bars"), plane.table)
