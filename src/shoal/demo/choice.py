"""Drawing categories from weights that depend on a group, for many rows at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def uniforms(seed: int, chunk: int, rows: int, columns: int) -> NDArray[np.float64]:
    """Numbers in [0, 1), one line per column, for the first `rows` rows of a chunk.

    They are drawn row by row, so asking for fewer rows gives the start of the same numbers.
    """
    source = np.random.SeedSequence(seed, spawn_key=(chunk,))
    generator = np.random.Generator(np.random.PCG64(source))
    raw = generator.integers(0, 1 << 32, size=(rows, columns), dtype=np.uint32)
    return np.multiply(np.ascontiguousarray(raw.T), 2.0**-32, dtype=np.float64)


class Choice:
    """Category numbers drawn by weight: one line of weights for each group.

    >>> Choice([[1.0, 0.0], [1.0, 3.0]]).draw(np.array([0.9, 0.2, 0.3]), np.array([0, 1, 1]))
    array([0, 0, 1])
    """

    def __init__(self, weights: ArrayLike) -> None:
        """Keep the running shares of all groups in one sorted line.

        Group g covers the stretch from g to g + 1, so one search serves all groups. The
        numbers searched for have 32 bits, which leaves room to add g without rounding:
        a category of weight 0 can never be drawn.
        """
        running = np.cumsum(np.asarray(weights, dtype=np.float64), axis=1)
        groups, self._categories = running.shape
        shares = running / running[:, -1:]
        self._edges = (shares + np.arange(groups)[:, np.newaxis]).ravel()

    def draw(
        self, uniform: NDArray[np.float64], group: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """A category number for each uniform number, in its group (the only one if None)."""
        if group is None:
            return np.searchsorted(self._edges, uniform, side="right")
        position = np.searchsorted(self._edges, uniform + group, side="right")
        drawn: NDArray[np.int64] = position - group * self._categories
        return drawn
