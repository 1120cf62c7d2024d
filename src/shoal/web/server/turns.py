"""Threads that work for sessions in turn, so that none waits for everything another has asked."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Condition, Thread
from typing import Any

Task = tuple["Future[Any]", Callable[[], Any]]


class Turns:
    """A number of threads for all sessions, and at most so many of them for one.

    The session that has waited longest is next, with its oldest task. A session that already has a thread
    gets another only while one more is free: one session alone never takes all of two or more.
    """

    def __init__(self, threads: int, most: int, name: str) -> None:
        self._threads, self._most, self._name = threads, most, name
        self._changed = Condition()
        self._waiting: dict[str, deque[Task]] = {}
        """Tasks by session; the session that is next comes first."""
        self._running: Counter[str] = Counter()
        self._started = 0
        self._closed = False

    def submit(self, owner: str, function: Callable[[], Any]) -> Future[Any]:
        """Return the future of a function that runs when its session's turn comes."""
        future: Future[Any] = Future()
        with self._changed:
            if self._closed:
                future.cancel()
                return future
            before = self._waiting.get(owner, ())
            # Cancelled tasks take no room.
            self._waiting[owner] = deque(task for task in before if not task[0].cancelled())
            self._waiting[owner].append((future, function))
            if self._started < self._threads:
                self._started += 1
                # Daemons: a thread that ignores a stop must not keep the process alive.
                Thread(target=self._work, name=f"{self._name}-{self._started}", daemon=True).start()
            self._changed.notify()
        return future

    def close(self) -> None:
        """Start nothing more, and cancel what waits."""
        with self._changed:
            self._closed = True
            left = [future for tasks in self._waiting.values() for future, _ in tasks]
            self._waiting.clear()
            self._changed.notify_all()
        for future in left:
            future.cancel()

    def _work(self) -> None:
        while True:
            with self._changed:
                while (found := self._next()) is None:
                    if self._closed:
                        return
                    self._changed.wait()
                owner, (future, function) = found
                self._running[owner] += 1
            try:
                _run(future, function)
            finally:
                # Its data may be large, and the next turn far off.
                del found, future, function
                with self._changed:
                    self._running[owner] -= 1
                    if not self._running[owner]:
                        del self._running[owner]
                    self._changed.notify_all()

    def _next(self) -> tuple[str, Task] | None:
        for owner, tasks in self._waiting.items():
            if self._may_begin(owner):
                task = tasks.popleft()
                del self._waiting[owner]
                if tasks:  # to the end of the queue
                    self._waiting[owner] = tasks
                return owner, task
        return None

    def _may_begin(self, owner: str) -> bool:
        mine, free = self._running[owner], self._threads - self._running.total()
        return mine == 0 or (mine < self._most and free > 1)


def _run(future: Future[Any], function: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(function())
    except BaseException as problem:
        future.set_exception(problem)
