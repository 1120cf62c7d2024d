"""Consistent columns have one level in all rows, the one with which the search loses least."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal import Hierarchy, InputError, NoSolutionError, Study
from shoal.search.groups import consistent

TOWN = Hierarchy.from_rows(
    [(town, "west" if town in "ab" else "east", "*") for town in "abcd"], "the towns"
)
AGE = Hierarchy.from_rows([(str(age), "20-22" if age < 23 else "23-25", "*") for age in range(20, 26)])


def study_of(seed, size=40, **levels):
    rng = np.random.default_rng(seed)
    rows = pa.table(
        {
            "age": [str(age) for age in rng.integers(20, 26, size)],
            "town": rng.choice(list("abcd"), size, p=[0.5, 0.3, 0.15, 0.05]).tolist(),
            "sex": rng.choice(["f", "m"], size).tolist(),
        }
    )
    return Study(rows, quasi={"age": AGE, "town": TOWN, "sex": {"*": ["f", "m"]}}, **levels)


def levels_in(study, found, name, hierarchy):
    """The levels on which a column is released, counted on the released rows alone."""
    shown = set(study.release(found, seed=1).table()[name].to_pylist())
    return [level for level, labels in enumerate(hierarchy.labels) if shown <= set(labels)]


@pytest.mark.parametrize("algorithm", ["local-recoding", "mondrian"])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_level_is_taken_of_all_that_can_be_fixed(algorithm, seed):
    """The oracle: a study that allows one level of the column, for each of its levels."""
    tried = {}
    for level in range(3):
        with study_of(seed, levels={"town": (level, level)}) as study:
            try:
                alone = study.anonymize(algorithm, k=3, options={"effort": 0})
                tried[level] = alone.losses["LM"]
            except NoSolutionError:
                continue
    with study_of(seed) as study:
        found = study.anonymize(algorithm, k=3, options={"effort": 0, "consistent": "town"})
        chosen = found.details["consistent"]["town"]
        assert found.losses["LM"] == pytest.approx(min(tried.values()))
        assert tried[chosen] == pytest.approx(min(tried.values()))
        assert chosen in levels_in(study, found, "town", TOWN)
        longer = study.anonymize(algorithm, k=3, options={"effort": 1, "consistent": "town"})
        assert longer.losses["LM"] <= found.losses["LM"]


def test_without_it_a_column_may_have_several_levels():
    with study_of(0) as study:
        free = study.anonymize("local-recoding", k=3)
        assert not levels_in(study, free, "town", TOWN)


def test_several_columns_keep_the_promise_about_released_rows():
    with study_of(1) as study:
        found = study.anonymize("local-recoding", k=3, options={"consistent": ["town", "age"]})
        assert found.details["consistent"].keys() == {"town", "age"}
        for name, tree in (("town", TOWN), ("age", AGE)):
            assert found.details["consistent"][name] in levels_in(study, found, name, tree)


def test_too_many_levels_are_tried_one_after_the_other(monkeypatch):
    with study_of(2) as study:
        options = {"effort": 0, "consistent": "town,age,sex"}
        whole = study.anonymize("local-recoding", k=3, options=options)
        monkeypatch.setattr(consistent, "MOST", 1)
        found = study.anonymize("local-recoding", k=3, options=options)
        assert found.losses["LM"] >= whole.losses["LM"]
        assert found.losses["LM"] < study.problem().rows * 3
        study.release(found, seed=1).verified_table()


def test_a_column_that_is_not_quasi_is_refused():
    with study_of(0) as study, pytest.raises(InputError, match="consistent names"):
        study.anonymize("local-recoding", k=3, options={"consistent": "job"})
