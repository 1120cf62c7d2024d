"""Checks a release from its rows alone, without any code of the searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.coding import fingerprint
from shoal.data.engine import Cells, Engine
from shoal.data.opening import opened, settle
from shoal.describe.promise import PopulationCounts, Promise
from shoal.documents import (
    PublicKey,
    Signed,
    certificate_of,
    certificate_path,
    read_bytes,
    signature_path,
    undamaged,
)
from shoal.documents.digests import digest
from shoal.documents.readers import LARGEST_CERTIFICATE
from shoal.documents.signature import claimed
from shoal.errors import InputError, TooLittleError, show
from shoal.tabular import AnswerColumn, AnswerTable, Tabular
from shoal.verification.bucket_check import Buckets, Columns, cells_of, read_buckets, second_path
from shoal.verification.spread.found_rows import FoundRows, measure_found
from shoal.verification.spread.in_population import Crowds, measure_crowds
from shoal.verification.spread.measure import Spread, measure_spread, name_cell
from shoal.verification.spread.sensitive_column import cells_inside
from shoal.verification.spread.whose import persons_in, persons_of


@dataclass(frozen=True)
class PersonMeasurement:
    """What was counted on released rows in persons: how many there are, the fewest in a group, and values."""

    count: int
    k: int
    sensitive: Mapping[str, Spread]
    population: Crowds | None = None
    risk: FoundRows | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement as certificates show it."""
        spreads = {column: spread.to_dict() for column, spread in self.sensitive.items()}
        more = {"population": self.population, "risk": self.risk}
        return {
            "count": self.count,
            "k": self.k,
            "sensitive": spreads,
            **{name: found.to_dict() for name, found in more.items() if found is not None},
        }


@dataclass(frozen=True)
class Measurement:
    """What was counted on released rows.

    `groups` have equal quasi values, and `k` is the size of the smallest. If the release is in `buckets`
    (Anatomy), sensitive values are measured in these instead. Here rows are counted; if the promise is about
    persons and the rows tell whose they are, `persons` has the figures that count persons.
    """

    rows: int
    groups: int
    k: int
    sensitive: Mapping[str, Spread]
    buckets: Buckets | None = None
    population: Crowds | None = None
    risk: FoundRows | None = None
    persons: PersonMeasurement | None = None

    @property
    def smallest(self) -> int:
        """The size of the smallest group, in what the promise counts: persons, or else rows."""
        return self.k if self.persons is None else self.persons.k

    @classmethod
    def of(cls, groups: Cells, sensitive: Mapping[str, Spread], **others: Any) -> Measurement:
        """Return what was counted on these groups."""
        sizes = groups.counts
        smallest = int(sizes.min()) if len(sizes) else 0
        return cls(int(sizes.sum()), len(sizes), smallest, sensitive, **others)

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
        if self.risk is not None:
            document["risk"] = self.risk.to_dict()
        if self.persons is not None:
            document["persons"] = self.persons.to_dict()
        return document


@dataclass(frozen=True, repr=False)
class Verdict(Tabular):
    """What was measured, and every promise that does not hold, one sentence each.

    The `promise` is about groups of equal values in the `quasi` columns, or about the buckets of Anatomy.
    """

    measured: Measurement
    failures: tuple[str, ...]
    promise: Promise
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    signed: Signed | None = None
    """The certificate's signature, if there is one."""
    persons: Sequence[str] | None = ()
    """The columns that tell persons apart; none if a row is a person, None if only the publisher has them."""

    @property
    def holds(self) -> bool:
        """Whether every promise holds."""
        return not self.failures

    def as_table(self) -> AnswerTable:
        """Return what was measured of each sensitive column as a table; the line above it is the verdict."""
        measured, columns = self.measured, self.measured.sensitive
        said = "every promise holds" if self.holds else "; ".join(self.failures)
        return AnswerTable(
            f"{_counted(measured)} in {measured.groups:,} groups, k = {measured.smallest:,}: {said}",
            (
                AnswerColumn("sensitive", str, list(columns)),
                AnswerColumn("l", int, [one.l for one in columns.values()]),
                AnswerColumn("largest share", float, [float(one.share) for one in columns.values()]),
                AnswerColumn("entropy l", float, [float(one.entropy) for one in columns.values()]),
                AnswerColumn("t", float, [float(one.t) for one in columns.values()]),
            ),
        )


def _counted(measured: Measurement) -> str:
    rows = f"{measured.rows:,} rows"
    return rows if measured.persons is None else f"{rows} of {measured.persons.count:,} persons"


