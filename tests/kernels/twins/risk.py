"""The twin of the kernel that finds minimal sample uniques: the same name and results, slow and obvious."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def suda(
    codes: npt.NDArray[np.int32], counts: npt.NDArray[np.int64], scores: Sequence[float]
) -> tuple[Floats, Floats, npt.NDArray[np.int32], list[int]]:
    """Return the scores, their parts by attribute, the smallest sizes, and how many there are of each."""
    rows, n = codes.shape
    score, part = np.zeros((rows, 1)), np.zeros((rows, n))
    smallest, by_size = np.zeros((rows, 1), np.int32), [0] * len(scores)
    found: list[list[set[int]]] = [[] for _ in range(rows)]
    for size in range(1, len(scores) + 1):
        for chosen in combinations(range(n), size):
            values = [tuple(row[list(chosen)].tolist()) for row in codes]
            # Whoever is not told apart is somebody else each time.
            times: dict[tuple[int, ...], set[object]] = defaultdict(set)
            for row, (value, (count, *who)) in enumerate(zip(values, counts.tolist(), strict=True)):
                times[value] |= {who[0]} if who and count == 1 else {(row, i) for i in range(count)}
            for row, value in enumerate(values):
                smaller = any(known <= set(chosen) for known in found[row])
                if len(times[value]) != 1 or -1 in value or smaller:
                    continue
                found[row].append(set(chosen))
                by_size[size - 1] += 1
                score[row, 0] += scores[size - 1]
                part[row, list(chosen)] += scores[size - 1]
                smallest[row, 0] = smallest[row, 0] or size
    return score, part, smallest, by_size
