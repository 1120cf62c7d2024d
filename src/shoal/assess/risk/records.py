"""The risk of every single row, for review by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shoal.assess.risk.households import Households
from shoal.data.engine import Engine
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.tally.tally import Tally
from shoal.documents.whole.file import whole_file
from shoal.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

ENDINGS = (".parquet", ".csv")


def risk_records(
    engine: Engine, tally: Tally, figures: Mapping[str, npt.NDArray[Any]], household: str | None = None
) -> pa.Table:
    """Return a row for each row of a table: its number from 1, and the figures of its combination.

    `figures` has arrays with an entry for each combination of the tally; of those whose name ends in `risk`,
    the risk of the household is given too. Row numbers are those of a file; a database has none.
    """
    import pyarrow as pa

    if not isinstance(engine, DuckDBEngine):
        problem = "the rows of a database have no numbers to tell them by; export them to a file first"
        raise InputError(problem, file=engine.name)
    width = len(tally.attributes)
    others = () if household is None else (household,)
    rows = engine.cells_by_place([*tally.attributes, *others], engine.count())
    places = np.array(rows.domains[-1], dtype=np.int64)[rows.codes[:, -1]]
    order = np.argsort(places)
    codes = rows.codes[order]
    # Both are in the order of their codes.
    combinations, of = np.unique(codes[:, :width], axis=0, return_inverse=True)
    if len(codes) != tally.rows or not np.array_equal(combinations, tally.codes):
        raise InputError("the table changed while it was read; ask again", file=engine.name)
    of = of.reshape(-1)
    columns: dict[str, npt.NDArray[Any]] = {"row": np.arange(1, len(codes) + 1)}
    columns |= {name: figure[of] for name, figure in figures.items()}
    if household is not None:
        lone = np.ones(len(codes), dtype=np.int64)
        found = Households.told(codes[:, width], rows.domains[width], of, lone)
        back = np.argsort(found.cells)
        columns["household_size"] = found.sizes[found.of][back]
        for name in [name for name in figures if name.endswith("risk")]:
            columns[f"household_{name}"] = found.risks(figures[name])[found.of][back]
    return pa.table(columns)


def check_ending(path: Path) -> None:
    """Refuse a file for records that is of no kind that they are written in."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            "records are written as Parquet or CSV; end the name in .parquet or .csv", file=path
        )


def write_records(records: pa.Table, path: Path, *, force: bool) -> None:
    """Write records to a file that only its owner may read, whole or not at all."""
    import pyarrow.csv
    import pyarrow.parquet

    with whole_file(path, force=force, private=True) as place:
        if path.suffix.lower() == ".csv":
            pyarrow.csv.write_csv(records, place)
        else:
            pyarrow.parquet.write_table(records, place)
