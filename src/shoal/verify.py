"""Checks a release afresh, from its rows alone: no code of the searches takes part."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from shoal.bucket_check import Buckets, Columns, read_buckets, second_path
from shoal.digests import digest
from shoal.engines.base import Cells
from shoal.engines.duckdb import DuckDBEngine
from shoal.errors import InputError, show
from shoal.promise import Promise

CERTIFICATE = "certificate"


@dataclass(frozen=True)
class Spread:
    """How a sensitive column is spread over the groups: the worst of each.

    `l` is the fewest distinct values in a group; `share` the largest share that one value has in a
    group, and `value` that value. Missing values count as rows, and as no value.
    """

    l: int  # noqa: E741
    share: Fraction
    value: str | None
    t: Fraction
    """How far a group's values are spread from the table's, at most (equal distances)."""


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

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement as certificates show it."""
        document: dict[str, Any] = {
            "rows": self.rows,
            "groups": self.groups,
            "k": self.k,
            "sensitive": {
                column: {"l": spread.l, "largest_share": str(spread.share), "t": str(spread.t)}
                for column, spread in self.sensitive.items()
            },
        }
        if self.buckets is not None:
            document["buckets"] = self.buckets.to_dict()
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
    """Check a promise on a table: a path, or a frame."""
    columns = list(dict.fromkeys([*promise.theta, *promise.t, *sensitive]))
    if promise.l is not None and not columns:
        raise InputError("l is about a sensitive column; name one")
    engine = DuckDBEngine(table)
    try:
        groups = engine.cells(list(quasi))
        spreads = {}
        failures: list[str] = []
        for column in columns:
            # A sensitive column may be quasi too: it is then grouped by once.
            cells = engine.cells([*(name for name in quasi if name != column), column])
            inside = [i for i, name in enumerate(cells.columns) if name in quasi]
            spreads[column], broken = _spread(cells, inside, promise, column)
            failures += broken
    finally:
        engine.close()
    k = int(groups.counts.min()) if len(groups.counts) else 0
    measured = Measurement(int(groups.counts.sum()), len(groups.counts), k, spreads)
    if promise.k is not None and measured.rows and k < promise.k:
        at = int(groups.counts.argmin())
        failures.insert(
            0,
            f"k: the group {_group(groups, at, range(len(quasi)))} has {k:,} rows, fewer than {promise.k:,}",
        )
    return Verdict(measured, tuple(failures))


def verify_buckets(
    rows: Any, second: Any, promise: Promise, quasi: Sequence[str], columns: Columns
) -> Verdict:
    """Check the two tables of Anatomy, paths or frames: do they fit, and are shares within the promise?"""
    engine = DuckDBEngine(rows)
    try:
        groups = engine.cells(list(quasi))
    finally:
        engine.close()
    limits = promise.theta.get(columns.sensitive)
    buckets, cells, failures = read_buckets(
        rows, second, columns, None if limits is None else limits.uniform
    )
    spreads = {}
    if cells is not None:
        spreads[columns.sensitive], broken = _spread(cells, [0], promise, columns.sensitive)
        failures += broken
    k = int(groups.counts.min()) if len(groups.counts) else 0
    measured = Measurement(int(groups.counts.sum()), len(groups.counts), k, spreads, buckets)
    return Verdict(measured, tuple(failures))


def _spread(
    cells: Cells, inside: Sequence[int], promise: Promise, column: str
) -> tuple[Spread, list[str]]:
    """Return the worst spread of the cells' last column over the groups, and what it breaks."""
    domain = cells.domains[-1]
    if not len(cells.counts):
        return Spread(0, Fraction(0), None, Fraction(0)), []
    keys, group = np.unique(cells.codes[:, inside], axis=0, return_inverse=True)
    group = group.reshape(-1)
    sizes = np.bincount(group, weights=cells.counts).astype(np.int64)
    present = np.array([value is not None for value in domain])[cells.codes[:, -1]]
    distinct = np.bincount(group[present], minlength=len(keys))
    failures = []
    if promise.l is not None and int(distinct.min()) < promise.l:
        at = int(np.flatnonzero(group == int(distinct.argmin()))[0])
        failures.append(
            f"l: the group {_group(cells, at, inside)} has {int(distinct.min())} distinct values of "
            f"{show(column)}, fewer than {promise.l}"
        )
    limits = promise.theta.get(column)
    largest, largest_value = Fraction(0), None
    for v, value in enumerate(domain):
        rows = np.flatnonzero(cells.codes[:, -1] == v)
        if value is None or not len(rows):
            continue
        counts, totals = cells.counts[rows], sizes[group[rows]]
        worst = _largest_ratio(counts, totals)
        found = Fraction(int(counts[worst]), int(totals[worst]))
        if found > largest:
            largest, largest_value = found, value
        limit = limits.of(value) if limits is not None else None
        if limit is not None and found > limit:
            where = _group(cells, int(rows[worst]), inside)
            failures.append(
                f"theta: {show(value)} of {show(column)} has a share of {found} in the group {where}, "
                f"more than {limit}"
            )
    t, farthest = _distance(cells, group, sizes)
    if column in promise.t and t > promise.t[column]:
        where = _group(cells, int(np.flatnonzero(group == farthest)[0]), inside)
        failures.append(
            f"t: {show(column)} in the group {where} lies {t} from the table, more than {promise.t[column]}"
        )
    return Spread(int(distinct.min()), largest, largest_value, t), failures


