"""Groups that reveal sensitive values: nearly everybody has the same one, or they differ from the table's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.assess.audit.look import AuditWarning, Ints, Released, SensitiveSpread
from shoal.errors import show
from shoal.numbers import percent

NUMERATOR, DENOMINATOR = 9, 10
"""A value with a share of more than nine tenths dominates a group."""


def homogeneity(released: Released) -> Iterator[AuditWarning]:
    """Yield a warning for each sensitive column that some group reveals.

    A value that dominates the whole table dominates most groups too: if all rows of a group have it, that is
    only a note; if nearly all have it, it is nothing new.
    """
    for spread in released.spreads:
        sizes = spread.sizes[spread.groups]
        common = (spread.totals * DENOMINATOR > NUMERATOR * released.rows)[spread.codes]
        alone = spread.present & (spread.counts == sizes)
        large = spread.present & (spread.counts * DENOMINATOR > NUMERATOR * sizes)
        every, nearly = "all rows have one value", "one value has more than 90% of the rows"
        for level, what, hit in (
            ("serious", every, alone & ~common),
            ("warning", nearly, large & ~alone & ~common),
            ("note", every, alone & common),
        ):
            if hit.any():
                yield _dominated(released, spread, np.flatnonzero(hit), level, what)


def _dominated(
    released: Released, spread: SensitiveSpread, where: Ints, level: str, what: str
) -> AuditWarning:
    groups, rows = len(where), int(spread.sizes[spread.groups[where]].sum())
    worst = int(where[np.argmax(spread.counts[where])])
    group, value = int(spread.groups[worst]), spread.domain[spread.codes[worst]]
    sentence = (
        f"In {_of(groups, 'group')} ({_of(rows, 'row')}) {what} of {spread.column}, such as "
        f"{show(value)} in {released.name(group)}: anyone who knows that a person is there knows the "
        "value; ask for l or a share limit."
    )
    example = {
        "group": released.labels(group),
        "value": value,
        "share": int(spread.counts[worst]) / int(spread.sizes[group]),
    }
    details = {"column": spread.column, "groups": groups, "rows": rows, "example": example}
    return AuditWarning("homogeneity", level, sentence, details)


def _of(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


FAR = 0.5


def skewness(released: Released) -> Iterator[AuditWarning]:
    """Yield a note for each sensitive column with groups at a distance of one half or more.

    The distance is the total variation, which t-closeness uses for values without an order: the sum, over the
    values that are more frequent in the group than in the release, of the difference.
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
            f"In {int(far.sum()):,} of {len(distance):,} groups ({rows:,} rows) {spread.column} is far "
            f"from the table: {show(value)} has {percent(inside)} of {released.name(worst)} and "
            f"{percent(outside)} of all rows, so a group reveals more than the table does."
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
