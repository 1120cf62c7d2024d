"""Hierarchies that a curator describes in a form: turns the input into a description or into rows."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from shoal.describe.hierarchies import Hierarchy, Label
from shoal.describe.hierarchies.date_forms import by_date
from shoal.errors import InputError, show

UNITS = ("week", "month", "quarter", "year", "5 years", "decade")
KINDS = {"intervals": "Intervals", "mask": "Mask", "dates": "Dates", "categories": "Categories"}


def kind_for(kind: str) -> str:
    """Return the kind of hierarchy that suits a kind of column (see `Look.kind`) best.

    >>> kind_for("whole number"), kind_for("code"), kind_for("text")
    ('intervals', 'mask', 'categories')
    """
    numbers = {"whole number": "intervals", "number": "intervals", "date": "dates", "code": "mask"}
    return numbers.get(kind, "categories")


def intervals(origin: str, widths: str) -> dict[str, Any]:
    """Return the description of intervals; the widths are separated by commas or spaces.

    >>> intervals("0", "5, 10 20")
    {'intervals': {'origin': '0', 'widths': ['5', '10', '20']}}
    """
    listed = widths.replace(",", " ").replace(";", " ").split()
    if not listed:
        raise InputError("no widths given; write some, such as 5, 10, 20")
    return {"intervals": {"origin": origin.strip() or "0", "widths": listed}}


def mask(digits: str, character: str) -> dict[str, Any]:
    """Return the description of a mask.

    >>> mask("5", "*")
    {'mask': {'digits': '5', 'character': '*'}}
    """
    return {"mask": {"digits": digits.strip(), "character": character}}


def units_of(given: Any) -> list[str]:
    """Return the units of a description of dates, which may also say their format.

    >>> units_of(["month"]), units_of({"units": ["month"], "format": "dd.mm.yyyy"})
    (['month'], ['month'])
    """
    return [str(unit) for unit in (given["units"] if isinstance(given, Mapping) else given)]


def form_of(given: Any) -> str | None:
    """Return the format that a description of dates says, if it says one.

    >>> form_of(["month"]), form_of({"units": ["month"], "format": "dd.mm.yyyy"})
    (None, 'dd.mm.yyyy')
    """
    return str(given["format"]) if isinstance(given, Mapping) and "format" in given else None


def dates(units: Iterable[str], form: str | None, possible: Sequence[str] = ()) -> dict[str, Any]:
    """Return the description of units of time, from the shortest to the longest, and of the dates' form.

    Without a form there must be one at most that is `possible`.

    >>> dates(["year", "month"], None), dates(["year"], "dd.mm.yyyy")
    ({'dates': ['month', 'year']}, {'dates': {'units': ['year'], 'format': 'dd.mm.yyyy'}})
    """
    if form is None and len(possible) > 1:
        raise InputError(f"the dates may be {' or '.join(possible)}; choose how they are written")
    chosen = set(units)
    if not chosen:
        raise InputError("no unit chosen; choose one or more, such as month and year")
    listed = [unit for unit in UNITS if unit in chosen]
    return {"dates": listed if form is None else {"units": listed, "format": form}}


def categories(lines: str, values: Iterable[Label]) -> list[tuple[Label, ...]]:
    """Return the rows of groups that are written one a line; values in no group stay as they are.

    >>> categories("warm: red, orange", ["red", "blue", "orange"])
    [('red', 'warm', '*'), ('orange', 'warm', '*'), ('blue', 'blue', '*')]
    """
    there = [value for value in values if value is not None]
    known = set(there)
    group_of: dict[str, str] = {}
    for number, line in enumerate(lines.splitlines(), 1):
        if not line.strip():
            continue
        name, colon, listed = line.partition(":")
        if not colon or not name.strip():
            raise InputError(f"line {number} has no name; write it as name: value, value")
        for value in _listed(listed):
            if value not in known:
                raise InputError(f"line {number}: no row has the value {show(value)}; correct it")
            if value in group_of:
                raise InputError(f"line {number}: {show(value)} is already in {show(group_of[value])}")
            group_of[value] = name.strip()
    loose = [value for value in there if value not in group_of]
    taken = set(group_of.values()) & set(loose)
    if taken:
        raise InputError(f"{show(min(taken))} is also a value outside that group; rename the group")
    rows: list[tuple[Label, ...]] = [(value, group, "*") for value, group in group_of.items()]
    rows += [(value, value, "*") for value in loose]
    return rows if group_of else [(value, "*") for value in there]


def _listed(words: str) -> list[str]:
    """Return the values between commas; quotes protect a comma inside a value."""
    found = next(csv.reader([words], skipinitialspace=True), [])
    return [value.strip() for value in found if value.strip()]


def in_order(hierarchy: Hierarchy) -> Hierarchy:
    """Return the hierarchy with its values in the order a reader expects: numbers by size, dates by time.

    >>> in_order(Hierarchy.from_rows([("10", "*"), ("9", "*")])).leaves
    ('9', '10')
    >>> in_order(Hierarchy.from_rows([("b", "*"), ("9", "*")])).leaves
    ('b', '9')
    >>> in_order(Hierarchy.from_rows([("01.02.2024", "*"), ("31.01.2024", "*")])).leaves
    ('31.01.2024', '01.02.2024')
    """
    present = [leaf for leaf in hierarchy.leaves if leaf is not None]
    try:
        numbers = [float(leaf) for leaf in present]
    except ValueError:
        line = by_date(present, hierarchy.date_form)
        if line is None:
            return hierarchy
        by_leaf = {row[0]: row for row in hierarchy.rows()}
        rows = [by_leaf.pop(leaf) for leaf in line]
        return Hierarchy.from_rows(
            [*rows, *by_leaf.values()], hierarchy.source, None, hierarchy.date_form
        )
    if not all(map(isfinite, numbers)) or numbers == sorted(numbers):
        return hierarchy
    rows = sorted(hierarchy.rows(), key=lambda row: (row[0] is None, float(row[0] or 0)))
    return Hierarchy.from_rows(rows, hierarchy.source)


def in_words(description: Mapping[str, Any]) -> str:
    """Return a description in words.

    >>> in_words({"intervals": {"origin": 0, "widths": [5, 10]}})
    'intervals of 5, 10, from 0 on'
    >>> in_words({"mask": {"digits": 5}}), in_words({"dates": ["month", "year"]})
    ('5 characters, masked from the right', 'dates by month, year')
    """
    if len(description) == 1:
        (kind, given), *_ = description.items()
        if kind == "intervals":
            widths = ", ".join(map(str, given["widths"]))
            return f"intervals of {widths}, from {given.get('origin', 0)} on"
        if kind == "mask":
            return f"{given['digits']} characters, masked from the right"
        if kind == "dates":
            form = form_of(given)
            return f"dates by {', '.join(units_of(given))}" + (f", written {form}" if form else "")
    return "a tree in the study file"
