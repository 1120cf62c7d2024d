"""How a frontier compares with the true one."""

from __future__ import annotations

from typing import Any

from shoal import Frontier

POKA_FILLS = "POkA lets every node suppress as much as it may (fill), as its paper does."
POKA_ENDS = "POkA ends at k of 2 or less, as its paper says, so it leaves out the point of k = 1."


def found(front: Frontier, truth: Frontier) -> dict[str, Any]:
    """Points, how many of them are true Pareto optima, of how many, and what that took."""
    true = {(point.k, point.loss) for point in truth}
    return {
        "points": len(front),
        "true optima": sum((point.k, point.loss) in true for point in front),
        "of": len(true),
        "evaluated": front.evaluated,
        "%": 100 * front.evaluated / front.nodes,
    }
