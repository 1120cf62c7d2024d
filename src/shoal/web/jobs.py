"""Long jobs in threads: limited in number, with progress, and with a stop that keeps the best so far."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any

from shoal.errors import NoSolutionError, ShoalError
from shoal.search.l_plus_optimize import Improvement, Standing
from shoal.web.limits import Limits, TooManyError
from shoal.web.words import sentence

log = logging.getLogger("shoal.web")

QUEUED, RUNNING, DONE, STOPPED, FAILED = "queued", "running", "done", "stopped", "failed"
PATIENCE = 5.0
"""Seconds to wait for jobs that were asked to stop."""
FINISHED = (DONE, STOPPED, FAILED)


class StoppedError(Exception):
    """A job that has nothing to keep was stopped."""


class Work:
    """What the function of a job is given: it tells how far it is, and hears whether it is to stop."""

    def __init__(self, job: Job, seconds: float) -> None:
        self._job = job
        self._end = time.monotonic() + seconds

    @property
    def standings(self) -> list[tuple[float, float | None, float]]:
        """How a search for the best cut stood from its beginning on."""
        return self._job.standings

    @property
    def stopping(self) -> bool:
        """Whether somebody asked the job to stop, or its time is over."""
        return self._job.stop.is_set() or time.monotonic() > self._end

    def progress(self, share: float, words: str) -> bool:
        """Tell a share of the work and a few words; True where the search is to end."""
        self._job.tell(share=share, words=words)
        return self.stopping

    def writing(self, share: float) -> None:
        """Tell a share of what is written; what is half-written is given up on a stop."""
        if self.stopping:
            raise StoppedError
        self._job.tell(share=share, words="writing")

    def watch(self, standing: Standing) -> None:
        """Tell how a search for the best cut stands."""
        self._job.standings.append((standing.seconds, standing.cost, standing.lower_bound))
        self._job.tell(
            cost=standing.cost,
            lower_bound=standing.lower_bound,
            gap=standing.gap,
            examined=standing.examined,
            seconds=standing.seconds,
        )

    def improved(self, found: Improvement) -> None:
        """Tell a better cut."""
        self._job.tell(cut={name: list(labels) for name, labels in found.cut.items()})


@dataclass
class Job:
    """One job of one session; `version` counts its changes, for those who watch."""

    key: str
    owner: str
    study: str
    kind: str
    status: str = QUEUED
    progress: dict[str, Any] = field(default_factory=dict)
    standings: list[tuple[float, float | None, float]] = field(default_factory=list)
    """Seconds, cost and lower bound of a search for the best cut, from its beginning on."""
    result: Mapping[str, Any] | None = None
    error: str | None = None
    no_solution: bool = False
    version: int = 0
    begun: float = field(default_factory=time.monotonic)
    stop: Event = field(default_factory=Event)
    finished: Event = field(default_factory=Event)
    future: Future[None] | None = None

    def tell(self, **facts: Any) -> None:
        """Take in what the work says of itself."""
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
    """All jobs of the server."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.running_jobs, thread_name_prefix="shoal-job")
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()
        self.closing = Event()
        self._deaf: list[Job] = []
        """Jobs that did not end when they were asked to."""

    def start(
        self, owner: str, study: str, kind: str, function: Callable[[Work], Mapping[str, Any]]
    ) -> Job:
        """Start a job, or let it wait; refuse one too many."""
        job = Job(secrets.token_hex(8), owner, study, kind)
        with self._lock:
            if self.closing.is_set():
                raise TooManyError("the server is stopping; start it again")
            unfinished = [each for each in self._jobs.values() if each.status not in FINISHED]
            mine = [each for each in unfinished if each.owner == owner]
            if len(mine) >= self._limits.jobs:
                raise TooManyError(f"{len(mine)} jobs are not finished; wait for one, or stop it")
            if len(unfinished) >= self._limits.running_jobs + self._limits.waiting_jobs:
                raise TooManyError("the server has as many jobs as it takes; try again soon")
            self._jobs[job.key] = job
            self._forget_old(owner)
            job.future = self._pool.submit(self._run, job, function)
        return job

    def _run(self, job: Job, function: Callable[[Work], Mapping[str, Any]]) -> None:
        status = FAILED
        try:
            if job.stop.is_set():
                raise StoppedError
            job.status, job.version = RUNNING, job.version + 1
            job.result = function(Work(job, self._limits.job_seconds))
            status = STOPPED if job.stop.is_set() else DONE
        except StoppedError:
            status = STOPPED
        except ShoalError as problem:
            job.error = sentence(problem)
            job.no_solution = isinstance(problem, NoSolutionError)
        except Exception:
            log.exception("the job %s of kind %s failed", job.key, job.kind)
            job.error = (
                "something went wrong here that is no fault of yours; the server's log tells what"
            )
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

    def get(self, owner: str, key: str) -> Job | None:
        """Return a job of a session; another's is not there."""
        job = self._jobs.get(key)
        return job if job is not None and job.owner == owner else None

    def cancel(self, job: Job) -> None:
        """Ask a job to stop; what it has found so far becomes its result."""
        job.stop.set()
        if job.future is not None and job.future.cancel():
            job.status, job.version = STOPPED, job.version + 1
            job.finished.set()

    def end(self, owner: str, study: str | None = None) -> None:
        """Stop the jobs of a session or a study, wait for them, and forget them."""
        mine = self.of(owner, study)
        for job in mine:
            self.cancel(job)
        if not self.closing.is_set():  # all are waited for then
            for job in mine:
                job.finished.wait(PATIENCE)
        with self._lock:
            for job in mine:
                self._jobs.pop(job.key, None)

    def close(self) -> bool:
        """Stop all jobs and wait for them, but not for long; whether all have ended."""
        with self._lock:
            self.closing.set()
            everyone = [*self._deaf, *self._jobs.values()]
        for job in everyone:
            self.cancel(job)
        self._pool.shutdown(wait=False, cancel_futures=True)
        end = time.monotonic() + PATIENCE
        for job in everyone:
            job.finished.wait(max(end - time.monotonic(), 0))
        self._deaf = [job for job in everyone if not job.finished.is_set()]
        return not self._deaf
