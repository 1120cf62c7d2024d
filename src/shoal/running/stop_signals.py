"""Ctrl-C and SIGTERM, which `timeout`, containers and schedulers send: a command tidies up and ends."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any


class StopSignals:
    """Hears Ctrl-C and SIGTERM inside a block, where nobody else has said what they do.

    Whatever they interrupt may fail in its own way: DuckDB says that a query was interrupted, a module that
    it is half loaded. `status` is the exit status of a process that was told to stop, whatever it then says.
    """

    status: int | None = None

    def __enter__(self) -> StopSignals:
        self._before: dict[int, Any] = {}
        if threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                self._before[signal.SIGINT] = signal.signal(signal.SIGINT, self.interrupt)
            if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
                self._before[signal.SIGTERM] = signal.signal(signal.SIGTERM, self._terminate)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Do what Python does at Ctrl-C."""
        self.status = 128 + number
        signal.default_int_handler(number, frame)

    def _terminate(self, number: int, _: FrameType | None) -> None:
        """End as if the block had asked for it; a second SIGTERM ends the process at once."""
        self.status = 128 + number
        signal.signal(number, signal.SIG_DFL)
        sys.exit(self.status)


def is_plain(handler: object) -> bool:
    """Return whether a handler of Ctrl-C does what Python does, so that a search may take its place."""
    return handler is signal.default_int_handler or isinstance(
        getattr(handler, "__self__", None), StopSignals
    )
