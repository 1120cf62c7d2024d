"""Checks a release afresh, from its rows alone: no code of the searches takes part."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.bucket_check import Buckets, Columns, read_buckets, second_path
from shoal.digests import digest
from shoal.engines.base import Engine
from shoal.engines.fingerprint import fingerprint
from shoal.engines.opening import opened
from shoal.errors import InputError
from shoal.promise import PopulationCounts, Promise
from shoal.spread import Crowds, Spread, measure_crowds, measure_spread, name_cell

CERTIFICATE = "certificate"


@dataclass(frozen=True)
class Measurement:
    """What was counted on released rows.

    `groups` have equal quasi values, and `k` is the size of the smallest. Where the release is in `buckets`
    (Anatomy), the sensitive column is spread over these instead.
    """

    rows: int
    groups: int
    k: int
    sensitive: Mapping[str, Spread]
    buckets: Buckets | None = None
    population: Crowds | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement as certificates show it."""
        document: dict[str, Any] = {
            "rows": self.rows,
            "groups": self.groups,
            "k": self.k,
            "sensitive": {column: spread.to_dict() for column, spread in self.sensitive.items()},
        }
        if self.buckets is not None:
            document["buckets"] = self.buckets.to_dict()
        if self.population is not None:
            document["population"] = self.population.to_dict()
        return document


@dataclass(frozen=True)
class Verdict:
    """What was measured, and every promise that does not hold, one sentence each."""

    measured: Measurement
    failures: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether everything that was promised is so."""
        return not self.failures


def verify_table(
    table: Any, promise: Promise, quasi: Sequence[str], sensitive: Sequence[str] = ()
) -> Verdict:
    """Check a promise on a table: a path, a frame, a place, or an engine that is open."""
    columns = list(dict.fromkeys([*promise.columns, *sensitive]))
    if promise.l is not None and not columns:
        raise InputError("l is about a sensitive column; name one")
    with opened(table) as engine:
        groups = engine.cells(list(quasi))
        spreads = {}
        failures: list[str] = []
        for column in columns:
            # A sensitive column may be quasi too: it is then grouped by once.
            cells = engine.cells([*(name for name in quasi if name != column), column])
            inside = [i for i, name in enumerate(cells.columns) if name in quasi]
            spreads[column], broken = measure_spread(
                cells, inside, promise, counts_l=column in promise.distinct(columns)
            )
            failures += broken
    k = int(groups.counts.min()) if len(groups.counts) else 0
    crowds = None
    if promise.needs_population:
        crowds, broken = measure_crowds(groups, promise)
        failures += broken
    measured = Measurement(int(groups.counts.sum()), len(groups.counts), k, spreads, population=crowds)
    if promise.k is not None and measured.rows and k < promise.k:
        where = name_cell(groups, int(groups.counts.argmin()), range(len(quasi)))
        failures.insert(0, f"k: the group {where} has {k:,} rows, fewer than {promise.k:,}")
    return Verdict(measured, tuple(failures))


def verify_buckets(
    rows: Any, second: Any, promise: Promise, quasi: Sequence[str], columns: Columns
) -> Verdict:
    """Check the two tables of Anatomy, paths, frames or open engines: do they fit, and are shares kept?"""
    with opened(rows) as engine:
        groups = engine.cells(list(quasi))
    limits = promise.theta.get(columns.sensitive)
    buckets, cells, failures = read_buckets(
        rows, second, columns, None if limits is None else limits.uniform
    )
    spreads = {}
    if cells is not None:
        spreads[columns.sensitive], broken = measure_spread(cells, [0], promise, counts_l=True)
        failures += broken
    k = int(groups.counts.min()) if len(groups.counts) else 0
    measured = Measurement(int(groups.counts.sum()), len(groups.counts), k, spreads, buckets=buckets)
    return Verdict(measured, tuple(failures))


def count_population(table: str | Path, quasi: Sequence[str]) -> PopulationCounts:
    """Return a population's rows by its quasi values, which are labels of released groups already."""
    with opened(table) as engine:
        cells = engine.cells(list(quasi))
    groups = {
        tuple(cells.domains[a][code] for a, code in enumerate(codes)): rows
        for codes, rows in zip(cells.codes.tolist(), cells.counts.tolist(), strict=True)
    }
    path = Path(table)
    return PopulationCounts(path.name, digest(path), int(cells.counts.sum()), groups)


