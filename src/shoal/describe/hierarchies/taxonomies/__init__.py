"""Taxonomies that are built in: countries, states of the USA, diagnoses, jobs, industries, education."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from shoal.describe.hierarchies.levels import ROOT, Label
from shoal.describe.hierarchies.taxonomies.code_classes import (
    icd10_path,
    isced_path,
    isco_path,
    nace_path,
)
from shoal.describe.hierarchies.taxonomies.country_regions import country_path
from shoal.describe.hierarchies.taxonomies.us_regions import us_state_path
from shoal.errors import InputError, did_you_mean, show

Path = tuple[str, ...]
"""The labels of a value, from the finest group to the coarsest."""

TAXONOMIES: dict[str, tuple[str, Callable[[str], Path | None]]] = {
    "countries": ("a country, by its English name or ISO code", country_path),
    "us-states": ("a state of the USA, by its name or letters", us_state_path),
    "icd-10": ("a code of ICD-10", icd10_path),
    "isco-08": ("a code of ISCO-08", isco_path),
    "nace-2": ("a code of NACE Rev. 2", nace_path),
    "isced-2011": ("a level of ISCED 2011, from 0 to 8", isced_path),
}
"""For each taxonomy what its values are, and the function that gives a value's labels."""


def taxonomy_rows(given: Any, values: list[str], source: str) -> list[tuple[Label, ...]]:
    """Return the rows of a built-in taxonomy for the values of a column.

    >>> taxonomy_rows("countries", ["FR", "Peru"], "country")
    [('FR', 'Western Europe', 'Europe', '*'), ('Peru', 'South America', 'Americas', '*')]
    """
    if not isinstance(given, str) or given not in TAXONOMIES:
        hint = did_you_mean(str(given), TAXONOMIES)
        raise InputError(f"unknown taxonomy {show(str(given))}; {hint}", file=source)
    what, path_of = TAXONOMIES[given]
    rows: list[tuple[Label, ...]] = []
    for value in values:
        path = path_of(value.strip())
        if path is None:
            raise InputError(
                f"the value {show(value)} is not {what}; correct it, call it missing, or list the hierarchy "
                "in a file",
                file=source,
            )
        rows.append((value, *path, ROOT))
    return rows


def knows(taxonomy: str, values: Iterable[str]) -> bool:
    """Return whether a taxonomy has a place for each of some values.

    >>> knows("countries", ["FR", "DE"]), knows("us-states", ["FR"])
    (True, False)
    """
    return all(TAXONOMIES[taxonomy][1](value.strip()) is not None for value in values)
