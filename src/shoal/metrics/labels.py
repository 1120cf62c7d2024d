"""What metrics know about labels: how much lies below each, and on which level it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.tally.problem import Ladder
from shoal.describe.hierarchies import Hierarchy, Label


@dataclass(frozen=True)
class Labels:
    """Labels of one attribute, in arrays of one shape.

    For each label, `covered` counts the leaves below it, `level` is its level, `lowest` the lowest level on
    which a label covers the same leaves, and `rows` counts the table's rows whose value it may stand for.
    `value` is one of the values below it, as a place in the attribute's domain.
    """

    covered: Any
    level: Any = 0
    lowest: Any = 0
    rows: Any = 0
    value: Any = 0

    def at(self, *places: Any) -> Labels:
        """Return the labels at some places of the arrays."""
        fields = (self.covered, self.level, self.lowest, self.rows, self.value)
        return Labels(*(field[places] for field in fields))


def labels_of(ladder: Ladder, marginal: npt.NDArray[np.int64]) -> Labels:
    """Return the labels of an attribute by level and value; `marginal` counts the rows of each value."""
    lowest = np.zeros_like(ladder.covered)
    for level in range(1, len(lowest)):
        same = ladder.covered[level] == ladder.covered[level - 1]
        lowest[level] = np.where(same, lowest[level - 1], level)
    rows = [np.bincount(codes, weights=marginal)[codes] for codes in ladder.codes]
    levels = np.zeros_like(lowest) + np.arange(ladder.height + 1)[:, None]
    values = np.zeros_like(lowest) + np.arange(lowest.shape[1])
    return Labels(ladder.covered, levels, lowest, np.array(rows).astype(np.int64), values)


def raw_values(marginal: npt.NDArray[np.int64]) -> Labels:
    """Return the values of an attribute as labels of themselves, given the rows of each."""
    none = np.zeros_like(marginal)
    return Labels(none + 1, none, none, marginal, np.arange(len(marginal)))


def cut_levels(hierarchy: Hierarchy, domain: Sequence[Label]) -> dict[Label, int]:
    """Return the level of every label that a cut may have: the lowest that has it.

    The tree decides, because a label may also appear above its own single child, as padding.
    """
    if None in domain:
        hierarchy = hierarchy.with_missing()
    covered: dict[Label, int] = {node.label: len(node.leaves) for node in hierarchy.tree().walk()}
    lowest: dict[Label, int] = {}
    for level, shown in enumerate(hierarchy.labels):
        for label, leaves in zip(shown, hierarchy.covered[level].tolist(), strict=True):
            if covered.setdefault(label, leaves) == leaves:
                lowest.setdefault(label, level)
    return lowest
