"""Reads an upload in a separate process with limits on memory and time, so that it cannot harm the server.

The process takes a request as JSON on standard input and prints its answer as one line of JSON.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.documents.whole.rights import write_private
from shoal.errors import InputError, ShoalError, TooLittleError
from shoal.web.server.server_limits import Limits

if TYPE_CHECKING:
    from shoal.data.engines.duckdb.engine import DuckDBEngine

SLACK = 64 << 20
"""Bytes beyond the table's limit that a file may have, for what DuckDB spills."""
TWO_TABLES = ("before.arrow", "after.arrow")
"""The files of the original and the released rows."""
INDICATORS = "indicator"
"""The name of statements that came without a file's."""


def main() -> None:
    """Do what the request on standard input asks, and print the answer."""
    request = json.load(sys.stdin)
    limits = Limits(**request["limits"])
    _confine(limits)
    try:
        answer = TASKS[request["task"]](request, limits)
    except TooLittleError:
        answer = {"memory": True}
    except ShoalError as problem:
        what = problem.what if isinstance(problem, InputError) else str(problem)
        line = problem.line if isinstance(problem, InputError) else None
        answer = {"error": what if line is None else f"line {line}: {what}"}
    except (MemoryError, ImportError, SystemError):  # as when too little is left to load a library
        answer = {"memory": True}
    except Exception as problem:
        # A crafted or damaged file can make libraries fail in endless ways; the log has the traceback.
        told = f"a column cannot be read ({type(problem).__name__}); write it as text"
        answer = {"error": told, "trace": traceback.format_exc()}
    print(json.dumps(answer))


def _confine(limits: Limits) -> None:
    """Let the system end this process if it takes too much, on systems that can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (limits.read_memory, limits.read_memory))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.read_seconds, limits.read_seconds))
    most = limits.unpacked_bytes + SLACK
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def take(request: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """Store an uploaded table in the folder, together with a look at it."""
    from shoal.web.server.sniff import store_table
    from shoal.web.workspace.looks import look_at

    folder = Path(request["folder"])
    table = store_table(Path(request["upload"]), folder, limits)
    with closing(_open(table, folder, limits)) as engine:
        look = look_at(engine)
    for profile in look.profiles:
        if (profile.longest or 0) > limits.cell_characters:
            raise InputError(
                f"the column {profile.column!r} has a cell of {profile.longest:,} characters; "
                f"at most {limits.cell_characters:,} are allowed here"
            )
    write_private(folder / "look.json", json.dumps(asdict(look), ensure_ascii=False))
    return {"table": table.name}


def _open(table: Path, folder: Path, limits: Limits) -> DuckDBEngine:
    """Return an engine of a table, or refuse too many columns or rows."""
    from shoal.data.engines.duckdb.engine import DuckDBEngine

    _check_shape(table, limits)
    memory = f"{limits.read_memory // 2 >> 20}MB"
    engine = DuckDBEngine(table, threads=1, memory_limit=memory, temp_directory=folder / "spill")
    try:
        _check_size(len(engine.columns), engine.count(), limits)
    except BaseException:
        engine.close()
        raise
    return engine


def _check_shape(table: Path, limits: Limits) -> None:
    """Refuse too many columns before any row is read, and too many rows if the file says how many it has."""
    from shoal.data.files.text_tables import inspect_text

    rows = 0
    if table.suffix in (".csv", ".tsv"):
        columns = len(inspect_text(table).columns)
    elif table.suffix == ".parquet":
        from pyarrow import ArrowException, parquet

        try:
            told = parquet.read_metadata(table)
        except (ArrowException, OSError):
            raise InputError("this is not a Parquet file, or it is damaged") from None
        columns, rows = told.num_columns, told.num_rows
        size = sum(told.row_group(i).total_byte_size for i in range(told.num_row_groups))
        if size > limits.unpacked_bytes:
            raise InputError("unpacked, the table is too large; use the command line for it")
    else:
        return
    _check_size(columns, rows, limits)


def _check_size(columns: int, rows: int, limits: Limits) -> None:
    if columns > limits.columns:
        raise InputError(f"{columns:,} columns; at most {limits.columns:,} are allowed here")
    if rows > limits.rows:
        raise InputError(
            f"{rows:,} rows; at most {limits.rows:,} are allowed here, so use the command line"
        )


def _verify(request: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """Verify the release in a zip file, as `shoal verify --json` does."""
    from shoal.web.server.verifying import verify_zip

    folder = Path(request["folder"])

    def check(table: Path) -> None:
        _open(table, folder, limits).close()

    return {"verdict": verify_zip(Path(request["upload"]), folder, limits, check)}


def _study(request: Mapping[str, Any], _: Limits) -> dict[str, Any]:
    """Read a study and the hierarchies it names."""
    from shoal.web.workspace.study_given import parse_study

    given = json.loads(Path(request["upload"]).read_text(encoding="utf-8"))
    return parse_study(given["study"], given["texts"], Path(request["folder"]))


def _hierarchy(request: Mapping[str, Any], _: Limits) -> dict[str, Any]:
    """Read a hierarchy."""
    from shoal.web.workspace.study_given import parse_hierarchy

    return {"rows": parse_hierarchy(Path(request["upload"]))}


def _indicators(request: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """Run somebody's own indicators on the two tables in the folder."""
    import pyarrow as pa

    from shoal.assess.utility.indicators import indicators, statements_in

    text = Path(request["upload"]).read_text(encoding="utf-8")
    folder = Path(request["folder"])
    before, after = (
        pa.ipc.open_file(pa.memory_map(str(folder / name))).read_all() for name in TWO_TABLES
    )
    memory = f"{limits.read_memory // 2 >> 20}MB"
    found = indicators((before, after), statements_in(text, Path(INDICATORS)), 1, memory)
    return {"indicators": [one.to_dict() for one in found]}


def _project(request: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """Unpack a saved project."""
    from shoal.web.workspace.project import unpack

    return unpack(Path(request["upload"]), Path(request["folder"]), limits)


TASKS = {
    "take": take,
    "verify": _verify,
    "study": _study,
    "hierarchy": _hierarchy,
    "project": _project,
    "indicators": _indicators,
}

if __name__ == "__main__":
    main()
