"""Values of different persons in classes are those that the criterion counts, whatever the classes are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from shoal.criteria import Groups
from shoal.criteria.l_diversity import distinct_values
from shoal.data import coding
from shoal.data.opening import opened
from shoal.data.tally.tally import take_tally
from shoal.search.lattice.person_values import PersonValues

rows = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from(["x", "y", "z", "w", None]), st.integers(0, 6)),
    min_size=2,
    max_size=30,
)


@given(rows, st.randoms(use_true_random=False))
def test_values_of_different_persons_are_as_the_criterion_counts_them(rows, rng):
    rows = [*rows, rows[0]]  # somebody has two rows
    columns = {name: [row[i] for row in rows] for i, name in enumerate(("quasi", "ill", "who"))}
    with opened(pa.table(columns)) as engine:
        tally = take_tally(engine, ["quasi"], ["ill"], ["who"])
    classes, of = np.unique([rng.randrange(3) for _ in range(len(tally))], return_inverse=True)
    groups = Groups.of(tally, of, len(classes), ["ill"])
    expected = distinct_values(groups, "ill", tally.domain("ill"))
    found = PersonValues(tally, tally.persons, "ill").at(of, len(classes))
    assert found.tolist() == expected.tolist()


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), max_size=30),
    st.sampled_from([(0, 1), (-1, 1), (0, 7), (0, 1 << 24)]),
)
def test_rows_of_codes_are_placed_in_their_order(found, change):
    # Few possible rows are not sorted, more are sorted as numbers, and the others as they are.
    codes = (np.array(found, dtype=np.int32).reshape(-1, 3) + change[0]) * change[1]
    distinct, place = coding.placed(codes)
    assert distinct.tolist() == [list(row) for row in sorted({tuple(row) for row in codes.tolist()})]
    assert distinct[place].tolist() == codes.tolist()
