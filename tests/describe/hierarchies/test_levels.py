"""A hierarchy as levels: what it knows, what it refuses, and where a missing value stands."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from shoal.data.tally import MOST_LEVELS, make_ladder
from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError
from tests.examples import examples
from tests.strategies import hierarchies

ROWS = [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), (None, "y", "*")]


def refusal(rows, lines=None):
    with pytest.raises(InputError) as problem:
        Hierarchy.from_rows(rows, "age.csv", lines)
    return str(problem.value)


def test_every_level_has_the_labels_in_the_order_of_the_rows():
    hierarchy = Hierarchy.from_rows(ROWS)
    assert hierarchy.labels == (("a", "b", "c", None), ("x", "y"), ("*",))
    assert [codes.tolist() for codes in hierarchy.codes] == [[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]]
    assert hierarchy.height == 2
    assert hierarchy.leaves == ("a", "b", "c", None)
    assert hierarchy.rows() == ROWS
    assert hierarchy.row(2) == ("c", "y", "*")


def test_a_label_covers_the_leaves_below_it():
    hierarchy = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")])
    assert [covered.tolist() for covered in hierarchy.covered] == [[1, 1, 1], [2, 1], [3]]


@given(hierarchies())
def test_the_covered_leaves_of_every_level_add_up_to_all_leaves(hierarchy):
    for level, covered in enumerate(hierarchy.covered):
        assert covered.sum() == len(hierarchy.leaves)
        for code, label in enumerate(hierarchy.labels[level]):
            assert covered[code] == sum(row[level] == label for row in hierarchy.rows())


@given(hierarchies())
def test_a_hierarchy_is_made_again_from_its_rows(hierarchy):
    again = Hierarchy.from_rows(hierarchy.rows())
    assert again.labels == hierarchy.labels
    assert all(np.array_equal(one, two) for one, two in zip(again.codes, hierarchy.codes, strict=True))


def test_a_single_column_is_a_hierarchy_of_one_value():
    assert Hierarchy.from_rows([("a",)]).height == 0


def test_hierarchies_can_be_compared_and_kept_in_sets():
    one, two = Hierarchy.from_rows(ROWS), Hierarchy.from_rows(ROWS)
    assert one == one  # noqa: PLR0124
    assert isinstance(one == two, bool)
    assert one in {one}


def test_an_empty_text_is_the_missing_value():
    assert Hierarchy.from_rows([("", "", "*"), ("a", "x", "*")]).rows()[0] == (None, None, "*")


class TestRefusals:
    def test_no_rows(self):
        assert refusal([]).startswith("age.csv: the hierarchy is empty")

    def test_a_row_without_columns(self):
        assert refusal([("a", "*"), ()], [1, 2]).startswith("age.csv, line 2: an empty row")

    def test_a_row_of_empty_labels(self):
        assert refusal([("a", "*"), (None, None)], [1, 2]).startswith("age.csv, line 2: an empty row")

    def test_a_ragged_row(self):
        message = refusal([("a", "x", "*"), ("b", "*")], [1, 2])
        assert message.startswith("age.csv, line 2: 2 columns where the first row has 3: value 'b'")

    def test_a_leaf_that_stands_twice(self):
        message = refusal([("a", "x", "*"), ("b", "x", "*"), ("a", "y", "*")], [1, 3, 5])
        assert message.startswith("age.csv, line 5: the value 'a' appears twice (first on line 1)")

    def test_a_missing_leaf_that_stands_twice(self):
        assert "the value (missing) appears twice" in refusal([(None, "*"), ("", "*")])

    def test_two_parents(self):
        message = refusal([("a", "x", "p", "*"), ("b", "x", "q", "*")], [1, 2])
        assert message.startswith("age.csv, line 2: the value 'x' has two parents, 'p' and 'q'")

    def test_no_common_root(self):
        message = refusal([("a", "*"), ("b", "*"), ("c", "+")], [1, 2, 3])
        assert message.startswith("age.csv, line 3: no common root: '*' and '+'")

    @pytest.mark.parametrize(
        ("row", "column"),
        [(("a", None, "*"), 2), (("a", "x", None), 3), ((None, "x", None), 3), (("a", "", "*"), 2)],
    )
    def test_an_empty_label_above_a_value(self, row, column):
        message = refusal([row], [7])
        assert message.startswith("age.csv, line 7: the value ")
        assert f"has an empty label in column {column}" in message

    def test_a_long_value_is_cut(self):
        assert len(refusal([("x" * 10_000, "*"), ("x" * 10_000, "*")])) < 200


class TestMissing:
    def test_stays_itself_until_the_root_where_there_is_no_row_for_it(self):
        rows = [("a", "x", "*"), ("b", "x", "*")]
        with_missing = Hierarchy.from_rows(rows).with_missing()
        assert with_missing.rows() == [*rows, (None, None, "*")]

    def test_is_where_its_row_says(self):
        hierarchy = Hierarchy.from_rows(ROWS)
        assert hierarchy.with_missing() is hierarchy

    def test_meets_the_root_that_the_hierarchy_has(self):
        assert Hierarchy.from_rows([("a", "Any")]).with_missing().rows()[-1] == (None, "Any")

    def test_needs_a_root(self):
        with pytest.raises(InputError, match=r"age.csv: .* no common root .* add a last column \*"):
            Hierarchy.from_rows([("a",)], "age.csv").with_missing()

    def test_keeps_the_leaves_that_others_cover(self):
        hierarchy = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*")]).with_missing()
        assert [covered.tolist() for covered in hierarchy.covered] == [[1, 1, 1], [2, 1], [3]]


class TestLadders:
    def ladder(self, domain, rows=tuple(ROWS[:3]), **levels):
        counts = np.arange(1, len(domain) + 1, dtype=np.int64)
        return make_ladder("age", Hierarchy.from_rows(rows, "age.csv"), domain, counts, **levels)

    def test_hold_the_values_of_the_data_only_but_count_all_leaves(self):
        ladder = self.ladder(["c", "a"])
        assert ladder.covered.tolist() == [[1, 1], [1, 2], [3, 3]]
        assert ladder.leaves == 3
        assert (ladder.lo, ladder.hi, ladder.height) == (0, 2, 2)
        assert (ladder.codes[1, 0] == ladder.codes[1, 1], ladder.codes[2].tolist()) == (False, [0, 0])

    def test_take_the_missing_value_in(self):
        ladder = self.ladder(["a", None])
        assert ladder.leaves == 4
        assert ladder.covered.tolist() == [[1, 1], [2, 1], [4, 4]]

    def test_refuse_values_that_the_hierarchy_lacks(self):
        with pytest.raises(InputError) as problem:
            self.ladder(["a", "q", "r"])
        assert str(problem.value) == (
            "age.csv: no row for the value 'q' of the column 'age' (2 rows) and 1 more values; add it"
        )

    @pytest.mark.parametrize(
        ("levels", "words"),
        [
            ({"max_level": 3}, "max_level 3 of 'age' is above the root, level 2"),
            ({"min_level": 3}, "min_level 3 of 'age' is not between 0 and 2"),
            ({"min_level": -1}, "min_level -1 of 'age' is not between 0 and 2"),
            ({"min_level": 2, "max_level": 1}, "min_level 2 of 'age' is not between 0 and 1"),
            ({"max_level": -1}, "min_level 0 of 'age' is not between 0 and -1"),
        ],
    )
    def test_refuse_levels_that_are_not_there(self, levels, words):
        with pytest.raises(InputError) as problem:
            self.ladder(["a"], **levels)
        assert str(problem.value) == words

    def test_refuse_too_many_levels(self):
        rows = [tuple(f"l{i}" for i in range(MOST_LEVELS + 1))]
        with pytest.raises(InputError, match=f"age.csv: {MOST_LEVELS + 1} levels"):
            self.ladder(["l0"], rows)

    @settings(max_examples=examples(30))
    @given(hierarchies())
    def test_join_two_values_on_a_level_where_their_labels_are_one(self, hierarchy):
        domain = sorted(hierarchy.leaves)
        ladder = make_ladder("a", hierarchy, domain, np.ones(len(domain), dtype=np.int64))
        rows = {row[0]: row for row in hierarchy.rows()}
        for level in range(hierarchy.height + 1):
            for i, one in enumerate(domain):
                for j, two in enumerate(domain):
                    same = rows[one][level] == rows[two][level]
                    assert (ladder.codes[level, i] == ladder.codes[level, j]) == same
