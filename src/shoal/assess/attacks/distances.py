"""How far released rows are from what is known of a person: the number of columns that do not fit.

The three attacks with Anonymeter's definitions (Giomi et al. 2023) look for the nearest released rows. A
generalized value is at distance 0 from every value that its label stands for, otherwise at distance 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from shoal.assess.attacks.scene import Ints, Scene

Small = npt.NDArray[np.int16]


class ReleasedRows:
    """What is released of some persons, a row each, to tell how far a person is from every row."""

    def __init__(self, scene: Scene, persons: Ints) -> None:
        self.scene = scene
        self.groups = scene.crowd.groups[persons]
        self.others = scene.crowd.others[persons]
        self.columns = (*scene.quasi, *scene.others)

    def apart(self, person: int, columns: Sequence[int]) -> Small:
        """Return by how many of these columns, quasi ones first, each row differs from a person."""
        scene, width = self.scene, len(self.scene.quasi)
        by_group = np.zeros(len(scene.sizes), dtype=np.int16)
        for column in columns:
            if column < width:
                by_group += ~scene.fits(column, int(scene.crowd.values[person, column]))
        far: Small = by_group[self.groups]
        for column in columns:
            if column >= width:
                o = column - width
                far = far + (self.others[:, o] != scene.crowd.others[person, o])
        return far
