"""How long engines may work, and who is told what they do meanwhile."""

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
"""Seconds after which something that does not end is called on again: it may just have begun."""
Show = Callable[[float, str], object]
"""Takes the share of the work that is done, and a few words."""


def _log(text: str) -> None:
    logging.getLogger("shoal").warning(text)


@dataclass(frozen=True)
class Watch:
    """The moment at which the time is over (of `time.monotonic`), and whom to show and to say things.

    Where something is `kept` of work that was not done in time, that decides itself when to end.
    """

    limit: float | None = None
    until: float = math.inf
    show: Show | None = None
    say: Callable[[str], None] = _log
    kept: bool = False

    @property
    def left(self) -> float:
        """The seconds that are left, infinitely many where there is no limit."""
        return self.until - time.monotonic()

    def check(self, name: str) -> None:
        """Refuse to begin anything on a table when the time is over."""
        if self.left <= 0:
            raise self.over(name)

    def over(self, name: str) -> TimeOverError:
        """Return what is raised about a table when the time is over."""
        return TimeOverError(
            f"{name}: not done within {figure(self.limit or 0)} seconds, so it was stopped; "
            "allow more (`time_limit`)"
        )

    @contextmanager
    def ending(self, call: Callable[[], object]) -> Iterator[None]:
        """Let `call` end what a block waits for when the time is over, from another thread."""
        if self.until == math.inf:
            yield
            return
        lock, done = Lock(), Event()

        def end() -> None:
            wait = max(self.left, 0.0)
            while not done.wait(wait):
                # Under the lock: what is waited for may not end, and something else begin, in between.
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
    """Give engines so many seconds for what is done in a block, and let them show and say what they do.

    All else in the block ends then too, unless the best so far is `kept`. A block in a block has no more
    time than what is left of the outer one, and shows and says things to the same listeners unless told
    otherwise.

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


def watch() -> Watch:
    """Return what engines are to keep to now."""
    return _watch.get()
