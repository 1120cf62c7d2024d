"""Looks after what Spark does: shows its stages, says what it waits for, and stops it.

A thread looks twice a second. Whatever runs under the tag of a block is cancelled when the time is over, and
at Ctrl-C: the call then comes back, so that the connection to Java stays in step and what was staged can be
cleared away. A second Ctrl-C ends at once.
"""

from __future__ import annotations

import secrets
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from shoal.numbers import count
from shoal.running.watching import Watch, watch

QUIET = 10.0
"""Seconds without a running task after which it is said what is waited for."""
_EVERY = 0.5
_PATIENCE = 5.0
"""Seconds to wait for the last look: a server that is gone may not answer it."""
_attended: ContextVar[bool] = ContextVar("attended", default=False)


@dataclass(frozen=True)
class Tasks:
    """The tasks of the stages that are under way."""

    all: int = 0
    done: int = 0
    running: int = 0


class SparkWork(ABC):
    """What a session does under a tag."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._tag = f"shoal-{secrets.token_hex(6)}"

    @abstractmethod
    def begin(self) -> None:
        """Put the tag on whatever this thread does from now on."""

    @abstractmethod
    def end(self) -> None:
        """Take the tag off."""

    @abstractmethod
    def tasks(self) -> Tasks:
        """Return the tasks of the stages that are under way."""

    @abstractmethod
    def lacks(self) -> str:
        """Return what tasks wait for where none runs, and what to do."""

    @abstractmethod
    def cancel(self) -> None:
        """Stop whatever runs under the tag."""


class ClassicWork(SparkWork):
    """What a session does whose Java machine is at hand."""

    def begin(self) -> None:
        """Tag the jobs of this thread."""
        self._session.sparkContext.addJobTag(self._tag)

    def end(self) -> None:
        """Take the tag off."""
        self._session.sparkContext.removeJobTag(self._tag)

    def tasks(self) -> Tasks:
        """Return the tasks of the stages that are under way, by Spark's own status."""
        tracker = self._tracker()
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForTag(self._tag)]
        ours = {stage for job in jobs if job.isDefined() for stage in job.get().stageIds()}
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds() if stage in ours]
        found = [stage.get() for stage in stages if stage.isDefined()]
        return Tasks(
            sum(stage.numTasks() for stage in found),
            sum(stage.numCompletedTasks() for stage in found),
            sum(stage.numActiveTasks() for stage in found),
        )

    def lacks(self) -> str:
        """Return whether executors are missing, or busy."""
        executors = len(self._tracker().getExecutorInfos()) - 1  # one of them is the driver
        local = self._session.sparkContext.master.startswith("local")
        if executors > 0 or local:
            return "its executors are busy with other work; wait for that, or end it"
        return (
            "no executor has registered; ask the cluster for workers with as much free memory and as many "
            "free cores as spark.executor.memory and spark.executor.cores say, or let others end their work"
        )

    def cancel(self) -> None:
        """Cancel the jobs."""
        self._session.sparkContext.cancelJobsWithTag(self._tag)

    def _tracker(self) -> Any:
        return self._session.sparkContext._jsc.sc().statusTracker()


class RemoteWork(SparkWork):
    """What a server of Spark Connect does, which tells of its progress every few seconds."""

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self._told = Tasks()

    def begin(self) -> None:
        """Tag the operations of this thread, and listen."""
        self._session.addTag(self._tag)
        self._session.registerProgressHandler(self._listen)

    def end(self) -> None:
        """Take the tag off, and listen no longer."""
        self._session.removeProgressHandler(self._listen)
        self._session.removeTag(self._tag)

    def _listen(self, stages: Any, inflight_tasks: int, done: bool, **_: Any) -> None:
        under_way = [] if done else [stage for stage in stages or () if not stage.done]
        self._told = Tasks(
            sum(stage.num_tasks for stage in under_way),
            sum(stage.num_completed_tasks for stage in under_way),
            inflight_tasks,
        )

    def tasks(self) -> Tasks:
        """Return what the server told last."""
        return self._told

    def lacks(self) -> str:
        """Say whom to ask: through Spark Connect one does not see executors."""
        return "its server runs none of the tasks; ask whether it has executors, and what they are busy with"

    def cancel(self) -> None:
        """Cancel the operations."""
        self._session.interruptTag(self._tag)


@contextmanager
def attended(work: SparkWork, name: str) -> Iterator[None]:
    """Look after what a session does about a table in a block; inside of another such block, do nothing."""
    if _attended.get():
        yield
        return
    kept = watch()
    kept.check(name)
    token = _attended.set(True)
    attendant = _Attendant(work, kept)
    try:
        work.begin()
        attendant.start()
        try:
            with attendant.taking_interruptions():
                yield
        except Exception:
            # A call that was cancelled says that it failed.
            if attendant.interrupted:
                raise KeyboardInterrupt from None
            if attendant.over:
                raise kept.over(name) from None
            raise
        finally:
            attendant.end()
            with suppress(Exception):
                work.end()
        if attendant.interrupted:
            raise KeyboardInterrupt
    finally:
        _attended.reset(token)


class _Attendant(threading.Thread):
    """The thread that looks after a block."""

    def __init__(self, work: SparkWork, kept: Watch) -> None:
        super().__init__(name="shoal-spark-watch", daemon=True)
        self._work, self._kept = work, kept
        self._ended = threading.Event()
        self.interrupted = self.over = False

    def end(self) -> None:
        """Look no longer."""
        self._ended.set()
        if self.is_alive():
            self.join(_PATIENCE)

    def run(self) -> None:
        """Look until the block ends."""
        busy = time.monotonic()
        while not self._ended.wait(max(min(_EVERY, self._kept.left), 0.01)):
            # After the loop's last look a job may begin, so what is to stop is cancelled again and again.
            self.over = self._kept.left <= 0
            with suppress(Exception):  # Spark itself tells what is wrong with it
                if self.over or self.interrupted:
                    self._work.cancel()
                    continue
                tasks = self._work.tasks()
                if tasks.running or not tasks.all:
                    busy = time.monotonic()
                if time.monotonic() - busy >= QUIET:
                    busy = float("inf")  # once is enough
                    self._kept.say(
                        f"Spark has run no task for {count(QUIET)} seconds: {self._work.lacks()}. It is "
                        "waited for; Ctrl-C stops, and --time-limit S would stop after S seconds"
                    )
                if self._kept.show is not None and tasks.all:
                    words = f"Spark: {tasks.done:,} of {tasks.all:,} tasks, {tasks.running:,} running"
                    self._kept.show(tasks.done / tasks.all, words)

    @contextmanager
    def taking_interruptions(self) -> Iterator[None]:
        """Let Ctrl-C stop the block's work, where Python or Spark would answer it."""
        before = signal.getsignal(signal.SIGINT)
        main = threading.current_thread() is threading.main_thread()
        plain = before is signal.default_int_handler
        if not main or not (plain or getattr(before, "__module__", "").startswith("pyspark")):
            yield
            return

        def interrupt(*_: Any) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            self.interrupted = True

        signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
