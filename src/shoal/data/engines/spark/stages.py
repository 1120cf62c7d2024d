"""Watches Spark's work: shows its stages, says what it waits for, and stops it.

A thread looks twice a second. Whatever runs under a block's tag is cancelled at the time limit and at Ctrl-C.
The call then returns, so that the connection to Java stays usable and staged data can be removed. A second
Ctrl-C ends at once.
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
from shoal.running.stop_signals import is_plain
from shoal.running.watching import Watch, watch

QUIET = 10.0
"""Seconds without a running task before a notice says what Spark waits for."""
_EVERY = 0.5
_PATIENCE = 5.0
"""Seconds to wait for the last look, because a dead server may not answer."""
_attended: ContextVar[bool] = ContextVar("attended", default=False)


@dataclass(frozen=True)
class Tasks:
    """The tasks of the running stages."""

    all: int = 0
    done: int = 0
    running: int = 0


class SparkWork(ABC):
    """A session's work under a tag."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._tag = f"shoal-{secrets.token_hex(6)}"

    @abstractmethod
    def begin(self) -> None:
        """Tag whatever this thread does from now on."""

    @abstractmethod
    def end(self) -> None:
        """Remove the tag."""

    @abstractmethod
    def tasks(self) -> Tasks:
        """Return the tasks of the running stages."""

    @abstractmethod
    def lacks(self) -> str:
        """Return what the tasks wait for if none runs, and what to do."""

    @abstractmethod
    def cancel(self) -> None:
        """Stop whatever runs under the tag."""


class ClassicWork(SparkWork):
    """The work of a classic session, whose Java machine is accessible."""

    def begin(self) -> None:
        """Tag the jobs of this thread."""
        self._session.sparkContext.addJobTag(self._tag)

    def end(self) -> None:
        """Remove the tag."""
        self._session.sparkContext.removeJobTag(self._tag)

    def tasks(self) -> Tasks:
        """Return the tasks of the running stages, from Spark's status tracker."""
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
            "no executor has registered; the cluster needs workers with as much free memory and as many "
            "free cores as spark.executor.memory and spark.executor.cores say"
        )

    def cancel(self) -> None:
        """Cancel the jobs."""
        self._session.sparkContext.cancelJobsWithTag(self._tag)

    def _tracker(self) -> Any:
        return self._session.sparkContext._jsc.sc().statusTracker()


class RemoteWork(SparkWork):
    """The work of a Spark Connect server, which reports progress every few seconds."""

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self._told = Tasks()

    def begin(self) -> None:
        """Tag the operations of this thread, and listen."""
        self._session.addTag(self._tag)
        self._session.registerProgressHandler(self._listen)

    def end(self) -> None:
        """Remove the tag, and stop listening."""
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
        """Return what the server reported last."""
        return self._told

    def lacks(self) -> str:
        """Say whom to ask, because executors are not visible through Spark Connect."""
        return "its server runs none of the tasks; ask whether it has executors, and what they are busy with"

    def cancel(self) -> None:
        """Cancel the operations."""
        self._session.interruptTag(self._tag)


@contextmanager
def attended(work: SparkWork, name: str) -> Iterator[None]:
    """Watch a session's work on a table inside the block; nested blocks do nothing."""
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
            # A cancelled call reports a failure.
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
    """The thread that watches a block."""

    def __init__(self, work: SparkWork, kept: Watch) -> None:
        super().__init__(name="shoal-spark-watch", daemon=True)
        self._work, self._kept = work, kept
        self._ended = threading.Event()
        self.interrupted = self.over = False

    def end(self) -> None:
        """Stop watching."""
        self._ended.set()
        if self.is_alive():
            self.join(_PATIENCE)

    def run(self) -> None:
        """Watch until the block ends."""
        busy, said = time.monotonic(), False
        while not self._ended.wait(max(min(_EVERY, self._kept.left), 0.01)):
            # A job may start after the last look, so cancelling is repeated.
            self.over = self._kept.left <= 0
            with suppress(Exception):  # Spark reports its own errors
                if self.over or self.interrupted:
                    self._work.cancel()
                    continue
                tasks = self._work.tasks()
                if tasks.running or not tasks.all:
                    busy = time.monotonic()
                if not said and time.monotonic() - busy >= QUIET:
                    said = True  # once is enough, however often the tasks wait
                    self._kept.say(
                        f"Spark has run no task for {count(QUIET)} seconds: {self._work.lacks()}. Shoal "
                        "keeps waiting; stop with Ctrl-C, or set a time limit"
                    )
                if self._kept.show is not None and tasks.all:
                    words = f"Spark: {tasks.done:,} of {tasks.all:,} tasks, {tasks.running:,} running"
                    self._kept.show(tasks.done / tasks.all, words)

    @contextmanager
    def taking_interruptions(self) -> Iterator[None]:
        """Let Ctrl-C stop the block's work, instead of Python's or Spark's own handler."""
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not is_plain(before):
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
