"""Jobs that a page starts and waits for without blocking others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import background_tasks, run, ui

from shoal.errors import ShoalError
from shoal.web.pages.frame import Frame
from shoal.web.server.jobs import FAILED, FINISHED, QUEUED, STOPPED, Job, JobHandle
from shoal.web.workspace.workspace import Workspace

LOOK = 0.05
"""Seconds between two checks of a job."""
SOON = 0.2
"""Seconds after which settings are written."""


_NUMBERS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
NOT_STARTED = "not started"
REPLACED = "replaced"


def waiting_words(kinds: Sequence[str]) -> str:
    """Return what a job that waits says, from the kinds of those before it.

    >>> waiting_words(["optimize", "frontier"])
    'Waiting behind two searches …'
    >>> waiting_words(["release"]), waiting_words([])
    ('Waiting behind one other job …', 'Waiting for its turn …')
    """
    if not kinds:
        return "Waiting for its turn …"
    number = _NUMBERS[len(kinds)] if len(kinds) < len(_NUMBERS) else f"{len(kinds):,}"
    what = "other job" if "release" in kinds else "search"
    plural = {"other job": "other jobs", "search": "searches"}[what]
    return f"Waiting behind {number} {what if len(kinds) == 1 else plural} …"


def stay(place: ui.element) -> None:
    """End the running task if its part of the page is gone and nobody waits for it."""
    if place.is_deleted:
        raise asyncio.CancelledError


class WishKeeper:
    """Keeps the settings of controls: soon, one after the other, even if the page is left meanwhile."""

    def __init__(self, work: Workspace) -> None:
        self._work = work
        self._fresh = self._writing = False

    def keep(self, **wishes: Any) -> None:
        """Keep settings; of those in quick succession only the last are written."""
        self._work.wishes.know(**wishes)
        self._fresh = True
        if not self._writing:
            self._writing = True
            background_tasks.create(self._write(), name="wishes to keep")

    async def _write(self) -> None:
        try:
            while self._fresh:
                await asyncio.sleep(SOON)
                self._fresh = False
                await run.io_bound(self._work.wishes.keep)
        except FileNotFoundError:
            pass  # the session ended meanwhile, with its folder
        finally:
            self._writing = False


class Running:
    """The one job of the part of a page at `place`; a new job stops the one before."""

    def __init__(self, frame: Frame, work: Workspace, place: ui.element) -> None:
        self.frame, self.work, self.place = frame, work, place
        self.job: Job | None = None
        self.waiting = ""
        """What to say while the job waits for others; empty once it runs."""
        self.ended = ""
        """How the last job ended: its status, or that it was not even started, or replaced by another."""

    def going(self, kind: str) -> Job | None:
        """Return the last job of a kind if it still runs; another page may have started it."""
        session = self.frame.session
        last = [job for job in session.jobs.of(session.name, self.work.key) if job.kind == kind][-1:]
        return next((job for job in last if job.status not in FINISHED), None)

    async def finish(
        self,
        kind: str,
        function: Callable[[JobHandle], Mapping[str, Any]],
        watch: Callable[[Job], None] | None = None,
        *,
        keep: bool = True,
    ) -> Mapping[str, Any] | None:
        """Start a job, wait for it, and return its result; if it is refused, say why and return None.

        A job that another replaces gives None, too. One that is not to `keep` is stopped when the page is
        left, since nobody would look for its result.
        """
        session = self.frame.session
        self.stop()
        try:
            job = session.jobs.start(session.name, self.work.key, kind, function)
        except ShoalError as problem:
            self.ended = NOT_STARTED
            self.frame.refuse(problem)
            return None
        try:
            return await self.follow(job, watch)
        except asyncio.CancelledError:
            if not keep:
                session.jobs.cancel(job)
            raise

    async def follow(
        self, job: Job, watch: Callable[[Job], None] | None = None
    ) -> Mapping[str, Any] | None:
        """Wait for a job, which may already be running; end the task if the page is left."""
        self.job, seen = job, (-1, "")
        while True:
            stay(self.place)
            status, version = job.status, job.version
            waits = ""
            if status == QUEUED:
                waits = waiting_words(self.frame.session.jobs.ahead(job))
            if watch is not None and (version, waits) != seen and self.job is job:
                seen = version, waits
                self.waiting = waits
                watch(job)
            if status in FINISHED:
                break
            await asyncio.sleep(LOOK)
        if self.job is not job:
            self.ended = REPLACED
            return None
        self.job, self.waiting, self.ended = None, "", job.status
        if job.status == FAILED:
            self.frame.refuse(job.error or "the job failed; try again")
        return job.result

    @property
    def empty_words(self) -> str:
        """Why there is no result."""
        if self.ended == NOT_STARTED:
            return "This was not begun: too much is under way already. Wait for something to end, or stop it."
        if self.ended == STOPPED:
            return "Stopped before anything was found."
        return "Nothing was found."

    def stop(self) -> None:
        """Ask the job to stop; what it has found becomes its result."""
        if self.job is not None:
            self.frame.session.jobs.cancel(self.job)
