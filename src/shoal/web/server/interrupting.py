"""Ends what waits elsewhere, such as in a database, for work that is to stop."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Thread

from shoal.running.stopping import Stop, stopped_by

LOOK = 0.2
"""Seconds between two looks."""


class Interrupter:
    """Looks at all work that goes on: what waits for a database cannot look itself."""

    def __init__(self) -> None:
        self._stops: set[Stop] = set()
        self._lock = Lock()
        self._looking = False

    @contextmanager
    def over(self, stop: Stop) -> Iterator[None]:
        """Let what this thread does hear of a stop, wherever it waits."""
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
