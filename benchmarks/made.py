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
