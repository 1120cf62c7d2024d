"""The risk of every single row, for review by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shoal.assess.risk.households import household_risks
from shoal.data.engine import Engine, Value
from shoal.data.engines.duckdb.engine import DuckDBEngine
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

    A home is a place in `domain`.
    """

    combinations: Ints
    homes: npt.NDArray[np.int32] | None
    domain: tuple[Value, ...] = ()


def numbered_rows(engine: Engine, tally: Tally, household: str | None = None) -> NumberedRows:
    """Return the rows that a tally was counted from; a database, whose rows have no order, is refused."""
    if not isinstance(engine, DuckDBEngine):
        problem = "the rows of a database have no numbers to tell them by; export them to a file first"
        raise InputError(problem, file=engine.name)
    width = len(tally.attributes)
    others = () if household is None or household in tally.attributes else (household,)
    rows = engine.cells_by_place([*tally.attributes, *others], engine.count())
    places = np.array(rows.domains[-1], dtype=np.int64)[rows.codes[:, -1]]
    codes = rows.codes[np.argsort(places)]
    # Both are in the order of their codes.
    combinations, of = np.unique(codes[:, :width], axis=0, return_inverse=True)
    if len(codes) != tally.rows or not np.array_equal(combinations, tally.codes):
        raise InputError("the table changed while it was read; ask again", file=engine.name)
    if household is None:
        return NumberedRows(of.reshape(-1), None)
    home = rows.columns.index(household)
    return NumberedRows(of.reshape(-1), codes[:, home], rows.domains[home])


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
        lone = np.ones(len(of), dtype=np.int64)
        found = Households.told(rows.homes, rows.domain, of, lone)
        back = np.argsort(found.cells)
        columns["household_size"] = found.sizes[found.of][back]
        for name in [name for name in figures if name.endswith("risk")]:
            columns[f"household_{name}"] = household_risks(found, figures[name])[found.of][back]
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
