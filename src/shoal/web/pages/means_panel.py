"""What privacy costs by any means, on the page Compare: drawn when somebody asks for it."""

from __future__ import annotations

from typing import Any

from shoal.answers.privacy_costs import BOUND, PrivacyCosts
from shoal.present.charts.any_means import costs_picture
from shoal.web.pages import parts
from shoal.web.pages.figures import ShownPicture
from shoal.web.pages.frame import Frame
from shoal.web.pages.work_shown import Running
from shoal.web.server.jobs import Job, JobHandle
from shoal.web.workspace.workspace import Workspace

SUPPRESS = "1%"
NARROW = 460.0
"""The picture's width, so that its words can be read on a phone."""


class MeansPanel:
    """One picture and one table over k: nodes, cuts, local recoding, Mondrian, and the bound."""

    def __init__(self, work: Workspace, frame: Frame) -> None:
        self.work = work
        about = (
            "Every kind of recoding on one picture: what it loses by LM for each k, at most "
            f"{SUPPRESS} of the rows suppressed."
        )
        with parts.panel("What privacy costs by any means", about) as self.box:
            with parts.actions():
                self.button = parts.button("Draw the curves", self.draw, icon="show_chart")
            self.told = parts.note("This takes some seconds.").props("role=status")
        self.running = Running(frame, work, self.box)

    async def draw(self) -> None:
        """Search all curves as a job, and show them."""
        self.button.set_enabled(False)

        def work(work: JobHandle) -> dict[str, Any]:
            return self.work.questions.frontier(
                progress=work.progress,
                recoding="all",
                suppress=SUPPRESS,
                time_limit=self.work.bench.limits.job_seconds,
            )

        found = await self.running.finish("frontier", work, self.watch)
        self.button.set_enabled(True)
        if found is None:
            self.told.set_content("The curves could not be drawn; try again.")
            return
        costs = PrivacyCosts.from_dict(found)
        self.button.set_visibility(False)
        self.told.set_content(
            "Negotiate releases one level a column, Optimize one cut; groups are released by "
            "shoal anonymize and the REST API."
        )
        with self.box:
            ShownPicture(costs_picture(costs, NARROW))
            for curve in costs.curves:
                parts.note(curve.sentence)
            if costs.lower_bound:
                parts.note(BOUND)
            parts.note(costs.proofs)

    def watch(self, job: Job) -> None:
        """Say what is searched, or that it waits."""
        if self.running.waiting:
            self.told.set_content(self.running.waiting)
        elif words := job.progress.get("words"):
            self.told.set_content(f"Searching: {words} …")
