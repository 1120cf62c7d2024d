"""Ctrl-C while a search runs: the first ends it with its best so far, as a limit does; the second at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from shoal.running import stopping
from shoal.running.stop_signals import is_plain
from shoal.running.stopping import Stop


@contextmanager
def ended_by_ctrl_c() -> Iterator[None]:
    """Let the first Ctrl-C end the search inside the block with its best so far.

    Only the main thread hears it, and only where nobody else has said what Ctrl-C does.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not is_plain(before):
        yield
        return
    pressed = threading.Event()

    def heard(_: int, __: FrameType | None) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, before)

    outer = stopping.here()
    stop = Stop(
        lambda: pressed.is_set() or (outer is not None and outer.asked()),
        lambda: outer is not None and outer.lost(),
    )
    signal.signal(signal.SIGINT, heard)
    try:
        with stopping.stopped_by(stop):
            yield
    finally:
        signal.signal(signal.SIGINT, before)