def verify_table(
    table: Any,
    promise: Promise,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    persons: Sequence[str] | None = (),
) -> Verdict:
    """Check a promise on a table: a path, a frame, a place, or an open engine.

    Rows are about one person if they agree in the columns `persons`; the promise is then about persons. If
    it is, and the rows do not tell whose they are (None), only what rows show is checked (`rows_show`).
    """
    columns = list(dict.fromkeys([*promise.columns, *sensitive]))
    if promise.l is not None and not columns:
        raise InputError("l is about a sensitive column; name one")
    by_rows = promise if persons == () else rows_show(promise)
    with opened(table) as engine:
        groups = engine.cells(list(quasi), persons=list(persons or ()))
        spreads, failures = _spreads(engine, by_rows, quasi, columns)
        sizes, what = groups.counts, "rows"
        if persons:
            sizes, what = (
                persons_in(groups, np.arange(len(groups.counts)), len(groups.counts)),
                "persons",
            )
            in_persons, failures = _spreads(engine, promise, quasi, columns, persons)
    crowds, asked = None, promise if persons else by_rows
    if asked.needs_population:
        crowds, broken = measure_crowds(groups, sizes, asked)
        failures += broken
    risk = None
    if asked.limits_risk:
        risk, broken = measure_found(sizes, asked)
        failures += broken
    smallest = int(sizes.min()) if len(sizes) else 0
    if promise.k is not None and len(sizes) and smallest < promise.k:
        where = name_cell(groups, int(sizes.argmin()), range(len(quasi)))
        failures.insert(0, f"k: the group {where} has {smallest:,} {what}, fewer than {promise.k:,}")
    if persons:
        of_persons = PersonMeasurement(persons_of(groups), smallest, in_persons, crowds, risk)
        measured = Measurement.of(groups, spreads, persons=of_persons)
    else:
        measured = Measurement.of(groups, spreads, population=crowds, risk=risk)
    return Verdict(measured, tuple(failures), promise, tuple(quasi), tuple(columns), persons=persons)


def rows_show(promise: Promise) -> Promise:
    """Return the part of a promise about persons that rows can refute without telling whose they are.

    A group of k persons has k rows, and l values of different persons are l values; the more rows, the less
    is the risk of one. Shares, distances, averages and the chance to be released may be larger in rows than
    in persons, or smaller.
    """
    return Promise(
        promise.k,
        promise.l,
        k_map=promise.k_map,
        population=promise.population,
        about=promise.about,
        max_risk=promise.max_risk,
        sampling=promise.sampling,
    )


def _spreads(
    engine: Engine,
    promise: Promise,
    quasi: Sequence[str],
    columns: Sequence[str],
    persons: Sequence[str] = (),
) -> tuple[dict[str, Spread], list[str]]:
    """Return how each sensitive column is spread over the groups, and which promises that breaks."""
    spreads, failures = {}, []
    for column in columns:
        cells, inside = cells_inside(engine, quasi, column, persons)
        about = column in promise.distinct(columns)
        spreads[column], broken = measure_spread(cells, inside, promise, counts_l=about)
        failures += broken
    return spreads, failures


def verify_buckets(
    rows: Any, second: Any, promise: Promise, quasi: Sequence[str], columns: Columns
) -> Verdict:
    """Check Anatomy's two tables (paths, frames or open engines): they must fit and keep the shares."""
    groups = cells_of(rows, quasi)
    limits = promise.theta.get(columns.sensitive)
    uniform = None if limits is None else limits.uniform
    buckets, cells, failures = read_buckets(rows, second, columns, uniform)
    spreads = {}
    if cells is not None:
        spreads[columns.sensitive], broken = measure_spread(cells, [0], promise, counts_l=True)
        failures += broken
    measured = Measurement.of(groups, spreads, buckets=buckets)
    return Verdict(measured, tuple(failures), promise, tuple(quasi), (columns.sensitive,))


def count_population(table: str | Path, quasi: Sequence[str]) -> PopulationCounts:
    """Return a population's rows by its quasi values, which must be labels of released groups."""
    cells = cells_of(table, quasi)
    groups = {
        tuple(cells.domains[a][code] for a, code in enumerate(codes)): rows
        for codes, rows in zip(cells.codes.tolist(), cells.counts.tolist(), strict=True)
    }
    path = Path(table)
    return PopulationCounts(path.name, digest(path), int(cells.counts.sum()), groups)


def rows_fingerprint(
    engine: Engine, quasi: Sequence[str], sensitive: Sequence[str], persons: Sequence[str] | None = ()
) -> str:
    """Return the digest of the columns that a promise is about, whatever the order of the rows.

    With the columns that tell persons apart it is also about whose the rows are.
    """
    columns = list(dict.fromkeys([*quasi, *sensitive]))
    return fingerprint(engine.cells(columns, persons=list(persons or ())))


