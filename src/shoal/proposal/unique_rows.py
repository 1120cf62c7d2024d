"""What a column would add to the risk: how many rows become unique by it, alone or beside two others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from shoal.data.engine import Engine, Profile
from shoal.numbers import percent

ALONE = 0.05
"""A column in which this share of rows is unique singles people out."""
BESIDE = 0.1
"""So does one that makes this share of rows newly unique beside any two columns that others know."""
FEWEST_ROWS = 20
"""In smaller tables almost everything is unique, which says nothing."""
MOST_MEASURED = 60
"""More columns are not measured: each takes several counts of the table."""


@dataclass(frozen=True)
class Added:
    """The share of rows that are unique by a column alone, and the share it adds beside two others.

    `beside` are the two columns beside which it adds most.
    """

    alone: float
    least: float
    most: float
    beside: tuple[str, ...]

    @property
    def singles_out(self) -> bool:
        """Whether people are singled out by it."""
        return self.alone >= ALONE or (len(self.beside) == 2 and self.least >= BESIDE)

    @property
    def sentence(self) -> str:
        """What would happen if it were released as it is."""
        if self.beside and self.most > 0:
            more = f"{percent(self.most)} more rows unique beside {' and '.join(self.beside)}"
            return f"released as it is, it would make {more}"
        if self.alone > 0:
            return f"released as it is, it would make {percent(self.alone)} of the rows unique"
        tried = f", nor any more beside {' and '.join(self.beside)}" if self.beside else ""
        return f"alone it would make no row unique{tried}"


class UniqueRows:
    """Counts unique rows of one table, beside the columns that others are likely to know."""

    def __init__(self, engine: Engine, rows: int, known: Sequence[Profile]) -> None:
        self._engine, self._rows = engine, max(rows, 1)
        fit = [one for one in known if 2 <= one.distinct <= max(100, rows // 20)]
        chosen = [one.column for one in sorted(fit, key=lambda one: one.distinct)][:3]
        size = min(2, len(chosen))
        self._others = {pair: self._unique(pair) for pair in combinations(chosen, size) if pair}

    def added(self, profile: Profile) -> Added:
        """Return what a column adds."""
        alone = profile.once / self._rows
        found = {
            pair: max(0.0, self._unique((*pair, profile.column)) - before)
            for pair, before in self._others.items()
        }
        if not found:
            return Added(alone, 0.0, 0.0, ())
        worst = max(found, key=lambda pair: found[pair])
        return Added(alone, min(found.values()), found[worst], worst)

    def _unique(self, columns: Sequence[str]) -> float:
        return self._engine.few_alike(columns, 2)[0] / self._rows
