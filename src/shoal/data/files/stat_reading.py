"""Reads files of SPSS, Stata and SAS in chunks: stored numbers and texts, and the codebook.

Numbers stay as they are stored; `StatFile.kinds` says which are dates or times once all chunks are read.
Codes that the file declares as missing are read as missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.files import sources
from shoal.data.files.calendars import SAS, SPSS, STATA, DayCount
from shoal.data.files.codebook import Codebook, Kind, Variable, code_text
from shoal.errors import InputError, MissingExtraError
from shoal.running.watching import watch

if TYPE_CHECKING:
    import pyarrow as pa

CELLS = 1_000_000
"""Cells of a chunk, which Python holds one by one."""
_FILES: dict[str, tuple[str, str, DayCount]] = {
    ".sav": ("SPSS", "read_sav", SPSS),
    ".zsav": ("SPSS", "read_sav", SPSS),
    ".dta": ("Stata", "read_dta", STATA),
    ".sas7bdat": ("SAS", "read_sas7bdat", SAS),
    ".xpt": ("SAS transport", "read_xport", SAS),
}
_EXACT = float(1 << 53)


@dataclass
class SeenNumbers:
    """What was seen of a column's numbers."""

    lowest: float | None = None
    highest: float | None = None
    whole: bool = True
    days: bool = True

    def see(self, numbers: pa.Array, per_day: int) -> None:
        """Take the numbers of one chunk into account; `per_day` of them make a day."""
        import pyarrow.compute as pc

        ends = pc.min_max(numbers).as_py()
        if ends["min"] is None:
            return
        self.lowest = ends["min"] if self.lowest is None else min(self.lowest, ends["min"])
        self.highest = ends["max"] if self.highest is None else max(self.highest, ends["max"])
        self.whole = self.whole and _all_whole(numbers)
        self.days = self.days and _all_whole(pc.divide(numbers, float(per_day)))


@dataclass
class StatFile:
    """A file of SPSS, Stata or SAS; `seen` is complete when all its chunks have been read."""

    path: Path
    seen: dict[str, SeenNumbers] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._program, self._function, self.calendar = _FILES[sources.ending_of(self.path)]

    @cached_property
    def _told(self) -> Any:
        """What the file's head says."""
        asked = {"user_missing": True} if self.calendar is SPSS else {}  # other files have no such codes
        return self._read(metadataonly=True, **asked)[1]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns' names."""
        names = tuple(self._told.column_names)
        sources.check_columns(names, self.path)
        return names

    @property
    def stored(self) -> dict[str, Kind]:
        """What each column is by its format, whatever its values are."""
        types, formats = self._told.readstat_variable_types, self._told.original_variable_types
        return {
            name: Kind.TEXT
            if types[name].startswith("string")
            else self.calendar.kind_of(formats.get(name))
            for name in self.columns
        }

    @property
    def kinds(self) -> dict[str, Kind]:
        """What each column is read as."""
        found = {}
        for name, kind in self.stored.items():
            seen = self.seen.get(name, SeenNumbers())
            low, high = seen.lowest or 0.0, seen.highest or 0.0
            found[name] = self.calendar.fitting(kind, low, high, seen.days)
        return found

    @property
    def whole(self) -> frozenset[str]:
        """The columns whose numbers are all whole."""
        small = {
            name
            for name, seen in self.seen.items()
            if seen.whole and max(abs(seen.lowest or 0), abs(seen.highest or 0)) < _EXACT
        }
        return frozenset(
            name for name, kind in self.kinds.items() if kind is Kind.NUMBER and name in small
        )

    @property
    def codebook(self) -> Codebook:
        """What the file says about its columns."""
        return Codebook(tuple(self._variable(name, kind) for name, kind in self.kinds.items()))

    def _variable(self, name: str, kind: Kind) -> Variable:
        told, numeric = self._told, kind is not Kind.TEXT
        given = told.variable_value_labels.get(name, {})
        # A letter among numbers is one of the ways in which Stata and SAS write a missing value.
        plain = {code: label for code, label in given.items() if isinstance(code, str) != numeric}
        ranges = told.missing_ranges.get(name, ()) if kind in (Kind.NUMBER, Kind.TEXT) else ()
        measure = told.variable_measure.get(name)
        return Variable(
            name,
            kind,
            told.column_names_to_labels.get(name) or None,
            {code_text(code): label for code, label in plain.items()}
            if kind in (Kind.NUMBER, Kind.TEXT)
            else {},
            tuple((one["lo"], one["hi"]) for one in ranges),
            told.original_variable_types.get(name),
            None if measure == "unknown" else measure,
        )

    def chunks(self) -> Iterator[pa.Table]:
        """Yield the rows in chunks, at least one: numbers as they are stored, and texts."""
        import pyarrow as pa

        stored = self.stored
        limit = max(CELLS // len(stored), 1000)
        schema = pa.schema(
            [(name, pa.string() if kind is Kind.TEXT else pa.float64()) for name, kind in stored.items()]
        )
        done, got = 0, limit
        while got == limit:
            watch().check(str(self.path))
            columns, _ = self._read(row_limit=limit, row_offset=done)
            # An empty chunk has no columns.
            chunk = pa.table({name: columns.get(name, []) for name in stored}, schema=schema)
            got = len(chunk)
            done += got
            for name, kind in stored.items():
                if kind is not Kind.TEXT:
                    per_day = 86_400_000 // self.calendar.unit(kind)
                    self.seen.setdefault(name, SeenNumbers()).see(chunk[name], per_day)
            if got or done == 0:
                yield chunk

    def _read(self, **asked: Any) -> tuple[Any, Any]:
        """Call pyreadstat, and explain what it refuses."""
        try:
            import pyreadstat
        except ImportError:
            raise MissingExtraError(f"files of {self._program}", "pyreadstat", "stat") from None
        read = getattr(pyreadstat, self._function)
        try:
            # Values that users declared missing are read as missing.
            found: tuple[Any, Any] = read(
                self.path, output_format="dict", disable_datetime_conversion=True, **asked
            )
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError) as problem:
            what = str(problem).strip().split("\n", 1)[0]
            raise InputError(
                f"cannot be read as a file of {self._program} ({what}); check it, or its ending",
                file=self.path,
            ) from None
        return found


def _all_whole(numbers: pa.Array) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.equal(numbers, pc.floor(numbers))).as_py())
