"""What the pages say differently about a release in buckets (Anatomy)."""

from __future__ import annotations

from typing import Any

from shoal.numbers import count
from shoal.present.report import report_tables
from shoal.present.report.facts import Facts, counted, file_name, part, text, unit, whole
from shoal.present.report.layout import KeyFigure
from shoal.present.words import exact_share, having, listing

ROLES = {
    "quasi": "others may know them: released as they are",
    "group": "number of the row's group in the second table",
    "class": "label to be predicted: released unchanged",
    "insensitive": "released unchanged",
    "identifying": "identify persons: not released",
    "undecided": "nobody has decided about them: not released",
}

LIMITS = (
    "All values in the first file are exact. Anyone who knows enough about a person finds the person's row, "
    "or sees that the person is not in the file. Being in the file is not hidden, and no number of rows "
    "that look the same (k) is promised.",
    "Only the link between a row and its sensitive value is hidden. Everything else in a found row is "
    "known for certain.",
    "Anyone who can rule out values for some persons of a group, knows the values of others in it, or knows "
    "which values go with which persons, can guess better than the shares say.",
    "Other files about the same persons, published earlier or later, may reveal more together with this "
    "one than each does alone.",
    "No method makes it impossible to learn anything about a person from data about persons.",
)
OF_PERSONS = (
    "A person may have several values. Anyone who knows how many rows the persons of a group have may "
    "conclude that some have more of its values than others, and guess better than the shares say.",
)


def public_view(facts: Facts) -> dict[str, Any]:
    """Return what the public page says instead; nothing for other releases."""
    buckets = part(facts, "buckets")
    if not buckets:
        return {}
    column = text(buckets, "sensitive") or "the sensitive column"
    share = part(counted(facts), "sensitive", column).get("largest_share")
    persons = unit(facts) == "person"
    sizes = part(counted(facts), "buckets") if persons else buckets
    figures = [
        KeyFigure("Rows", count(whole(part(facts, "measured"), "rows")), "all values exact"),
        KeyFigure(
            "Groups", count(whole(buckets, "groups")), f"of {count(whole(sizes, 'smallest'))} or more"
        ),
    ]
    if share is not None:
        figures.insert(
            0, KeyFigure("Highest chance", exact_share(share), f"to name a person's {column}")
        )
    return {
        "figures": figures,
        "meaning": meaning(facts),
        "columns": report_tables.columns(facts, ROLES, "released as they are"),
        "formed": formed(facts),
        "limits": (*LIMITS, *(OF_PERSONS if persons else ())),
        "certificate": _needed(facts),
    }


def internal_view(facts: Facts) -> dict[str, Any]:
    """Return what the curator's page says instead; nothing for other releases."""
    if not part(facts, "buckets"):
        return {}
    return {
        "meaning": [*meaning(facts), *LIMITS[:2], *(OF_PERSONS if unit(facts) == "person" else ())],
        "columns": report_tables.columns(facts, ROLES, "no role given"),
        "certificate": _needed(facts),
    }


def formed(facts: Facts) -> list[str]:
    """Return how the two tables are made."""
    buckets = part(facts, "buckets")
    group, column = (text(buckets, name) or name for name in ("group", "sensitive"))
    second = file_name(buckets) or "a second file"
    if unit(facts) == "person":
        return [
            f"Persons are dealt into groups at random, with all their rows, so that few persons of a group "
            f"have the same value of {column}.",
            f"This file has every row without {column}, but with its group's number in the column {group}.",
            f"{second} lists, for every group, its values of {column} and how many persons have each.",
            "No value is made coarser, and no row is suppressed.",
        ]
    return [
        f"The rows are dealt into groups at random, so that the values of {column} in a group differ.",
        f"This file has every row without {column}, but with the number of its group in the column {group}.",
        f"{second} lists, for every group, its values of {column} and how many rows have each.",
        "No value is made coarser, and no row is suppressed.",
    ]


def meaning(facts: Facts) -> list[str]:
    """Return what the promise means for a person in the file."""
    buckets = part(facts, "buckets")
    group, column = (text(buckets, name) or name for name in ("group", "sensitive"))
    quasi = having(facts, "quasi")
    known = listing(quasi) if quasi else "the columns that others may know"
    if unit(facts) == "person":
        return [
            f"A group is all rows with the same number in {group}; all rows of a person are in one group.",
            f"{known} are exact: anyone who knows them about a person may find the person's rows. They show "
            f"the group, and every value of {column}, including a missing one, is of at most the promised "
            "share of the group's persons. The files do not tell which of these values are the person's.",
        ]
    return [
        f"A group is all rows with the same number in {group}.",
        f"{known} are exact: anyone who knows them about a person may find the person's row. The row shows "
        f"the group, and in the group every value of {column}, including a missing one, has at most the "
        "promised share. The files do not tell which of these values is the person's.",
    ]


def _needed(facts: Facts) -> str | None:
    """Return the files that a check needs besides the first."""
    name, second = file_name(facts), file_name(part(facts, "buckets"))
    return None if name is None else f"{name}.certificate.json and {second}"
