"""Suppresses every household that too few others look like, with all its rows.

Two households look alike if equally many of their released members have each combination of released
values; where persons have several rows, members are persons, and a member has the set of the combinations of
their released rows in the household. A household that is one of fewer than k alike is suppressed, with all
its rows. That may leave classes with too few rows, which are then suppressed too, and without them other
households look different; so it is repeated until nothing changes. Rows are only ever suppressed, so it ends,
and then both promises hold: the classes are as the decision wants them, and every household with a released
member looks like at least k - 1 others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Value
from shoal.data.tally import Tally
from shoal.data.tally.living_together import Households
from shoal.data.tally.tally import several_rows
from shoal.errors import InputError, show
from shoal.recode.treatment import Treatment
from shoal.running import stopping

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]


def suppress_households(
    tally: Tally, column: str, k: int, treated: Callable[[Tally], Treatment]
) -> Treatment:
    """Return the treatment of a tally in which every released household looks like k - 1 others.

    `treated` gives the treatment of what is left of the tally.
    """
    homes, domain = tally.in_cells(column), tally.domain(column)
    if domain and domain[-1] is None:
        rows = int(tally.cell_counts[homes == len(domain) - 1].sum())
        raise InputError(f"{rows:,} rows have no household in {show(column)}; give every row one")
    gone = np.zeros(len(domain), dtype=np.bool_)
    while True:
        stopping.look()
        left = ~gone[homes]
        found = treated(only_cells(tally, left))
        if found.quotas:
            raise InputError(
                "household_k suppresses whole households, but vioRec single rows; use a solution by allRec"
            )
        classes = found.classes[tally.cell_combinations]
        released = np.flatnonzero(left & ~np.isin(classes, sorted(found.deleted)))
        shown = _shown(tally, homes, domain, classes, released)
        alike = shown.alike()
        few = np.bincount(alike)[alike] < k if len(alike) else np.zeros(0, dtype=np.bool_)
        if not few.any():
            break
        gone[np.unique(homes[released])[few]] = True  # households are numbered in this order
    lost = np.bincount(tally.cell_combinations, tally.cell_counts * ~left, len(tally)).astype(np.int64)
    return replace(
        found,
        rows=tally.rows,
        suppressed_rows=found.suppressed_rows + int(lost.sum()),
        persons=tally.people,
        suppressed_persons=tally.people - found.released_persons,
        homes=tuple(domain[home] or "" for home in np.flatnonzero(gone).tolist()),
        lost=lost,
    )


def _shown(
    tally: Tally, homes: Codes, domain: Sequence[Value], classes: Ints, released: Ints
) -> Households:
    """Return the households of the released cells, whose members have classes in place of values."""
    here = (homes[released], domain, classes[released])
    if tally.persons is None:
        return Households.told(*here, tally.cell_counts[released])
    places = np.full(len(homes), -1, dtype=np.int64)
    places[released] = np.arange(len(released))
    size = int(classes.max(initial=-1)) + 1
    return Households.of_persons(*here, size, tally.persons.regrouped(places, len(released)))


def without_homes(tally: Tally, column: str, homes: Collection[str]) -> Tally:
    """Return a tally without the rows of some households."""
    gone = np.array([home in homes for home in tally.domain(column)], dtype=np.bool_)
    return only_cells(tally, ~gone[tally.in_cells(column)])


def only_cells(tally: Tally, left: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Tally:
    """Return a tally of some of its cells, with all of its combinations; some may have no rows."""
    cells, persons = tally.cell_combinations[left], None
    if tally.persons is not None:
        of = np.where(left, np.cumsum(left) - 1, -1)
        whose = tally.persons.regrouped(of, int(left.sum()))
        persons = several_rows(whose, int(tally.cell_counts[left].sum()))
    counts = np.bincount(cells, tally.cell_counts[left], len(tally)).astype(np.int64)
    return replace(
        tally,
        counts=counts,
        cell_combinations=cells,
        cell_codes=np.ascontiguousarray(tally.cell_codes[left]),
        cell_counts=tally.cell_counts[left],
        persons=persons,
    )
