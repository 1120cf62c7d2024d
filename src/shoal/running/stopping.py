"""Whether the work of a thread is still wanted: who asked for it may have left, or its time may be over.

A server runs questions of many people in its threads. What may take long looks here now and then, the
compiled loops too; whoever asks no server is never stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from threading import Lock, local

from shoal.running.watching import watch


class StoppedError(Exception):
    """The work was stopped before it had anything to keep."""


class Stop:
    """Says whether work is to end: `asked` with the best that it has, `lost` at once: nobody would get that.

    It also ends what waits elsewhere, such as in a database.
    """

    def __init__(self, asked: Callable[[], bool], lost: Callable[[], bool] | None = None) -> None:
        self.asked = asked
        self.lost = lost or asked
        self._calls: list[Callable[[], object]] = []
        self._lock = Lock()

    @contextmanager
    def calling(self, call: Callable[[], object]) -> Iterator[None]:
        """Let `interrupt` make a call for as long as this lasts."""
        with self._lock:
            self._calls.append(call)
        try:
            yield
        finally:
            with self._lock:
                self._calls.remove(call)

    def interrupt(self) -> None:
        """Make the calls, from any thread."""
        # Under the lock: what was waited for may not end, and another statement begin, in between.
        with self._lock:
            for call in self._calls:
                call()


class _Here(local):
    stop: Stop | None = None


_here = _Here()


@contextmanager
def stopped_by(stop: Stop) -> Iterator[None]:
    """Let what this thread does hear of a stop.

    >>> with stopped_by(Stop(lambda: True)):
    ...     look()
    Traceback (most recent call last):
    shoal.running.stopping.StoppedError
    """
    before, _here.stop = _here.stop, stop
    try:
        yield
    finally:
        _here.stop = before


def asked() -> bool:
    """Whether the work of this thread is to end with the best that it has."""
    return _here.stop is not None and _here.stop.asked()


def look() -> None:
    """End the work of this thread where nobody would get what it finds, or its time is over."""
    if _here.stop is not None and _here.stop.lost():
        raise StoppedError
    if not (now := watch()).kept:
        now.check("the work")


@contextmanager
def interrupted_by(call: Callable[[], object], name: str) -> Iterator[None]:
    """Wait for something elsewhere that `call` ends from another thread: a stop does, and a time limit.

    `name` is that of the table which is asked.
    """
    now = watch()
    now.check(name)
    look()
    with now.ending(call), _here.stop.calling(call) if _here.stop is not None else nullcontext():
        try:
            yield
        except Exception:
            look()
            if now.left <= 0:
                raise now.over(name) from None
            raise
