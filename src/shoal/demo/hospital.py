"""The hospital table in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def hospital(rows: int = 10_000, seed: int = 7) -> pa.Table:
    """A made-up table of hospital stays, the same one for the same rows and seed.

    A larger table of the same seed begins with the rows of a smaller one. Text columns with
    few values are dictionary-encoded; dates are ISO text, `age` is an integer. About 0.3% of
    `sex`, 0.5% of `zip` and 1% of `occupation` is null, nothing else. A row takes about 40
    bytes of memory; `write_hospital` writes tables that are too large for it.

    >>> stays = hospital(rows=3)
    >>> stays["record-number"].to_pylist()
    ['R00000001', 'R00000002', 'R00000003']
    >>> stays.column_names[3:8]
    ['age', 'sex', 'zip', 'occupation', 'admission-date']
    """
    check_size(rows, seed)
    # Imported here so that `import shoal.demo` needs neither numpy nor pyarrow.
    import pyarrow as pa

    from shoal.demo.chunk import SCHEMA, chunks

    return pa.Table.from_batches(chunks(rows, seed), schema=SCHEMA)


def check_size(rows: int, seed: int) -> None:
    """Nothing, if a table of this size and seed can be made; a ValueError says why not."""
    if rows < 1:
        raise ValueError(f"A table needs at least 1 row; rows is {rows}.")
    if seed < 0:
        raise ValueError(f"A seed is a whole number from 0 up; seed is {seed}.")
