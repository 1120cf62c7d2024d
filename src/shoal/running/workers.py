"""Runs pieces of work in several threads, which end when the work of the thread that asked has to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import TypeVar

from shoal.running.stopping import Stop, here, stopped_by

T = TypeVar("T")


def in_threads(work: Sequence[Callable[[], T]], threads: int) -> Iterator[T]:
    """Yield what each piece of work returns, in their order, as soon as it is there.

    Nothing runs at the same time with one thread. Whoever stops the thread that asks stops all pieces. If it
    goes on no more, those that have not begun never do, and those that have are stopped.

    >>> list(in_threads([lambda: 1, lambda: 2], threads=2))
    [1, 2]
    """
    if min(threads, len(work)) < 2:
        for piece in work:
            yield piece()
        return
    above, ended = here(), Event()
    stop = Stop(
        lambda: ended.is_set() or (above is not None and above.asked()),
        lambda: ended.is_set() or (above is not None and above.lost()),
    )

    def run(piece: Callable[[], T]) -> T:
        with stopped_by(stop):
            return piece()

    with ThreadPoolExecutor(min(threads, len(work))) as pool:
        waiting: list[Future[T]] = [pool.submit(run, piece) for piece in work]
        try:
            for one in waiting:
                yield one.result()
        finally:
            ended.set()
            for one in waiting:
                one.cancel()
