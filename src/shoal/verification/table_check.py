"""Checks a promise on the rows of a table, or of Anatomy's two, without any code of the searches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.coding import fingerprint
from shoal.data.engine import Engine
from shoal.data.opening import opened
from shoal.describe.promise import PopulationCounts, Promise
from shoal.documents.digests import digest
from shoal.errors import InputError
from shoal.verification.bucket_check import Columns, cells_of, person_shares, read_buckets
from shoal.verification.known_columns import measure_known
from shoal.verification.spread.found_rows import measure_found
from shoal.verification.spread.in_population import measure_crowds
from shoal.verification.spread.measure import Spread, measure_spread, name_cell
from shoal.verification.spread.sensitive_column import cells_inside
from shoal.verification.spread.whose import persons_in, persons_of
from shoal.verification.verdict import Measurement, PersonMeasurement, Verdict

PARTS = frozenset(
    {
        *("k", "l", "about", "theta", "entropy", "recursive", "t", "distances", "beta", "disclosure"),
        *("k_map", "delta", "population", "max_risk", "average_risk", "population_uniques", "sampling"),
        "known",
    }
)
"""What is checked of a promise, by name. Whoever adds a part to promises adds its check here."""


def refuse_unknown(promise: Promise) -> None:
    """Refuse a promise with a part that nothing here checks: it would pass for kept."""
    unknown = [
        part.name
        for part in fields(promise)
        if part.name not in PARTS and getattr(promise, part.name) != _absent(part)
    ]
    if unknown:
        raise InputError(f"the promise has parts that verification cannot check: {', '.join(unknown)}")


def _absent(part: Field[Any]) -> Any:
    """Return what a part is that is not promised."""
    return part.default if part.default_factory is MISSING else part.default_factory()


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
    refuse_unknown(promise)
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
        about = () if promise.known is None else promise.known.about
        values = {name: engine.cells([*quasi, name], persons=list(persons or ())) for name in about}
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
    known = None
    if promise.known is not None:
        known, broken = measure_known(groups, promise.known, values)
        failures += broken
    if persons:
        of_persons = PersonMeasurement(persons_of(groups), smallest, in_persons, crowds, risk)
        measured = Measurement.of(groups, spreads, persons=of_persons, known=known)
    else:
        measured = Measurement.of(groups, spreads, population=crowds, risk=risk, known=known)
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
        known=promise.known,
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
    rows: Any,
    second: Any,
    promise: Promise,
    quasi: Sequence[str],
    columns: Columns,
    persons: Sequence[str] | None = (),
) -> Verdict:
    """Check Anatomy's two tables (paths, frames or open engines): they must fit and keep the shares.

    If persons have several rows, shares are of persons, which the columns `persons` of the first table tell;
    if it has none (None), what holds whoever they are is checked.
    """
    refuse_unknown(promise)
    groups = cells_of(rows, quasi, persons or ())
    limits = promise.theta.get(columns.sensitive)
    uniform = None if limits is None else limits.uniform
    found = read_buckets(rows, second, columns, uniform, persons)
    spreads, failures, of_persons = {}, found.failures, None
    if found.cells is not None:
        # The second table of persons is measured as it is; its shares are checked with the groups' persons.
        asked = promise if persons == () else Promise(k=1)
        spread, broken = measure_spread(found.cells, [0], asked, counts_l=True)
        spreads[columns.sensitive] = spread
        failures += broken
        if persons and found.in_persons is not None:
            sizes = persons_in(groups, np.arange(len(groups.counts)), len(groups.counts))
            of_persons = PersonMeasurement(
                persons_of(groups),
                int(sizes.min()) if len(sizes) else 0,
                {columns.sensitive: person_shares(found)},
                buckets=found.in_persons,
            )
    measured = Measurement.of(groups, spreads, buckets=found.buckets, persons=of_persons)
    about = (promise, tuple(quasi), (columns.sensitive,))
    return Verdict(measured, tuple(failures), *about, persons=persons)


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
