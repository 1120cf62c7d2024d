"""Long jobs: limited in number, run in turn by session, with progress; a stop keeps the best result."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any

from shoal.errors import NoSolutionError, ShoalError, TooManyError
from shoal.running.stopping import Stop, StoppedError
from shoal.search.cuts.l_plus_optimize import Improvement, Standing
from shoal.web.server.interrupting import Interrupter
from shoal.web.server.sentences import BROKEN, sentence
from shoal.web.server.server_limits import Limits
from shoal.web.server.turns import Turns
from shoal.web.server.waiting import Answering

log = logging.getLogger("shoal.web")

QUEUED, RUNNING, DONE, STOPPED, FAILED = "queued", "running", "done", "stopped", "failed"
PATIENCE = 5.0
"""Seconds to wait for jobs that have been asked to stop."""
FINISHED = (DONE, STOPPED, FAILED)


class JobHandle:
    """Given to a job's function, which reports its progress here and asks whether to stop."""

    def __init__(self, job: Job, seconds: float, closing: Event) -> None:
        self._job, self._closing = job, closing
        self._end = time.monotonic() + seconds

    @property
    def standings(self) -> list[tuple[float, float | None, float]]:
        """Seconds, cost and lower bound of a search for the best cut, from its start on."""
        return self._job.standings

    @property
    def stopping(self) -> bool:
        """Whether somebody stopped the job, the server is stopping, or the job's time is up."""
        return self._job.stop.is_set() or self._closing.is_set() or time.monotonic() > self._end

    @property
    def lost(self) -> bool:
        """Whether nobody can fetch the result: the server is stopping, or the study or session has ended."""
        return self._job.forgotten.is_set() or self._closing.is_set()

    def progress(self, share: float, words: str) -> bool:
        """Report the share of the work done, with a few words; return True if the search is to end."""
        self._job.tell(share=share, words=words)
        return self.stopping

    def writing(self, share: float) -> None:
        """Report the share written; on a stop, give up the half-written file."""
        if self.stopping:
            raise StoppedError
        self._job.tell(share=share, words="writing")

    def watch(self, standing: Standing) -> None:
        """Report how a search for the best cut stands."""
        self._job.standings.append((standing.seconds, standing.cost, standing.lower_bound))
        self._job.tell(
            cost=standing.cost,
            lower_bound=standing.lower_bound,
            gap=standing.gap,
            examined=standing.examined,
            seconds=standing.seconds,
        )

    def improved(self, found: Improvement) -> None:
        """Report a better cut."""
        self._job.tell(cut={name: list(labels) for name, labels in found.cut.items()})


@dataclass
class Job:
    """One job of one session; `version` counts its changes, for those who watch it."""

    key: str
    owner: str
    study: str
    kind: str
    status: str = QUEUED
    progress: dict[str, Any] = field(default_factory=dict)
    standings: list[tuple[float, float | None, float]] = field(default_factory=list)
    """Seconds, cost and lower bound of a search for the best cut, from its start on."""
    result: Mapping[str, Any] | None = None
    error: str | None = None
    no_solution: bool = False
    version: int = 0
    begun: float = field(default_factory=time.monotonic)
    stop: Event = field(default_factory=Event)
    forgotten: Event = field(default_factory=Event)
    finished: Event = field(default_factory=Event)
    future: Future[Any] | None = None

    def tell(self, **facts: Any) -> None:
        """Add facts to the progress."""
        self.progress = {**self.progress, **facts}
        self.version += 1

    def to_dict(self, *, with_result: bool = True) -> dict[str, Any]:
        """Return the job as the API shows it."""
        return {
            "id": self.key,
            "study": self.study,
            "kind": self.kind,
            "status": self.status,
            "progress": dict(self.progress),
            "result": self.result if with_result else None,
            "error": self.error,
        }


