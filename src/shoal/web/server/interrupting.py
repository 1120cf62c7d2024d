"""Interrupts work that is to stop while it waits elsewhere, such as for a database."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Thread

from shoal.running.stopping import Stop, stopped_by

LOOK = 0.2
"""Seconds between two checks."""


class Interrupter:
    """Watches all running work, since work that waits for a database cannot check for a stop itself."""

    def __init__(self) -> None:
        self._stops: set[Stop] = set()
        self._lock = Lock()
        self._looking = False

    @contextmanager
    def over(self, stop: Stop) -> Iterator[None]:
        """Let a stop reach what this thread does, wherever it waits."""
        with self._lock:
            self._stops.add(stop)
            if not self._looking:
                self._looking = True
                Thread(target=self._look, name="shoal-watch", daemon=True).start()
        try:
            with stopped_by(stop):
                yield
        finally:
            with self._lock:
                self._stops.remove(stop)

    def _look(self) -> None:
        while True:
            time.sleep(LOOK)
            with self._lock:
                everything = list(self._stops)
                if not everything:
                    self._looking = False
                    return
            for stop in everything:
                if stop.lost():
                    stop.interrupt()
