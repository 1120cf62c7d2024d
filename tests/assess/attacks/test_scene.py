"""Groups that fit what is known: looked up in a table, or looked for where that would be large."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.assess.attacks import scene as scene_module
from tests.assess.attacks.scenes import drawn_scene


@pytest.mark.parametrize("seed", range(10))
def test_groups_fit_alike_with_and_without_a_table(seed, monkeypatch):
    scene = drawn_scene(np.random.default_rng(seed))
    by_hand = scene.covers[0].mask()[scene.labels[:, 0]]
    for value in range(len(scene.domains[0])):
        assert scene.candidates(np.array([value]), [0]).tolist() == by_hand[:, value].tolist()
    monkeypatch.setattr(scene_module, "MOST_CELLS", 0)
    scene = drawn_scene(np.random.default_rng(seed))
    for value in range(len(scene.domains[0])):
        assert scene.candidates(np.array([value]), [0]).tolist() == by_hand[:, value].tolist()
