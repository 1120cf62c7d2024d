"""A folder with what a warehouse runs: the statements in its dialect, and the tables that they join."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from shoal.data.sql import warehouse
from shoal.data.tally.counting import counted_columns
from shoal.describe import Specification
from shoal.describe.promise import Promise
from shoal.errors import InputError, show

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.release.release import Release

RELEASED = "released"


def write_statements(
    out: Path,
    specification: Specification,
    dialect: str,
    table: str,
    release: Release | None = None,
    *,
    into: str = RELEASED,
    force: bool = False,
) -> list[str]:
    """Write tally.sql and, for a release, release.sql, verify.sql and mapping tables; return the names."""
    if out.exists() and not force:
        raise InputError("already exists; choose another folder, or use `force`", file=out)
    _check(specification)
    texts = {"tally.sql": warehouse.tally(table, counted_columns(specification), dialect)}
    tables: dict[str, pa.Table] = {}
    if release is not None:
        promise = _kept_promise(release)
        shape, tables = release.statement
        texts["release.sql"] = warehouse.release(table, into, shape, dialect)
        diverse = dict.fromkeys(promise.distinct(release.sensitive), promise.l or 0)
        texts["verify.sql"] = warehouse.verification(
            into, release.quasi, promise.k or 1, diverse, promise.theta, dialect
        )
    out.parent.mkdir(parents=True, exist_ok=True)
    made = Path(mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        for name, text in texts.items():
            (made / name).write_text(text + ";\n", encoding="utf-8")
        for name, rows in tables.items():
            from pyarrow import parquet

            parquet.write_table(rows, made / f"{name}.parquet")
        if out.exists():
            shutil.rmtree(out)
        made.rename(out)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return [*texts, *(f"{name}.parquet" for name in tables)]


def _check(specification: Specification) -> None:
    """Refuse what the statements for warehouses do not do."""
    named = {
        "persons": specification.units.persons,
        "shift": specification.shifts,
        "missing": specification.reading.blanked(tuple(specification.attributes)),
    }
    for entry, given in named.items():
        if given:
            raise InputError(
                f"statements for a warehouse do not know {entry}; make a view there that has it done, and "
                f"leave {entry} out of the study"
            )


def _kept_promise(release: Release) -> Promise:
    """Return the promise, or refuse one that the statements do not keep or cannot check."""
    promise = release.decision.promise
    if release.splits or release.treatment.quotas or release.household_k is not None:
        raise InputError(
            "statements for a warehouse suppress whole groups or blank values; search again without "
            "Anatomy, vioRec and households"
        )
    checked = Promise(k=promise.k, l=promise.l, theta=promise.theta, about=promise.about)
    if promise != checked:
        raise InputError(
            "verify.sql checks k, l and shares; for other promises, bring the rows here and release them"
        )
    for name in release.quasi:
        if not warehouse.without_missing(release.tally.domain(name)):
            text = show(warehouse.MISSING)
            raise InputError(
                f"{show(name)} has the value {text}, which stands for missing ones; rename it"
            )
    return promise
