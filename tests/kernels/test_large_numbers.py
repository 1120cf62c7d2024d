"""Numbers that would not fit are refused where they come in, or wrap around as those of a measurement.

None of them may overflow: `.ci/sanitize` is where that would show.
"""

import math

import numpy as np
import pytest

from shoal.kernels import NEVER, CutQuestion, CutSearch, CutWalk, Regions, Regrouping, _core

MOST = 2**63 - 1
SET, TREE = 1, 2


def regions(*, factor=1, leaves=(1, 1), rows=(1, 1)):
    order = np.array([[0, 1]], np.int32)
    axis = (SET, factor, order, np.array([leaves], np.int64))
    codes = np.array([[0], [1]], np.int32)
    return Regions([axis], codes, np.array(rows, np.int64)[:, None], np.zeros((2, 1), np.int32))


def split(made, k, *, median=False):
    groups = np.zeros((2, 1), np.int64)
    return made.split(groups, k, True, median, 1, 0, 1.0, None).ravel().tolist()


def question(**changed):
    """Two attributes of two values each, with a sensitive column and a class of two values each."""
    asked = {
        "attribute": [0, 0, 0, 1, 1, 1],
        "parent": [-1, 0, 0, -1, 3, 3],
        "weight": [2, 0, 0, 3, 0, 0],
        "below": [8] * 6,
        "leaves": np.array([[1, 4], [2, 5]], np.int32),
        "rows": np.array([4, 4]),
        "cells": [
            (np.array([0, 0, 1]), np.array([0, 1, 0], np.int32), np.array([3, 1, 4])),
            (np.array([0, 1]), np.array([2, 3], np.int32), np.array([4, 4])),
        ],
        "scheme": 1,
        "k": 1,
        "limits": np.array([[1, 2, 0, 0]] * 2),
        "tuples": np.empty((0, 1), np.int32),
        "labels": 2,
        "joint": False,
        "unit": 1,
        "record_cost": 5,
        "value_cost": 1,
        "size_part": 0,
        "class_part": 0,
        "size_table": list(range(9)),
        "class_table": list(range(9)),
    }
    return CutQuestion(**(asked | changed))


FREE = {"scheme": 0, "limits": np.empty((0, 4), np.int64), "labels": 0, "cells": []}
"""A question without limits: every cut is allowed."""


def searched(asked, *, slack=0, offered=None, seconds=5.0):
    search = CutSearch(asked, 1, slack, *[True] * 7, 1)
    if offered is not None:
        search.offer(*offered)
    assert search.run(seconds)
    return search.best()


@pytest.mark.parametrize("k", [2**61 + 1, 2**62, MOST])
def test_no_k_is_too_large_to_be_doubled(k):
    assert split(regions(), k) == [0, 0]
    again = Regrouping(regions(), np.zeros((2, 1), np.int64), k, np.array([[1], [0]], np.int32), 1, None)
    again.run(40, 1.0, 0.5)
    assert again.groups().ravel().tolist() == [0, 0]


def test_rows_of_groups_can_be_doubled():
    many = regions(factor=0, rows=(2**60, 2**60))
    assert split(many, 1, median=True) == [0, 1]
    with pytest.raises(ValueError, match="too many rows"):
        regions(factor=0, rows=(2**61, 1))


def test_labels_that_cover_no_leaf_do_not_cost_too_little():
    assert regions(factor=2**58, leaves=(0, 0)).costs(np.zeros((2, 1), np.int64)).tolist() == [
        [-(2**59)]
    ]
    with pytest.raises(ValueError, match="too large to be added up"):
        regions(factor=2**62, leaves=(0, 0))


@pytest.mark.parametrize(
    ("codes", "refused"),
    [([0, 0], "tells every value apart"), ([0, 2**32], "below 2"), ([-1, 0], "not negative")],
)
def test_the_lowest_nodes_of_a_tree_are_its_values(codes, refused):
    table = np.array([codes, [0, 0], [1, 1], [2, 2]], np.int64)
    axis = (TREE, 1, np.array([[0, 1]], np.int32), table)
    with pytest.raises(ValueError, match=refused):
        Regions(
            [axis], np.array([[0], [1]], np.int32), np.ones((2, 1), np.int64), np.zeros((2, 1), np.int32)
        )


def test_squares_and_weights_at_thresholds_wrap_around_as_in_a_measurement():
    size, weight = 2**53 + 1, 2**40 + 3
    book = _core.Codebook([np.zeros((1, 1), np.int32)], [np.array([[weight]])])
    keys, counts = np.zeros((1, 1), np.uint64), np.array([[size]])
    whole, _ = book.measure(keys, counts, [0], size)
    assert whole[0, 2] == (size**2 + 2**63) % 2**64 - 2**63
    _, rows = _core.thresholds_box(book, keys, counts, 1, [], [], [0], [0], [0], 1, False, 0, 2**60, 1)
    assert rows[0, 2] == whole[0, 2]
    two = _core.Codebook([np.array([[0, 1]], np.int32)], [np.array([[weight, 0]])])
    keys, counts = two.pack(np.array([[0], [1]], np.int32)), np.array([[size], [size + 1]])
    _, rows = _core.thresholds_box(
        two, keys, counts, 1, [], [], [0], [0], [0], size + 1, False, 0, 2**60, 1
    )
    assert rows[0, 7] == whole[0, 7]
    assert rows[0, 10] == (size * weight + 2**63) % 2**64 - 2**63


