"""Which rows of two releases may be the same person is what brute force over all pairings says."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.assess.attacks.joined import _kinds, attack, possible_pairs
from shoal.assess.attacks.scene import SUPPRESSED
from tests.assess.attacks.scenes import drawn_scene, released_scene, scene_of_rows
from tests.examples import examples


def two_scenes(seed, suppressed):
    """Two releases of the same persons."""
    draw = np.random.default_rng(seed)
    one = drawn_scene(draw, suppressed=suppressed)
    values, secrets = one.crowd.values[:, 0], one.crowd.secrets[:, 0]
    covers = draw.random((3, 4)) < 0.6
    covers[2] = True
    label = np.array([0, 1, 2])
    groups = []
    for value in values.tolist():
        fitting = [g for g in range(3) if covers[label[g], value]]
        gone = suppressed and draw.random() < 0.25
        groups.append(SUPPRESSED if gone else int(draw.choice(fitting)))
    rows = np.column_stack([values, secrets, groups]).astype(np.int64).reshape(-1, 3)
    return one, scene_of_rows(rows, covers, label, 2)


def agree(one, other, i, j):
    """Whether row i of one crowd's release and row j of the other's may be the same person, by themselves."""
    mine = one.covers[0].mask()[one.labels[one.crowd.groups[i], 0]]
    theirs = other.covers[0].mask()[other.labels[other.crowd.groups[j], 0]]
    return (mine & theirs).any() and one.crowd.secrets[i, 0] == other.crowd.secrets[j, 0]


@settings(max_examples=examples(200))
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_pairs_are_possible_where_some_pairing_has_them(seed, suppressed):
    one, other = two_scenes(seed, suppressed)
    mine, theirs = _kinds(one, other), _kinds(other, one)
    here = [i for i in range(len(mine.of)) if mine.of[i] >= 0]
    there = [j for j in range(len(theirs.of)) if theirs.of[j] >= 0]
    missing = len(here) < len(mine.of) or len(there) < len(theirs.of)
    # Each row of the one is paired with a row of the other, or with nobody where persons may be missing.
    slots = [*there, *([None] * len(here) if missing else [])]
    expected = np.zeros((len(mine.counts), len(theirs.counts)), dtype=bool)
    for chosen in set(permutations(slots, len(here))):
        pairs = [(i, j) for i, j in zip(here, chosen, strict=True) if j is not None]
        if all(agree(one, other, i, j) for i, j in pairs):
            for i, j in pairs:
                expected[mine.of[i], theirs.of[j]] = True
    assert np.array_equal(possible_pairs(one, other, mine, theirs), expected)


def test_two_releases_that_overlap_in_one_person_are_found_out(tmp_path):
    # Each release has groups of two; together they leave everybody alone.
    people = pa.table(
        {"a": ["1", "1", "2", "2"], "b": ["1", "2", "1", "2"], "ill": ["w", "x", "y", "z"]}
    )
    two = shoal.Hierarchy.from_rows([("1", "*"), ("2", "*")])
    study = shoal.Study(people, quasi={"a": two, "b": two}, sensitive="ill")
    by_a = {"node": {"a": 0, "b": 1}, "promise": {"k": 2}}
    by_b = {"node": {"a": 1, "b": 0}, "promise": {"k": 2}}
    one = released_scene(study, by_a, tmp_path / "a.csv")
    other = released_scene(study, by_b, tmp_path / "b.csv")
    found = attack(one, [other], np.random.default_rng(0))
    assert found.breaks == "k = 2"
    assert [case.certain for case in found.cases] == [4, 4]
    again = attack(one, [one], np.random.default_rng(0))
    assert again.breaks is None
    assert [case.certain for case in again.cases] == [0, 0]


def test_without_another_release_nothing_is_said():
    scene = drawn_scene(np.random.default_rng(1))
    assert attack(scene, [], np.random.default_rng(0)).cases == ()
