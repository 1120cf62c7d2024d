"""Marked regions of pages, written from what was measured: nobody types a figure.

A region begins with a comment `figures: NAME`, ends with a comment `end`, and holds what
`templates/NAME.md` makes of the JSON. Begun and ended inside a line, it is a part of that line.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jinja2

from benchmarks.figures.query import Figure, Measured, MissingFigureError, plain
from benchmarks.figures.store import ROOT

TEMPLATES = Path(__file__).parent / "templates"
_REGION = re.compile(r"(<!-- figures: ([\w-]+) -->)(.*?)(<!-- end -->)", re.DOTALL)


def pages() -> list[Path]:
    """Return the pages that have regions."""
    places = [ROOT / "README.md", ROOT / "benchmarks" / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
    return [page for page in places if _REGION.search(page.read_text(encoding="utf-8"))]


def rendered(measured: Measured) -> dict[str, str | MissingFigureError]:
    """Return what each template makes of the figures, or which figure it misses.

    Figures of another shape than a template expects are told like missing ones: the other pages are written.
    """
    found: dict[str, str | MissingFigureError] = {}
    for path in sorted(TEMPLATES.glob("*.md")):
        try:
            text = _environment(measured).get_template(path.name).render().strip()
            found[path.stem] = text
        except MissingFigureError as missing:
            found[path.stem] = missing
        except (jinja2.TemplateError, ArithmeticError, TypeError, ValueError) as problem:
            found[path.stem] = MissingFigureError(f"{type(problem).__name__}: {problem}")
    return found


def filled(text: str, regions: dict[str, str | MissingFigureError]) -> str:
    """Return the text of a page with its regions written; one that misses a figure stays as it is."""

    def fill(match: re.Match[str]) -> str:
        start, name, inside, end = match.groups()
        content = regions[name]
        if isinstance(content, MissingFigureError):
            return match[0]
        around = "\n\n" if inside.startswith("\n") else ""
        return f"{start}{around}{content}{around}{end}"

    return _REGION.sub(fill, text)


def write_pages(measured: Measured) -> list[str]:
    """Write the regions of all pages, and return what could not be written, and why."""
    regions = rendered(measured)
    for page in pages():
        text = page.read_text(encoding="utf-8")
        page.write_text(filled(text, regions), encoding="utf-8")
    return [f"{name}: {why}" for name, why in regions.items() if isinstance(why, MissingFigureError)]


def _environment(measured: Measured) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    asked = (
        measured.of,
        measured.has,
        measured.cpu,
        measured.note,
        measured.day,
        measured.when,
        measured.loop,
    )
    environment.globals |= {function.__name__: function for function in asked}
    environment.filters |= {"percent": _percent, "bare": _bare, "digits": _digits, "million": _million}
    return environment


def _number(figure: Any) -> Any:
    return figure.value if isinstance(figure, Figure) else figure


def _percent(figure: Any, digits: int = 1) -> str:
    """A share as a percentage."""
    value = _number(figure)
    return "none" if value is None else f"{100 * value:.{digits}f}%"


def _bare(figure: Any) -> str:
    """A number without its unit."""
    return plain(_number(figure))


def _digits(figure: Any, digits: int) -> str:
    """A number with so many digits after the point."""
    return f"{_number(figure):,.{digits}f}"


def _million(figure: Any) -> str:
    """A number in millions."""
    return f"{_number(figure) / 1e6:.3g}"
