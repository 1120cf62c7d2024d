"""Adds the rows of new files to counts of persons, who may have had rows before.

A tally tells of persons in which cells they are, but not who they are. So the persons of the new rows are
looked up in the files that were counted before, where they have their key: what these rows added to the old
counts is taken out, and all rows of the same persons are put in. Nobody else's counts change. The keys are
held while this is done, and kept nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from shoal.data.coding import placed
from shoal.data.engine import Cells, Engine, Value
from shoal.data.person_rows import PersonRows
from shoal.data.tally.tally import several_rows
from shoal.errors import InputError

Ints = npt.NDArray[np.int64]


def with_new_rows(before: Cells, old: Engine, new: Engine, key: Sequence[str]) -> Cells:
    """Return the cells of the rows of both engines, given those of the old one; `key` names persons."""
    wide = [*before.columns, *key]
    come = new.cells(wide)
    named = {name: come.domains[wide.index(name)] for name in key}
    # A row with another value in some column of the key is none of these persons'.
    had = old.cells(wide, {name: {value: value for value in values} for name, values in named.items()})
    domains = _united(before.columns, (before, had, come))
    parts = [_codes(one, before.columns, domains) for one in (before, had, come)]
    codes, place = placed(np.concatenate(parts))
    cells_before, cells_had, cells_come = np.split(place, np.cumsum([len(one) for one in parts])[:-1])
    counts = _added(cells_before, before.counts, len(codes)) + _added(
        cells_come, come.counts, len(codes)
    )
    keys = [_codes(one, key, list(named.values())) for one in (had, come)]
    _, who = placed(np.concatenate(keys))
    who_had, who_come = who[: len(keys[0])], who[len(keys[0]) :]
    also = np.isin(who_had, who_come)  # a key of several columns may be put together of several persons'
    cells_had, who_had, rows_had = cells_had[also], who_had[also], had.counts[also]
    nobody = np.zeros(len(codes), dtype=np.int64)
    whose = before.persons or PersonRows(before.counts, *(nobody[:0],) * 3)
    rest = _without(
        whose.regrouped(cells_before, len(codes)),
        PersonRows.listed(nobody, cells_had, who_had, rows_had),
    )
    if rest is None or counts.min(initial=1) < 1:
        raise InputError("the tally does not fit the files that it counted; make it again")
    persons = PersonRows.listed(
        rest.cell_persons,
        np.concatenate([rest.cells, cells_had, cells_come]),
        np.concatenate([rest.persons, rest.spread + who_had, rest.spread + who_come]),
        np.concatenate([rest.rows, rows_had, come.counts]),
    )
    return Cells(before.columns, tuple(domains), codes, counts, several_rows(persons, int(counts.sum())))


def _codes(
    cells: Cells, columns: Sequence[str], domains: Sequence[tuple[Value, ...]]
) -> npt.NDArray[np.int32]:
    """Return the codes of some columns as places in domains that have all of their values."""
    codes = np.empty((len(cells.counts), len(columns)), dtype=np.int32)
    for c, (name, domain) in enumerate(zip(columns, domains, strict=True)):
        at = cells.columns.index(name)
        where = {value: code for code, value in enumerate(domain)}
        place = np.array([where[value] for value in cells.domains[at]], dtype=np.int32)
        codes[:, c] = place[cells.codes[:, at]]
    return codes


def _united(columns: Sequence[str], parts: Sequence[Cells]) -> list[tuple[Value, ...]]:
    """Return all values of columns in the order of domains: by their bytes, the missing value last."""
    domains: list[tuple[Value, ...]] = []
    for name in columns:
        values = {value for cells in parts for value in cells.domains[cells.columns.index(name)]}
        known = sorted((value for value in values if value is not None), key=str.encode)
        domains.append((*known, None) if None in values else tuple(known))
    return domains


def _added(places: Ints, counts: Ints, size: int) -> Ints:
    # Weights are added as doubles, which is exact up to 2^53.
    return np.bincount(places, weights=counts, minlength=size).astype(np.int64)


def _without(whole: PersonRows, part: PersonRows) -> PersonRows | None:
    """Return the persons without some of them, or None if these are not among them.

    Persons with the same rows in the same cells are alike, so it does not matter which of them go.
    """
    alone = whole.cell_persons - part.cell_persons
    stays = np.ones(len(whole.cells), dtype=np.bool_)
    widths, wanted = (np.bincount(one.persons) for one in (whole, part))
    for width in np.unique(wanted).tolist():
        own, gone = (np.flatnonzero(np.repeat(of == width, of)) for of in (widths, wanted))
        told = [
            np.concatenate([one.cells[at].reshape(-1, width), one.rows[at].reshape(-1, width)], axis=1)
            for one, at in ((whole, own), (part, gone))
        ]
        found, place = placed(np.concatenate(told))
        many, few = place[: len(told[0])], place[len(told[0]) :]
        order = np.argsort(many, kind="stable")
        first = np.searchsorted(many[order], np.arange(len(found)))
        leaving = np.bincount(few, minlength=len(found))
        if (leaving > np.bincount(many, minlength=len(found))).any():
            return None
        rank = np.empty(len(many), dtype=np.int64)
        rank[order] = np.arange(len(many)) - first[many[order]]
        stays[own] = np.repeat(rank >= leaving[many], width)
    if alone.min(initial=0) < 0:
        return None
    return PersonRows.listed(alone, whole.cells[stays], whole.persons[stays], whole.rows[stays])
