"""The step Use: what the release is still good for, beside the table that it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import background_tasks, ui

from shoal.assess.utility.associations import PairOfColumns
from shoal.assess.utility.lost_groups import NOBODY
from shoal.assess.utility.propensity import WORST
from shoal.numbers import figure, percent, share_of
from shoal.present.charts.bars import bars_chart
from shoal.present.charts.heat_map import heat_map
from shoal.present.charts.utility_charts import column_bars, moved_bars, pairs_map
from shoal.present.report.use_section import column_of
from shoal.web.pages import parts
from shoal.web.pages.figures import ShownPicture
from shoal.web.pages.frame import Frame
from shoal.web.pages.use_asked import OwnAsked, show_own
from shoal.web.pages.work_shown import Running
from shoal.web.server.jobs import JobHandle
from shoal.web.workspace.workspace import Workspace

KIND = "utility"
WIDE = 520
SHOWN = 12
"""Groups of people shown at once."""


async def build(work: Workspace, frame: Frame) -> None:
    """Fill the content area."""
    parts.heading(
        "What is it still good for?",
        "The released rows beside the original ones: what moved, what can be predicted, who loses most.",
    )
    if work.releases.current() is None or work.uses.stale:
        with parts.panel():
            parts.text("There is no release of this study yet. Make one, then look here what it keeps.")
            with parts.actions():
                ui.link("Release", frame.address("release")).classes("button-link")
        return
    page = _Use(work, frame)
    background_tasks.create(page.measure(), name="use of a release")


class _Use:
    """The page of one release: measured as a job, then shown."""

    def __init__(self, work: Workspace, frame: Frame) -> None:
        self.work, self.frame = work, frame
        self.last: Mapping[str, Any] | None = None
        self.place = ui.element("div").classes("made")
        self.asked = OwnAsked(work, frame, self.measure_own)
        self.asked.enable(False)
        self.running = Running(frame, work, self.place)

    async def measure(self) -> None:
        """Measure the release as it was asked before, or follow a measurement that is under way."""
        going = self.running.going(KIND)
        if going is not None:
            self._wait()
            self._shown(await self.running.follow(going))
        elif not (await self._measured(self.asked.kept) or not self.asked.kept):
            # What was asked before may not fit this release.
            await self._measured({})

    async def measure_own(self) -> None:
        """Measure again, with what the form asks for."""
        asked = self.asked.given()
        if asked is not None and await self._measured(asked):
            self.asked.keep(asked)

    async def _measured(self, asked: Mapping[str, Any]) -> bool:
        """Measure and show what was found; say whether something was."""

        def job(_: JobHandle) -> Mapping[str, Any]:
            return self.work.uses.measure(**asked)

        self._wait()
        found = await self.running.finish(KIND, job)
        self._shown(found)
        return found is not None

    def _wait(self) -> None:
        self.asked.enable(False)
        self.place.clear()
        with self.place:
            parts.waiting("Comparing the released rows with the original ones")

    def _shown(self, found: Mapping[str, Any] | None) -> None:
        self.asked.enable(True)
        self.place.clear()
        self.last = found or self.last
        with self.place:
            if self.last is None:
                parts.text("It could not be measured; the reason is told below.")
            else:
                self._show(self.last)

    def _show(self, found: Mapping[str, Any]) -> None:
        head = found["headline"]
        with parts.panel("In short"):
            with parts.facts():
                parts.fact("Moved on average", percent(head["distance"]), "of a column's distribution")
                apart = figure(head["propensity"], 3)
                parts.fact("Told apart", apart, f"0 is best, {WORST} worst", "pMSE")
                gone = share_of(found["suppressed"], found["rows"])
                parts.fact("Rows suppressed", gone, f"of {found['rows']:,}")
            with ui.element("ul"):
                for sentence in (*found["sentences"], *found["notes"]):
                    parts.label(sentence, "li")
        show_own(found)
        columns = [column_of(one) for one in found["columns"]]
        with parts.panel(
            "How much moved?", "If every label counts evenly for the values that it may stand for."
        ):
            ShownPicture(bars_chart(moved_bars(columns), WIDE))
        with parts.panel("Every column, before and after", "Striped: before. Full: after."):
            for one in columns:
                with parts.details(f"{one.column}: {percent(one.distance)} moved"):
                    ShownPicture(bars_chart(column_bars(one), WIDE))
        self._means(found)
        if found["pairs"]:
            pairs = tuple(PairOfColumns(**one) for one in found["pairs"])
            with parts.panel("Pairs of columns", "What hangs together, and how much of that moved."):
                ShownPicture(heat_map(pairs_map(pairs), WIDE))
        self._predictions(found)
        self._groups(found)

    def _means(self, found: Mapping[str, Any]) -> None:
        told = [(one["column"], one["summary"]) for one in found["columns"] if one["summary"]]
        rows = [
            (name, _number(mean["mean_before"]), _number(mean["mean_after"]), _span(mean["interval"]))
            for name, mean in told
        ]
        if not rows:
            return
        with parts.panel(
            "Means",
            "From the middle of each label. The true mean of the released rows lies within the last "
            "column for certain.",
        ):
            parts.table("Means", ("column", "before", "after", "lies within"), rows, numbers=(1, 2, 3))

    def _predictions(self, found: Mapping[str, Any]) -> None:
        if not found["predictions"]:
            return
        rows = [
            (
                f"{one['column']}, {one['model']}",
                *(percent(one[learnt]["error"]) for learnt in ("original", "released", "majority")),
            )
            for one in found["predictions"]
        ]
        with parts.panel(
            "Predictions",
            "The share of held-out original rows that is guessed wrong. The models learnt from other rows: "
            "as they were, or as they are released.",
        ):
            headers = ("model", "learnt from original", "from released", "always the most frequent")
            parts.table("Predictions", headers, rows, numbers=(1, 2, 3))

    def _groups(self, found: Mapping[str, Any]) -> None:
        rows = [
            (
                str(one["value"] or "(missing)")
                if one["column"] is None
                else f"{one['column']}: {one['value'] or '(missing)'}",
                f"{one['rows']:,}",
                percent(one["suppressed"]),
                "" if one["error_before"] is None else percent(one["error_before"]),
                "" if one["error_after"] is None else percent(one["error_after"]),
            )
            for one in found["groups"][:SHOWN]
        ]
        with parts.panel(
            "Who loses most?",
            "Groups of people: how many are suppressed, and how many guesses are wrong.",
        ):
            if not rows:
                parts.text(NOBODY)
                return
            headers = ("group", "rows", "suppressed", "wrong before", "wrong after")
            parts.table("Who loses most", headers, rows, numbers=(1, 2, 3, 4))


def _number(value: float | None) -> str:
    return "" if value is None else figure(value)


def _span(ends: Any) -> str:
    return "" if ends is None else f"{figure(ends[0])} to {figure(ends[1])}"
