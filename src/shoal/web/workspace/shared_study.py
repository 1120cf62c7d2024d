"""A study that several requests may use at once."""

from __future__ import annotations

from threading import RLock
from typing import Any

from shoal.data.tally.problem import Problem
from shoal.data.tally.tally import Tally
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.specification import Specification
from shoal.study import Study


class SharedStudy(Study):
    """A study whose table serves one request at a time, while searches run in parallel."""

    def _begin(self, specification: Specification, *settings: Any, **more: Any) -> None:
        self.lock = RLock()
        super()._begin(specification, *settings, **more)

    def tally(self, *others: str) -> Tally:
        """Return the distinct combinations of quasi values, with the counts of other columns."""
        with self.lock:
            return super().tally(*others)

    def hierarchy(self, attribute: str) -> Hierarchy:
        """Return the hierarchy of an attribute; a described one is built over the table's values."""
        with self.lock:
            return super().hierarchy(attribute)

    def problem(self, *, with_class: bool = False, others: tuple[str, ...] = ()) -> Problem:
        """Return what the searches work on."""
        with self.lock:
            return super().problem(with_class=with_class, others=others)

    def counts(self, column: str) -> dict[str | None, int]:
        """Return how many rows have each value of a column."""
        if column in self.quasi:
            tally = self.tally()
            return dict(zip(tally.domain(column), tally.totals(column).tolist(), strict=True))
        with self.lock:
            cells = self._engine.cells([column])
        return {
            cells.domains[0][code]: n
            for code, n in zip(cells.codes[:, 0].tolist(), cells.counts.tolist(), strict=True)
        }
