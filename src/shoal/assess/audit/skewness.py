"""Groups whose sensitive values are spread far from those of the whole table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.assess.audit.look import AuditWarning, Released
from shoal.errors import show
from shoal.numbers import percent

FAR = 0.5


def check(released: Released) -> Iterator[AuditWarning]:
    """Yield a note for each sensitive column with groups at a distance of one half or more.

    The distance is the total variation, which t-closeness uses for values without an order: the sum, over
    the values that are more frequent in the group than in the release, of how much more frequent they are.
    """
    for spread in released.spreads:
        rise = spread.counts / spread.sizes[spread.groups] - spread.totals[spread.codes] / released.rows
        distance = np.bincount(spread.groups, weights=np.maximum(rise, 0))
        far = distance >= FAR - 1e-9  # shares are rounded
        if not far.any():
            continue
        worst = int(distance.argmax())
        here = np.flatnonzero(spread.groups == worst)
        most = int(here[np.argmax(rise[here])])
        inside = int(spread.counts[most]) / int(spread.sizes[worst])
        outside = int(spread.totals[spread.codes[most]]) / released.rows
        value = spread.domain[spread.codes[most]]
        rows = int(spread.sizes[far].sum())
        sentence = (
            f"In {int(far.sum()):,} of {len(distance):,} groups ({rows:,} rows) {spread.column} is spread "
            f"far from the table: {show(value)} has {percent(inside)} of {released.name(worst)} and "
            f"{percent(outside)} of all rows, so a group tells more than the table does."
        )
        details = {
            "column": spread.column,
            "groups": int(far.sum()),
            "rows": rows,
            "largest_distance": float(distance[worst]),
            "example": {
                "group": released.labels(worst),
                "value": value,
                "share": inside,
                "share_of_table": outside,
            },
        }
        yield AuditWarning("skewness", "note", sentence, details)
