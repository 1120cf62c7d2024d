"""Columns by which rows can be told apart: unique rows, unique sensitive values, untouched quasi columns.

The promise is about groups of equal quasi values. Columns that are neither quasi nor sensitive are released
unchanged, and split these groups for anyone who knows them too: colleagues, neighbours, another table. So
`unique_rows` counts the rows again by the quasi columns and all of these. Sensitive columns are not part of
that count: they are what an attacker wants to learn, and anyone who knows one has little left to learn. The
details say how many rows are unique with them as well.

The few columns to blame are found greedily, each time the column that makes the most rows unique. Every
try counts all rows, so if there are many rows, or columns, only those with the most values are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shoal.assess.audit.look import AuditWarning, Released
from shoal.numbers import count, percent, share_of

LOUD = 0.05
ENOUGH = 0.5
"""Columns are named until they account for half of the rows."""
FEW, SOME = 3, 8
"""The most columns to name: if only one can be tried at a time, and if more can."""
LOOKS = 4_000_000
"""Rows to count in search of one column; at least one column is tried."""
MOST_TRIED = 30
"""However few rows there are: a statement over many columns has its price without any."""


def unique_rows(released: Released) -> Iterator[AuditWarning]:
    """Yield a warning if other columns make rows unique, or bring them below k.

    It is serious if more than 5% of the rows are unique, a warning if more than 5% are below k, else a note.
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
    which = 0 if unique > before[0] else 1  # the rows to account for: unique ones if there are more
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
    known = others[0] if len(others) == 1 else f"the {len(others)} columns that are released unchanged"
    sentence = (
        f"{_how_many(unique, below, rows, k)}, for anyone who knows {known} besides the quasi columns; "
        f"{_by_which(few, others, reached[which], found[which])}, unless nobody can know that much."
    )
    yield AuditWarning("unique-rows", level, sentence, details)


def _how_many(unique: int, below: int, rows: int, k: int) -> str:
    """Say how many of the rows are unique, and how many are below k."""
    of = f"of {rows:,} rows "
    said = [f"{unique:,} {of}({share_of(unique, rows)}) are unique"] if unique else []
    if below > unique:
        said.append(
            f"{below:,} {'' if said else of}({share_of(below, rows)}) are in groups of fewer than k = {k:,}"
        )
    return " and ".join(said)


def _by_which(few: Sequence[str], others: Sequence[str], reached: int, goal: int) -> str:
    """Say which columns are to blame, and what to do about them."""
    it = "it" if len(few) == 1 else "them"
    advice = f"make {it} quasi, coarsen {it} or do not release {it}"
    if len(few) == len(others):
        return advice
    named = few[0] if len(few) == 1 else f"{', '.join(few[:-1])} and {few[-1]}"
    if reached < ENOUGH * goal:
        return (
            f"no small set of columns is to blame ({named}: {reached:,} rows), so coarsen or drop many"
        )
    return f"{named} alone: {reached:,} rows; {advice}"


def _few(
    released: Released, others: Sequence[str], which: int, before: int, goal: int
) -> tuple[list[str], tuple[int, int]]:
    """Return a few columns that account for half of the rows, and how many rows they account for."""
    left = sorted(others, key=lambda column: -released.profiles[column].distinct)
    looks = max(1, min(LOOKS // released.rows, MOST_TRIED))
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
    """Return whether a column has plain values, and more than one."""
    profile = released.profiles[column]
    return profile.nested is None and profile.distinct + (profile.missing > 0) > 1


def _figures(found: tuple[int, int]) -> dict[str, int]:
    return {"unique": found[0], "below_k": found[1]}


MANY_VALUES, NEARLY_ALL = 0.5, 0.9
FEWEST_VALUES = 10
"""Fewer distinct values are not unusual, however few rows there are."""


def unique_values(released: Released) -> Iterator[AuditWarning]:
    """Yield a warning for each sensitive column in which most rows have a value of their own.

    It is serious if nine tenths of the rows have a value that nobody else has, and a warning if there is a
    distinct value for every second row. Columns that are neither quasi nor sensitive are covered by
    `unique_rows`.
    """
    facts = released.facts
    for column in facts.sensitive:
        if column in facts.quasi:
            continue
        profile = released.profiles[column]
        alone, distinct = profile.once / released.rows, profile.distinct / released.rows
        if profile.distinct < FEWEST_VALUES or (alone < NEARLY_ALL and distinct < MANY_VALUES):
            continue
        sentence = (
            f"The column {column} is released unchanged and has {profile.distinct:,} distinct values in "
            f"{released.rows:,} rows; {profile.once:,} rows ({percent(alone)}) have a unique value, so "
            "anyone who knows it finds the row: make it quasi, coarsen it or do not release it."
        )
        details = {
            "column": column,
            "role": "sensitive",
            "distinct": profile.distinct,
            "alone": profile.once,
            "rows": released.rows,
        }
        yield AuditWarning(
            "uniqueness", "serious" if alone >= NEARLY_ALL else "warning", sentence, details
        )


FINE, FAIRLY_FINE = 50, 10
"""Numbers of distinct values of an untouched quasi column that call for a note."""


def untouched_quasi(released: Released) -> Iterator[AuditWarning]:
    """Yield a note for each untouched quasi column with many values, or with few rows per value.

    Many means 50; 10 are enough if a value has fewer than 10 * k rows on average.
    """
    groups = released.groups
    for column, domain in zip(groups.columns, groups.domains, strict=True):
        if column not in released.facts.untouched:
            continue
        distinct = sum(value is not None for value in domain)
        few_rows = distinct * 10 * released.k > released.rows
        if distinct >= FINE or (distinct >= FAIRLY_FINE and few_rows):
            sentence = (
                f"The quasi column {column} is not generalized at all and has {distinct:,} distinct "
                f"values, {count(released.rows / distinct)} rows each on average: it remains the best column "
                "for linking; consider a lowest level for it."
            )
            details = {"column": column, "distinct": distinct, "rows": released.rows}
            yield AuditWarning("untouched-quasi", "note", sentence, details)
