"""Finds decimal commas in a text file, where it is evident that numbers have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from shoal.data.engine import Engine
from shoal.data.opening import opened
from shoal.describe.table_reading import Reading
from shoal.proposal.found_codes import USUAL

MOST = 20_000
"""At most this many values of a column are looked at."""
_NUMBER = re.compile(r"-?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?P<part>,[0-9]+)?")
_POINT = re.compile(r"-?[0-9]+\.[0-9]+")


@contextmanager
def opened_as_found(table: Any) -> Iterator[Engine]:
    """Open a table for a first look; numbers with evident decimal commas are numbers in it."""
    with ExitStack() as rest:
        engine = rest.enter_context(opened(table))
        if engine.found is not None and has_commas(engine):
            rest.close()
            engine = rest.enter_context(opened(table, Reading(decimal=",")))
        yield engine


def has_commas(engine: Engine) -> bool:
    """Return whether a column has decimal commas, and no other has decimal points.

    All values of such a column are numbers, and one has a comma that cannot be a thousands mark, as in 1,5.
    """
    ends = {end for one in engine.profile(0) for end in (one.first, one.last) if not one.decimal}
    if not any(_NUMBER.fullmatch(end or "") for end in ends):
        return False  # one look settles it for most tables; the loop looks at each column
    evident = False
    for column in engine.columns:
        values = [value for value in engine.first_values(column, MOST) if value not in USUAL]
        found = [_NUMBER.fullmatch(value) for value in values]
        if all(found) and any(one and one["part"] and len(one["part"]) != 4 for one in found):
            evident = True
        elif any(map(_POINT.fullmatch, values)):
            return False
    return evident
