"""How each objective is drawn along a plot's horizontal axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import matplotlib.axes

    from shoal.answers.solution import Frontier, NodeSolution

MOST_TICKS = 20


@dataclass(frozen=True)
class Axis:
    """An objective as an axis: where a point stands on it, what it is called there, and the label."""

    name: str
    at: Callable[[NodeSolution, Frontier], float]
    said: Callable[[NodeSolution, Frontier], str]
    label: str

    @property
    def falling(self) -> bool:
        """Whether the loss falls along it: for objectives that are to be small."""
        return self.name in ("t", "suppressed")

    def dress(self, ax: matplotlib.axes.Axes, front: Frontier) -> None:
        """Set the scale, its numbers and its label."""
        places = sorted({self.at(point, front) for point in front.points})
        if self.name == "k":
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter(lambda k, _: f"{k:,.0f}")
        elif self.name == "l" and len(places) <= MOST_TICKS:
            ax.set_xticks(places)
            ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        elif self.name == "suppressed":
            if places and places[-1] > 1:
                # The first few rows matter most: they stand as far apart as the many later ones.
                ax.set_xscale("symlog", linthresh=0.1, linscale=0.8)
            ax.set_xlim(left=0)
            ax.xaxis.set_major_formatter(lambda share, _: f"{share:g}%")
        required = "" if front.required_k is None else f" (k = {front.required_k:,})"
        ax.set_xlabel(self.label + required)


def _share(point: NodeSolution, front: Frontier) -> float:
    return 100 * point.suppressed / front.rows


AXES = {
    axis.name: axis
    for axis in (
        Axis(
            "k",
            lambda point, _: point.k,
            lambda point, _: f"k = {point.k:,}",
            "k: how many rows share each combination, at least",
        ),
        Axis(
            "l",
            lambda point, _: point.l or 0,
            lambda point, _: f"l = {point.l}",
            "l: how many sensitive values each class has, at least",
        ),
        Axis(
            "t",
            lambda point, _: float(point.t or 0),
            lambda point, _: f"t = {float(point.t or 0):.3f}",
            "t: how far a class's sensitive values lie from the table's, at most",
        ),
        Axis(
            "suppressed",
            _share,
            lambda point, front: f"{_share(point, front):.2g}% suppressed",
            "suppressed rows, % of all",
        ),
    )
}
