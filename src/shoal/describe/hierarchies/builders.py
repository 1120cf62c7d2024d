"""Hierarchies that are described instead of listed: intervals, masks, dates, taxonomies and nested trees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

from shoal.describe.hierarchies.date_forms import DateForm, days_of
from shoal.describe.hierarchies.intervals import INTERVALS, checked_options, interval_rows, plain_number
from shoal.describe.hierarchies.levels import ROOT, Hierarchy, Label
from shoal.describe.hierarchies.taxonomies import taxonomy_rows
from shoal.errors import InputError, did_you_mean, show

Values = Iterable[Label]


def build_hierarchy(description: Mapping[str, Any], values: Values, source: str) -> Hierarchy:
    """Return the hierarchy that a description gives for the values of a column.

    >>> h = build_hierarchy({"intervals": {"origin": 0, "widths": [5, 10]}}, ["3", "12"], "age")
    >>> h.rows()
    [('12', '10-14', '10-19', '*'), ('3', '0-4', '0-9', '*')]
    """
    if len(description) == 1:
        (kind, given), *_ = description.items()
        builder = _BUILDERS.get(str(kind))
        if builder is not None:
            present = sorted({value for value in values if value is not None})
            if not present:  # a column of missing values only: they meet in the root
                return Hierarchy.from_rows([(None, ROOT)], source)
            rows = builder(given, present, source)
            return Hierarchy.from_rows(rows, source, date_form=said_form(description, source))
        hint = did_you_mean(str(kind), _BUILDERS)
        if _haschecked_options(given) or (_has_units(given) and hint == "did you mean dates?"):
            raise InputError(f"unknown description {show(str(kind))}; {hint}", file=source)
    return _nested(description, source)


def _haschecked_options(given: Any) -> bool:
    """Return whether these are options, not the labels of a tree."""
    known = {*INTERVALS, *_MASK}
    return isinstance(given, Mapping) and bool(given) and {str(name) for name in given} <= known


def _has_units(given: Any) -> bool:
    """Return whether these could be units of time."""
    return isinstance(given, list) and all(_months(str(unit)) is not None for unit in given)


_MASK = ("digits", "character")


def _mask(given: Any, values: list[str], source: str) -> list[tuple[Label, ...]]:
    options = checked_options(given, _MASK, "digits", source)
    digits = plain_number(options["digits"], "the number of digits", source)
    character = str(options.get("character", "*"))
    if digits.denominator != 1 or not 1 <= digits <= 64:
        raise InputError("digits is a whole number from 1 to 64", file=source)
    if len(character) != 1 or not character.isprintable():
        raise InputError("the masking character must be one visible character", file=source)
    length = int(digits)
    for value in values:
        if len(value) != length:
            raise InputError(
                f"the value {show(value)} has {len(value)} characters where the mask says {length}; "
                "correct the data (were leading zeros lost?) or the mask",
                file=source,
            )
        if character in value:
            raise InputError(
                f"the value {show(value)} contains the masking character; choose another one",
                file=source,
            )
    return [
        tuple(value[: length - masked] + character * masked for masked in range(length + 1))
        for value in values
    ]


_DATES = ("units", "format")
_YEARS = re.compile(r"(\d{1,4}) years?")
_MONTHS = {"day": 0, "week": 0, "month": 1, "quarter": 3, "year": 12, "decade": 120}


def _months(unit: str) -> int | None:
    """Return the months in a unit of time: 0 if shorter than one, None if the unit is unknown."""
    years = _YEARS.fullmatch(unit)
    return _MONTHS.get(unit) if years is None else 12 * int(years[1])


def _nest(narrow: str, wide: str) -> bool:
    """Return whether every narrow unit falls within one wide unit; weeks cross months and years."""
    if narrow == "day":
        return wide != "day"
    if "week" in {narrow, wide}:
        return False
    within, around = _months(narrow), _months(wide)
    return bool(within and around and within < around and around % within == 0)


def _date_unit(unit: str, source: str) -> Callable[[date], str]:
    """Return the function that gives a day its label in a unit of time."""
    named: dict[str, Callable[[date], str]] = {
        "day": lambda d: d.isoformat(),
        "week": lambda d: f"{d.isocalendar().year:04d}-W{d.isocalendar().week:02d}",
        "month": lambda d: f"{d.year:04d}-{d.month:02d}",
        "quarter": lambda d: f"{d.year:04d}-Q{(d.month + 2) // 3}",
        "year": lambda d: f"{d.year:04d}",
        "decade": lambda d: f"{d.year // 10 * 10:04d}s",
    }
    if unit in named:
        return named[unit]
    years = _YEARS.fullmatch(unit)
    if years and int(years[1]) > 1:
        span = int(years[1])
        return lambda d: f"{d.year // span * span:04d}-{d.year // span * span + span - 1:04d}"
    raise InputError(
        f"unknown unit of time {show(unit)}; {did_you_mean(unit, [*named, '5 years'])}", file=source
    )


def said_form(description: Any, source: str) -> DateForm | None:
    """Return the form of dates that a description says; None if it says none.

    >>> said_form({"dates": {"units": ["year"], "format": "dd/mm/yyyy"}}, "birth")
    DateForm(text='dd/mm/yyyy')
    """
    given = description.get("dates") if isinstance(description, Mapping) else None
    if not isinstance(given, Mapping) or "format" not in given:
        return None
    return DateForm.said(str(given["format"]), source)


def _dates(given: Any, values: list[str], source: str) -> list[tuple[Label, ...]]:
    form = said_form({"dates": given}, source)
    if isinstance(given, Mapping):
        given = checked_options(given, _DATES, "units", source)["units"]
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise InputError("dates is a list of units, such as [month, quarter, year]", file=source)
    units = [_date_unit(str(unit), source) for unit in given]
    for narrow, wide in pairwise(map(str, given)):
        if not _nest(narrow, wide):
            raise InputError(
                f"{wide} does not hold whole units of {narrow}; order the units so that each is a multiple "
                "of the one before",
                file=source,
            )
    days = days_of(values, form, source)
    return [
        (value, *(unit(day) for unit in units), ROOT) for value, day in zip(values, days, strict=True)
    ]


def _nested(tree: Mapping[str, Any], source: str) -> Hierarchy:
    """Return the hierarchy of a nested mapping whose lists hold the leaves.

    A branch that ends early repeats its leaf, so that all rows have the same length. An empty list item is
    the missing value.
    """
    paths: list[list[Label]] = []

    def walk(node: Any, path: list[Label]) -> None:
        if isinstance(node, (Mapping, Sequence)) and not isinstance(node, str) and not node:
            raise InputError(f"{show(path[-1] if path else ROOT)} has nothing below it", file=source)
        if isinstance(node, Mapping):
            for label, below in node.items():
                walk(below, [*path, str(label)])
        elif isinstance(node, Sequence) and not isinstance(node, str):
            for below in node:
                if below is None:
                    paths.append([*path, None])
                else:
                    walk(below, path)
        elif node is None:
            paths.append(path)
        else:
            paths.append([*path, str(node)])

    try:
        walk(tree, [])
    except RecursionError:
        raise InputError("the tree is nested too deeply; is it part of itself?", file=source) from None
    if len(tree) == 1:
        root = str(next(iter(tree)))
    else:
        root = ROOT
        paths = [[ROOT, *path] for path in paths]
    depth = max((len(path) for path in paths), default=0)
    if depth < 2:
        raise InputError(f"the tree has no values below {show(root)}", file=source)
    rows = [tuple(reversed(path + path[-1:] * (depth - len(path)))) for path in paths]
    return Hierarchy.from_rows(rows, source)


_BUILDERS: dict[str, Callable[[Any, list[str], str], list[tuple[Label, ...]]]] = {
    "intervals": interval_rows,
    "mask": _mask,
    "dates": _dates,
    "taxonomy": taxonomy_rows,
}
