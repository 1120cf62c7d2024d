"""The order of a column's values if they are numbers, dates or parts of years: such values make intervals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal

from shoal.describe.hierarchies import Hierarchy, Label
from shoal.describe.hierarchies.date_forms import DateForm, by_date
from shoal.search.groups.group_labels import number_of

_SCIENTIFIC = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", re.ASCII)
_COMMA = re.compile(r"[+-]?[0-9]+(,([0-9]{1,2}|[0-9]{4,}))?", re.ASCII)
"""Decimal commas; three digits after one might be thousands."""
_MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])", re.ASCII)
_DIGIT = re.compile(r"[0-9]", re.ASCII)
FEWEST = 4
"""The fewest values of which one can be told to be odd."""
_PART = re.compile(r"([0-9]{4})[- ]?(Q[1-4]|H[12]|W[0-9]{2})", re.ASCII)


def line_of(hierarchy: Hierarchy) -> tuple[tuple[str, ...], Label] | None:
    """Return the leaves of a hierarchy in the order of numbers or dates, and the one that has no place there.

    That is the missing value, or a single text that looks unlike the others. None if there is no order.

    >>> line_of(Hierarchy.from_rows([["10,5", "*"], ["9", "*"], ["9,25", "*"]]))
    (('9', '9,25', '10,5'), None)
    >>> line_of(Hierarchy.from_rows([["2024-Q1", "*"], ["2023-Q4", "*"]]))
    (('2023-Q4', '2024-Q1'), None)
    >>> line_of(Hierarchy.from_rows([["17", "*"], ["unknown", "*"], ["9", "*"], ["30", "*"]]))
    (('9', '17', '30'), 'unknown')
    >>> line_of(Hierarchy.from_rows([["1,000", "*"], ["1,5", "*"]])) is None
    True
    """
    present = [leaf for leaf in hierarchy.leaves if leaf is not None]
    found = _ordered(present, hierarchy.date_form)
    if found is not None:
        return found, None
    odd = _odd_one(present)
    if odd is None or len(present) < len(hierarchy.leaves):
        return None
    found = _ordered([leaf for leaf in present if leaf != odd], hierarchy.date_form)
    return None if found is None else (found, odd)


def _ordered(values: Sequence[str], form: DateForm | None) -> tuple[str, ...] | None:
    """Return values in their order; None if they have none."""
    if not values:
        return None
    if all(number_of(value) is not None for value in values):
        return tuple(sorted(values, key=lambda value: (number_of(value), value)))
    return by_date(values, form) or _by_form(values)


def _odd_one(values: Sequence[str]) -> str | None:
    """Return the only value that is no number, or else the only one whose digits stand elsewhere."""
    if len(values) < FEWEST:
        return None
    strange = [value for value in values if number_of(value) is None]
    if len(strange) > 1:
        shapes = {value: _DIGIT.sub("0", value) for value in values}
        usual = Counter(shapes.values()).most_common(1)[0][0]
        strange = [value for value in values if shapes[value] != usual]
    return strange[0] if len(strange) == 1 else None


def _by_form(values: Sequence[str]) -> tuple[str, ...] | None:
    """Return values in their order if all have one of the less usual forms."""
    forms: tuple[tuple[re.Pattern[str], Callable[[str], object]], ...] = (
        (_SCIENTIFIC, Decimal),
        (_COMMA, lambda value: Decimal(value.replace(",", "."))),
        (_MONTH, str),
        (_PART, lambda value: (value[:4], value[-3:].lstrip("- "))),
    )
    for form, place in forms:
        if all(form.fullmatch(value) for value in values):
            # Weeks, quarters and halves of years have no order among each other.
            if form is _PART and len({value.lstrip("0123456789- ")[0] for value in values}) > 1:
                return None
            return tuple(sorted(values, key=lambda value: (place(value), value)))
    return None
