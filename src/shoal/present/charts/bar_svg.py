"""Charts as small hand-written SVG: they follow the page's colours and need nothing else.

Every chart is drawn for a width in pixels, so that its letters keep their size on a phone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

LETTER = 7.6
"""The width of a letter at 13 pixels, on the safe side."""


@dataclass(frozen=True)
class Point:
    """One way to generalize: its k, and its loss as a share of the most."""

    k: int
    share: float


@dataclass(frozen=True)
class Bar:
    """One bar: how long it is, what stands at its end, and the series it belongs to."""

    value: float
    label: str
    series: int = 0


@dataclass(frozen=True)
class BarGroup:
    """Bars that share a label; without bars it is a heading."""

    label: str
    bars: tuple[Bar, ...] = ()


def tradeoff(
    ident: str, points: Sequence[Point], chosen: Point | None, *, width: int, title: str, desc: str
) -> str:
    """Return the trade-off: k on a logarithmic axis against loss, the chosen point marked."""
    height = 360 if width > 500 else 300
    left, right, top, bottom = 44, 16, 34, 52
    drawn = sorted([*points] + ([chosen] if chosen else []), key=lambda point: point.k)
    low, high = math.log10(drawn[0].k), math.log10(drawn[-1].k)
    step = _step(max(point.share for point in drawn))
    ceiling = step * max(1, math.ceil(max(point.share for point in drawn) / step - 1e-9))

    def x(k: float) -> float:
        inside = (math.log10(k) - low) / (high - low) if high > low else 0.5
        return left + inside * (width - left - right)

    def y(share: float) -> float:
        return height - bottom - share / ceiling * (height - bottom - top)

    out = []
    floor = y(0)
    for i in range(round(ceiling / step) + 1):
        at = y(i * step)
        kind = "axis" if i == 0 else "grid"
        out.append(
            f'<line class="{kind}" x1="{left}" x2="{width - right}" y1="{at:.1f}" y2="{at:.1f}"/>'
        )
        out.append(_text(left - 8, at + 4.5, f"{100 * i * step:g}%", "tick", "end"))
    for k in _log_ticks(drawn[0].k, drawn[-1].k, width):
        at = x(k)
        out.append(
            f'<line class="axis" x1="{at:.1f}" x2="{at:.1f}" y1="{floor:.1f}" y2="{floor + 5:.1f}"/>'
        )
        out.append(_text(at, floor + 20, f"{k:,}", "tick", "middle"))
    out.append(_text(0, 14, "Information lost, of the most that can be lost", "name"))
    out.append(
        _text(width - right, height - 8, "k: rows in the smallest group (log scale)", "name", "end")
    )
    line = sorted(points, key=lambda point: point.k)
    if line:
        # Between two points the next k upwards costs what the point with that k costs.
        path = f"M{x(line[0].k):.1f} {y(line[0].share):.1f}"
        path += "".join(f"V{y(point.share):.1f}H{x(point.k):.1f}" for point in line[1:])
        out.append(f'<path class="area" d="{path}V{floor:.1f}H{x(line[0].k):.1f}Z"/>')
        out.append(f'<path class="line" d="{path}"/>')
        out += [f'<circle class="dot" cx="{x(p.k):.1f}" cy="{y(p.share):.1f}" r="3.2"/>' for p in line]
    if chosen is not None:
        label = f"chosen: k = {chosen.k:,}" + (
            f", {100 * chosen.share:.1f}% lost" if width > 500 else ""
        )
        out.append(_chosen(x(chosen.k), y(chosen.share), label, left, width - right, floor))
    return _svg(ident, width, height, title, desc, out)


def _chosen(x: float, y: float, label: str, left: float, right: float, floor: float) -> str:
    # Below and to the right of a rising curve there is room; above and to the left near the edge.
    if x + 14 + LETTER * len(label) <= right:
        note = _text(x + 14, min(y + 24, floor - 8), label, "mark-name")
    else:
        note = _text(x - 12, max(y - 14, 30), label, "mark-name", "end")
    return (
        f'<path class="guide" d="M{left:.1f} {y:.1f}H{x:.1f}V{floor:.1f}"/>'
        f'<path class="mark" d="M{x:.1f} {y - 9:.1f}l9 9l-9 9l-9 -9Z"/>{note}'
    )


def bars(
    ident: str,
    groups: Sequence[BarGroup],
    *,
    width: int,
    title: str,
    desc: str,
    reference: tuple[float, str] | None = None,
) -> str:
    """Return horizontal bars; the second series is solid, the first of two hatched and outlined.

    `reference` is a value to compare with, drawn as a dashed line with its name.
    """
    all_bars = [bar for group in groups for bar in group.bars]
    most = max([bar.value for bar in all_bars] + ([reference[0]] if reference else []), default=0) or 1.0
    stacked = width <= 500
    longest = max((len(group.label) for group in groups if group.bars), default=0)
    side = 0.0 if stacked else min(LETTER * longest + 14, width * 0.3)
    room = width - side - LETTER * max((len(bar.label) for bar in all_bars), default=0) - 12
    thick = 14 if any(len(group.bars) > 1 for group in groups) else 18
    at = 30.0 if reference else 4.0
    first = at
    out: list[str] = []
    names: list[str] = []  # drawn last, so that no line crosses them
    for group in groups:
        if not group.bars:
            names.append(_text(0, at + 22, _short(group.label, width), "heading"))
            at += 34
            continue
        if stacked:
            names.append(_text(0, at + 13, _short(group.label, width), "label"))
            at += 19
        else:
            middle = at + (thick + 2) * len(group.bars) / 2 + 3.5
            names.append(_text(side - 12, middle, _short(group.label, side - 12), "label", "end"))
        for bar in group.bars:
            length = max(room * bar.value / most, 0)
            if length > 0:
                inner = max(length, 1.5)
                out.append(
                    f'<rect class="bar s{bar.series}" x="{side + 0.5:.1f}" y="{at + 1:.1f}" '
                    f'width="{inner:.1f}" height="{thick - 1}" rx="2" {_fill(ident, bar.series)}/>'
                )
            names.append(_text(side + length + 7, at + thick / 2 + 5, bar.label, "value"))
            at += thick + 2
        at += 10
    if not stacked:
        ends = f'y1="{first - 2:.1f}" y2="{at - 6:.1f}"'
        out.append(f'<line class="axis" x1="{side:.1f}" x2="{side:.1f}" {ends}/>')
    if reference is not None:
        out.append(_reference(side + room * reference[0] / most, reference[1], width, at - 6))
    hatch = (
        f'<defs><pattern id="{ident}-hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)"><rect class="hatch-ground" width="6" height="6"/>'
        f'<line class="hatch" x1="0" x2="0" y1="0" y2="6"/></pattern></defs>'
    )
    out.insert(0, hatch if any(bar.series == 1 for bar in all_bars) else "")
    return _svg(ident, width, round(at), title, desc, [*out, *names])


def _reference(x: float, name: str, width: float, down: float) -> str:
    half = LETTER * len(name) / 2
    middle = min(max(x, half), width - half)
    line = f'<line class="reference" x1="{x:.1f}" x2="{x:.1f}" y1="20" y2="{down:.1f}"/>'
    return line + _text(middle, 14, name, "reference-name", "middle")


def _fill(ident: str, series: int) -> str:
    return f'fill="url(#{ident}-hatch)"' if series == 1 else ""


def _svg(ident: str, width: int, height: int, title: str, desc: str, inside: Sequence[str]) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {width} {height}" role="img" '
        f'aria-labelledby="{ident}-title {ident}-desc" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="{ident}-title">{escape(title)}</title><desc id="{ident}-desc">{escape(desc)}</desc>'
        + "".join(inside)
        + "</svg>"
    )


def _text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> str:
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}"{place}>{escape(words)}</text>'


def _short(words: str, room: float) -> str:
    most = max(int(room / LETTER), 4)
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def _step(most: float) -> float:
    """Return the distance of the axis's lines: about five of them below the highest value."""
    for step in (0.01, 0.02, 0.05, 0.1, 0.2):
        if most <= 5 * step:
            return step
    return 0.2 if most <= 1.2 else 10 ** math.ceil(math.log10(most / 5))


def _log_ticks(low: int, high: int, width: int) -> list[int]:
    """Return round numbers between two ks, as many as fit."""
    powers = range(int(math.log10(low)), int(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1,)):
        ticks = [f * 10**p for p in powers for f in factors if low <= f * 10**p <= high]
        if len(ticks) > 1 and len(ticks) * LETTER * (len(f"{ticks[-1]:,}") + 1) <= width - 60:
            return ticks
    return [low, high] if high > low else [low]
