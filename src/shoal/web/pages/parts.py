"""Parts that all steps are put together from: headings, panels, facts, tables, terms, charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any, TypeVar

from nicegui import ui

from shoal.numbers import percent
from shoal.web.pages.terms import meaning


def heading(title: str, lead: str = "") -> None:
    """The step's title, and what it is for in a sentence."""
    with ui.element("div").classes("heading"):
        ui.html(escape(title), sanitize=False, tag="h1").props("tabindex=-1 id=step-title")
        if lead:
            text(lead).classes("lead")


def escaped(words: str) -> str:
    """Return words as HTML shows them."""
    return escape(words)


def text(words: str) -> ui.html:
    """A paragraph."""
    return ui.html(escape(words), sanitize=False, tag="p")


def label(words: str, tag: str = "span") -> ui.html:
    """A few words within something else."""
    return ui.html(escape(words), sanitize=False, tag=tag)


NUMBER = ' class="number"'
Named = TypeVar("Named", bound=ui.element)


def named(element: Named, words: str) -> Named:
    """Give an element the name that screen readers say."""
    element.props["aria-label"] = words
    return element


@contextmanager
def panel(title: str = "", note: str = "") -> Iterator[ui.element]:
    """A section with a title of its own, such as one chart or one form."""
    with ui.element("section").classes("panel") as section:
        if title:
            ui.html(escape(title), sanitize=False, tag="h2")
        if note:
            text(note).classes("note")
        yield section


def waiting(words: str) -> ui.element:
    """What is being done, while it is."""
    with ui.element("div").classes("waiting").props("role=status") as found:
        ui.spinner(size="2rem").props("aria-hidden=true")
        label(words)
    return found


@contextmanager
def dialog(title: str, kind: str = "") -> Iterator[ui.dialog]:
    """A dialog with a title that opens at once."""
    with named(ui.dialog(value=True), title) as found, ui.card().classes(f"dialog {kind}"):
        label(title, "h2")
        yield found


@contextmanager
def row() -> Iterator[ui.element]:
    """Things side by side that wrap where there is no room."""
    with ui.element("div").classes("side-by-side") as found:
        yield found


@contextmanager
def facts() -> Iterator[ui.element]:
    """A row of facts."""
    with ui.element("dl").classes("facts") as found:
        yield found


def fact(name: str, value: str, note: str = "", what: str = "") -> ui.html:
    """One number with its name, and a "What is this?" for the term `what`; returns the number."""
    with ui.element("div").classes("fact"):
        with ui.element("dt"):
            if what:
                term(what, name)
            else:
                label(name)
        found = ui.html(escape(value), sanitize=False, tag="dd")
        if note:
            ui.html(escape(note), sanitize=False, tag="dd").classes("note")
    return found


def term(name: str, words: str = "") -> None:
    """A term that can be asked: what is this?"""
    shown = words or name
    asked = ui.element("button").classes("term").props("type=button")
    with named(asked, f"{shown}: what is this?"):
        label(shown)
        ui.html("?", sanitize=False, tag="span").classes("term-mark").props("aria-hidden=true")
        told = ui.menu().props("max-width=22rem").classes("term-told")
        with told, ui.element("div").props("role=note"):
            label(name[0].upper() + name[1:], "strong")
            text(meaning(name))


def table(
    caption: str,
    headers: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    numbers: Iterable[int] = (),
    hidden_caption: bool = True,
) -> ui.html:
    """A plain table that everybody can read; `numbers` are the columns that are set to the right."""
    return _scrolling(caption, table_html(caption, headers, rows, numbers, hidden_caption))


def _scrolling(name: str, content: str) -> ui.html:
    """A table that scrolls sideways where it is too wide, by keyboard too."""
    return named(
        ui.html(content, sanitize=False).classes("table-wrap").props("tabindex=0 role=region"), name
    )


def table_html(
    caption: str,
    headers: Sequence[str],
    rows: Iterable[Sequence[Any]],
    numbers: Iterable[int] = (),
    hidden_caption: bool = True,
) -> str:
    """Return a table as HTML; everything in it is escaped, None is shown as missing."""
    right = set(numbers)

    def cell(tag: str, place: int, value: Any) -> str:
        kind = ' class="number"' if place in right else ""
        scope = ' scope="col"' if tag == "th" else ""
        shown = '<i class="missing">missing</i>' if value is None else escape(str(value))
        return f"<{tag}{scope}{kind}>{shown}</{tag}>"

    head = "".join(cell("th", i, name) for i, name in enumerate(headers))
    body = "".join(
        f"<tr>{''.join(cell('td', i, value) for i, value in enumerate(each))}</tr>" for each in rows
    )
    look = ' class="unseen"' if hidden_caption else ""
    return (
        f"<table><caption{look}>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def bars(
    caption: str, headers: Sequence[str], rows: Iterable[tuple[str, float, *tuple[str, ...]]]
) -> ui.html:
    """A table whose second column is drawn as a bar: a chart that is its own table."""
    head = "".join(
        f'<th scope="col"{"" if i < 2 else NUMBER}>{escape(name)}</th>' for i, name in enumerate(headers)
    )
    body = ""
    for name, part, *others in rows:
        least = "2px" if part > 0 else "0px"
        long = f"max({least}, calc(100% * {float(part)}))"
        bar = f'<span class="bar"><i style="width:{long}"></i></span>{escape(percent(part))}'
        cells = "".join(f"<td{NUMBER}>{escape(other)}</td>" for other in others)
        body += f'<tr><th scope="row">{escape(name)}</th><td class="bar-cell">{bar}</td>{cells}</tr>'
    table = f'<table class="bars"><caption class="unseen">{escape(caption)}</caption>'
    whole = f"{table}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return _scrolling(caption, whole)


@contextmanager
def details(summary: str, *, opened: bool = False) -> Iterator[ui.element]:
    """Something that is shown when it is asked for."""
    with ui.element("details").classes("details") as found:
        if opened:
            found.props("open")
        ui.html(escape(summary), sanitize=False, tag="summary")
        yield found


def chart(
    options: dict[str, Any], name: str, headers: Sequence[str], rows: Iterable[Sequence[Any]]
) -> ui.echart:
    """A chart with its table beside it; `name` says what is seen to those who do not see it."""
    listed = list(rows)
    with ui.element("figure").classes("chart"):
        with named(ui.element("div").props("role=img"), name):
            found = ui.echart(options)
        with details(f"{name}: as a table"):
            table(name, headers, listed, numbers=range(1, len(headers)))
    return found


def button(words: str, on_click: Any, *, icon: str = "", kind: str = "plain") -> ui.button:
    """A button: `kind` is main (one a page), plain or quiet."""
    found = ui.button(words, on_click=on_click, icon=icon or None, color=None).props(
        "no-caps unelevated"
    )
    return found.classes(f"button {kind}")