def test_a_unit_is_not_nothing():
    with pytest.raises(ValueError, match="no such unit"):
        question(unit=0, scheme=2, size_part=1)


def test_vio_rec_counts_minorities_by_pairs_and_no_tuples_beside_them():
    with pytest.raises(ValueError, match="pairs of values and labels are needed"):
        question(scheme=2, class_part=1)
    with pytest.raises(ValueError, match="not counted together"):
        question(scheme=2, class_part=1, joint=True, tuples=np.array([[0], [1]], np.int32))


@pytest.mark.parametrize("slots", [(0, 1), (2, 3)], ids=["values", "labels"])
def test_a_combination_has_no_more_values_than_rows(slots):
    most = 2**31 - 1
    cells = [(np.array([0, 0]), np.array(slots, np.int32), np.array([most, most]))]
    with pytest.raises(IndexError, match="more values than rows"):
        question(rows=np.array([most, 0]), cells=cells)


@pytest.mark.parametrize(
    "dear",
    [
        {"weight": [MOST, 0, 0, MOST, 0, 0], "rows": np.array([0, 0]), "cells": []},
        {"value_cost": NEVER},
        {"unit": 2**58, "size_part": 1},
        {"size_table": [0, *[2**61 - 1] * 8], "size_part": 2},
        {"size_table": [-NEVER, *[0] * 8], "size_part": 2},
        {"class_table": [2**60, *[0] * 8], "class_part": 2},
    ],
    ids=["weights", "values", "squares", "sizes", "no rows", "no label"],
)
def test_costs_that_do_not_add_up_are_refused(dear):
    with pytest.raises(ValueError, match="too large to be added up"):
        question(**dear)


@pytest.mark.parametrize("cost", [-MOST - 1, NEVER + 1, -NEVER - 1])
def test_a_table_holds_no_cost_that_is_none(cost):
    with pytest.raises(ValueError, match="no such cost"):
        question(size_table=[0, cost, *[0] * 7], size_part=2)


def test_costs_of_groups_may_be_as_large_as_their_rows_allow():
    # The dearest cost a row is what counts: one group of all rows, or many of few.
    table = [0, *[n * 2**57 for n in range(1, 9)]]
    best = searched(question(size_table=table, size_part=2, **FREE))
    assert best[0][0] == 2**60


@pytest.mark.parametrize("offered", [-MOST - 1, NEVER, MOST])
def test_a_cost_that_no_cut_has_is_not_offered(offered):
    with pytest.raises(ValueError, match="no such cost"):
        searched(question(), offered=(offered, []))


@pytest.mark.parametrize("slack", [0, 2**20, MOST, -MOST])
def test_any_slack_is_taken(slack):
    falls = [-n * n for n in range(9)]
    assert searched(question(size_part=2, size_table=falls, **FREE), slack=slack)[0][0] <= 0


@pytest.mark.parametrize("seconds", [math.inf, 1e300, -1e300])
def test_any_number_of_seconds_is_taken(seconds):
    if seconds > 0:
        assert searched(question(**FREE), seconds=seconds) == searched(question(**FREE))
    found = CutWalk(question(**FREE)).good_start(1, 1, seconds)
    assert found == ([0, 3], 0)


def test_without_time_a_search_goes_on_a_little_each_time_it_is_asked():
    search = CutSearch(question(**FREE), 1, 0, *[True] * 7, 1)
    assert any(search.run(-1e300) for _ in range(1000))
    assert search.best() == searched(question(**FREE))


def test_seconds_are_a_number():
    with pytest.raises(ValueError, match="no number"):
        searched(question(), seconds=math.nan)
    with pytest.raises(ValueError, match="no number"):
        CutWalk(question()).good_start(1, 1, math.nan)


def covered(*, prices=(1, 1), rows=(1, 1), ks=(2,), dearest=1):
    axis = (np.zeros((1, 2), np.int32), np.array([prices], np.int64))
    values, counts = np.array([[0], [1]], np.int32), np.array(rows, np.int64)[:, None]
    found = _core.cheapest_covers([axis], values, counts, counts, np.array(ks)[:, None], dearest, 1, 5.0)
    return found.ravel().tolist()


def test_costs_of_covers_that_do_not_fit_are_refused():
    assert covered() == [2]
    assert covered(ks=(2, MOST), dearest=2**59) == [2, 2**60]
    for refused in (
        {"prices": (2**62, 2**62)},
        {"dearest": 2**62},
        {"dearest": -1},
        {"prices": (-1, -1)},
        {"rows": (2**61, 2**61)},
        {"ks": (0,)},
        {"ks": (3, 3)},
        {"ks": ()},
    ):
        with pytest.raises(ValueError, match=r"cost|k is larger|column of k"):
            covered(**refused)
