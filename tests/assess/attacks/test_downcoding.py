"""What is said to be certain in a group is there in every table that gives the release."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.assess.attacks.downcoding import attack, certain_parts
from shoal.assess.attacks.opened_release import set_scene
from tests.assess.attacks.scenes import released_scene
from tests.examples import examples

LEAVES = ("1", "2", "3", "4")
TREE = shoal.Hierarchy.from_rows(
    [("1", "1-2", "*"), ("2", "1-2", "*"), ("3", "3-4", "*"), ("4", "3-4", "*")]
)


def study_of(values):
    return shoal.Study(pa.table({"a": list(values)}), quasi={"a": TREE})


def best_release(values, k, kind):
    """The labels of all rows, sorted, by the best node or cut for k; None if there is none."""
    study = study_of(values)
    found = study.optimize(k=k, scheme="NoSupp") if kind == "cut" else study.frontier(min_k=k)
    return study, found


def released(values, k, kind):
    study, found = best_release(values, k, kind)
    choice = {} if kind == "cut" else {"k": k}
    table = study.release(found, seed=1, **choice).table()
    return tuple(sorted(table.column("a").to_pylist()))


@settings(max_examples=examples(25))
@given(st.lists(st.sampled_from(LEAVES), min_size=2, max_size=5), st.sampled_from(["node", "cut"]))
def test_what_is_certain_of_the_finest_recoding_is_in_every_table(tmp_path_factory, values, kind):
    k = 2
    study, found = best_release(values, k, kind)
    choice = {} if kind == "cut" else {"k": k}
    scene = released_scene(study, found, tmp_path_factory.mktemp("out") / "out.csv", **choice)
    parts = certain_parts(scene)
    if not parts:
        return
    shown = released(values, k, kind)
    for other in product(LEAVES, repeat=len(values)):
        if list(other) == sorted(other) and released(other, k, kind) == shown:
            for part in parts:
                covered = scene.covers[0].mask()[scene.labels[part.group, 0]]
                group = (
                    [v for v in other if covered[scene.domains[0].index(v)]]
                    if all(v in scene.domains[0] for v in other)
                    else list(other)
                )
                assert part.values.intersection(group)


@pytest.mark.parametrize("method", ["mondrian", "local-recoding"])
@settings(max_examples=examples(25))
@given(
    st.lists(st.tuples(st.sampled_from(LEAVES), st.sampled_from("xyz")), min_size=4, max_size=14),
    st.integers(2, 3),
)
def test_what_is_certain_of_groups_is_true(tmp_path_factory, method, rows, k):
    table = pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    flat = shoal.Hierarchy.from_rows([("x", "*"), ("y", "*"), ("z", "*")])
    study = shoal.Study(table, quasi={"a": TREE, "b": flat})
    scene = released_scene(
        study, study.anonymize(method, k=k), tmp_path_factory.mktemp("out") / "out.csv"
    )
    crowd = scene.crowd
    for part in certain_parts(scene):
        inside = crowd.values[crowd.groups == part.group, part.column]
        assert part.values.intersection(scene.domains[part.column][v] for v in inside.tolist())


def test_an_interval_has_both_its_ends(tmp_path):
    ages = [str(age) for age in (20, 21, 22, 60, 61, 65)]
    wide = shoal.Hierarchy.from_rows([(str(age), "*") for age in range(20, 70)])
    study = shoal.Study(pa.table({"age": ages}), quasi={"age": wide})
    scene = released_scene(study, study.anonymize("mondrian", k=3), tmp_path / "out.csv")
    certain = sorted(next(iter(part.values)) for part in certain_parts(scene))
    assert certain == ["20", "22", "60", "65"]
    assert attack(scene).cases[0].details["exact"] == 4


def test_a_coarse_level_that_the_study_asks_for_tells_nothing(tmp_path):
    table = pa.table({"a": ["1", "1", "2", "2"]})
    study = shoal.Study(table, quasi={"a": TREE}, levels={"a": (1, 2)})
    scene = released_scene(study, study.anonymize("local-recoding", k=2), tmp_path / "out.csv")
    assert certain_parts(scene) == []
    assert np.array_equal(scene.sizes, [4])


@pytest.mark.parametrize("asked", [{"options": {"consistent": "a"}}, {"levels": {"a": (1, 2)}}])
def test_labels_that_were_asked_for_are_not_taken_for_tight(asked, tmp_path):
    tree = shoal.Hierarchy.from_rows(
        [("w", "u", "*"), ("x", "u", "*"), ("y", "v", "*"), ("z", "v", "*")]
    )
    draw = np.random.default_rng(1)
    people = pa.table({name: draw.choice(list("wxyz"), 14) for name in "ab"})
    plain = shoal.Study(people, quasi={"a": tree, "b": tree})
    study = shoal.Study(people, quasi={"a": tree, "b": tree}, levels=asked.get("levels"))
    found = study.anonymize("local-recoding", k=3, options=asked.get("options"))
    study.release(found, seed=1).write(tmp_path / "out.csv")
    # The study that the attack is told of need not say what the search was asked for.
    scene = set_scene(plain.material(), tmp_path / "out.csv")
    parts = certain_parts(scene)
    assert any(part.column == 1 for part in parts)
    assert all(part.column == 1 for part in parts)