def verify_release(path: str | Path, key: str | Path | None = None) -> Verdict:
    """Check a released file, or the table it names, by its certificate: digest, columns, every promise.

    If the certificate names a second table (Anatomy), that is checked too. With a public `key` (a file), the
    certificate must be signed with it.
    """
    path = Path(path)
    public = None if key is None else PublicKey.read(key)
    settle(path)
    if not path.is_file():
        raise InputError("no such file; check the path", file=path)
    certificate = certificate_path(path)
    text = read_bytes(certificate, LARGEST_CERTIFICATE)
    claim = _claim(certificate_of(text, certificate), certificate)
    found, signature = _checked(path, claim), signature_path(certificate)
    if public is None:
        return replace(found, signed=claimed(signature))
    signed, broken = public.check(text, signature)
    return replace(found, failures=(*broken, *found.failures), signed=signed)


@dataclass(frozen=True)
class _Claim:
    """What a certificate says."""

    sha256: str | None
    columns: list[str]
    quasi: list[str]
    sensitive: list[str]
    promise: Promise
    measured: Mapping[str, Any]
    second: Columns | None
    second_sha256: str | None
    fingerprint: str | None
    persons: tuple[str, ...] | None
    """The column that tells persons apart; none if a row is a person, None if it is not released."""


def _claim(document: Mapping[str, Any], file: Path) -> _Claim:
    """Return the content of a certificate that fits its schema, or refuse what makes no sense."""
    split, table, persons = (document.get(name) for name in ("buckets", "table", "persons"))
    quasi, sensitive = list(document["quasi"]), list(document["sensitive"])
    with undamaged(file):
        promise = Promise.from_dict(document["promise"])
    for name in promise.columns:
        if name not in sensitive:
            raise InputError(
                f"the promise is about {show(name)}, which is not a sensitive column", file=file
            )
    for labels in (promise.population and promise.population.groups) or ():
        if len(labels) != len(quasi):
            raise InputError("a group of the population has the wrong number of columns", file=file)
    of_rows = promise.k is not None or promise.needs_population or promise.limits_risk
    if split is not None and of_rows:
        raise InputError(
            "k, risks and populations cannot be promised for a release in two tables", file=file
        )
    if split is not None and sensitive != [split["columns"][1]]:
        raise InputError("the sensitive column is not that of the second table", file=file)
    return _Claim(
        document["sha256"],
        list(document["columns"]),
        quasi,
        sensitive,
        promise,
        document["measured"],
        None if split is None else Columns(*split["columns"]),
        None if split is None else split["sha256"],
        None if table is None else table["fingerprint"],
        () if persons is None else None if persons["column"] is None else (persons["column"],),
    )


def _checked(path: Path, claim: _Claim) -> Verdict:
    """Check what a certificate says on the rows."""
    promise, quasi, sensitive, beside = claim.promise, claim.quasi, claim.sensitive, claim.second
    rows = int(claim.measured["rows"])

    def unmeasured(failures: Sequence[str]) -> Verdict:
        about = (promise, tuple(quasi), tuple(sensitive))
        return Verdict(Measurement(0, 0, 0, {}), tuple(failures), *about, persons=claim.persons)

    with opened(path) as engine:
        needed = [*quasi, *(sensitive if beside is None else [beside.group]), *(claim.persons or ())]
        failures, readable = _compared(path, engine, claim.sha256, claim.columns, needed)
        if beside is not None:
            second = second_path(path)
            broken, there = _compared(second, second, claim.second_sha256, beside.names, beside.names)
            failures, readable = failures + broken, readable and there
        if not readable:
            return unmeasured(failures)
        try:
            if beside is None:
                verdict = verify_table(engine, promise, quasi, sensitive, claim.persons)
            else:
                verdict = verify_buckets(engine, second, promise, quasi, beside)
        except TooLittleError:
            raise
        except InputError as problem:  # the promise lacks a value's place, or the population
            return unmeasured([*failures, f"promise: {problem.what}"])
        marked = claim.fingerprint
        if marked is not None and rows_fingerprint(engine, quasi, sensitive, claim.persons) != marked:
            failures.append("fingerprint: the table does not contain the rows that were certified")
    if verdict.measured.rows != rows:
        failures.append(f"rows: {verdict.measured.rows:,} where {rows:,} were certified")
    certified = dict(claim.measured)
    if claim.persons is None:  # the publisher's own count, which nobody else can repeat
        del certified["persons"]
    if not _confirmed(certified, verdict.measured.to_dict()) and not failures:
        failures.append("measured: the figures are not the certified ones")
    return replace(verdict, failures=(*failures, *verdict.failures))


def _compared(
    path: Path, table: Any, sha256: str | None, expected: Sequence[str], needed: Sequence[str]
) -> tuple[list[str], bool]:
    """Return how a file differs from the certified one, and whether it has the columns to check."""
    if not path.is_file():
        return [f"files: {path.name} is missing"], False
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
    """Return whether every certified figure was measured again; older certificates have fewer."""
    if isinstance(certified, dict) and isinstance(measured, dict):
        return all(
            name in measured and _confirmed(given, measured[name]) for name, given in certified.items()
        )
    return bool(certified == measured)
