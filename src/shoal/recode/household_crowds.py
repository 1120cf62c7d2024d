"""Suppresses every household that too few others look like, with all its rows.

Two households look alike if equally many of their released members have each combination of released
values. A household that is one of fewer than k alike is suppressed, with all its rows. That may leave
classes with too few rows, which are then suppressed too, and without them other households look
different; so it is repeated until nothing changes. Rows are only ever suppressed, so it ends, and then
both promises hold: the classes are as the decision wants them, and every household with a released
member looks like at least k - 1 others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from shoal.data.tally import Tally
from shoal.data.tally.living_together import Households
from shoal.errors import InputError, show
from shoal.recode.treatment import Treatment
from shoal.running import stopping


def suppress_households(
    tally: Tally, column: str, k: int, treated: Callable[[Tally], Treatment]
) -> Treatment:
    """Return the treatment of a tally in which every released household looks like k - 1 others.

    `treated` gives the treatment of what is left of the tally.
    """
    if tally.persons is not None:
        raise InputError(
            "household_k counts rows as members, and persons have several rows here; leave it out"
        )
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
        shown = Households.told(homes[released], domain, classes[released], tally.cell_counts[released])
        alike = shown.alike()
        few = np.bincount(alike)[alike] < k if len(alike) else np.zeros(0, dtype=np.bool_)
        if not few.any():
            break
        gone[homes[released[few[shown.of]]]] = True
    lost = np.bincount(tally.cell_combinations, tally.cell_counts * ~left, len(tally)).astype(np.int64)
    rows = int(lost.sum())
    return replace(
        found,
        rows=tally.rows,
        suppressed_rows=found.suppressed_rows + rows,
        persons=found.persons + rows,
        suppressed_persons=found.suppressed_persons + rows,
        homes=tuple(domain[home] or "" for home in np.flatnonzero(gone).tolist()),
        lost=lost,
    )


def only_cells(tally: Tally, left: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Tally:
    """Return a tally of some of its cells, with all of its combinations; some may have no rows."""
    cells = tally.cell_combinations[left]
    counts = np.bincount(cells, tally.cell_counts[left], len(tally)).astype(np.int64)
    return replace(
        tally,
        counts=counts,
        cell_combinations=cells,
        cell_codes=np.ascontiguousarray(tally.cell_codes[left]),
        cell_counts=tally.cell_counts[left],
    )
