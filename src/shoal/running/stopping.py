"""Whether a thread's work is still wanted: whoever asked may have left, or the time may be up.

A server answers many people's questions in its threads. Whatever may take long looks here now and then, the
compiled loops too. Outside a server nobody stops work but the time limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from threading import Lock, local

from shoal.running.watching import watch


class StoppedError(Exception):
    """The work was stopped before it had anything to keep."""


class Stop:
    """Says whether work must end: `asked` with the best so far, `lost` at once, since nobody would get it.

    It also ends calls that wait elsewhere, such as in a database.
    """

    def __init__(self, asked: Callable[[], bool], lost: Callable[[], bool] | None = None) -> None:
        self.asked = asked
        self.lost = lost or asked
        self._calls: list[Callable[[], object]] = []
        self._lock = Lock()

    @contextmanager
    def calling(self, call: Callable[[], object]) -> Iterator[None]:
        """Let `interrupt` make this call inside the block."""
        with self._lock:
            self._calls.append(call)
        try:
            yield
        finally:
            with self._lock:
                self._calls.remove(call)

    def interrupt(self) -> None:
        """Make the calls, from any thread."""
        # Under the lock, so that no statement can end, and another begin, before the call.
        with self._lock:
            for call in self._calls:
                call()


class _Here(local):
    stop: Stop | None = None


_here = _Here()


@contextmanager
def stopped_by(stop: Stop) -> Iterator[None]:
    """Let a stop end what this thread does inside the block.

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


def here() -> Stop | None:
    """Return what may end this thread's work now."""
    return _here.stop


def asked() -> bool:
    """Return whether this thread's work must end with the best so far."""
    return _here.stop is not None and _here.stop.asked()


def look() -> None:
    """End this thread's work if nobody would get its result, or its time is up."""
    if _here.stop is not None and _here.stop.lost():
        raise StoppedError
    if not (now := watch()).kept:
        now.check("the work")


@contextmanager
def interrupted_by(call: Callable[[], object], name: str) -> Iterator[None]:
    """Let a stop or the time limit end what the block waits for, by `call` from another thread.

    `name` is the table's name, for errors.
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
