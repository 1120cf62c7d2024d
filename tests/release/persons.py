"""Random tables of persons with several rows, and what anybody can count of them by hand."""

from __future__ import annotations

import itertools
from collections import defaultdict
from fractions import Fraction

import pyarrow as pa
from hypothesis import strategies as st

from shoal import Study
from shoal.describe.hierarchies import Hierarchy

TOWNS = Hierarchy.from_rows(
    [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")], "town"
)
SEXES = Hierarchy.from_rows([("f", "*"), ("m", "*")], "sex")
QUASI = {"town": TOWNS, "sex": SEXES}


@st.composite
def tables(draw, most=9):
    """Visits of some persons: the key has two columns, and somebody may have many visits."""
    rows = []
    for person in range(draw(st.integers(1, most))):
        for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3, 5]))):
            place = draw(st.sampled_from("abcd")), draw(st.sampled_from("fm"))
            ill = draw(st.sampled_from(["flu", "cold", "gout", None]))
            day = f"2024-{draw(st.integers(1, 12)):02}-{draw(st.integers(1, 28)):02}"
            rows.append((f"clinic {person % 2}", f"{person // 2}", *place, ill, day))
    return table_of(draw(st.permutations(rows)))


def table_of(rows):
    names = ("clinic", "number", "town", "sex", "ill", "day")
    return pa.table(
        {n: pa.array(c, pa.string()) for n, c in zip(names, zip(*rows, strict=True), strict=True)}
    )


def study_of(table, **more):
    given = {"persons": ["clinic", "number"], "sensitive": "ill", "insensitive": "day"} | more
    return Study(table, quasi=QUASI, **given)


def groups_of(rows, quasi, persons):
    """The rows of each group, by person."""
    found = defaultdict(lambda: defaultdict(list))
    for row in rows.to_pylist() if isinstance(rows, pa.Table) else rows:
        found[tuple(row[q] for q in quasi)][tuple(row[p] for p in persons)].append(row)
    return found


def shares(people, column):
    """What each value weighs in a group: a person is one, spread over the person's rows."""
    found = defaultdict(Fraction)
    for rows in people.values():
        for row in rows:
            found[row[column]] += Fraction(1, len(rows) * len(people))
    return found


def different(people, column):
    """The most values that can be given to different persons who have them, by trying all."""
    values = [{row[column] for row in rows} - {None} for rows in people.values()]
    every = sorted(set().union(*values))
    for size in range(len(every), 0, -1):
        for chosen in itertools.combinations(every, size):
            for persons in itertools.permutations(values, size):
                if all(v in has for v, has in zip(chosen, persons, strict=True)):
                    return size
    return 0