def _distance(cells: Cells, group: Any, sizes: Any) -> tuple[Fraction, int]:
    """Return how far a group's values are spread from the table's at most, and which group's.

    Half the sum over all values of |n_gv / n_g - n_v / n|. Values that a group lacks add their n_v / n:
    all of them together what the values that it has leave of 1. So cells that are there are enough.
    """
    codes, counts, rows = cells.codes[:, -1], cells.counts, int(cells.counts.sum())
    totals = np.bincount(codes, weights=counts).astype(np.int64)[codes]
    # Everything times n_g * n, in whole numbers.
    apart = np.abs(counts * rows - totals * sizes[group])
    sums = np.zeros(len(sizes), dtype=np.int64)
    np.add.at(sums, group, apart - totals * sizes[group])
    sums += sizes * rows
    # Floats choose the groups that may be farthest, fractions decide between them.
    ratio = sums / sizes
    near = np.flatnonzero(ratio >= ratio.max() * (1 - 1e-9))
    exact = {(int(sums[g]), int(sizes[g])): int(g) for g in near}
    total, size = max(exact, key=lambda pair: Fraction(*pair))
    return Fraction(total, 2 * size * rows), exact[total, size]


def _largest_ratio(counts: Any, totals: Any) -> int:
    """Return where counts / totals is largest, exactly: floats choose, whole numbers decide."""
    ratio = counts / totals
    near = np.flatnonzero(ratio >= ratio.max() * (1 - 1e-9))
    # Of many groups that are alike one is enough.
    _, first = np.unique(np.column_stack((counts[near], totals[near])), axis=0, return_index=True)
    candidates = near[np.sort(first)].tolist()
    return int(max(candidates, key=lambda i: Fraction(int(counts[i]), int(totals[i]))))


def _group(cells: Cells, row: int, inside: Sequence[int]) -> str:
    shown = [show(cells.domains[i][cells.codes[row, i]]) for i in inside]
    return "(" + ", ".join(shown) + ")"


def certificate_path(path: Path) -> Path:
    """Return where the certificate of a released file lies."""
    return path.with_name(path.name + ".certificate.json")


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
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as problem:
        raise InputError(f"cannot be read: {problem}", file=path) from None


def read_document(path: Path, kind: str) -> dict[str, Any]:
    """Return a JSON document of Shoal, or refuse what is none."""
    document = read_json(path)
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise InputError(f"this is no {kind} of Shoal", file=path)
    return document


def verify_release(path: str | Path) -> Verdict:
    """Check a released file against its certificate: digest, rows, columns, and every promise.

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
        needed = quasi + (sensitive if beside is None else [beside.group])
        files = [(path, sha256, expected, needed)]
        if split is not None and beside is not None:
            files.append((second_path(path), split["sha256"], beside.names, beside.names))
    failures: list[str] = []
    readable = True
    for file in files:
        broken, there = _compared(*file)
        failures += broken
        readable &= there
    if not readable:
        return Verdict(Measurement(0, 0, 0, {}), tuple(failures))
    if beside is None:
        verdict = verify_table(path, promise, quasi, sensitive)
    else:
        verdict = verify_buckets(path, second_path(path), promise, quasi, beside)
    if verdict.measured.rows != rows:
        failures.append(f"rows: {verdict.measured.rows:,} where {rows:,} were certified")
    if verdict.measured.to_dict() != certified and not failures:
        failures.append("measured: the figures are not the certified ones")
    return Verdict(verdict.measured, (*failures, *verdict.failures))


def _compared(
    path: Path, sha256: str, expected: Sequence[str], needed: Sequence[str]
) -> tuple[list[str], bool]:
    """Return in what a file is not the certified one, and whether it has the columns to check it by."""
    if not path.is_file():
        return [f"files: {path.name} is not there"], False
    failures = []
    if digest(path) != sha256:
        failures.append(f"digest: {path.name} is not the file that was certified")
    engine = DuckDBEngine(path)
    columns = engine.columns
    engine.close()
    if list(columns) != list(expected):
        failures.append("columns: " + ", ".join(columns) + " are not the certified ones")
    missing = [name for name in needed if name not in columns]
    if missing:
        failures.append(f"columns: {', '.join(missing)} are missing")
    return failures, not missing
