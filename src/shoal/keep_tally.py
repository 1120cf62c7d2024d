"""Keeps the tally of a study in a file, and adds the rows of new files to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from shoal.counting import Counted, counted_columns
from shoal.engines.budget import budgeted
from shoal.engines.files import Files, find_files
from shoal.engines.opening import open_engine
from shoal.engines.tally_file import CoarseColumn, Part, SavedTally, merged, read_tally, write_tally
from shoal.errors import InputError
from shoal.specification import Specification

WARNING = (
    "a tally tells almost as much as the rows: keep it to yourself, and delete it when it is not needed"
)


@dataclass(frozen=True)
class Kept:
    """What was written: the rows and combinations of the tally, and what this time added."""

    path: Path
    rows: int
    combinations: int
    added_rows: int
    added_files: tuple[str, ...]
    levels: Mapping[str, int] = field(default_factory=dict)
    """From which levels on columns were counted, where that is not 0."""

    def to_dict(self) -> dict[str, object]:
        """Return the document that `shoal tally --json` prints."""
        return {
            "file": str(self.path),
            "rows": self.rows,
            "combinations": self.combinations,
            "added_rows": self.added_rows,
            "added_files": list(self.added_files),
            "levels": dict(self.levels),
        }


def keep_tally(
    specification: Specification,
    out: Path,
    *,
    update: bool = False,
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | Path | None = None,
    tally_memory: int | str | None = None,
) -> Kept:
    """Count a study's table into a file; with `update`, count only the files that are new and add them."""
    table = specification.table
    files = find_files(Path(table)) if isinstance(table, (str, Path)) else None
    with budgeted(tally_memory):
        before = read_tally(out) if update else None
    if before is not None:
        if files is None:
            raise InputError("only a table in files can be counted in parts; leave --update out")
        files = _new(files, before, out)
        if not files.paths:
            return Kept(out, before.rows, len(before.cells.counts), 0, ())
    engine = open_engine(
        table if files is None else files,
        threads=threads,
        memory_limit=memory_limit,
        temp_directory=temp_directory,
    )
    try:
        columns = counted_columns(specification)
        parts = () if files is None else tuple(Part.of(files, path) for path in files.paths)
        cells, merged_columns = Counted(engine, specification, tally_memory).cells(columns)
        coarse = {
            name: CoarseColumn(
                one.level,
                domain := cells.domains[columns.index(name)],
                tuple(domain[code] for code in one.shown.tolist()),
                tuple(one.rows.tolist()),
            )
            for name, one in merged_columns.items()
        }
        found = SavedTally(cells, engine.columns, parts, coarse)
    finally:
        engine.close()
    if files is not None and parts != tuple(Part.of(files, path) for path in files.paths):
        raise InputError("a file changed while it was counted; count again", file=files.given)
    if before is not None and (before.coarse or found.coarse):
        raise InputError(
            "a tally that is counted from higher levels on takes no new rows; make it anew, without --update",
            file=out,
        )
    whole = found if before is None else merged(before, found)
    write_tally(out, whole)
    names = tuple(part.name for part in found.parts)
    levels = {name: one.level for name, one in whole.coarse.items()}
    return Kept(out, whole.rows, len(whole.cells.counts), found.rows, names, levels)


def _new(files: Files, before: SavedTally, out: Path) -> Files:
    """Return the files that a tally has not counted; all that it has must be there, and as they were."""
    known = {part.name: part for part in before.parts}
    here = {files.name(path): path for path in files.paths}
    for name, part in known.items():
        if name not in here:
            raise InputError(
                f"{name} is in the tally and not there any more; make the tally anew, without --update",
                file=out,
            )
        if Part.of(files, here[name]) != part:
            raise InputError(
                f"{name} has changed since it was counted; put new rows into files of their own, or make "
                "the tally anew, without --update",
                file=out,
            )
    return files.only(path for name, path in here.items() if name not in known)
