"""The step Attacks: the release is attacked before anybody else does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import background_tasks, ui

from shoal.assess.attacks.attack_report import AttackReport, Finding
from shoal.numbers import count, many, percent
from shoal.present.charts.attack_bars import attack_overview, telling
from shoal.present.charts.bars import bars_chart
from shoal.web.pages import parts
from shoal.web.pages.figures import ShownPicture
from shoal.web.pages.frame import Frame
from shoal.web.pages.work_shown import Running
from shoal.web.server.jobs import Job, JobHandle
from shoal.web.workspace.workspace import Workspace

KIND = "attack"
WIDTH = 520
IN_WORDS = {
    "linkage": "A neighbour who knows a few things about a person finds the person's row.",
    "singling-out": "A description made from the release alone fits exactly one person.",
    "linkability": "Two halves of what is known of a person, from two sources, lead to one row.",
    "inference": "Who knows everything else of a person reads off the sensitive value.",
    "homogeneity": "Who knows a person's group guesses the sensitive value, or is certain of it.",
    "downcoding": "Labels tell that finer values must be there, since they are as fine as they can be.",
    "minimality": "That nothing finer was released tells what would have been too much.",
    "refinement": "Counting who fits where tells which group a person must be in.",
    "learning": "A model trained on the release predicts the sensitive value of its own persons.",
    "membership": "Who knows a person well tells whether the person is in the table at all.",
    "composition": "Two releases together leave fewer rows than each alone.",
}
"""What the success of each attack means, for everybody."""


async def build(work: Workspace, frame: Frame) -> None:
    """Fill the content area."""
    parts.heading(
        "What would an attacker find?",
        "Known attacks on the released rows, tried here before anybody else tries them. Your own table says "
        "which of their guesses are right.",
    )
    if not work.releases.made:
        with parts.panel():
            parts.text("Nothing is released yet, so there is nothing to attack.")
            ui.link("Go to the release", frame.address("release")).classes("button-link")
        return
    AttackPanel(work, frame).show()


class AttackPanel:
    """Starts the attacks, and shows what they found."""

    def __init__(self, work: Workspace, frame: Frame) -> None:
        self.work, self.frame = work, frame
        with parts.panel() as place:
            with parts.actions():
                self.start = parts.button("Attack the release", self.begin, icon="security", kind="main")
                self.stop = parts.button("Stop", self.end)
                self.stop.set_enabled(False)
                self.told = ui.html("", sanitize=False, tag="span").props("role=status")
            parts.note("It takes from seconds to a few minutes, and nothing leaves this place.")
        self.running = Running(frame, work, place)
        self.found = ui.element("div").classes("made")

    def show(self) -> None:
        """Show what was found before, or wait for attacks that go on."""
        if going := self.running.going(KIND):
            self._is_running(True)
            background_tasks.create(self._follow(going), name="attacks that go on")
            return
        self._shown(self.work.attacks.current())

    async def _follow(self, job: Job) -> None:
        self._ended(await self.running.follow(job, self._watch))

    async def begin(self) -> None:
        """Try all attacks."""
        self.found.clear()
        self._is_running(True)
        work = self.work

        def attack(tell: JobHandle) -> Mapping[str, Any]:
            return work.attacks.attack(tell.progress)

        self._ended(await self.running.finish(KIND, attack, self._watch))

    def end(self) -> None:
        """Stop; what was tried is shown."""
        self.running.stop()
        self.told.set_content("Stopping after this attack …")

    def _watch(self, job: Job) -> None:
        if self.running.waiting:
            self.told.set_content(self.running.waiting)
        elif "words" not in job.progress:
            self.told.set_content("Attacking …")
        else:
            share = percent(job.progress["share"], 0)
            self.told.set_content(f"Trying {job.progress['words']}, {share} done …")

    def _is_running(self, running: bool) -> None:
        self.start.set_enabled(not running)
        self.stop.set_enabled(running)

    def _ended(self, result: Mapping[str, Any] | None) -> None:
        self._is_running(False)
        number = 0 if result is None else len(result["attacks"])
        self.told.set_content("" if result is None else f"{many(number, 'attack')} tried.")
        self._shown(result)

    def _shown(self, document: Mapping[str, Any] | None) -> None:
        self.found.clear()
        if document is None:
            return
        report = AttackReport.from_dict(document)
        with self.found:
            _verdict(report)
            _overview(report)
            for finding in report.findings:
                _one(finding)


def _verdict(report: AttackReport) -> None:
    broken = report.broken
    with ui.element("div").classes("verdict bad" if broken else "verdict good"):
        ui.icon("error" if broken else "check_circle").props("aria-hidden=true")
        with ui.element("div"):
            parts.label("A promise is broken" if broken else "No promise is broken", "strong")
            for one in broken:
                parts.text(f"The attack {one.attack} breaks the promise of {one.breaks}.")
            if not broken:
                parts.text("What attacks find beyond the promises is below; read it before it leaves.")


def _overview(report: AttackReport) -> None:
    with parts.panel(
        "All attacks",
        "Each in the case that is most above its baseline: the same guess without the release or, for "
        "attacks that draw a conclusion from it, without the conclusion. Only what is above is disclosed.",
    ):
        rows = []
        for finding in report.findings:
            case = telling(finding) if finding.cases else None
            certain = sum(one.certain or 0 for one in finding.cases)
            rows.append(
                (
                    finding.attack,
                    IN_WORDS.get(finding.attack, finding.success),
                    "not tried" if case is None else percent(case.found.share),
                    "" if case is None else percent(case.baseline.share),
                    count(certain) if certain else "",
                )
            )
        headers = ("Attack", "What it means", "Success", "Baseline", "Certain")
        parts.table("Attacks on the release", headers, rows, numbers=(2, 3, 4))
        overview = attack_overview(report)
        if overview.groups:
            ShownPicture(bars_chart(overview, WIDTH))


def _one(finding: Finding) -> None:
    with parts.details(finding.attack):
        parts.note(f"Known: {finding.knows}. Success: {finding.success}.")
        for sentence in finding.sentences:
            parts.text(sentence)
        rows = [
            (
                case.name,
                percent(case.found.share),
                percent(case.baseline.share),
                "" if case.certain is None else count(case.certain),
            )
            for case in finding.cases
        ]
        if rows:
            headers = ("Case", "Success", "Baseline", "Certain")
            parts.table(f"Cases of {finding.attack}", headers, rows, numbers=(1, 2, 3))
