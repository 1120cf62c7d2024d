"""How much memory a tally may take; a larger one is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal

from shoal.errors import InputError, TallyTooLargeError
from shoal.numbers import BYTES, size
from shoal.running.memory import available_memory

SHARE = 4
"""By default a tally may take 1 / SHARE of the available memory."""
PER_CELL, PER_COLUMN = 180, 10
"""The most bytes that a cell and each of its columns take, from the fetch to the end of a frontier search."""
LITTLE = 1 << 20
"""Every machine has this many bytes, so a tally this small needs no look at the free memory."""
_budget: ContextVar[int | None] = ContextVar("budget", default=None)


def check_cells(cells: int, columns: int, name: str) -> None:
    """Refuse to fetch cells that would not fit into the budget.

    Engines call this after counting the groups and before fetching them; `name` is the table's name.

    >>> with budgeted("1MB"):
    ...     check_cells(1_000, 5, "adult.csv")
    """
    needed = memory_of(cells, columns)
    if needed <= LITTLE and _budget.get() is None:
        return
    if needed > (budget := tally_budget()):
        raise TallyTooLargeError(
            f"{cells:,} distinct combinations need {size(needed)} of memory, and a tally may take "
            f"{size(budget)}",
            "name fewer columns, or allow more memory (`tally_memory`)",
            budget=budget,
            file=name,
        )


def check_memory(needed: int, budget: int, what: str) -> None:
    """Refuse work on a tally that would not fit into the budget."""
    if needed > budget:
        raise InputError(
            f"{what} would take {size(needed)} of memory, and {size(budget)} are allowed; generalize more "
            "(`min_levels`), or allow more memory (`tally_memory`)"
        )


def memory_of(cells: int, columns: int) -> int:
    """Return the most bytes that a tally of this size takes, including the search on it."""
    return cells * (PER_CELL + PER_COLUMN * columns)


@contextmanager
def budgeted(budget: int | str | None) -> Iterator[None]:
    """Limit tallies to a budget inside the block, such as "4GB"; None uses the machine's default."""
    token = _budget.set(None if budget is None else parse_size(budget))
    try:
        yield
    finally:
        _budget.reset(token)


def tally_budget() -> int:
    """Return how many bytes a tally may take now."""
    found = _budget.get()
    return available_memory() // SHARE if found is None else found


def parse_size(text: int | str) -> int:
    """Return a size in bytes.

    >>> parse_size("4GB"), parse_size("1.5 GiB"), parse_size(1000)
    (4000000000, 1610612736, 1000)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(I?)B?\s*", str(text).upper())
    if found is None or (found[3] and not found[2]):
        raise InputError(f"{str(text)!r} is not a memory size; write one such as 4GB or 500MB")
    number, unit, binary = found.groups()
    scale = 1024 ** "KMGT".find(unit) * 1024 if binary else BYTES.get(unit, 1)
    return int(Decimal(number) * scale)
