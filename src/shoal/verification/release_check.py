"""Checks a release by its certificate: its files, its columns, and every promise on its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal.data.opening import opened, settle
from shoal.describe.promise import Promise, ShareLimits
from shoal.describe.table_reading import AS_WRITTEN
from shoal.documents import (
    PublicKey,
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
from shoal.verification.bucket_check import Columns, second_path
from shoal.verification.table_check import rows_fingerprint, verify_buckets, verify_table
from shoal.verification.verdict import Measurement, Verdict


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
    if split is not None and persons is not None:
        limits = promise.theta.get(split["columns"][1])
        if limits is None or promise != Promise(
            theta={split["columns"][1]: ShareLimits(limits.uniform)}
        ):
            raise InputError(
                "of persons in a release in two tables, only one limit of shares can be promised",
                file=file,
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

    with opened(path, AS_WRITTEN) as engine:
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
                verdict = verify_buckets(engine, second, promise, quasi, beside, claim.persons)
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
    if claim.persons is None:  # the publisher's own counts, which nobody else can repeat
        for counted in ("persons", "known"):
            certified.pop(counted, None)
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
    with opened(table, AS_WRITTEN) as engine:
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
