"""What counting makes of overlapping groups is what brute force over all possible tables makes of it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.assess.attacks.refinement import attack, components, fitting_groups, possible_groups
from shoal.assess.attacks.scene import SUPPRESSED
from tests.assess.attacks.scenes import drawn_scene, scene_of_rows
from tests.examples import examples


def every_assignment(scene):
    """Every way to put the persons into groups that fit, with the sizes that are released."""
    groups = len(scene.sizes)
    fits = [
        [g for g in range(groups) if scene.covers[0].holding(value)[scene.labels[g, 0]]] + [SUPPRESSED]
        for value in scene.crowd.values[:, 0].tolist()
    ]
    sizes = scene.sizes.tolist()
    for chosen in product(*fits):
        if [chosen.count(g) for g in range(groups)] == sizes:
            yield chosen


@settings(max_examples=examples(300))
@given(st.integers(0, 2**32 - 1))
def test_a_group_is_possible_where_some_table_has_it(seed):
    scene = drawn_scene(np.random.default_rng(seed))
    if not len(scene.crowd.values):
        return
    combinations, places = scene.combinations
    expected = np.zeros((len(combinations), len(scene.sizes)), dtype=bool)
    for chosen in every_assignment(scene):
        for person, group in enumerate(chosen):
            if group != SUPPRESSED:
                expected[places[person], group] = True
    # Only of persons who are released it is asked; others may be suppressed in every table.
    inside = np.unique(places[scene.crowd.groups != SUPPRESSED])
    assert np.array_equal(possible_groups(scene)[inside], expected[inside])


@settings(max_examples=examples(100))
@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
def test_components_are_nodes_that_reach_each_other(seed, size):
    moves = np.random.default_rng(seed).random((size, size)) < 0.25
    reach = moves | np.eye(size, dtype=bool)
    for _ in range(size):
        reach = (reach.astype(int) @ reach.astype(int)) > 0
    found = components(moves)
    assert np.array_equal(found[:, None] == found[None, :], reach & reach.T)


def test_a_group_that_must_take_everybody_it_fits_leaves_nobody_a_choice():
    # b fits the first group alone, which has one row; so a, who fits both, is in the second.
    covers = np.array([[True, True], [True, False]])
    rows = np.array([[1, 0, 0], [0, 1, 1]])
    scene = scene_of_rows(rows, covers, np.array([0, 1]), 2)
    assert fitting_groups(scene, scene.combinations[0]).tolist() == [[True, True], [True, False]]
    found = attack(scene)
    assert found.cases[0].found.share == 1
    assert found.cases[0].baseline.share == 0.5
    assert found.cases[1].certain == 1


def test_a_certain_value_breaks_a_promised_l():
    covers = np.array([[True, True], [True, False]])
    rows = np.array([[1, 0, 0], [0, 1, 1]])
    from dataclasses import replace

    from shoal.describe.promise import Promise

    scene = replace(scene_of_rows(rows, covers, np.array([0, 1]), 2), promise=Promise(l=2))
    assert attack(scene).breaks == "l = 2"


@pytest.mark.parametrize("together", [True, False])
def test_persons_who_can_change_places_stay_uncertain(together):
    covers = np.array([[True, True], [True, True]])
    rows = np.array([[0, 0, 0], [1, 1, 1 - together]])
    found = attack(scene_of_rows(rows, covers, np.array([0, 1]), 2))
    assert found.cases[1].certain == 0
