"""Ctrl-C and SIGTERM, which `timeout`, containers and schedulers send: a command tidies up and ends."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any


class StopSignals:
    """Hears Ctrl-C and SIGTERM inside a block, where nobody else has said what they do.

    Whatever they interrupt may fail in its own way: DuckDB says that a query was interrupted, a module that
    it is half loaded. `status` is the exit status of a process that was told to stop, whatever it then says.

    Once the answer is done, Ctrl-C no longer changes what the command says and returns: nor after the block,
    while the process ends.
    """

    status: int | None = None
    done = False

    def __enter__(self) -> StopSignals:
        _here.append(self)
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
        _here.remove(self)
        for number, before in self._before.items():
            if number != signal.SIGINT or not self.done:
                signal.signal(number, before)

    def finish(self) -> None:
        """Hear Ctrl-C no more: the answer is done."""
        self.done = True
        if signal.SIGINT in self._before and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Do what Python does at Ctrl-C, unless the answer is done."""
        if self.done:  # whoever took the signal for a while has given it back
            return
        self.status = 128 + number
        signal.default_int_handler(number, frame)

    def _terminate(self, number: int, _: FrameType | None) -> None:
        """End as if the block had asked for it, or soon, where the answer is done; a second SIGTERM ends the
        process at once.
        """
        signal.signal(number, signal.SIG_DFL)
        if self.done:
            return
        self.status = 128 + number
        sys.exit(self.status)


_here: list[StopSignals] = []
_answers: list[StopSignals] = []


@contextmanager
def answering() -> Iterator[None]:
    """Let what is put in place inside the block be the answer of the command, which is then done."""
    commands = _here[-1:]
    _answers.extend(commands)
    try:
        yield
    finally:
        for command in commands:
            _answers.remove(command)


def answer_done() -> None:
    """Say that the command's answer was told: from now on Ctrl-C changes nothing."""
    for command in _here:
        command.finish()


def before_in_place() -> None:
    """Call this just before the one step that puts files in place: if they are an answer, it is then done."""
    if _answers:
        answer_done()


def is_plain(handler: object) -> bool:
    """Return whether a handler of Ctrl-C does what Python does, so that a search may take its place.

    A command's own does, and that of a session of Spark, which ends Spark's jobs first.
    """
    return (
        handler is signal.default_int_handler
        or isinstance(getattr(handler, "__self__", None), StopSignals)
        or str(getattr(handler, "__module__", "")).startswith("pyspark.")
    )
