"""The parts of all pictures: SVG text that is safe to show, and the table of a picture."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from zlib import crc32

from shoal.errors import printable
from shoal.present.colours import resolved

MISSING = "(missing)"
MOST_ROWS = 300
"""The most rows that a table shows; it says how many more there are."""


@dataclass(frozen=True)
class Table:
    """A table: the first cell of a row is its heading; `numeric` columns are aligned right."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    marked: int | None = None
    more: int = 0

    @classmethod
    def of(
        cls,
        caption: str,
        head: Sequence[str],
        rows: Sequence[Sequence[str]],
        numeric: Iterable[int] = (),
        marked: int | None = None,
    ) -> Table:
        """Return a table, cut if it is too long to read."""
        kept = tuple(tuple(row) for row in rows[:MOST_ROWS])
        return cls(caption, tuple(head), kept, frozenset(numeric), marked, len(rows) - len(kept))


def table_if_any(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], numeric: Iterable[int] = ()
) -> Table | None:
    """Return a table, or None if it would have no rows."""
    return Table.of(caption, head, rows, numeric) if rows else None


@dataclass(frozen=True)
class Picture:
    """A drawing as SVG, and its data as a table for those who cannot see it or want the numbers."""

    svg: str
    table: Table

    def _repr_html_(self) -> str:
        """Return the picture for notebooks."""
        return image(self)


@cache
def style() -> str:
    """Return the stylesheet of all pictures; colours follow the page, light or dark."""
    return (Path(__file__).parent / "charts.css").read_text(encoding="utf-8")


@cache
def _own_style() -> str:
    own = "svg.picture { background: var(--paper); width: auto; max-width: 100%; }\n"
    both = style() + own
    light, dark = (resolved(both, dark=dark) for dark in (False, True))
    return f"{light}@media (prefers-color-scheme: dark) {{ {dark} }}"


def alone(picture: Picture) -> str:
    """Return a picture with its style, a margin and its title on top, for a file or a notebook.

    It is dark if the reader's system is.
    """
    head, end, inside = picture.svg.partition(">")
    found = re.search(r'viewBox="0 0 (\S+) (\S+)"', head)
    assert found is not None
    width, height = (float(size) for size in found.groups())
    place = {"viewBox": f"-16 -40 {_value(width + 40)} {_value(height + 52)}"}
    place |= {"width": _value(width + 40), "height": _value(height + 52)}
    framed = " ".join(f'{name}="{value}"' for name, value in place.items())
    title = re.search("<title[^>]*>(.*?)</title>", inside)
    heading = element("text", title[1] if title else "", x=0, y=-16, class_="heading")
    return (
        f"{head.replace(found[0], framed)}{end}<style>{_own_style()}</style>{inside[:-6]}{heading}</svg>"
    )


def image(picture: Picture) -> str:
    """Return a picture as HTML for notebooks: an image, so that its style affects nothing else there."""
    data = b64encode(alone(picture).encode()).decode("ascii")
    return element("img", alt=picture.table.caption, src=f"data:image/svg+xml;base64,{data}")[
        : -len("</img>")
    ]


def element(tag: str, *inside: str, **attributes: object) -> str:
    """Return an element; attributes are escaped, the inside is already SVG.

    Underscores in names stand for hyphens, a last one for nothing; None is not written.

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
    return escape(printable(str(value)))


def text(words: str | None) -> str:
    """Return words that are safe inside an element."""
    return escape(MISSING if words is None else printable(words))


def label(
    words: str | None, x: float, y: float, kind: str = "", anchor: str = "", **attributes: object
) -> str:
    """Return words at a place; `anchor` is middle or end if they do not start there."""
    return element(
        "text", text(words), x=x, y=y, class_=kind or None, text_anchor=anchor or None, **attributes
    )


def path(points: Sequence[tuple[float, float]]) -> str:
    """Return the path data of a line through points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def line(kind: str, *points: tuple[float, float]) -> str:
    """Return a line through points."""
    return element("path", d=path(points), class_=kind)


def stairs(points: Sequence[tuple[float, float]], *, holds: bool) -> list[tuple[float, float]]:
    """Return points with the corners between them: a value holds until the next point, or since the last.

    >>> stairs([(0, 1), (2, 5)], holds=True), stairs([(0, 1), (2, 5)], holds=False)
    ([(0, 1), (2, 1), (2, 5)], [(0, 1), (0, 5), (2, 5)])
    """
    drawn: list[tuple[float, float]] = []
    for x, y in points:
        if drawn:
            drawn.append((x, drawn[-1][1]) if holds else (drawn[-1][0], y))
        drawn.append((x, y))
    return drawn


SHAPES = (
    "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z",
    "M-.9-.9h1.8v1.8h-1.8z",
    "M0-1.1l1.1 2h-2.2z",
    "M0-1.3l1.3 1.3l-1.3 1.3l-1.3-1.3z",
    "M0 1.1l1.1-2h-2.2z",
    "M-.4-1.2h.8v.8h.8v.8h-.8v.8h-.8v-.8h-.8v-.8h.8z",
)
"""Disc, square, triangle, diamond, triangle on its tip and cross: different even without colours."""
DIAMOND = 3


def shape(which: int, x: float, y: float, size: float, kind: str, *inside: str, **more: object) -> str:
    """Return one of the shapes at a place."""
    scaled = f"translate({x:.1f} {y:.1f}) scale({size:g})"
    return element("path", *inside, d=SHAPES[which % len(SHAPES)], transform=scaled, class_=kind, **more)


def moved(x: float, y: float, inside: Iterable[str]) -> str:
    """Return parts of a picture at another place."""
    return element("g", *inside, transform=f"translate({x:.1f} {y:.1f})")


def drawing(
    width: float,
    height: float,
    title: str,
    inside: Iterable[str],
    kind: str = "",
    desc: str = "",
    *,
    role: str = "img",
) -> str:
    """Return a whole picture, with its name and description for screen readers.

    It grows with the room available. A picture with parts to choose has the role `group`.
    """
    drawn = "".join(inside)
    ident = f"p{crc32(f'{width} {title} {desc} {drawn}'.encode(errors='replace')):08x}"
    names = [("title", title), *([("desc", desc)] if desc else [])]
    told = [element(tag, text(words), id=f"{ident}-{tag}") for tag, words in names]
    return element(
        "svg",
        *told,
        drawn.replace(HATCH, f"{ident}-hatch"),
        viewBox=f"0 0 {_value(float(width))} {_value(float(height))}",
        class_=f"picture {kind}".strip(),
        role=role,
        aria_labelledby=" ".join(f"{ident}-{tag}" for tag, _ in names),
        xmlns="http://www.w3.org/2000/svg",
    )


HATCH = "the-hatch"
"""Stands for the name of the stripes' pattern until the picture has a name."""


def stripes() -> str:
    """Return the fill pattern of bars that are not solid."""
    return element(
        "defs",
        element(
            "pattern",
            element("rect", class_="hatch-ground", width=6, height=6),
            line("hatch", (0, 0), (0, 6)),
            id=HATCH,
            width=6,
            height=6,
            patternUnits="userSpaceOnUse",
            patternTransform="rotate(45)",
        ),
    )


def shorten(words: str | None, most: int) -> str:
    """Return words of at most so many characters.

    >>> shorten("Never-married", 8)
    'Never-m…'
    """
    shown = MISSING if words is None else words
    return shown if len(shown) <= most else shown[: most - 1] + "…"
