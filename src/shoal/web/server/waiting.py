"""Questions that a request or a page waits for: answered in turn, and dropped when nobody waits any more."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from threading import Event, Lock
from typing import Any, TypeVar

from shoal.errors import TooManyError, UnansweredError
from shoal.numbers import figure
from shoal.running.stopping import Stop, StoppedError, look
from shoal.web.server.interrupting import Interrupter
from shoal.web.server.server_limits import Limits
from shoal.web.server.turns import Turns

LOOK = 0.2
"""Seconds between two checks of whether anybody still waits for an answer."""
STOPPED = "this was stopped before there was an answer"

Found = TypeVar("Found")


class PendingQuestion:
    """One question of one session, about one of its studies or none."""

    def __init__(self, owner: str, study: str, closing: Event, seconds: float) -> None:
        self.owner, self.study = owner, study
        self.future: Future[Any] = Future()
        self._closing, self._seconds = closing, seconds
        self._left = Event()
        self._end = float("inf")

    def cancel(self) -> None:
        """Give the question up; work on it ends at its next check."""
        self._left.set()
        self.future.cancel()

    def run(self, function: Callable[[], Found], watch: Interrupter) -> Found:
        """Call the function; its time starts now."""
        self._end = time.monotonic() + self._seconds
        try:
            with watch.over(Stop(lambda: self.is_given_up or time.monotonic() > self._end)):
                look()  # the server may have stopped before the turn came
                return function()
        except StoppedError:
            if self.is_given_up:
                raise UnansweredError(STOPPED) from None
            raise UnansweredError(
                f"no answer within {figure(self._seconds)} seconds; ask about fewer columns or levels, "
                "or use the command line"
            ) from None

    @property
    def is_given_up(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self._left.is_set() or self._closing.is_set()


class Answering:
    """The unanswered questions of all sessions."""

    def __init__(self, limits: Limits, closing: Event, watch: Interrupter) -> None:
        self._limits, self._closing, self._watch = limits, closing, watch
        self._turns = Turns(limits.answering, limits.answering_one, "shoal-answer")
        self._questions: set[PendingQuestion] = set()
        self._lock = Lock()

    def ask(self, owner: str, study: str, function: Callable[[], Any]) -> PendingQuestion:
        """Queue a question in its session's turn; refuse if there are too many."""
        question = PendingQuestion(owner, study, self._closing, self._limits.question_seconds)
        with self._lock:
            if self._closing.is_set():
                raise TooManyError("the server is stopping; start it again")
            mine = sum(each.owner == owner for each in self._questions)
            if mine >= self._limits.questions:
                raise TooManyError(
                    f"{mine} questions of this session are waiting, and no more may; wait for one"
                )
            self._questions.add(question)
            question.future = self._turns.submit(owner, lambda: question.run(function, self._watch))
        question.future.add_done_callback(lambda _: self._forget(question))
        return question

    def _forget(self, question: PendingQuestion) -> None:
        with self._lock:
            self._questions.discard(question)

    def cancel(self, owner: str | None = None, study: str | None = None) -> list[Future[Any]]:
        """Give up the questions of a session or a study, or all; return those still being worked on."""
        with self._lock:
            found = [
                each
                for each in self._questions
                if owner in (None, each.owner) and study in (None, each.study)
            ]
        for question in found:
            question.cancel()
        return [each.future for each in found if not each.future.done()]

    def close(self) -> list[Future[Any]]:
        """Give up all questions and take no more; return those still being worked on."""
        self._turns.close()
        return self.cancel()


async def answered(question: PendingQuestion, stay: Callable[[], Awaitable[None]]) -> Any:
    """Wait for the answer to a question, and return it.

    `stay` raises when nobody waits any more; then, or when the task is cancelled, the question is given up.
    """
    waiting = asyncio.wrap_future(question.future)
    try:
        while not waiting.done():
            await asyncio.wait({waiting}, timeout=LOOK)
            if not waiting.done():
                await stay()
        if waiting.cancelled():  # before its turn came
            raise UnansweredError(STOPPED)
        return waiting.result()
    finally:
        question.cancel()
        waiting.cancel()  # nobody reads its exception
