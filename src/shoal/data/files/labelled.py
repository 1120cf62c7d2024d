"""Statistics files and workbooks, which hold more than rows: which they are, how to write one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.data.files.codebook import Codebook
from shoal.data.files.restoring import restored
from shoal.data.files.sources import BOOK_ENDINGS, STAT_ENDINGS, ending_of
from shoal.data.files.stat_writing import write_statistics
from shoal.data.files.workbooks import write_workbook
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.data.engine import Outlet


def is_labelled(path: Path) -> bool:
    """Return whether a path, by its ending, is a file of a statistics program or a workbook."""
    return ending_of(path) in (*STAT_ENDINGS, *BOOK_ENDINGS)


def check_writable(path: Path) -> None:
    """Refuse an output format that Shoal reads but does not write."""
    instead = {".sas7bdat": ".xpt, which SAS reads, or as .csv", ".ods": ".xlsx, which opens there too"}
    ending = ending_of(path)
    if ending in instead:
        raise InputError(f"{ending} is read, not written; release as {instead[ending]}", file=path)


def write_rows(
    outlet: Outlet, codebook: Codebook, path: Path, progress: Callable[[float], None] | None = None
) -> None:
    """Write the rows of an outlet to a file, and what may be said about them if it can hold that."""
    if not is_labelled(path):
        outlet.write(path, progress)
        return
    rows = path.with_name(f".{path.name}.rows.arrow")
    try:
        outlet.write(rows, progress)
        write_labelled(rows, codebook, path)
    finally:
        rows.unlink(missing_ok=True)


def write_labelled(
    rows: Path, codebook: Codebook, path: Path, columns: Sequence[str] | None = None
) -> None:
    """Write the rows of an Arrow file, or some columns, with what may be said about them."""
    import pyarrow as pa
    from pyarrow import ipc

    check_writable(path)
    with pa.memory_map(str(rows)) as source:
        table = ipc.open_file(source).read_all()
        whole, told = restored(table if columns is None else table.select(columns), codebook)
        if ending_of(path) in BOOK_ENDINGS:
            write_workbook(whole, path)
        else:
            write_statistics(whole, told, path)
