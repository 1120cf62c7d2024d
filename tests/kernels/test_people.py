"""Persons of classes, rolled up from node to node, against those counted afresh from the combinations."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.data.person_rows import PersonRows
from shoal.kernels import ClassTables, Codebook, Column

HALVES = np.stack([np.arange(16) >> level for level in range(5)]).astype(np.int32)
LEVELS = [(0, 0), (1, 0), (1, 2), (2, 2), (2, 3), (3, 3), (3, 4), (4, 4)]


@pytest.mark.parametrize("most", [2, 3, 5, 9, 40])
def test_persons_of_few_and_of_many_classes_are_counted_once_in_each(most):
    # Each node is rolled up from one below it, and persons come to have fewer and fewer classes.
    rng = np.random.default_rng(most)
    codes = np.stack(np.divmod(np.arange(256), 16), axis=1).astype(np.int32)
    widths = rng.integers(1, most + 1, 60)
    cells, names = rng.integers(0, 256, widths.sum()), np.repeat(np.arange(60), widths)
    # A row of a person of its own everywhere, and some more, so that sizes differ from rows.
    alone = rng.integers(1, 4, 256)
    whose = PersonRows.listed(alone, cells, names, np.ones_like(cells))
    counts = alone + np.bincount(cells, minlength=256)
    book = Codebook([HALVES, HALVES])
    pairs = np.ascontiguousarray(np.stack([whose.cells, whose.persons], axis=1))
    tables = ClassTables(
        book,
        book.pack(codes),
        counts[:, None],
        (0, 0),
        counts.sum() - 1,
        1 << 20,
        (whose.cell_persons[:, None], pairs),
    )
    for node in LEVELS:
        at = HALVES[node[0]][codes[:, 0]] * 16 + HALVES[node[1]][codes[:, 1]]
        sizes = [len(set(names[np.isin(cells, np.flatnonzero(at == g))])) for g in np.unique(at)]
        expected = np.array(sizes) + [alone[at == g].sum() for g in np.unique(at)]
        measured, profile = tables.measure(node)  # all sizes but the largest may go
        assert [*profile[:, 0], measured[0, Column.K]] == sorted(set(expected))
