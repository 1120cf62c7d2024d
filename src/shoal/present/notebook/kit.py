"""The parts of what notebooks show: escaped, without scripts, in the notebook's own colours.

Pictures are images with a ground of their own, so that they can be read in light and in dark notebooks; the
rest takes the notebook's colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from shoal.errors import printable
from shoal.present.charts.bars import Bars, bars_chart
from shoal.present.charts.svg import Picture, Table, image
from shoal.tabular import AnswerColumn, AnswerTable

WIDE = 640
"""The width of pictures."""
MOST_SENTENCES = 12
MOST_BARS = 12
"""Names that have bars in a picture; the table beside it has more."""


def page(*parts: str) -> str:
    """Return the parts one below the other."""
    return f"<div>{''.join(parts)}</div>"


def words(text: str, *, strong: bool = False) -> str:
    """Return a paragraph.

    >>> words("a < b")
    '<p>a &lt; b</p>'
    """
    said = escape(printable(text))
    return f"<p><strong>{said}</strong></p>" if strong else f"<p>{said}</p>"


def sentences(said: Sequence[str]) -> str:
    """Return sentences as a list, the first of them if there are many."""
    if not said:
        return ""
    shown = [*said[:MOST_SENTENCES]]
    if len(said) > len(shown):
        shown.append(f"and {len(said) - len(shown):,} more")
    return f"<ul>{''.join(f'<li>{escape(printable(one))}</li>' for one in shown)}</ul>"


def facts(given: Mapping[str, str]) -> str:
    """Return names and what is to be said of them, side by side."""
    names = AnswerColumn("", str, list(given))
    return AnswerTable("", (names, AnswerColumn("", str, list(given.values())))).to_html()


def table(given: Table | AnswerTable | None) -> str:
    """Return a table, that of a picture too; nothing if there is none, or no row of it."""
    if given is None or (isinstance(given, Table) and not given.rows):
        return ""
    if isinstance(given, AnswerTable):
        return given.to_html()
    columns = (
        AnswerColumn(name, int if i in given.numeric else str, [row[i] for row in given.rows], str)
        for i, name in enumerate(given.head)
    )
    marked = frozenset(() if given.marked is None else (given.marked,))
    return AnswerTable(given.caption, tuple(columns), marked).to_html()


def picture(given: Picture) -> str:
    """Return a picture."""
    return f"<div>{image(given)}</div>"


def bars(given: Bars, looks: str = "") -> str:
    """Return the picture of bars, of the first names if there are many; nothing if there are none.

    `looks` says what the bars' looks mean.
    """
    if not given.groups:
        return ""
    cut = Bars(
        given.title, given.groups[:MOST_BARS], given.table, given.desc, given.reference, given.most
    )
    return picture(bars_chart(cut, WIDE)) + (words(looks) if looks else "")
