"""What all pictures are made of: SVG text that is safe to show, axes, and the table beside a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

MISSING = "(missing)"


@dataclass(frozen=True)
class Table:
    """What a picture shows, in rows: for who cannot see it, and for who wants the numbers."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Picture:
    """A drawing as SVG, and its table."""

    svg: str
    table: Table


def style() -> str:
    """Return the stylesheet of all pictures; colours follow the page's light or dark."""
    return (Path(__file__).parent / "pictures.css").read_text(encoding="utf-8")


def element(tag: str, *inside: str, **attributes: object) -> str:
    """Return an element; attributes are escaped, what is inside is SVG already.

    Underscores of names stand for hyphens, and a last one for nothing; what is None is left out.

    >>> element("text", text("a < b"), class_="mark", text_anchor="end", x=1.25)
    '<text class="mark" text-anchor="end" x="1.25">a &lt; b</text>'
    """
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{given}>{''.join(inside)}</{tag}>"


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return escape(str(value))


def text(words: str | None) -> str:
    """Return words as they are safe inside of elements."""
    return escape(MISSING if words is None else words)


def label(words: str | None, x: float, y: float, kind: str = "", **attributes: object) -> str:
    """Return words at a place."""
    return element("text", text(words), x=x, y=y, class_=kind or None, **attributes)


def drawing(width: float, height: float, name: str, inside: Iterable[str], kind: str = "") -> str:
    """Return a whole picture, with a name for screen readers; it grows with the room there is."""
    return element(
        "svg",
        *inside,
        viewBox=f"0 0 {_value(float(width))} {_value(float(height))}",
        class_=f"picture {kind}".strip(),
        role="group",
        aria_label=name,
        xmlns="http://www.w3.org/2000/svg",
    )


def shorten(words: str | None, most: int) -> str:
    """Return words of at most so many characters.

    >>> shorten("Never-married", 8)
    'Never-m…'
    """
    shown = MISSING if words is None else words
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers from at most `low` on to at least `high`.

    >>> ticks(0, 23)
    [0.0, 5.0, 10.0, 15.0, 20.0, 25.0]
    """
    # Numbers that are alike but for rounding have no steps between them.
    size = max(1.0, abs(low), abs(high))
    if high - low < 1e-9 * size:
        high = low + max(1.0, 1e-6 * size)
    raw = (high - low) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * unit for unit in (1, 2, 5, 10) if power * unit >= raw * 0.999)
    first, last = math.floor(low / step), math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def powers(low: float, high: float) -> list[float]:
    """Return the powers of ten around two positive numbers.

    >>> powers(3, 30162)
    [1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0]
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(max(high, low)) - 1e-9)
    return [10.0**i for i in range(first, max(last, first + 1) + 1)]


def short_number(value: float) -> str:
    """Return a number as axes show it.

    >>> [short_number(n) for n in (0, 0.25, 12, 1500, 241296, 3_000_000)]
    ['0', '0.25', '12', '1.5k', '241k', '3M']
    """
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:.3g}{name}"
    return f"{value:.3g}"


def large_number(value: int) -> str:
    """Return a whole number of any size so that it can be read.

    >>> large_number(356_440_500), large_number(24_389_204_037_320_013)
    ('356,440,500', '2.4 × 10¹⁶')
    """
    if value < 10**12:
        return f"{value:,}"
    power = len(str(value)) - 1
    raised = str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{value // 10 ** (power - 1) / 10} × 10{raised}"


def percent(share: float) -> str:
    """Return a share as sentences say it; what is not nothing is never called so.

    >>> [percent(s) for s in (0, 0.00004, 0.0123, 0.5, 0.99996, 1)]
    ['0%', '<0.1%', '1.2%', '50%', '>99.9%', '100%']
    """
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{share:.1%}".replace(".0%", "%")


def path(points: Sequence[tuple[float, float]]) -> str:
    """Return the description of a line through points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