class Jobs:
    """All jobs of the server; `answering` has the questions that are not jobs."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._turns = Turns(limits.running_jobs, limits.running_jobs_one, "shoal-job")
        self._watch = Interrupter()
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()
        self.closing = Event()
        """Set when the server stops, which ends all work."""
        self.answering = Answering(limits, self.closing, self._watch)
        self._deaf: list[Future[Any]] = []
        """Work that did not end when asked to."""

    def start(
        self, owner: str, study: str, kind: str, function: Callable[[JobHandle], Mapping[str, Any]]
    ) -> Job:
        """Start a job or queue it; refuse if there are too many."""
        job = Job(secrets.token_hex(8), owner, study, kind)
        with self._lock:
            if self.closing.is_set():
                raise TooManyError("the server is stopping; start it again")
            unfinished = [each for each in self._jobs.values() if each.status not in FINISHED]
            mine = [each for each in unfinished if each.owner == owner]
            if len(mine) >= self._limits.jobs:
                raise TooManyError(f"{len(mine)} jobs are not finished; wait for one, or stop it")
            if len(unfinished) >= self._limits.running_jobs + self._limits.waiting_jobs:
                raise TooManyError("the server has as many jobs as it can take; try again soon")
            self._jobs[job.key] = job
            self._forget_old(owner)
            job.future = self._turns.submit(owner, lambda: self._run(job, function))
        return job

    def _run(self, job: Job, function: Callable[[JobHandle], Mapping[str, Any]]) -> None:
        status = FAILED
        try:
            if job.stop.is_set():
                raise StoppedError
            job.status, job.version = RUNNING, job.version + 1
            work = JobHandle(job, self._limits.job_seconds, self.closing)
            with self._watch.over(Stop(lambda: work.stopping, lambda: work.lost)):
                job.result = function(work)
            status = STOPPED if job.stop.is_set() or self.closing.is_set() else DONE
        except StoppedError:
            status = STOPPED
        except ShoalError as problem:
            job.error = sentence(problem)
            job.no_solution = isinstance(problem, NoSolutionError)
        except Exception:
            if job.forgotten.is_set():  # its folder may be gone, too
                status = STOPPED
            else:
                log.exception("the job %s of kind %s failed", job.key, job.kind)
                job.error = BROKEN
        finally:
            job.status, job.version = status, job.version + 1
            job.finished.set()

    def _forget_old(self, owner: str) -> None:
        done = [job for job in self._jobs.values() if job.owner == owner and job.status in FINISHED]
        for job in sorted(done, key=lambda each: each.begun)[: -self._limits.kept_jobs]:
            del self._jobs[job.key]

    def of(self, owner: str, study: str | None = None) -> list[Job]:
        """Return the jobs of a session, or of one of its studies, the oldest first."""
        with self._lock:
            mine = [job for job in self._jobs.values() if job.owner == owner]
        return [job for job in mine if study is None or job.study == study]

    def ahead(self, job: Job) -> list[str]:
        """Return the kinds of the jobs that a queued one waits for: those running, and its own older ones."""
        with self._lock:
            everyone = list(self._jobs.values())
        return [
            each.kind
            for each in everyone
            if each.status == RUNNING
            or (each.status == QUEUED and each.owner == job.owner and each.begun < job.begun)
        ]

    def get(self, owner: str, key: str) -> Job | None:
        """Return a job of this session; None if there is none, or it is another session's."""
        job = self._jobs.get(key)
        return job if job is not None and job.owner == owner else None

    def cancel(self, job: Job) -> None:
        """Ask a job to stop; what it has found so far becomes its result."""
        job.stop.set()
        if job.future is not None and job.future.cancel():
            job.status, job.version = STOPPED, job.version + 1
            job.finished.set()

    def end(self, owner: str, study: str | None = None) -> None:
        """Stop all work of a session or a study, wait for it, and forget it."""
        mine = self.of(owner, study)
        for job in mine:
            job.forgotten.set()
            self.cancel(job)
        going = self.answering.cancel(owner, study) + _going(mine)
        if not self.closing.is_set():  # `close` waits for all
            wait_for(going, PATIENCE)
        with self._lock:
            for job in mine:
                self._jobs.pop(job.key, None)

    def close(self) -> bool:
        """Stop all work, wait a little, and return whether all has ended."""
        with self._lock:
            self.closing.set()
            everyone = list(self._jobs.values())
        for job in everyone:
            self.cancel(job)
        self._turns.close()
        going = self._deaf + self.answering.close() + _going(everyone)
        self._deaf = list(wait_for(going, PATIENCE).not_done)
        return not self._deaf


def _going(jobs: list[Job]) -> list[Future[Any]]:
    """Return what has not ended yet."""
    return [job.future for job in jobs if job.future is not None and not job.future.done()]
