"""Keeps the tally of a study in a file, and adds the rows of new files to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

from shoal.data.budget import budgeted
from shoal.data.engines.duckdb.connection import DuckDBSettings
from shoal.data.engines.saved_tally.tally_file import (
    CoarseColumn,
    Part,
    SavedTally,
    check_columns,
    merged,
    read_tally,
    write_tally,
)
from shoal.data.engines.spark.reading import SparkFiles, has_files
from shoal.data.files.table_files import TableFiles, find_files
from shoal.data.opening import open_engine
from shoal.data.tally.counting import StudyCounts, counted_columns
from shoal.data.tally.new_rows import with_new_rows
from shoal.describe import Specification
from shoal.documents.digests import digest
from shoal.documents.whole.file import WholeFile
from shoal.errors import InputError, show

WARNING = "a tally reveals almost as much as the rows: keep it private, and delete it when not needed"


@dataclass(frozen=True)
class Kept:
    """What was written: the tally's rows and combinations, and what this run added."""

    path: Path
    rows: int
    combinations: int
    added_rows: int
    added_files: tuple[str, ...]
    levels: Mapping[str, int] = field(default_factory=dict)
    """The levels from which columns were counted, if above 0."""

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
    force: bool = False,
    tally_memory: int | str | None = None,
    **settings: Unpack[DuckDBSettings],
) -> Kept:
    """Count a study's table into a file; with `update`, count only the files that are new and add them.

    The file is claimed before counting; an older one is replaced only with `force`.
    """
    with closing(WholeFile(out, force=force or update)) as file:
        return _keep(specification, file, update, tally_memory, settings)


def _keep(
    specification: Specification,
    file: WholeFile,
    update: bool,
    tally_memory: int | str | None,
    settings: DuckDBSettings,
) -> Kept:
    out, table = file.path, specification.table
    files = _files(table)
    with budgeted(tally_memory):
        before = read_tally(out) if update else None
    named = specification.units.persons
    if before is not None:
        if named != before.persons:
            raise InputError(
                f"the tally counts persons by {_told(before.persons)}, and the study by {_told(named)}; make "
                "it again, without `update`",
                file=out,
            )
        if files is None:
            raise InputError(
                "only files, and folders of files in Spark, can be counted in parts; make the tally "
                "without `update`"
            )
        new = _new(files.parts(), before, out)
        if not new:
            return Kept(out, before.rows, len(before.cells.counts), 0, ())
        if named:
            check_columns(before, counted_columns(specification))
            _refuse_coarse(before, out)
            return _with_persons(specification, file, before, files, new, settings, tally_memory)
        files = files.only(new)
    given = table if files is None else files.table
    with closing(open_engine(given, specification.reading, **settings)) as engine:
        columns = counted_columns(specification)
        parts = {} if files is None else files.parts()
        cells, merged_columns = StudyCounts(engine, specification, tally_memory).cells(columns)
        coarse = {
            name: CoarseColumn(
                one.level,
                domain := cells.domains[columns.index(name)],
                tuple(domain[code] for code in one.shown.tolist()),
                tuple(one.rows.tolist()),
            )
            for name, one in merged_columns.items()
        }
        found = SavedTally(cells, engine.columns, tuple(parts.values()), coarse, named)
    if files is not None:
        _check_unchanged(files, parts)
    if before is not None:
        _refuse_coarse(before, out)
        _refuse_coarse(found, out)
    whole = found if before is None else merged(before, found)
    write_tally(file, whole)
    names = tuple(part.name for part in found.parts)
    levels = {name: one.level for name, one in whole.coarse.items()}
    return Kept(out, whole.rows, len(whole.cells.counts), found.rows, names, levels)


def _with_persons(
    specification: Specification,
    file: WholeFile,
    before: SavedTally,
    files: _FilesHere | SparkFiles,
    new: Collection[str],
    settings: DuckDBSettings,
    tally_memory: int | str | None,
) -> Kept:
    """Add new files to a tally that counts persons, some of whom may be in it."""
    parts = files.parts()
    counted = files.only([part.name for part in before.parts])
    with (
        closing(open_engine(counted.table, specification.reading, **settings)) as old,
        closing(open_engine(files.only(new).table, specification.reading, **settings)) as come,
        budgeted(tally_memory),
    ):
        StudyCounts(come, specification, tally_memory).check_named()
        cells = with_new_rows(before.cells, old, come, before.persons)
    _check_unchanged(files, parts)
    added = tuple(part for name, part in parts.items() if name in new)
    whole = SavedTally(cells, before.columns, (*before.parts, *added), persons=before.persons)
    write_tally(file, whole)
    names = tuple(part.name for part in added)
    return Kept(file.path, whole.rows, len(cells.counts), whole.rows - before.rows, names)


def _check_unchanged(files: _FilesHere | SparkFiles, parts: Mapping[str, Part]) -> None:
    if parts != files.parts():
        raise InputError("a file changed while it was counted; count again", file=files.name)


def _refuse_coarse(tally: SavedTally, out: Path) -> None:
    if tally.coarse:
        raise InputError(
            "a tally counted from higher levels cannot take new rows; make it again, without `update`",
            file=out,
        )


def _told(persons: Sequence[str]) -> str:
    return ", ".join(map(show, persons)) or "no column"


def _files(table: Any) -> _FilesHere | SparkFiles | None:
    """Return a table in files that can be counted separately; None for any other table."""
    if isinstance(table, (str, Path)):
        return _FilesHere(find_files(Path(table)))
    return SparkFiles(table) if has_files(table) else None


@dataclass(frozen=True)
class _FilesHere:
    """Files on this machine, as `SparkFiles` are files in Spark."""

    table: TableFiles

    @property
    def name(self) -> str:
        return str(self.table.given)

    def parts(self) -> dict[str, Part]:
        names = {path: self.table.name(path) for path in self.table.paths}
        return {name: Part(name, path.stat().st_size, digest(path)) for path, name in names.items()}

    def only(self, names: Collection[str]) -> _FilesHere:
        paths = tuple(path for path in self.table.paths if self.table.name(path) in names)
        return _FilesHere(replace(self.table, paths=paths))


def _new(here: Mapping[str, Part], before: SavedTally, out: Path) -> set[str]:
    """Return the files that a tally has not counted; those that it has must exist unchanged."""

    def refuse(what: str) -> InputError:
        return InputError(f"{what} without `update`", file=out)

    if not before.parts:
        raise refuse("the tally does not say which files it counted; make it again")
    for part in before.parts:
        if part.name not in here:
            raise refuse(f"{part.name} is in the tally but no longer exists; make the tally again")
        if here[part.name] != part:
            raise refuse(
                f"{part.name} has changed since it was counted; put new rows into new files, or make the "
                "tally again"
            )
    return set(here) - {part.name for part in before.parts}