def certificate_path(path: Path) -> Path:
    """Return where the certificate of a released file lies."""
    return path.with_name(path.name + ".certificate.json")


def rows_fingerprint(engine: Engine, quasi: Sequence[str], sensitive: Sequence[str]) -> str:
    """Return the digest of all that a promise is about in released rows, in whichever order they lie."""
    return fingerprint(engine.cells(list(dict.fromkeys([*quasi, *sensitive]))))


@contextmanager
def undamaged(path: Path) -> Iterator[None]:
    """Refuse a document in which something is missing or of another kind than it must be."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise InputError(
            f"the document is damaged ({type(problem).__name__}: {problem})", file=path
        ) from None


def read_json(path: Path) -> Any:
    """Return what a JSON file holds, or refuse it in one sentence."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no such file; check the path", file=path) from None
    except json.JSONDecodeError as problem:
        raise InputError(f"this is no JSON ({problem}); is it the right file?", file=path) from None
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"cannot be read: {problem}", file=path) from None


def read_document(path: Path, kind: str) -> dict[str, Any]:
    """Return a JSON document of Shoal, or refuse what is none."""
    document = read_json(path)
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise InputError(f"this is no {kind} of Shoal", file=path)
    return document


def verify_release(path: str | Path) -> Verdict:
    """Check a released file, or the table it names, by its certificate: digest, columns, every promise.

    Where the certificate names a second table (Anatomy), that is checked with it.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError("no such file; check the path", file=path)
    document = read_document(certificate_path(path), CERTIFICATE)
    with undamaged(certificate_path(path)):
        sha256, certified = document["sha256"], dict(document["measured"])
        quasi, sensitive = list(document["quasi"]), list(document["sensitive"])
        expected, rows = list(document["columns"]), int(certified["rows"])
        promise = Promise.from_dict(document["promise"])
        split = document.get("buckets")
        beside = None if split is None else Columns(*split["columns"])
        second_sha256 = "" if split is None else str(split["sha256"])
        needed = quasi + (sensitive if beside is None else [beside.group])
        marked = None if document.get("table") is None else str(document["table"]["fingerprint"])
    with opened(path) as engine:
        failures, readable = _compared(path, engine, sha256, expected, needed)
        if beside is not None:
            second = second_path(path)
            broken, there = _compared(second, second, second_sha256, beside.names, beside.names)
            failures, readable = failures + broken, readable and there
        if not readable:
            return Verdict(Measurement(0, 0, 0, {}), tuple(failures))
        try:
            if beside is None:
                verdict = verify_table(engine, promise, quasi, sensitive)
            else:
                verdict = verify_buckets(engine, second, promise, quasi, beside)
        except InputError as problem:  # a value without a place in the promise, or no population
            return Verdict(Measurement(0, 0, 0, {}), (*failures, f"promise: {problem.what}"))
        if marked is not None and rows_fingerprint(engine, quasi, sensitive) != marked:
            failures.append("fingerprint: the table does not hold the rows that were certified")
    if verdict.measured.rows != rows:
        failures.append(f"rows: {verdict.measured.rows:,} where {rows:,} were certified")
    if not _confirmed(certified, verdict.measured.to_dict()) and not failures:
        failures.append("measured: the figures are not the certified ones")
    return Verdict(verdict.measured, (*failures, *verdict.failures))


def _compared(
    path: Path, table: Any, sha256: str, expected: Sequence[str], needed: Sequence[str]
) -> tuple[list[str], bool]:
    """Return in what a file is not the certified one, and whether its rows have the columns to check."""
    if not path.is_file():
        return [f"files: {path.name} is not there"], False
    failures = []
    if digest(path) != sha256:
        failures.append(f"digest: {path.name} is not the file that was certified")
    with opened(table) as engine:
        columns = engine.columns
    if list(columns) != list(expected):
        failures.append("columns: " + ", ".join(columns) + " are not the certified ones")
    missing = [name for name in needed if name not in columns]
    if missing:
        failures.append(f"columns: {', '.join(missing)} are missing")
    return failures, not missing


def _confirmed(certified: Any, measured: Any) -> bool:
    """Return whether every figure that was certified was found again; older papers certify fewer."""
    if isinstance(certified, dict) and isinstance(measured, dict):
        return all(
            name in measured and _confirmed(given, measured[name]) for name, given in certified.items()
        )
    return bool(certified == measured)
