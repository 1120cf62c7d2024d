"""The risk of every single row, for review by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shoal.assess.risk.households import household_risks
from shoal.data.engine import Engine, Value
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.person_rows import PersonRows
from shoal.data.tally.living_together import Households
from shoal.data.tally.tally import Tally
from shoal.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

Ints = npt.NDArray[np.int64]

ENDINGS = (".parquet", ".csv")


@dataclass(frozen=True)
class NumberedRows:
    """Of each row of a table, in order: its combination in the tally, and its home if households are told.

    A home is a place in `domain`. Where persons have several rows, `persons` has the number of each row's.
    """

    combinations: Ints
    homes: npt.NDArray[np.int32] | None
    domain: tuple[Value, ...] = ()
    persons: Ints | None = None

    @property
    def households(self) -> tuple[Households, Ints]:
        """The households, and that of each row."""
        assert self.homes is not None
        lone, of = np.ones(len(self.combinations), dtype=np.int64), self.combinations
        if self.persons is None:
            found = Households.told(self.homes, self.domain, of, lone)
            return found, found.of[np.argsort(found.cells)]
        homes = self.homes.astype(np.int64)
        if self.domain and self.domain[-1] is None:  # such persons live alone
            homes = np.where(homes == len(self.domain) - 1, len(self.domain) + self.persons, homes)
        rows = np.arange(len(of))
        whose = PersonRows.listed(np.zeros(len(of), dtype=np.int64), rows, self.persons, lone)
        size = int(of.max(initial=-1)) + 1
        found = Households.of_persons(homes, (), of, size, whose)
        return found, np.unique(homes, return_inverse=True)[1].reshape(-1)


def numbered_rows(
    engine: Engine, tally: Tally, household: str | None = None, persons: Sequence[str] = ()
) -> NumberedRows:
    """Return the rows that a tally was counted from; a database, whose rows have no order, is refused."""
    if not isinstance(engine, DuckDBEngine):
        problem = "the rows of a database have no numbers to tell them by; export them to a file first"
        raise InputError(problem, file=engine.name)
    width = len(tally.attributes)
    others = () if household is None or household in tally.attributes else (household,)
    keys = [] if household is None or tally.persons is None else list(persons)
    more = [name for name in keys if name not in (*tally.attributes, *others)]
    rows = engine.cells_by_place([*tally.attributes, *others, *more], engine.count())
    places = np.array(rows.domains[-1], dtype=np.int64)[rows.codes[:, -1]]
    codes = rows.codes[np.argsort(places)]
    # Both are in the order of their codes.
    combinations, of = np.unique(codes[:, :width], axis=0, return_inverse=True)
    if len(codes) != tally.rows or not np.array_equal(combinations, tally.codes):
        raise InputError("the table changed while it was read; ask again", file=engine.name)
    if household is None:
        return NumberedRows(of.reshape(-1), None)
    home = rows.columns.index(household)
    whose = None
    if keys:
        told = codes[:, [rows.columns.index(name) for name in keys]]
        whose = np.unique(told, axis=0, return_inverse=True)[1].reshape(-1)
    return NumberedRows(of.reshape(-1), codes[:, home], rows.domains[home], whose)


def risk_records(rows: NumberedRows, figures: Mapping[str, npt.NDArray[Any]]) -> pa.Table:
    """Return a record for each row: its number from 1, and the figures of its combination.

    `figures` has arrays with an entry for each combination of the tally; of those whose name ends in `risk`,
    the risk of the household is given too.
    """
    import pyarrow as pa

    of = rows.combinations
    columns: dict[str, npt.NDArray[Any]] = {"row": np.arange(1, len(of) + 1)}
    columns |= {name: figure[of] for name, figure in figures.items()}
    if rows.homes is not None:
        found, lives = rows.households
        columns["household_size"] = found.sizes[lives]
        for name in [name for name in figures if name.endswith("risk")]:
            columns[f"household_{name}"] = household_risks(found, figures[name])[lives]
    return pa.table(columns)


def check_ending(path: Path) -> None:
    """Refuse a file for records that is of no kind that they are written in."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            "records are written as Parquet or CSV; end the name in .parquet or .csv", file=path
        )


def write_records(records: pa.Table, path: Path, place: Path) -> None:
    """Write records that are to go to a path to a place beside it."""
    import pyarrow.csv
    import pyarrow.parquet

    if path.suffix.lower() == ".csv":
        pyarrow.csv.write_csv(records, place)
    else:
        pyarrow.parquet.write_table(records, place)
