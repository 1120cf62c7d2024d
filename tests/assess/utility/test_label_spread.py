"""Values as runs beside their slow twins: tables of all labels by all values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.answers.group_recoding import GroupColumns, GroupRecoding, Stretch
from shoal.answers.recoding import Decision
from shoal.assess.meant_values import MeantValues, meant_values, runs_of
from shoal.assess.utility.column_classes import GONE, _labels
from shoal.assess.utility.label_spread import LabelSpread
from shoal.assess.utility.predictions import drawn_values
from shoal.assess.utility.two_tables import TableColumn
from shoal.describe.promise import Promise
from tests.examples import examples

AMOUNTS = tuple(str(value) for value in (3, 40, 7, 12, 18, 25, 9, 31))
LINE = ("1", "3", "5", "7", "9", "12", "18", "25", "31", "40")
"""All amounts in order, and two that the table lacks."""
TREE = shoal.Hierarchy.from_rows(
    [(value, f"{int(value) // 10}_", "odd" if int(value) % 2 else "even", "*") for value in LINE]
)


@st.composite
def dense_tables(draw):
    """Which label stands for which value, and an order of the values."""
    values, labels = draw(st.integers(1, 7)), draw(st.integers(0, 6))
    cells = draw(st.lists(st.booleans(), min_size=values * labels, max_size=values * labels))
    order = np.array(draw(st.permutations(range(values))), dtype=np.int64)
    return np.array(cells, dtype=bool).reshape(labels, values), order


def as_runs(table, order):
    return MeantValues.listed(order, (runs_of(np.flatnonzero(row[order]).tolist()) for row in table))


@settings(deadline=None, max_examples=examples(100))
@given(dense_tables(), st.integers(1, 9), st.data())
def test_runs_say_what_a_table_of_all_values_says(given_, most, data):
    table, order = given_
    meant = as_runs(table, order)
    assert meant.mask().tolist() == table.tolist()
    assert meant.sizes.tolist() == table.sum(axis=1).tolist()
    assert [meant.holding(value).tolist() for value in range(len(order))] == table.T.tolist()
    listed = [block.values.tolist() for block in meant.blocks(most)]
    assert [v for values in listed for v in values] == [
        v for row in table for v in order[row[order]].tolist()
    ]
    assert all(len(values) <= max(most, meant.lengths.max()) for values in listed)
    assert (
        meant.with_all().mask().tolist()
        == np.where(table.any(axis=1, keepdims=True), table, True).tolist()
    )
    numbers = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=len(order), max_size=len(order))))
    expected = np.where(table, numbers, np.inf).min(axis=1, initial=np.inf)
    assert meant.least(numbers.astype(float)).tolist() == expected.tolist()
    weights = np.array(
        data.draw(st.lists(st.integers(1, 5), min_size=len(meant.of), max_size=len(meant.of))),
        dtype=float,
    )
    heavy = np.zeros(table.shape)
    for label, begin, end, weight in zip(meant.of, meant.begins, meant.ends, weights, strict=True):
        heavy[label, order[begin:end]] = weight
    dense = heavy / np.maximum(heavy.sum(axis=1, keepdims=True), 1)
    spread = LabelSpread(meant, weights)
    some = np.arange(1.0, len(table) + 1)
    assert spread.onto(some) == pytest.approx(some @ dense)
    assert spread.average(numbers.astype(float)) == pytest.approx(dense @ numbers)
    classes = np.abs(numbers) % 3
    assert spread.shares(classes, 3) == pytest.approx(dense @ np.eye(3)[classes])


@settings(deadline=None, max_examples=examples(60))
@given(dense_tables(), st.integers(0, 9))
def test_columns_draw_and_show_as_by_a_table_of_all_values(given_, seed):
    table, order = given_
    table = np.where(table.any(axis=1, keepdims=True), table, True)
    spread = LabelSpread.even(as_runs(table, order))
    names = tuple(f"v{i}" for i in range(len(order)))
    column = TableColumn("x", names, tuple(f"l{i}" for i in range(len(table))), spread, order[:0], TREE)
    shown = _labels(column)
    if (table.sum(axis=0) > 1).any():
        assert shown is None
    else:
        of, called = shown
        for v, label in enumerate(of):
            assert called[label] == (GONE if not table[:, v].any() else f"l{table[:, v].argmax()}")
    if len(table):
        labels = np.random.default_rng(seed).integers(0, len(table), 9)
        found = drawn_values(column, labels, np.random.default_rng(seed))
        chances = np.random.default_rng(seed).random(9)
        for label, chance, value in zip(labels, chances, found, strict=True):
            assert value == np.flatnonzero(table[label])[int(chance * table[label].sum())]


def listed_one_by_one(meanings, hierarchy, texts, domain):
    """The twin of `meant_values`: every label with every value."""
    rows = list((hierarchy.with_missing() if None in domain else hierarchy).rows())

    def stands(label, value):
        if label in meanings:
            return value in list(meanings[label])
        above = [row for row in rows if label in row]
        explained = [row for row in above if row[0] in domain]
        return any(row[0] == value for row in above) if explained else True

    return [[stands(label, value) for value in domain] for label in texts]


@settings(deadline=None, max_examples=examples(60))
@given(st.data())
def test_labels_mean_what_their_recoding_says(data):
    domain = (*AMOUNTS, None) if data.draw(st.booleans()) else AMOUNTS
    meanings = {}
    for i in range(data.draw(st.integers(0, 6))):
        begin = data.draw(st.integers(0, len(LINE) - 1))
        end = data.draw(st.integers(begin + 1, len(LINE)))
        line = LINE if data.draw(st.booleans()) else tuple(reversed(LINE))
        meanings[f"[{i}]"] = Stretch(line, begin, end, data.draw(st.booleans()))
    for i in range(data.draw(st.integers(0, 3))):
        meanings[f"{{{i}}}"] = tuple(data.draw(st.lists(st.sampled_from([*LINE, None]), min_size=1)))
    texts = data.draw(st.permutations([*meanings, "*", "odd", "1_", "12", "strange", "5"]))
    columns = GroupColumns(
        (), np.zeros((0, 0), np.int32), np.zeros(0, np.int64), (), np.zeros((0, 0), np.int32)
    )
    decision = Decision(GroupRecoding(("x",), columns, {"x": meanings}), Promise(2))
    found = meant_values(decision, TREE, "x", texts, domain).mask()
    assert found.tolist() == listed_one_by_one(meanings, TREE, texts, domain)


def test_intervals_of_many_values_take_room_for_themselves_alone():
    line = tuple(str(value) for value in range(3000))
    tree = shoal.Hierarchy.from_rows([(value, "*") for value in line])
    meanings = {f"{i}-": Stretch(line, i, i + 1000) for i in range(2000)}
    columns = GroupColumns(
        (), np.zeros((0, 0), np.int32), np.zeros(0, np.int64), (), np.zeros((0, 0), np.int32)
    )
    decision = Decision(GroupRecoding(("x",), columns, {"x": meanings}), Promise(2))
    meant = meant_values(decision, tree, "x", [*meanings, "*"], line)
    assert len(meant.of) == 2001
    assert max(len(block.values) for block in meant.blocks(5000)) <= 5000
    spread = LabelSpread.even(meant).onto(np.ones(2001))
    assert spread.sum() == pytest.approx(2001)
    assert spread[0] == pytest.approx(1 / 1000 + 1 / 3000)
