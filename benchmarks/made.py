"""Made-up tables for questions that Adult is too small for: any number of rows, attributes, levels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from shoal import Hierarchy, Study


def made_study(rows: int, heights: Sequence[int], seed: int = 1) -> Study:
    """A study of made-up rows: an attribute of height h has 2^h values, merged in pairs at each level.

    Low values are frequent, high ones rare; half of a row's values hang together, as those of a person
    do, the others are drawn apart.
    """
    rng = np.random.default_rng(seed)
    person = rng.random(rows)
    columns, quasi = {}, {}
    for a, height in enumerate(heights):
        drawn = np.where(rng.random(rows) < 0.5, person, rng.random(rows))
        codes = (drawn**2 * 2**height).astype(np.int32)
        labels = pa.array([f"0.{code}" for code in range(2**height)])
        columns[f"a{a}"] = pa.DictionaryArray.from_arrays(codes, labels).cast(pa.string())
        quasi[f"a{a}"] = Hierarchy.from_rows(
            [f"{level}.{code >> level}" for level in range(height)] + ["*"] for code in range(2**height)
        )
    return Study(pa.table(columns), quasi=quasi)


LEVELS = {
    10: (6, 6, 5, 5, 4, 4, 4, 3, 3, 2),
    16: (6, 6, 5, 5, 5, 4, 4, 4, 4, 4, 3, 3, 3, 3, 2, 2),
    24: (6, 6, 5, 5, 5, 5, *[4] * 9, *[3] * 7, 2, 2),
    40: (6, 6, 6, 5, 5, 5, 5, 5, 5, 5, *[4] * 14, *[3] * 11, *[2] * 5),
}
"""The levels of every column, by the number of columns; of 24 they make 5.2e13 nodes."""
FACTORS = 4
TRAITS = 60
"""How many kinds of rows there are: real ones repeat each other."""


def many_columns(
    columns: int, rows: int = 30_000, seed: int = 1, beside: bool = False, persons: int | None = None
) -> Study:
    """A study like the tables of many columns that are published: skewed values that hang together.

    Every row is of one of a few kinds, frequent ones and rare ones. In each column a kind has a value that
    most of its rows have; the others have one near the kind's, or any. Values are merged in threes and pairs
    from level to level. With `beside` there are a sensitive column and a class column too, and with `persons`
    so many whose rows they are.
    """
    rng = np.random.default_rng(seed)
    kind = np.minimum(rng.zipf(1.3, rows) - 1, TRAITS - 1)
    place = rng.random((TRAITS, FACTORS))
    table, quasi = {}, {}
    for a, levels in enumerate(LEVELS[columns]):
        leaves = 2 ** (levels - 1) if levels < 4 else 3 * 2 ** (levels - 2)
        loadings = rng.dirichlet(np.full(FACTORS, 0.5))
        typical = place @ loadings
        loyal, near = rng.uniform(0.5, 0.9), rng.normal(0, 0.15, rows)
        drawn = np.where(rng.random(rows) < 0.7, np.abs(typical[kind] + near) % 1, rng.random(rows))
        shares = np.where(rng.random(rows) < loyal, typical[kind], drawn)
        codes = (shares ** rng.uniform(1, 3) * leaves).astype(np.int64)
        table[f"a{a}"] = pa.array([f"0.{code}" for code in codes])
        groups = np.arange(leaves)
        steps = [groups]
        for level in range(1, levels - 1):
            groups = groups // (3 if leaves % 3 == 0 and level == 1 else 2)
            steps.append(groups)
        quasi[f"a{a}"] = Hierarchy.from_rows(
            [*(f"{level}.{step[leaf]}" for level, step in enumerate(steps)), "*"]
            for leaf in range(leaves)
        )
    if not beside:
        return Study(pa.table(table), quasi=quasi)
    table["illness"] = pa.array([f"i{code}" for code in (kind + rng.integers(0, 3, rows)) % 8])
    table["outcome"] = pa.array([f"o{code}" for code in (kind + rng.integers(0, 2, rows)) % 3])
    whose = {}
    if persons is not None:
        table["person"] = pa.array([f"p{code}" for code in rng.integers(0, persons, rows)])
        whose["persons"] = "person"
    return Study(pa.table(table), quasi=quasi, sensitive="illness", class_="outcome", **whose)
