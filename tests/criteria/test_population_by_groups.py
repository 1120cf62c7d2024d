"""Populations beside groups: everybody counts whom the labels of a group cover."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal import Hierarchy, InputError, NoSolutionError, Study
from shoal.answers.group_recoding import Group, GroupRecoding
from shoal.answers.recoding import Decision
from shoal.describe.promise import Presence, Promise

AGE = Hierarchy.from_rows([(str(age), "20-22" if age < 23 else "23-25", "*") for age in range(20, 26)])
TOWN = Hierarchy.from_rows([(town, "x" if town in "ab" else "y", "*") for town in "abcd"])
TREES = {"age": AGE, "town": TOWN}


def rows_of(size, seed):
    rng = np.random.default_rng(seed)
    ages = [str(age) for age in rng.integers(20, 26, size)]
    return list(zip(ages, rng.choice(list("abcd"), size).tolist(), strict=True))


def table_of(rows):
    return pa.table({"age": [row[0] for row in rows], "town": [row[1] for row in rows]})


def covered(recoding, name, label):
    """The values that a label stands for, straight from what is written about it."""
    if label in recoding.meanings.get(name, {}):
        return set(recoding.meanings[name][label])
    return {row[0] for row in TREES[name].rows() if label in row}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("algorithm", ["local-recoding", "mondrian"])
def test_a_group_has_everybody_whom_its_labels_cover(algorithm, seed):
    rows = rows_of(20, seed)
    others = rows + rows_of(30, seed + 9)
    with Study(table_of(rows), quasi=TREES, population=table_of(others)) as study:
        found = study.anonymize(algorithm, k_map=4)
        made = study.release(found, seed=1)
        recoding = found.decision().recoding
        for shown, counted in zip(made.treatment.labels, made.treatment.crowds.tolist(), strict=True):
            sets = [
                covered(recoding, name, label)
                for name, label in zip(made.treatment.attributes, shown, strict=True)
            ]
            whom = sum(all(v in inside for v, inside in zip(row, sets, strict=True)) for row in others)
            assert counted == whom >= 4
        assert found.suppressed == 0
        made.verified_table()


def test_persons_with_several_rows_count_once():
    rows = [("20", "a")] * 2 + [("25", "d")] * 2
    crowd = table_of(rows).append_column("who", pa.array(["p", "q", "p", "r"]))
    table = table_of(rows).append_column("who", pa.array(["p", "q", "p", "r"]))
    with Study(table, quasi=TREES, population=crowd, persons="who") as study:
        found = study.anonymize("local-recoding", k_map=3)
        made = study.release(found, seed=1)
        assert made.treatment.crowds.tolist() == [3]  # p is one person of the whole table
        with pytest.raises(NoSolutionError, match="whose values occur in the table"):
            study.anonymize("local-recoding", k_map=4)


def test_who_fits_several_groups_makes_presence_uncertain():
    rows = [("20", "a"), ("20", "b"), ("25", "a"), ("25", "b")]
    overlapping = GroupRecoding(
        ("age", "town"),
        [Group({"age": "*", "town": "x"}, rows[:2]), Group({"age": "*", "town": "*"}, rows[2:])],
    )
    apart = GroupRecoding(
        ("age", "town"),
        [Group({"age": "20-22", "town": "x"}, rows[:2]), Group({"age": "23-25", "town": "x"}, rows[2:])],
    )
    promise = Promise(delta=Presence.of(0, "1/2"))
    with Study(table_of(rows), quasi=TREES, population=table_of(rows * 2)) as study:
        named = study.population().named
        kept = Promise(delta=promise.delta, population=named)
        with pytest.raises(InputError, match="fit several groups"):
            study.release(Decision(overlapping, kept)).treatment  # noqa: B018
        assert study.release(Decision(apart, kept)).treatment.crowds.tolist() == [4, 4]
        with pytest.raises(InputError, match="low of 0"):
            study.anonymize("mondrian", delta=("1/10", "1/2"))
