"""Rows that are unique, or like fewer than k, for whoever knows the columns that are released as they are.

The promise is about groups of equal quasi values. Columns that are neither quasi nor sensitive leave as they
were, and break these groups up for whoever knows them too: colleagues, neighbours, another table. So the rows
are counted once more, by the quasi columns and all of these. Sensitive columns are left out of that count:
they are what is to be learnt, and whoever knows one of somebody has little left to learn from it. How many
rows are unique with them as well is among the details.

Which few columns do it is found greedily, each time the column that leaves the most rows unique. Every look
counts all rows, so where they are many, only the columns with the most values are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shoal.assess.audit.look import AuditWarning, Released
from shoal.numbers import share_of

LOUD = 0.05
ENOUGH = 0.5
"""Columns are named until half of the rows are accounted for."""
FEW, SOME = 3, 8
"""How many columns are named at most, where one look at a time can be taken and where more can."""
LOOKS = 4_000_000
"""Rows that are counted in search of one column; at least one look is taken."""


def check(released: Released) -> Iterator[AuditWarning]:
    """Yield a warning where other columns make rows unique, or bring them below k.

    Serious where more than 5% of the rows are unique, a warning where more than 5% are below k, else a note.
    """
    facts, rows, k = released.facts, released.rows, released.k
    others = [
        column for column in facts.others if column not in facts.quasi and _tells(released, column)
    ]
    if not others:
        return
    before, found = released.few_alike(), released.few_alike(*others)
    if found == before:
        return
    unique, below = found
    which = 0 if unique > before[0] else 1  # the rows to account for: unique ones, where there are more
    few, reached = _few(released, others, which, before[which], found[which])
    level = "serious" if unique > LOUD * rows else "warning" if below > LOUD * rows else "note"
    secret = [name for name in facts.sensitive if name not in facts.quasi and _tells(released, name)]
    details = {
        **_figures(found),
        "rows": rows,
        "k": k,
        "known": others,
        "columns": few,
        "by_columns": _figures(reached),
        "with_sensitive": _figures(released.few_alike(*others, *secret)) if secret else None,
    }
    known = others[0] if len(others) == 1 else f"the {len(others)} columns that are released as they are"
    sentence = (
        f"{_how_many(unique, below, rows, k)}, for whoever knows {known} besides the quasi columns; "
        f"{_by_which(few, others, reached[which], found[which])}, unless nobody can know that much."
    )
    yield AuditWarning("unique-rows", level, sentence, details)


def _how_many(unique: int, below: int, rows: int, k: int) -> str:
    """Return how many rows are unique and below k, of so many."""
    of = f"of {rows:,} rows "
    said = [f"{unique:,} {of}({share_of(unique, rows)}) are unique"] if unique else []
    if below > unique:
        said.append(
            f"{below:,} {'' if said else of}({share_of(below, rows)}) are like fewer than k = {k:,}"
        )
    return " and ".join(said)


def _by_which(few: Sequence[str], others: Sequence[str], reached: int, goal: int) -> str:
    """Return which columns do it, and what to do about them."""
    it = "it" if len(few) == 1 else "them"
    advice = f"make {it} quasi, coarsen {it} or leave {it} out"
    if len(few) == len(others):
        return advice
    named = few[0] if len(few) == 1 else f"{', '.join(few[:-1])} and {few[-1]}"
    if reached < ENOUGH * goal:
        return f"no few columns do it alone ({named}: {reached:,} rows), so coarsen or leave out many"
    return f"{named} alone: {reached:,} rows; {advice}"


def _few(
    released: Released, others: Sequence[str], which: int, before: int, goal: int
) -> tuple[list[str], tuple[int, int]]:
    """Return few columns that account for half of the rows, and how many they do account for."""
    left = sorted(others, key=lambda column: -released.profiles[column].distinct)
    looks = max(1, LOOKS // released.rows)
    most = FEW if looks == 1 else SOME
    chosen: list[str] = []
    reached = released.few_alike()
    while left and len(chosen) < most and reached[which] - before < ENOUGH * (goal - before):
        seen = {column: released.few_alike(*chosen, column) for column in left[:looks]}
        best = max(seen, key=lambda column: (seen[column][which], seen[column]))
        reached = seen[best]
        chosen.append(best)
        left.remove(best)
    return chosen, reached


def _tells(released: Released, column: str) -> bool:
    """Whether a column holds plain values, and more than one."""
    profile = released.profiles[column]
    return profile.nested is None and profile.distinct + (profile.missing > 0) > 1


def _figures(found: tuple[int, int]) -> dict[str, int]:
    return {"unique": found[0], "below_k": found[1]}
