"""What is known of a recoding's loss: that it is the least, or near enough to have been drawn.

A recoding is either proven the best, or one that was drawn from all that lose at most a certain share of all
detail more than the best: its slack. Who knows that knows of every cheaper recoding only this: if it loses
less by more than the slack, it does not keep the promise. Of one that is cheaper by less nothing follows,
since this one may have been drawn although the other keeps the promise too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from shoal.answers.recoding import BucketRecoding, Decision
from shoal.assess.attacks.scene import Scene
from shoal.metrics import LM, NCP
from shoal.metrics.labels import Labels

FINER_IS_CHEAPER = frozenset({"LM", "NCP", "DM"})
"""Metrics by which a recoding costs less if some label of a group falls apart and no more is suppressed."""
CELLS: Mapping[str, type[LM | NCP]] = {"LM": LM, "NCP": NCP}
ROUNDING = Fraction(1, 10**9)
"""Slacks are kept as decimal numbers; nothing is concluded from what is nearer to one than this."""


def slack_of(decision: Decision) -> Fraction | None:
    """Return how much more than the least a recoding may lose, as a share of all detail; None if unknown.

    >>> from shoal.answers.recoding import NodeRecoding
    >>> from shoal.describe.promise import Promise
    >>> node, promise = NodeRecoding({"age": 1}), Promise(k=2)
    >>> slack_of(Decision(node, promise, details={"optimal": True}))
    Fraction(0, 1)
    >>> slack_of(Decision(node, promise, details={"within": 0.25, "best_proven": True})) >= Fraction(1, 4)
    True
    """
    details = decision.details
    if isinstance(decision.recoding, BucketRecoding) or decision.metric not in FINER_IS_CHEAPER:
        return None
    if "within" in details:
        return Fraction(details["within"]) + ROUNDING if details.get("best_proven") else None
    return Fraction(0) if decision.proven and int(details.get("top") or 1) == 1 else None


def cell_costs(scene: Scene, column: int, covered: Sequence[int]) -> list[Fraction]:
    """Return what one row costs under labels that cover so many leaves, as a share of all detail of all rows.

    By DM, which counts groups, cells cost nothing.
    """
    kind = CELLS.get(scene.decision.metric)
    if kind is None:
        return [Fraction(0)] * len(covered)
    hierarchy = scene.tree(column)
    weights = [scene.weights.get(name, Fraction(1)) for name in scene.quasi]
    cells = kind.cell(Labels(np.array(covered))).tolist()
    whole = scene.crowd.rows * sum(weights) * kind.divisor(len(hierarchy.leaves), hierarchy.height)
    return [weights[column] * int(cell) / whole for cell in cells]


def split_saves(scene: Scene, parts: Sequence[Sequence[int]]) -> Fraction:
    """Return what groups that fall into parts of so many rows save by DM, as a share of all detail."""
    saved = sum(sum(rows) ** 2 - sum(row * row for row in rows) for rows in parts)
    return Fraction(saved, scene.crowd.rows**2)
