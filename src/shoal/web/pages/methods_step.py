"""The step Methods: every named method, with every promise it can keep; each answer is pinned or released."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from nicegui import ui

from shoal.describe.specification import Role
from shoal.errors import ShoalError
from shoal.numbers import many, percent, seconds
from shoal.search.algorithms import ALGORITHMS
from shoal.search.task import Algorithm
from shoal.web.pages import parts
from shoal.web.pages.choosing import pin, send_to_release
from shoal.web.pages.controls.answer_lines import AnswerLine, AnswerLines
from shoal.web.pages.frame import Frame
from shoal.web.pages.methods_asked import FIELDS, MethodWish, PromiseField
from shoal.web.pages.negotiation.reasons import rows_suppressed
from shoal.web.pages.work_shown import Running, WishKeeper
from shoal.web.server.jobs import Job, JobHandle
from shoal.web.workspace.candidates import CHOSEN, Candidate
from shoal.web.workspace.workspace import Workspace

KIND = "anonymize"
KINDS = {
    "groups": "Group by group",
    "node": "Every column at one level",
    "cut": "Every branch at its own level",
    "buckets": "Two tables: who, and what",
}
"""What the methods recode, in words; the ones that lose least come first."""


async def build(work: Workspace, frame: Frame) -> None:
    """Fill the content area."""
    parts.heading(
        "Any method, any promise",
        "Negotiate tries the best ways for you. Here you choose a method by name, and promises that few "
        "others ask for.",
    )
    if not work.bench.quasi:
        frame.ask_for_quasi("recode")
        return
    _Methods(work, frame).build()


class _Methods:
    """What is asked for, and the answers so far, the one that loses least first."""

    def __init__(self, work: Workspace, frame: Frame) -> None:
        self.work, self.frame = work, frame
        self.wish = MethodWish.reopened(work.wishes.get("methods"))
        self.keeper = WishKeeper(work)
        key = work.bench.state.recoding_key
        self.answers: list[tuple[Algorithm, dict[str, Any], Candidate]] = [
            each for each in work.answers if each[2].made_for == key
        ]
        self.sensitive = bool(
            [name for name in work.bench.having(Role.SENSITIVE) if name not in work.bench.quasi]
        )

    def build(self) -> None:
        """Put everything on the page."""
        with ui.element("div").classes("negotiation"):
            with ui.element("div").classes("wishes"), parts.panel("What you ask for"):
                self._form()
            with (
                ui.element("div").classes("views one") as place,
                parts.panel("Answers, the one that loses least first"),
            ):
                self.told = parts.note("Nothing is asked yet.").props("role=status")
                self.list = AnswerLines("Answers")
        self.running = Running(self.frame, self.work, place)
        if self.answers:
            self.told.set_content("")
            self._list()

    def _form(self) -> None:
        names = {
            each.name: f"{KINDS[each.recodes]}: {each.title}"
            for kind in KINDS
            for each in ALGORITHMS
            if each.recodes == kind
        }
        parts.select("Method", names, self.wish.method, lambda word: self._set(method=word)).classes(
            "wide"
        )
        main = [one for one in FIELDS if one.main and (self.sensitive or not one.about_values)]
        rest = [one for one in FIELDS if not one.main and (self.sensitive or not one.about_values)]
        for one in main:
            self._field(one)
        with parts.details("More promises", opened=any(self.wish.given.get(one.name) for one in rest)):
            for one in rest:
                self._field(one)
            if self.work.bench.population is None:
                parts.note("Promises about the population need its table: choose it on the step Roles.")
        with parts.actions():
            self.start = parts.button("Run it", self.begin, icon="play_arrow", kind="main")
            self.stop = parts.button("Stop", self.end, icon="stop")
        self.stop.set_enabled(False)

    def _field(self, one: PromiseField) -> None:
        value = self.wish.given.get(one.name, "")
        if one.choices:
            parts.select(
                one.title, one.choices, value or next(iter(one.choices)), partial(self._give, one)
            ).classes("wide")
            return
        field = ui.input(one.title, value=value).props("outlined dense").classes("wide")
        field.tooltip(one.meaning)
        field.on("change", lambda: self._give(one, field.value or ""))

    def _give(self, one: PromiseField, text: str) -> None:
        self._set(given={**self.wish.given, one.name: text.strip()})

    def _set(self, **changes: Any) -> None:
        self.wish = self.wish.changed(**changes)
        self.keeper.keep(methods=self.wish.kept())

    def end(self) -> None:
        """Stop the method; the best so far is its answer, if it has one."""
        self.running.stop()

    async def begin(self) -> None:
        """Run the method that is chosen."""
        algorithm = next(each for each in ALGORITHMS if each.name == self.wish.method)
        work = self.work
        try:
            asked = self.wish.asked()
        except ShoalError as problem:
            self.frame.refuse(problem)
            return
        made_for = work.bench.state.recoding_key
        self.start.set_enabled(False)
        self.stop.set_enabled(True)
        self.told.set_content("Running …")

        def run(tell: JobHandle) -> Mapping[str, Any]:
            limit = work.bench.limits.job_seconds
            return work.questions.anonymize(
                algorithm.name, progress=tell.progress, time_limit=limit, **asked
            )

        found = await self.running.finish(KIND, run, self._watch, keep=False)
        self.start.set_enabled(True)
        self.stop.set_enabled(False)
        if found is None:
            self.told.set_content(self.running.empty_words)
            return
        self.told.set_content("")
        short = algorithm.title.partition(" (")[0]
        question = {"question": "anonymize", "algorithm": algorithm.name, **asked}
        title = f"{short}, {self.wish.words()}"
        answer = Candidate(CHOSEN, title, dict(found), question, made_for)
        kept = [each for each in self.answers if each[2].title != title]
        self.answers = sorted([*kept, (algorithm, dict(found), answer)], key=_lost)
        self.work.answers = self.answers
        self._list()

    def _watch(self, job: Job) -> None:
        self.told.set_content(self.running.waiting or "Running …")

    def _list(self) -> None:
        self.list.show([self._line(*answer) for answer in self.answers])

    def _line(self, algorithm: Algorithm, found: Mapping[str, Any], made: Candidate) -> AnswerLine:
        return AnswerLine(
            made.title,
            (found, made),
            partial(_draw_answer, algorithm, found, made),
            partial(send_to_release, self.frame, self.work, made),
            partial(pin, self.frame, self.work, made),
        )


def _draw_answer(algorithm: Algorithm, found: Mapping[str, Any], made: Candidate) -> None:
    share = found.get("share")
    with ui.element("div").classes("way-words"):
        parts.label(made.title, "strong")
        gone = rows_suppressed(found["suppressed"], found["rows"])
        with ui.element("span").classes("way-lost"):
            parts.label("–" if share is None else percent(share), "b")
            parts.label(f"of the detail lost, {gone}")
        if _promises_less(found):
            parts.hint("It promises less than was asked for: this method keeps what it can.")
        with parts.details("Details"):
            parts.note(
                f"{KINDS[algorithm.recodes]}; {many(found['released_groups'], 'group')}, the "
                f"smallest of {found['k']:,}; {seconds(found['seconds'])}."
            )
            for words in found["guarantees"]:
                parts.note(f"Guaranteed: {words}.")


def _lost(answer: tuple[Algorithm, Mapping[str, Any], Candidate]) -> float:
    share = answer[1].get("share")
    return 1.0 if share is None else float(share)


def _promises_less(found: Mapping[str, Any]) -> bool:
    """Whether a method answered with a smaller k than was asked for, as mu-Argus may."""
    asked, kept = found["asked"].get("k"), found["promise"].get("k")
    return asked is not None and (kept is None or kept < asked)
