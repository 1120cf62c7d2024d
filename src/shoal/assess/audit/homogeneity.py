"""Groups in which (nearly) everybody has the same sensitive value: k alone does not hide it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.assess.audit.look import AuditWarning, Ints, Released, SensitiveSpread
from shoal.errors import show

NUMERATOR, DENOMINATOR = 9, 10
"""A value with a larger share of a group than nine tenths dominates it."""


def check(released: Released) -> Iterator[AuditWarning]:
    """Yield a warning for each sensitive column that some group gives away.

    A value that dominates the whole table dominates most groups too: where all rows of a group have it,
    that is a note, and where nearly all have it, nothing new.
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
                yield _warning(released, spread, np.flatnonzero(hit), level, what)


def _warning(
    released: Released, spread: SensitiveSpread, where: Ints, level: str, what: str
) -> AuditWarning:
    groups, rows = len(where), int(spread.sizes[spread.groups[where]].sum())
    worst = int(where[np.argmax(spread.counts[where])])
    group, value = int(spread.groups[worst]), spread.domain[spread.codes[worst]]
    sentence = (
        f"In {_of(groups, 'group')} ({_of(rows, 'row')}) {what} of {spread.column}, such as "
        f"{show(value)} in {released.name(group)}: who knows that a person is there knows the value; "
        "ask for l or a share limit."
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
