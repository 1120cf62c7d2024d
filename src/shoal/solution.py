"""What a search returns: the recodings, what they cost, and whether that is proven."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.hierarchy import Label
from shoal.promise import Promise
from shoal.recoding import CutRecoding, Decision, NodeRecoding, Scheme

if TYPE_CHECKING:
    import matplotlib.axes
    import pyarrow as pa


@dataclass(frozen=True)
class NodeSolution:
    """A full-domain recoding: the level of every quasi attribute, with its k and its loss."""

    k: int
    loss: float
    node: dict[str, int]
    suppressed: int

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as the JSON documents show it."""
        return {
            "k": self.k,
            "loss": self.loss,
            "node": self.node,
            "suppressed": self.suppressed,
        }


@dataclass(frozen=True)
class CutSolution:
    """A full-subtree recoding: the labels of the cut of every quasi attribute, what it costs, what is proven.

    `solutions` are the costs of the best cuts where several were asked for, of which this is one.
    """

    metric: str
    scheme: Scheme
    rows: int
    space: int
    examined: int
    cost: float
    lower_bound: float
    gap: float
    optimal: bool
    seconds: float
    cut: Mapping[str, tuple[Label, ...]]
    suppressed_records: int
    suppressed_values: int
    promise: Promise
    seed: int | None = None
    solutions: tuple[float, ...] = ()
    complete: bool = True
    """Whether the search was: then `solutions` are the best there are."""

    @property
    def status(self) -> str:
        """Whether no cut is cheaper ("optimal"), or one may be ("feasible")."""
        return "optimal" if self.optimal else "feasible"

    def decision(self) -> Decision:
        """Return what a release of the cut carries out."""
        details = {
            "method": "l+-Optimize",
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "optimal": self.optimal,
        }
        if self.solutions:
            details |= {"top": len(self.solutions), "seed": self.seed}
        return Decision(CutRecoding(self.cut), self.promise, self.scheme, self.metric, details)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal optimize --json` prints."""
        document: dict[str, Any] = {
            "metric": self.metric,
            "scheme": self.scheme.value,
            "rows": self.rows,
            "space": self.space,
            "examined": self.examined,
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "optimal": self.optimal,
            "status": self.status,
            "seconds": self.seconds,
            "cut": {name: list(labels) for name, labels in self.cut.items()},
            "suppressed_records": self.suppressed_records,
            "suppressed_values": self.suppressed_values,
            "method": "l+-Optimize",
            "promise": self.promise.to_dict(),
        }
        if self.solutions:
            document |= {"top": len(self.solutions), "seed": self.seed, "complete": self.complete}
            document["solutions"] = list(self.solutions)
        return document

    def to_json(self) -> str:
        """Return the document as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def _repr_html_(self) -> str:
        """Return the cut as a table for notebooks."""
        rows = "".join(
            f"<tr><th>{html.escape(name)}</th><td>"
            + ", ".join(html.escape("(missing)" if label is None else label) for label in labels)
            + "</td></tr>"
            for name, labels in self.cut.items()
        )
        proof = "optimal, proven" if self.optimal else f"gap {self.gap:.2%}"
        title = (
            f"{self.metric} cost {self.cost:,.1f} ({self.scheme.value}, {proof}); suppressed: "
            f"{self.suppressed_records:,} records, {self.suppressed_values:,} values"
        )
        return f"<table><caption>{title}</caption>{rows}</table>"


@dataclass(frozen=True)
class Frontier:
    """Every Pareto-optimal (k, loss) pair, k and loss strictly descending."""

    method: str
    metric: str
    rows: int
    suppression_limit: int
    nodes: int
    evaluated: int
    certified: bool
    seconds: float
    points: tuple[NodeSolution, ...]

    def __iter__(self) -> Iterator[NodeSolution]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, i: int) -> NodeSolution:
        return self.points[i]

    @property
    def knee(self) -> NodeSolution | None:
        """The point at which privacy is bought most cheaply; None where there is no point.

        Of the curve of risk against loss, the point farthest below the straight line between its ends:
        before it a little loss takes much risk away, after it much loss takes little. The risk is 1 / k,
        the most that an attacker who knows a person is in the table can be sure of which row is theirs.
        Points without any privacy (k = 1) are passed over if there are others.
        """
        points = [point for point in self.points if point.k > 1] or list(self.points)
        if not points:
            return None
        high, low = self.points[0], self.points[-1]
        width = 1 / low.k - 1 / high.k or 1.0
        depth = high.loss - low.loss or 1.0

        def gain(point: NodeSolution) -> float:
            return (1 / low.k - 1 / point.k) / width - (point.loss - low.loss) / depth

        return max(points, key=gain)

    def decision(self, point: NodeSolution) -> Decision:
        """Return what a release of one of the points carries out: its levels, and k promised."""
        details = {
            "loss": point.loss,
            "method": self.method,
            "certified": self.certified,
            "suppression_limit": self.suppression_limit,
            "frontier": [[other.k, other.loss] for other in self.points],
        }
        return Decision(NodeRecoding(point.node), Promise(point.k), metric=self.metric, details=details)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Frontier:
        """Return the frontier of a document."""
        points = tuple(
            NodeSolution(point["k"], point["loss"], dict(point["node"]), point["suppressed"])
            for point in given["points"]
        )
        fields = {name: given[name] for name in cls.__dataclass_fields__ if name != "points"}
        return cls(**fields, points=points)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal frontier --json` prints."""
        return {
            "method": self.method,
            "metric": self.metric,
            "rows": self.rows,
            "suppression_limit": self.suppression_limit,
            "nodes": self.nodes,
            "evaluated": self.evaluated,
            "certified": self.certified,
            "seconds": self.seconds,
            "points": [point.to_dict() for point in self.points],
        }

    def to_json(self) -> str:
        """Return the document as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_arrow(self) -> pa.Table:
        """Return the points as an Arrow table: k, loss, suppressed, and the level of each attribute."""
        import pyarrow as pa

        names = list(self.points[0].node) if self.points else []
        columns: dict[str, Any] = {
            "k": pa.array([point.k for point in self.points], pa.int64()),
            "loss": pa.array([point.loss for point in self.points], pa.float64()),
            "suppressed": pa.array([point.suppressed for point in self.points], pa.int64()),
        }
        # An attribute may be called like one of the three, so names are given, not merged.
        levels = [pa.array([point.node[name] for point in self.points], pa.int32()) for name in names]
        return pa.Table.from_arrays([*columns.values(), *levels], names=[*columns, *names])

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Draw the trade-off with matplotlib and return its axes."""
        from shoal.report.plots import plot_frontier

        return plot_frontier(self, ax)

    def _repr_html_(self) -> str:
        """Return the points as a table for notebooks, the knee in bold."""
        names = list(self.points[0].node) if self.points else []
        head = "".join(f"<th>{html.escape(name)}</th>" for name in ["k", "loss", "suppressed", *names])
        rows = []
        for point in self.points:
            cells = [f"{point.k:,}", f"{point.loss:,.1f}", f"{point.suppressed:,}"]
            cells += [str(point.node[name]) for name in names]
            style = ' style="font-weight:bold"' if point is self.knee else ""
            rows.append(f"<tr{style}>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        proof = "complete, proven" if self.certified else "not proven complete"
        title = f"{len(self)} Pareto-optimal nodes of {self.nodes:,} ({self.metric}, {proof})"
        return f"<table><caption>{title}</caption><tr>{head}</tr>{''.join(rows)}</table>"
