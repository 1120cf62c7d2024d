"""A study handed over to the pages: its decisions as they are, its table where another process opens it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.files.sources import is_frame, to_arrow
from shoal.describe.places import Place, lies_in_a_folder
from shoal.describe.specification import Role, Specification
from shoal.documents.whole.rights import private_folder, write_private
from shoal.errors import InputError
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.workspace import Workspace

if TYPE_CHECKING:
    from shoal.study import Study


def hand_over(study: Study, home: Path, limits: Limits) -> Workspace:
    """Return a workspace of a study in a private folder; frames and relations are written there."""
    given = study.specification
    folder = home / "given"
    private_folder(folder)
    table = _on_disk(given.table, folder / "table.parquet")
    told: dict[str, Any] = {"table": _told(table)}
    everybody = None
    if given.population is not None:
        everybody = _on_disk(given.population, folder / "population.parquet")
        told["population"] = _told(everybody)
    # Only where the tables are is read from this file (which is YAML, as all JSON is): the decisions are in
    # the workspace. A study without a quasi column would be refused.
    named = next(iter(given.having(Role.QUASI)))
    told["attributes"] = {named: {"role": Role.QUASI.value, "hierarchy": {"*": [""]}}}
    origin = folder / "study.yaml"
    write_private(origin, json.dumps(told, ensure_ascii=False))
    there = replace(given, table=table, population=everybody)
    return Workspace.of_specification(there, origin, study.source, home, limits)


def _on_disk(table: Any, place: Path) -> Path | Place:
    """Return where another process finds a table; a frame is written to a file."""
    if isinstance(table, Place):
        return table
    if isinstance(table, (str, Path)):
        return Path(table).absolute()
    if is_frame(table):
        _write(table, place)
        return place
    raise InputError(
        "the pages open tables in files and engines, frames and DuckDB relations; write this table to a "
        "Parquet file, and explore a study of that"
    )


def _write(frame: Any, place: Path) -> None:
    """Write a frame to a Parquet file, piece by piece where it comes in pieces."""
    import pyarrow as pa
    from pyarrow import parquet

    if type(frame).__module__.split(".")[0] in {"duckdb", "_duckdb"}:
        pieces = pa.RecordBatchReader.from_stream(frame)
        with parquet.ParquetWriter(place, pieces.schema) as writer:
            for piece in pieces:
                writer.write_batch(piece)
        return
    parquet.write_table(to_arrow(frame, "the table")[0], place)


def _told(table: Path | Place) -> str | dict[str, str]:
    """Return where a table is, as a study file says it."""
    if isinstance(table, Path):
        return str(table)
    url = table.url
    if url and lies_in_a_folder(table.engine, url):
        url = str(Path(url).absolute())
    return {"engine": table.engine, "table": table.table, **({"url": url} if url else {})}


def edited(work: Workspace, given: Specification) -> Specification:
    """Return the study as it is decided in a workspace, of the tables that were given."""
    found = work.bench.specification()
    return replace(found, table=given.table, population=given.population, file=given.file)
