"""Anatomy (Xiao and Tao, VLDB 2006): quasi values stay exact, one sensitive column is split off.

The rows are dealt into groups. One table is released with the quasi values and the number of each row's
group, a second one with the sensitive values of each group and their counts. Anyone who finds a person's row
finds the group, in which every sensitive value has a share of at most 1 / l.

The paper forms group after group, with one row from each of the l fullest buckets (a bucket is the rows with
one sensitive value), and puts the remaining fewer than l rows into groups without their value. Here all
buckets are laid out in one line, and the line is dealt like cards to G = floor(rows / l) groups. The order of
the rows in a bucket depends on the release's seed.

Guarantee: possible exactly where no value has more than rows / l rows, as in the paper. Proof: a value with n
<= rows / l rows has n <= G of them, as n is a whole number; they are next to each other in the line, so no
group gets two. Each group gets at least floor(rows / G) >= l rows, all with different values, so every share
is at most 1 / l. If a value has more than rows / l rows, then in any partition some group has a share of it
above 1 / l, since the shares average to more than that. As in the paper, a value is in as many groups as it
has rows, and the reconstruction error is rows - G. No partition has less than rows - rows / l: a group of s
rows with counts c errs by s - sum(c^2) / s, and c <= s / l. So the error is less than 1 above the minimum.

Cost: O(values) for the search; one window function and one sort for the release.

The missing value is dealt like any other value: it too has a share of at most 1 / l.

Where a person has several rows, persons are dealt instead (`dealt_persons`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from shoal.answers.recoding import BucketRecoding
from shoal.data.tally import Tally
from shoal.describe import Role, Specification
from shoal.describe.hierarchies import Label
from shoal.describe.promise import Promise, ShareLimits
from shoal.errors import InputError, NoSolutionError, did_you_mean, show
from shoal.running.clock import Clock
from shoal.search.groups.bucket_table import PersonDeal
from shoal.search.groups.dealt_persons import deal_persons, kinds_of
from shoal.search.task import Algorithm, Found, Task


@dataclass(frozen=True)
class Deal:
    """Where each value's rows go: the row of rank r (from 0) goes to group (start + r) mod `groups`."""

    values: tuple[Label, ...]
    starts: tuple[int, ...]
    groups: int


def deal(
    column: str,
    values: Sequence[Label],
    counts: Sequence[int],
    l: int,  # noqa: E741
) -> Deal:
    """Return how rows are dealt, given how often each value occurs, or say which value is too frequent.

    >>> deal("illness", ["cold", "flu", "gout"], [2, 2, 1], 2)
    Deal(values=('cold', 'flu', 'gout'), starts=(0, 0, 0), groups=2)
    """
    rows, most = sum(counts), max(counts, default=0)
    if most * l > rows:
        value, possible = values[list(counts).index(most)], rows // max(most, 1)
        advice = (
            f"ask for l = {possible} at most"
            if possible >= 2
            else "no l can be kept: make its values coarser, or protect it by generalization"
        )
        raise NoSolutionError(
            f"{show(value)} of {show(column)} has {most:,} of {rows:,} rows, more than 1 in {l}; {advice}"
        )
    groups, starts, place = rows // l, [], 0
    for count in counts:
        starts.append(place % groups)
        place += count
    return Deal(tuple(values), tuple(starts), groups)


def dealt_of(tally: Tally, column: str, l: int) -> Deal | PersonDeal:  # noqa: E741
    """Return how a table is dealt by a column: its rows, or its persons where some have several rows."""
    if tally.persons is not None:
        return deal_persons(column, tally.domain(column), kinds_of(tally, column), l)
    return deal(column, tally.domain(column), tally.totals(column).tolist(), l)


def check_split(specification: Specification, column: str, l: int) -> None:  # noqa: E741
    """Refuse to split off what is not sensitive, and quasi columns that are sensitive or have a min_level."""
    sensitive, quasi = specification.having(Role.SENSITIVE), specification.having(Role.QUASI)
    if column not in sensitive:
        hint = did_you_mean(column, sensitive)
        raise specification.refuse(f"{show(column)} is not a sensitive column; {hint}")
    for name in quasi:
        if name in sensitive:
            raise specification.refuse(
                f"{show(name)} is quasi and sensitive; Anatomy releases quasi values unchanged, so it hides "
                "nothing of it",
                name,
            )
    if isinstance(l, bool) or not isinstance(l, int) or l < 2:
        raise InputError(f"l is {l}; Anatomy needs a whole number, 2 or more")
    for name in quasi:
        if specification.attributes[name].min_level > 0:
            raise specification.refuse(
                f"{show(name)} has a min_level above 0, and Anatomy releases quasi values unchanged; "
                "lower it, or generalize",
                name,
            )


def anatomy(task: Task, clock: Clock, sensitive: str | None = None) -> Found:
    """Return the buckets of one sensitive column."""
    specification, promise = task.specification, task.promise
    columns = specification.having(Role.SENSITIVE)
    l = promise.l  # noqa: E741
    if l is None or promise != Promise(l=l, about=promise.about):
        raise InputError("Anatomy keeps only l, because quasi values stay unchanged; give only l")
    if sensitive is None:
        about = promise.distinct(columns)
        if len(about) > 1:
            known = ", ".join(about)
            raise InputError(
                f"Anatomy hides one sensitive column; choose it with the option sensitive: {known}"
            )
        (sensitive,) = about
    check_split(specification, sensitive, l)
    tally = task.tally
    dealt = dealt_of(tally, sensitive, l)
    details = {
        "l": l,
        "buckets": dealt.groups,
        # The paper's error is about rows that have one value each.
        **({} if tally.persons is not None else {"reconstruction_error": task.rows - dealt.groups}),
        "not_released": [name for name in columns if name != sensitive],
    }
    return Found(
        BucketRecoding(dict.fromkeys(task.problem.names, 0), sensitive, l),
        Promise(theta={sensitive: ShareLimits(Fraction(1, l))}),
        details=details,
    )


ANATOMY = Algorithm(
    "anatomy",
    "Anatomy (Xiao and Tao 2006)",
    "buckets",
    anatomy,
    (
        "no value of the sensitive column, the missing one included, has a share above 1/l in a bucket",
        "where persons have several rows, all of a person's are in one bucket, and a share is that of its "
        "persons who have the value",
        "an answer is found if one exists",
        "quasi values stay exact, so k is not kept, and anyone can see who is in the table",
    ),
    options={"sensitive": "the sensitive column to split off; others are not released"},
    by_chance=False,
)
