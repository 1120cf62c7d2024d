"""A tally in a file: the counts of a table, which are all that searches need, without its rows.

It is Parquet with one row per distinct combination: one column of text for each counted column, named by its
position, and the number of rows. The file's metadata says the rest. If persons were counted who have several
rows, each of those whose rows lie in several combinations has a number and rows of the file; the others are
counted in `persons`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.budget import check_cells
from shoal.data.coding import Whose, check_counts, coded, placed
from shoal.data.engine import Cells, Merged, Value
from shoal.data.person_rows import PersonRows
from shoal.documents.readers import tally_head, tally_metadata
from shoal.documents.whole.file import WholeFile
from shoal.documents.whole.journal import settle
from shoal.errors import InputError


@dataclass(frozen=True)
class Part:
    """A file whose rows are in a tally. `mark` is its SHA-256, or for a file in Spark when it was written."""

    name: str
    size: int
    mark: str


@dataclass(frozen=True)
class CoarseColumn:
    """A column that was counted from a level up: its values, what each was counted as, and its rows."""

    level: int
    values: tuple[Value, ...]
    shown: tuple[Value, ...]
    rows: tuple[int, ...]

    def alone(self, name: str) -> Cells:
        """Return the counts of all values of the column."""
        codes = np.arange(len(self.values), dtype=np.int32)[:, None]
        return Cells((name,), (self.values,), codes, np.array(self.rows, dtype=np.int64))

    def counts_all(self, rows: int) -> bool:
        """Return whether every value has a count, and the counts add up to `rows`."""
        known = len(self.values) == len(self.shown) == len(self.rows)
        return known and min(self.rows, default=0) >= 0 and sum(self.rows) == rows

    def within(self, mapping: Mapping[Value, Value] | None) -> bool:
        """Return whether a mapping also merges the values that are merged here."""
        if mapping is None:
            return False
        pairs = zip(self.values, self.shown, strict=True)
        return all(mapping.get(value) == mapping.get(shown) for value, shown in pairs)


@dataclass(frozen=True)
class SavedTally:
    """Counted cells, the columns of the table that they were counted in, and its files, if it has any.

    Some columns may be `coarse`: their cells only have what values were counted as. Persons were counted by
    the columns `persons`, if there are any.
    """

    cells: Cells
    columns: tuple[str, ...]
    parts: tuple[Part, ...] = ()
    coarse: Mapping[str, CoarseColumn] = field(default_factory=dict)
    persons: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return int(self.cells.counts.sum())


def write_tally(file: WholeFile, saved: SavedTally) -> None:
    """Write a tally to a claimed file, which only its owner can read."""
    import pyarrow as pa
    from pyarrow import parquet

    cells = saved.cells
    columns: dict[str, Any] = {f"c{i}": _texts(cells, i) for i in range(len(cells.columns))}
    table = pa.table({**columns, "n": pa.array(cells.counts, pa.int64())})
    if cells.persons is not None:
        table = _told(table, cells.persons)
    about = tally_metadata(
        counted=list(cells.columns),
        columns=list(saved.columns),
        parts=[[part.name, part.size, part.mark] for part in saved.parts],
        coarse={
            name: [one.level, one.values, one.shown, one.rows] for name, one in saved.coarse.items()
        },
        persons=list(saved.persons),
    )
    table = table.replace_schema_metadata(about)
    with file.making(private=True) as place:
        parquet.write_table(table, place, compression="zstd")


def read_tally(path: Path) -> SavedTally:
    """Return a saved tally, or refuse what is not one."""
    import pyarrow as pa
    from pyarrow import parquet

    settle(path)
    try:
        file = parquet.ParquetFile(path, memory_map=True)
        about = tally_head(file.schema_arrow.metadata, path)
        names = tuple(about["counted"])
        parts = tuple(Part(name, int(size), mark) for name, size, mark in about["parts"])
        coarse = {
            name: CoarseColumn(int(level), tuple(values), tuple(shown), tuple(map(int, rows)))
            for name, (level, values, shown, rows) in about.get("coarse", {}).items()
        }
        persons = tuple(about.get("persons", ()))
        check_cells(file.metadata.num_rows, len(names), str(path))
        table = file.read()
        counts = table["n"].cast(pa.int64()).to_numpy()
        texts = [table[f"c{i}"].cast(pa.string()) for i in range(len(names))]
        if table["n"].null_count or not pa.types.is_integer(table["n"].type):
            raise TypeError("n")
        whose = (
            Whose.fetched(table["person"], table["persons"]) if "persons" in table.schema.names else None
        )
    except FileNotFoundError:
        raise InputError("no such file; check the path", file=path) from None
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
        raise InputError("this is not a tally of Shoal; make one with shoal tally", file=path) from None
    if len(counts) and counts.min() < 1:
        raise InputError("the tally is damaged: a count is below 1; make it again", file=path)
    check_counts(counts, path)
    if not all(one.counts_all(int(counts.sum())) for one in coarse.values()):
        raise InputError("the tally is damaged: its columns disagree; make it again", file=path)
    cells = coded(names, texts, counts, whose)
    if whose is not None and not _possible(whose, counts, cells.persons):
        raise InputError(
            "the tally is damaged: its persons are not those of its rows; make it again", file=path
        )
    return SavedTally(cells, tuple(about["columns"]), parts, coarse, persons)


def _told(table: Any, whose: PersonRows) -> Any:
    """Return the cells with their persons: one row for those of one cell, and one for each other person."""
    import pyarrow as pa

    listed = np.bincount(whose.cells, weights=whose.rows, minlength=len(table)).astype(np.int64)
    rest = table["n"].to_numpy() - listed
    alone = np.flatnonzero(rest)
    whole = table.take(alone).set_column(len(table.columns) - 1, "n", pa.array(rest[alone]))
    whole = whole.append_column("person", pa.nulls(len(alone), pa.int64()))
    whole = whole.append_column("persons", pa.array(whose.cell_persons[alone]))
    each = table.take(whose.cells).set_column(len(table.columns) - 1, "n", pa.array(whose.rows))
    each = each.append_column("person", pa.array(whose.persons))
    return pa.concat_tables(
        [whole, each.append_column("persons", pa.array(np.ones(len(each), np.int64)))]
    )


def _possible(whose: Whose, counts: Any, persons: PersonRows | None) -> bool:
    """Return whether every counted person has a row, and those with a number have rows in several cells."""
    one, numbered = whose.persons >= 1, whose.numbers >= 0
    known = bool((one & (whose.persons <= counts)).all() and (whose.persons[numbered] == 1).all())
    return known and persons is not None and persons.spread == len(np.unique(whose.numbers[numbered]))


def check_columns(one: SavedTally, columns: Sequence[str]) -> None:
    """Refuse a tally that counts other columns than a study now has."""
    if one.cells.columns != tuple(columns):
        raise InputError(
            f"the saved tally counts {', '.join(one.cells.columns)}, but the study now has "
            f"{', '.join(columns)}; make it again, without `update`"
        )


def merged(one: SavedTally, other: SavedTally) -> SavedTally:
    """Return the tally of the rows of both, each of which is a person; they must count the same columns."""
    check_columns(one, other.cells.columns)
    import pyarrow as pa

    texts = [
        pa.chunked_array([_texts(one.cells, i), _texts(other.cells, i)])
        for i in range(len(one.cells.columns))
    ]
    counts = np.concatenate([one.cells.counts, other.cells.counts])
    cells = coded(one.cells.columns, texts, counts)
    return SavedTally(cells, one.columns, (*one.parts, *other.parts))


def replaced(cells: Cells, merged: Merged) -> Cells:
    """Return the counts with values of some columns replaced; rows with unmapped values are not counted."""
    kept = np.ones(len(cells.counts), dtype=np.bool_)
    codes, domains = cells.codes.copy(), list(cells.domains)
    for i, name in enumerate(cells.columns):
        if name in merged:
            mapping = merged[name]
            known = [value for value in domains[i] if value in mapping]
            shown = sorted({mapping[value] for value in known}, key=_by_bytes)
            place = {value: code for code, value in enumerate(shown)}
            new = np.array([place.get(mapping.get(v), -1) if v in mapping else -1 for v in domains[i]])
            codes[:, i] = new[codes[:, i]]
            kept &= codes[:, i] >= 0
            domains[i] = tuple(shown)
    return regrouped(cells, cells.columns, tuple(domains), codes, kept)


def _by_bytes(value: Value) -> tuple[bool, bytes]:
    """Return the key by which domains are sorted: the bytes of the text, the missing value last."""
    return value is None, b"" if value is None else value.encode()


def projected(cells: Cells, columns: Sequence[str]) -> Cells:
    """Return the counts over some of the columns, in their order."""
    at = [cells.columns.index(name) for name in columns]
    domains = tuple(cells.domains[i] for i in at)
    everything = np.ones(len(cells.counts), dtype=np.bool_)
    return regrouped(cells, columns, domains, cells.codes[:, at], everything)


def regrouped(
    cells: Cells, columns: Sequence[str], domains: tuple[tuple[Value, ...], ...], codes: Any, kept: Any
) -> Cells:
    """Return the kept cells under other codes; those of the same codes are put together."""
    found, place = placed(np.ascontiguousarray(codes[kept]))
    counts = np.bincount(place, weights=cells.counts[kept], minlength=len(found)).astype(np.int64)
    persons = cells.persons
    if persons is not None:
        of = np.full(len(kept), -1, dtype=np.int64)
        of[kept] = place
        persons = persons.regrouped(of, len(found))
    return Cells(tuple(columns), domains, found, counts, persons)


def _texts(cells: Cells, i: int) -> Any:
    """Return the values of a column of the cells as an Arrow array."""
    import pyarrow as pa

    codes, values = pa.array(cells.codes[:, i], pa.int32()), pa.array(cells.domains[i], pa.string())
    return pa.DictionaryArray.from_arrays(codes, values).cast(pa.string())
