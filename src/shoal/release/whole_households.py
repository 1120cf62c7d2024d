"""Releases in which every household looks like k - 1 others: what they need, and how that is verified."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.data.coding import fingerprint
from shoal.data.engine import Engine
from shoal.data.opening import opened
from shoal.errors import InputError, show
from shoal.verification.household_check import fewest_alike

if TYPE_CHECKING:
    from shoal.release.release import Release


def check_households(release: Release) -> None:
    """Refuse a release whose households cannot be told, or would be told to everybody."""
    column = release.household
    if release.household_k is None:
        return
    if release.splits:
        raise InputError("Anatomy deals single rows to groups; leave household_k out")
    if column is None:
        raise InputError("household_k is about households; name their column as households in the study")
    if column in release.columns:
        raise InputError(
            f"{show(column)} tells households, so it is never released; make it identifying, or "
            "do not list it"
        )


def household_failures(release: Release, rows: Engine) -> list[str]:
    """Count afresh how many households look alike, and return what is wrong with that.

    The released rows do not tell who lives together. So the same statement gives them once more, with their
    households and without other columns, and it is looked at whether these are the rows that were written.
    """
    column, k = release.household, release.household_k
    if column is None or k is None:
        return []
    shape, tables = release.statement
    persons = () if release.person is None else (release.person,)
    beside = replace(shape, columns=(*release.quasi, column), blanked={}, shifts={})
    with (
        closing(release.material.engine.outlet(beside, tables)) as outlet,
        opened(outlet.table()) as homes,
    ):
        same = fingerprint(homes.cells(release.quasi)) == fingerprint(rows.cells(release.quasi))
        fewest = fewest_alike(homes, release.quasi, column, persons)
    failures = []
    if not same:
        failures.append("households: the rows that were counted are not those that were written")
    if fewest < k:
        failures.append(f"household_k: {fewest:,} households look like one of them, fewer than {k:,}")
    return failures
