"""A tally that a warehouse counted by our statement, brought here as a file and kept like any other."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from shoal.data.engines.saved_tally.tally_file import SavedTally, regrouped, write_tally
from shoal.data.opening import open_engine
from shoal.data.tally.counting import counted_columns
from shoal.data.tally.keeping import Kept
from shoal.describe import Specification
from shoal.documents.whole.file import WholeFile
from shoal.errors import InputError


def keep_counted(specification: Specification, counted: Path, out: Path, *, force: bool = False) -> Kept:
    """Keep the counts of a file: the result of tally.sql, with the columns c0, c1, ..., n."""
    columns = counted_columns(specification)
    expected = [*(f"c{i}" for i in range(len(columns))), "n"]
    with closing(WholeFile(out, force=force)) as file:
        with closing(open_engine(counted)) as engine:
            if [name.lower() for name in engine.columns] != expected:
                raise InputError(
                    f"has the columns {', '.join(engine.columns)}, and not {', '.join(expected)}; run the "
                    "study's tally.sql, and bring its result with a header",
                    file=counted,
                )
            cells = engine.cells(engine.columns)
        try:
            numbers = np.array([int(text or "") for text in cells.domains[-1]], dtype=np.int64)
        except (ValueError, OverflowError):
            numbers = np.zeros(1, dtype=np.int64)
        if not len(cells.counts) or numbers.min() < 1:
            raise InputError(
                "its last column does not count rows: whole numbers from 1 on", file=counted
            )
        rows = replace(cells, counts=cells.counts * numbers[cells.codes[:, -1]])
        every = np.ones(len(rows.counts), dtype=np.bool_)
        whole = regrouped(rows, columns, cells.domains[:-1], cells.codes[:, :-1], every)
        found = SavedTally(whole, tuple(specification.attributes))
        write_tally(file, found)
    return Kept(out, found.rows, len(whole.counts), found.rows, ())
