"""Persons for a table that has none: its rows shared out at random, the hardest case for a search.

One person in five has two to five rows. What these have in common is chance, so most of such persons are in
several groups.
"""

from __future__ import annotations

import numpy as np

from shoal.data.person_rows import PersonRows

SHARE, MOST = 0.2, 5
"""How many of the persons have several rows, and how many rows at most."""


def shared_out(counts: np.ndarray, seed: int, within: np.ndarray | None = None) -> PersonRows:
    """The persons of cells that have so many rows each; if these are within combinations, so is everybody."""
    rng = np.random.default_rng(seed)
    cells = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    rows = np.where(rng.random(len(cells)) < SHARE, rng.integers(2, MOST + 1, len(cells)), 1)
    names = np.repeat(np.arange(len(cells)), rows)[: len(cells)]
    if within is not None:
        cells = cells[np.argsort(within[cells], kind="stable")]
        # Whoever would have rows in two combinations is two persons.
        names = names * len(counts) + within[cells]
    return PersonRows.listed(np.zeros(len(counts), dtype=np.int64), cells, names, np.ones_like(cells))
