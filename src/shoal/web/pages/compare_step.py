"""The step Compare: up to four pinned solutions side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from typing import Any

from nicegui import ui

from shoal.numbers import percent, share_of
from shoal.present.charts.bars import LETTERS, bars_chart, solution_bars
from shoal.web.pages import parts
from shoal.web.pages.choosing import send_to_release, ways_to_solutions
from shoal.web.pages.compare_rows import (
    attribute_shares,
    cost_rows,
    detail_lost,
    other_losses,
    promise_words,
    risk_rows,
)
from shoal.web.pages.controls.row_table import RowTable
from shoal.web.pages.figures import ShownPicture
from shoal.web.pages.frame import Frame, upper_first
from shoal.web.pages.means_panel import MeansPanel
from shoal.web.workspace.candidates import candidates
from shoal.web.workspace.workspace import Workspace

Document = Mapping[str, Any]
SAMPLES = 6
"""Rows shown before and after."""


async def build(work: Workspace, frame: Frame) -> None:
    """Fill the content area."""
    parts.heading(
        "Solutions side by side",
        "Pin up to four answers from Negotiate, Optimize or Methods, and see what each costs, what risk it "
        "leaves, and what rows become.",
    )
    if not work.bench.state.pins:
        with parts.panel():
            parts.text("Nothing is pinned yet. Find a solution and choose “Pin to compare”.")
            ways_to_solutions(frame)
        MeansPanel(work, frame)
        return
    waiting = parts.waiting("Measuring what each would release …")
    pinned = await frame.ask(work.pins.compare)
    waiting.delete()
    _Comparison(work, frame, pinned).build()
    MeansPanel(work, frame)


class _Comparison:
    """The pinned solutions; one that no longer fits the study says so."""

    def __init__(self, work: Workspace, frame: Frame, pinned: Sequence[Document]) -> None:
        self.work, self.frame, self.pinned = work, frame, pinned
        self.sound = [each for each in pinned if "error" not in each]
        self.letters = {each["key"]: each["letter"] or LETTERS[i] for i, each in enumerate(self.sound)}

    def build(self) -> None:
        """Put everything on the page."""
        with ui.element("ul").classes("pins").props('aria-label="Pinned solutions"'):
            for each in self.pinned:
                self._card(each)
        if not self.sound:
            return
        heads = ["figure", *self.letters.values()]
        numbers = range(1, len(heads))
        with parts.row():
            with parts.panel("What each costs", "★ is the best of its row."):
                parts.table("What each costs", heads, cost_rows(self.sound), numbers=numbers)
                with parts.details("Detail measured in other ways"):
                    rows = other_losses(self.sound)
                    parts.table("Detail measured in other ways", heads, rows, numbers=numbers)
            with parts.panel(
                "What risk remains", "From somebody who knows that a person is in the table."
            ):
                parts.table("What risk remains", heads, risk_rows(self.sound), numbers=numbers)
        with parts.panel(
            "What each column loses", "At 0% every value is as it was, at 100% none is left."
        ):
            titles = [each["title"] for each in self.sound]
            shares = attribute_shares(self.sound)
            letters = list(self.letters.values())
            ShownPicture(bars_chart(solution_bars(shares, titles, "Detail lost by column", letters)))
        with parts.panel("The same rows, before and after"):
            ui.html(self._samples(), sanitize=False).classes("table-wrap")
        self._all_rows()

    def _all_rows(self) -> None:
        """All rows of one of them, with the group that each is in."""
        names = {each["key"]: f"{self.letters[each['key']]}: {each['title']}" for each in self.sound}

        def show(key: str) -> None:
            place.clear()
            with place:
                url = f"/api/studies/{self.work.key}/pins/{key}/rows"
                RowTable(url, self.sound[0]["samples"]["columns"], "All rows before and after")

        with parts.panel(
            "All rows, before and after",
            "Above, what a row has in the original table; below, what is released of it. Its group has all "
            "rows that look the same then.",
        ):
            parts.select("After", names, self.sound[0]["key"], show).classes("wide")
            place = ui.element("div")
        show(self.sound[0]["key"])

    def _card(self, each: Document) -> None:
        with ui.element("li").classes("pin panel"):
            with ui.element("div").classes("pin-head"):
                parts.label(self.letters.get(each["key"], each["letter"] or "–")).classes("offer-mark")
                parts.label(each["title"], "h2")
            if "error" in each:
                with ui.element("div").classes("trouble"):
                    parts.text(f"It no longer fits the study: {upper_first(each['error'])}")
            else:
                self._figures(each)
                parts.note(f"Promises {promise_words(each['promise'])}.")
            with parts.actions():
                if "error" not in each:
                    release = parts.button(
                        "Release", partial(self.release, each["key"]), icon="verified"
                    )
                    parts.named(release, f"Release {each['title']}")
                rename = parts.button("Rename", partial(self.rename, each), kind="quiet")
                parts.named(rename, f"Rename {each['title']}")
                away = parts.button("Unpin", partial(self.unpin, each["key"]), kind="quiet")
                parts.named(away, f"Unpin {each['title']}")

    def _figures(self, each: Document) -> None:
        """The figures that tell one from the others at a glance."""
        with parts.facts():
            parts.fact("Detail lost", percent(detail_lost(each)))
            parts.fact("Rows suppressed", share_of(each["suppressed"], each["rows"]))
            parts.fact("Smallest group", f"{each['risk']['k']:,}")

    def rename(self, each: Document) -> None:
        """Ask for another name of a pin."""

        async def taken(title: str) -> None:
            if await self.frame.decide(self.work.pins.rename, each["key"], title):
                self.frame.refresh()

        parts.ask_name(f"Rename {each['title']}", "Name", each["title"], "Rename", taken)

    async def release(self, key: str) -> None:
        """Go and release a pinned solution."""
        for candidate in candidates(self.work):
            if candidate.key == key:
                await send_to_release(self.frame, self.work, candidate)
                return
        self.frame.changed_elsewhere()

    async def unpin(self, key: str) -> None:
        """Unpin a solution; undo brings it back."""
        if await self.frame.decide(self.work.pins.remove, key):
            self.frame.say("Unpinned. Undo brings it back.")
            self.frame.refresh()

    def _samples(self) -> str:
        """Return some rows as a table: before, then after each solution."""
        columns = self.sound[0]["samples"]["columns"]
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in ("row", *columns))
        body = ""
        for i, before in enumerate(self.sound[0]["samples"]["before"][:SAMPLES]):
            body += _line("before", before, before, "first")
            for each in self.sound:
                body += _line(self.letters[each["key"]], each["samples"]["after"][i], before)
        return parts.whole_table("The same rows before and after", head, body, "samples")


def _line(
    name: str, row: Sequence[str | None] | None, before: Sequence[str | None], kind: str = ""
) -> str:
    if row is None:
        return (
            f'<tr><th scope="row">{escape(name)}</th><td colspan="{len(before)}" class="gone">'
            "suppressed</td></tr>"
        )
    cells = "".join(
        f"<td{'' if value == old else ' class=changed'}>"
        f"{'<i>missing</i>' if value is None else escape(value)}</td>"
        for value, old in zip(row, before, strict=True)
    )
    return f'<tr class="{kind}"><th scope="row">{escape(name)}</th>{cells}</tr>'
