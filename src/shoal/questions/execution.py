"""How work is carried out, the same for every command and every study: cores, memory, disk and time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from shoal.questions.fields import Question, asked, question
from shoal.questions.kinds import File, Listener, Place, Real, Size, Text, Whole
from shoal.running.clock import Progress
from shoal.running.watching import watched

MOST_THREADS = 1024


@question
class Timed(Question):
    """What may take long: how long at most, and who is told how far it is."""

    time_limit: float | None = asked("Stop after so many seconds.", Real(above=True), default=None)
    progress: Progress | None = asked(
        "Called with the share that is done and a few words; what it returns ends a search if it is True.",
        Listener(),
        default=None,
    )


@question
class Engines(Question):
    """What the engine that holds a table, and its tally, may use."""

    threads: int | None = asked(
        "Threads to use.", Whole(1, MOST_THREADS), default=None, shown="all cores"
    )
    memory_limit: str | None = asked("DuckDB's memory, such as 2GB.", Text(), default=None)
    temp_directory: Place | None = asked("Where DuckDB may spill.", File(), default=None)
    tally_memory: int | str | None = asked(
        "Memory of the tally, such as 4GB.", Size(), default=None, shown="a quarter of what is available"
    )

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Hold what a block opens and counts to these settings; settings not given stay as they are."""
        from shoal.data.budget import budgeted
        from shoal.data.engines.duckdb.connection import using

        budget = nullcontext() if self.tally_memory is None else budgeted(self.tally_memory)
        with using(**self.settings), budget:
            yield

    @property
    def engines(self) -> dict[str, Any]:
        """What a study is opened with."""
        return {**self.settings, "tally_memory": self.tally_memory}

    @property
    def settings(self) -> dict[str, Any]:
        """What DuckDB is told."""
        return {name: getattr(self, name) for name in ("threads", "memory_limit", "temp_directory")}


@question
class Execution(Timed, Engines):
    """What every command takes that touches a table."""

    @contextmanager
    def within(self) -> Iterator[None]:
        """Hold what a block does to the given memory and time."""
        with watched(self.time_limit, self.progress), self.kept():
            yield
