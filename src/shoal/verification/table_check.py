"""Checks a promise on the rows of a table, or of Anatomy's two, without any code of the searches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.coding import fingerprint
from shoal.data.engine import Engine
from shoal.data.opening import opened
from shoal.describe.promise import PopulationCounts, Promise
from shoal.documents.digests import digest
from shoal.errors import InputError
from shoal.verification.bucket_check import Columns, cells_of, read_buckets
from shoal.verification.spread.found_rows import measure_found
from shoal.verification.spread.in_population import measure_crowds
from shoal.verification.spread.measure import Spread, measure_spread, name_cell
from shoal.verification.spread.sensitive_column import cells_inside
from shoal.verification.spread.whose import persons_in, persons_of
from shoal.verification.verdict import Measurement, PersonMeasurement, Verdict


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
