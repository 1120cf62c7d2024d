"""The parts that all steps are built from: headings, panels, facts, tables, terms, choices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any, TypeVar

from nicegui import ui

from shoal.numbers import percent
from shoal.web.pages.terms import meaning


def heading(title: str, lead: str = "") -> None:
    """The step's title, and a sentence that says what it is for."""
    with ui.element("div").classes("heading"):
        label(title, "h1").props("tabindex=-1 id=step-title")
        if lead:
            text(lead).classes("lead")


def label(words: str, tag: str = "span") -> ui.html:
    """A few words inside something else."""
    return ui.html(escape(words), sanitize=False, tag=tag)


def text(words: str) -> ui.html:
    """A paragraph."""
    return label(words, "p")


def note(words: str) -> ui.html:
    """A paragraph that explains what is next to it."""
    return text(words).classes("note")


def hint(words: str) -> ui.html:
    """A paragraph in a box with something the reader should know."""
    with ui.element("div").classes("hint"):
        return text(words)


def listed(names: Iterable[str]) -> str:
    """Return names in a row; where one of them has a comma, others keep them apart.

    >>> listed(["age", "sex"]), listed(["name, first name", "age"])
    ('age, sex', 'name, first name; age')
    """
    named = list(names)
    return ("; " if any("," in name for name in named) else ", ").join(named)


NUMBER = ' class="number"'
Named = TypeVar("Named", bound=ui.element)


def named(element: Named, words: str) -> Named:
    """Give an element the name that screen readers read out."""
    element.props["aria-label"] = words
    return element


@contextmanager
def panel(title: str = "", about: str = "") -> Iterator[ui.element]:
    """A section with its own title, such as one chart or one form."""
    with ui.element("section").classes("panel") as section:
        if title:
            label(title, "h2")
        if about:
            note(about)
        yield section


def waiting(words: str) -> ui.element:
    """A spinner that says what is going on."""
    with ui.element("div").classes("waiting").props("role=status") as found:
        ui.spinner(size="2rem").props("aria-hidden=true")
        label(words)
    return found


@contextmanager
def dialog(title: str, kind: str = "") -> Iterator[ui.dialog]:
    """A dialog with a title; it opens at once."""
    with named(ui.dialog(value=True), title) as found, ui.card().classes(f"dialog {kind}"):
        label(title, "h2")
        yield found


def ask_name(
    title: str, field: str, value: str, words: str, taken: Callable[[str], Any], *, about: str = ""
) -> ui.input:
    """Ask for a name in a dialog and pass it to `taken`; return the input field."""
    with dialog(title) as opened:
        if about:
            note(about)
        name = ui.input(field, value=value).props("outlined dense autofocus").classes("wide-field")

        async def done() -> None:
            opened.close()
            await taken(name.value or "")

        name.on("keydown.enter", done)
        with actions():
            button(words, done, kind="main")
            button("Cancel", opened.close)
    return name


def actions() -> ui.element:
    """Buttons and their inputs, side by side."""
    return ui.element("div").classes("actions")


def row() -> ui.element:
    """Things side by side, which wrap if there is no room."""
    return ui.element("div").classes("side-by-side")


def facts() -> ui.element:
    """A row of facts."""
    return ui.element("dl").classes("facts")


def fact(name: str, value: str, about: str = "", what: str = "") -> ui.html:
    """One number with its name, and a "What is this?" for the term `what`; return the number's element."""
    with ui.element("div").classes("fact"):
        with ui.element("dt"):
            if what:
                term(what, name)
            else:
                label(name)
        found = label(value, "dd")
        if about:
            label(about, "dd").classes("note")
    return found


def term(name: str, words: str = "") -> None:
    """A term with a "What is this?" that explains it."""
    shown = words or name
    asked = ui.element("button").classes("term").props("type=button")
    with named(asked, f"{shown}: what is this?"):
        label(shown)
        label("?").classes("term-mark").props("aria-hidden=true")
        told = ui.menu().props("max-width=22rem").classes("term-told")
        with told, ui.element("div").props("role=note"):
            label(name[0].upper() + name[1:], "strong")
            text(meaning(name))


def table(
    caption: str, headers: Sequence[str], rows: Iterable[Sequence[Any]], *, numbers: Iterable[int] = ()
) -> ui.html:
    """A plain table that everybody can read; `numbers` are the columns to align right."""
    return scrolling(caption, table_html(caption, headers, rows, numbers))


def scrolling(name: str, content: str) -> ui.html:
    """A table that scrolls sideways if it is too wide, by keyboard too."""
    return named(
        ui.html(content, sanitize=False).classes("table-wrap").props("tabindex=0 role=region"), name
    )


def table_html(
    caption: str, headers: Sequence[str], rows: Iterable[Sequence[Any]], numbers: Iterable[int] = ()
) -> str:
    """Return a table as HTML; everything in it is escaped, None is shown as missing."""
    right = set(numbers)

    def cell(tag: str, place: int, value: Any) -> str:
        kind = NUMBER if place in right else ""
        scope = ' scope="col"' if tag == "th" else ""
        shown = '<i class="missing">missing</i>' if value is None else escape(str(value))
        return f"<{tag}{scope}{kind}>{shown}</{tag}>"

    head = "".join(cell("th", i, name) for i, name in enumerate(headers))
    body = "".join(
        f"<tr>{''.join(cell('td', i, value) for i, value in enumerate(each))}</tr>" for each in rows
    )
    return whole_table(caption, head, body)


def whole_table(caption: str, head: str, body: str, kind: str = "") -> str:
    """Return a table from a head and a body that are already HTML; its caption is for screen readers."""
    return (
        f'<table class="{kind}"><caption class="unseen">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def bars(
    caption: str, headers: Sequence[str], rows: Iterable[tuple[str, float, *tuple[str, ...]]]
) -> ui.html:
    """A table whose second column is drawn as bars: a chart that is its own table."""
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
    return scrolling(caption, whole_table(caption, head, body, "bars"))


@contextmanager
def details(summary: str, *, opened: bool = False) -> Iterator[ui.element]:
    """Something that unfolds on request."""
    with ui.element("details").classes("details") as found:
        if opened:
            found.props("open")
        label(summary, "summary")
        yield found


def button(words: str, on_click: Any, *, icon: str = "", kind: str = "plain") -> ui.button:
    """A button; `kind` is main (one on a page), plain or quiet."""
    found = ui.button(words, on_click=on_click, icon=icon or None, color=None)
    return found.props("no-caps unelevated").classes(f"button {kind}")


def file_link(words: str, target: str, name: str) -> None:
    """A link that downloads a file under a name."""
    with ui.link(target=target).classes("button-link download").props(f'download="{name}"'):
        ui.icon("download").props("aria-hidden=true")
        label(words)


def select(name: str, options: Any, value: Any, on_change: Callable[[str], Any]) -> ui.select:
    """A list to choose from; `on_change` gets the choice."""
    found = ui.select(options, value=value, label=name).props("outlined dense options-dense")
    return found.on_value_change(lambda event: on_change(str(event.value)))
