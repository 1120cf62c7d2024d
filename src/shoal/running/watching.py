"""How long engines may work, and who hears about their progress."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Event, Lock, Thread

from shoal.errors import InputError, TimeOverError
from shoal.numbers import figure

AGAIN = 0.1
"""Seconds until the call that ends something is repeated: the work may not have begun at the first."""
Show = Callable[[float, str], object]
"""Takes the share of work done, and a few words."""


def _log(text: str) -> None:
    logging.getLogger("shoal").warning(text)


@dataclass(frozen=True)
class Watch:
    """When the time is up (`until`, by `time.monotonic`), and who is shown progress and told notices.

    Work whose best result so far is `kept` decides itself when to end.
    """

    limit: float | None = None
    until: float = math.inf
    show: Show | None = None
    say: Callable[[str], None] = _log
    kept: bool = False

    @property
    def left(self) -> float:
        """The seconds left; infinite without a limit."""
        return self.until - time.monotonic()

    def check(self, name: str) -> None:
        """Refuse to begin work on a table when the time is up."""
        if self.left <= 0:
            raise self.over(name)

    def over(self, name: str) -> TimeOverError:
        """Return the error that says that a table's time is up."""
        return TimeOverError(
            f"{name}: not done within {figure(self.limit or 0)} seconds, so it was stopped; "
            "allow more (`time_limit`)"
        )

    @contextmanager
    def ending(self, call: Callable[[], object]) -> Iterator[None]:
        """When the time is up, call `call` from another thread to end what the block waits for."""
        if self.until == math.inf:
            yield
            return
        lock, done = Lock(), Event()

        def end() -> None:
            wait = max(self.left, 0.0)
            while not done.wait(wait):
                # Under the lock, so that the work cannot end, and other work begin, before the call.
                with lock:
                    if not done.is_set():
                        call()
                wait = AGAIN

        thread = Thread(target=end, daemon=True)
        thread.start()
        try:
            yield
        finally:
            with lock:
                done.set()
            thread.join()


_NOBODY = Watch()
_watch: ContextVar[Watch] = ContextVar("watch", default=_NOBODY)


@contextmanager
def watched(
    limit: float | None = None,
    show: Show | None = None,
    say: Callable[[str], None] | None = None,
    *,
    kept: bool = False,
) -> Iterator[None]:
    """Give engines `limit` seconds inside the block, and let them show progress and tell notices.

    Everything else in the block ends then too, unless the best so far is `kept`. A block inside another has
    no more time than is left of the outer one, and the same listeners unless told otherwise.

    >>> with watched(60):
    ...     watch().left > 59
    True
    """
    if limit is not None and not limit > 0:
        raise InputError(f"time_limit is {limit}; use more than 0")
    outer = _watch.get()
    until = math.inf if limit is None else time.monotonic() + limit
    if outer.until <= until:
        limit, until = outer.limit, outer.until
    token = _watch.set(Watch(limit, until, show or outer.show, say or outer.say, kept))
    try:
        yield
    finally:
        _watch.reset(token)


@contextmanager
def within(limit: float | None) -> Iterator[None]:
    """Keep the best so far of what is done in a block after so many seconds, unless the time is over before.

    >>> with watched(60), within(3600):
    ...     watch().left < 61
    True
    """
    now = watch()
    if limit is None or now.left <= limit:
        yield
        return
    with watched(limit, now.show, now.say, kept=True):
        yield


def watch() -> Watch:
    """Return the watch that is kept now."""
    return _watch.get()
