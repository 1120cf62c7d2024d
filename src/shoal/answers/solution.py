"""What a search returns: the recodings, what they cost, and whether that is proven."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import log2
from typing import TYPE_CHECKING, Any

from shoal.answers.recoding import CutRecoding, Decision, NodeRecoding, Recoding, Scheme
from shoal.answers.steps import Step, steps
from shoal.describe.hierarchies import Label
from shoal.describe.promise import Promise, ShareLimits
from shoal.numbers import amount, large_number, many, much_suppressed, percent
from shoal.tabular import AnswerColumn, AnswerTable, Shown, Tabular

if TYPE_CHECKING:
    import matplotlib.axes

    from shoal.present.charts.svg import Picture


def loss_and_share(loss: float, share: float | None) -> dict[str, float]:
    """Return a loss as every document shows it: with its share, if that is known."""
    return {"loss": loss} if share is None else {"loss": loss, "share": share}


def told_persons(**counts: int | None) -> dict[str, int]:
    """Return numbers of persons as documents show them: only where persons have several rows."""
    return {name: count for name, count in counts.items() if count is not None}


@dataclass(frozen=True)
class NodeSolution(Shown):
    """A full-domain recoding: the level of every quasi attribute, with its k and its loss.

    `l` and `t` are set if they were objectives; t is exact. `share` is the loss as a part of the most
    that can be lost; old documents do not have it. Where persons have several rows, k counts persons,
    and `suppressed_persons` those without a released row.
    """

    k: int
    loss: float
    node: dict[str, int]
    suppressed: int
    l: int | None = None  # noqa: E741  the literature's name
    t: Fraction | None = None
    share: float | None = None
    suppressed_persons: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as the JSON documents show it."""
        document: dict[str, Any] = {
            "k": self.k,
            **loss_and_share(self.loss, self.share),
            "node": self.node,
            "suppressed": self.suppressed,
            **told_persons(suppressed_persons=self.suppressed_persons),
        }
        if self.l is not None:
            document["l"] = self.l
        if self.t is not None:
            document |= {"t": float(self.t), "t_exact": str(self.t)}
        return document

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> NodeSolution:
        """Return the solution of a document."""
        t = given.get("t_exact")
        return cls(
            given["k"],
            given["loss"],
            dict(given["node"]),
            given["suppressed"],
            given.get("l"),
            None if t is None else Fraction(t),
            given.get("share"),
            given.get("suppressed_persons"),
        )

    @property
    def detail(self) -> dict[str, int]:
        """How much is left of every attribute, for tables: its level."""
        return self.node

    @property
    def recoding(self) -> Recoding:
        """What a release carries out."""
        return NodeRecoding(self.node)

    def cost(self, objective: str) -> float:
        """Return an objective as a cost: k and l as the risk 1 / k and 1 / l, the others as they are."""
        value = float(getattr(self, objective) or 0)
        return 1 / max(value, 1.0) if objective in ("k", "l") else value


@dataclass(frozen=True)
class CutPoint(NodeSolution):
    """A point of a frontier of cuts: `cut` takes the place of `node`, which is empty.

    `theta` is set if it was an objective. No cut with as much privacy loses less than `lower_bound`.
    """

    cut: Mapping[str, tuple[Label, ...]] = field(default_factory=dict)
    theta: Fraction | None = None
    lower_bound: float = 0.0

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no cut with as much privacy loses less."""
        return self.lower_bound >= self.loss

    @property
    def detail(self) -> dict[str, int]:
        """How much is left of every attribute, for tables: how many values it is released as."""
        return {name: len(labels) for name, labels in self.cut.items()}

    @property
    def recoding(self) -> Recoding:
        """What a release carries out."""
        return CutRecoding(self.cut)

    def to_dict(self) -> dict[str, Any]:
        """Return the point as the JSON documents show it."""
        document = super().to_dict()
        document["cut"] = {name: list(labels) for name, labels in self.cut.items()}
        del document["node"]
        if self.theta is not None:
            document |= {"theta": float(self.theta), "theta_exact": str(self.theta)}
        return document | {"lower_bound": self.lower_bound, "optimal": self.optimal}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> CutPoint:
        """Return the point of a document."""
        theta = given.get("theta_exact")
        return cls(
            given["k"],
            given["loss"],
            {},
            given["suppressed"],
            given.get("l"),
            share=given.get("share"),
            suppressed_persons=given.get("suppressed_persons"),
            cut={name: tuple(labels) for name, labels in given["cut"].items()},
            theta=None if theta is None else Fraction(theta),
            lower_bound=given["lower_bound"],
        )


@dataclass(frozen=True, repr=False)
class CutSolution(Tabular):
    """A full-subtree recoding: the labels of the cut of every quasi attribute, what it costs, what is proven.

    `cost` is what was minimized: the l+ paper's price, in which a suppressed row pays for its sensitive
    value too. `losses` and `shares` follow the metrics' common definition, over all rows, as in every
    other answer. `solutions` are the costs of the best cuts, this one among them, if several were asked
    for.
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
    """Whether the search was complete: then `solutions` are the best there are."""
    found_on: Mapping[str, Any] | None = None
    losses: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    suppression_limit: int | None = None
    """How many rows may be suppressed at most; None for any number."""
    blank_limit: int | None = None
    """How many sensitive values may be blanked at most; None for any number."""
    persons: int | None = None
    """How many persons the rows are about, if some have several; `k` then counts persons."""
    suppressed_persons: int | None = None
    """How many of them have no released row."""
    near: Mapping[str, Any] = field(default_factory=dict)
    """If it was drawn from several: `within` which share of all detail of the best these are, whether that
    best is proven (`best_proven`), and for `robust` what attacks find on both."""

    @property
    def measure(self) -> str:
        """The metric of the common share: the one with the name of the cost, or LM if there is none."""
        return self.metric if self.metric in self.shares else "LM"

    @property
    def share(self) -> float | None:
        """The share of all detail that is lost, by `measure`."""
        return self.shares.get(self.measure)

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
        if self.share is not None:
            details |= {"share": self.share, "measure": self.measure}
        if self.solutions:
            details |= {"top": len(self.solutions), "seed": self.seed}
        details |= {**self.near, **self._limits}
        stated = {"rows": self.rows, "suppressed": self.suppressed_records}
        return Decision(
            CutRecoding(self.cut),
            self.promise,
            self.scheme,
            self.metric,
            details,
            found_on=self.found_on or stated,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal optimize --json` prints."""
        document: dict[str, Any] = {
            "metric": self.metric,
            "scheme": self.scheme.value,
            "rows": self.rows,
            **told_persons(persons=self.persons),
            "space": self.space,
            "examined": self.examined,
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            **({} if self.share is None else {"share": self.share, "measure": self.measure}),
            "losses": dict(self.losses),
            "shares": dict(self.shares),
            "optimal": self.optimal,
            "status": self.status,
            "seconds": self.seconds,
            "cut": {name: list(labels) for name, labels in self.cut.items()},
            "suppressed_records": self.suppressed_records,
            **told_persons(suppressed_persons=self.suppressed_persons),
            "suppressed_values": self.suppressed_values,
            "method": "l+-Optimize",
            "promise": self.promise.to_dict(),
        }
        if self.solutions:
            document |= {"top": len(self.solutions), "seed": self.seed, "complete": self.complete}
            document["solutions"] = list(self.solutions)
        if self.found_on is not None:
            document["found_on"] = dict(self.found_on)
        return document | {**self.near, **self._limits}

    @property
    def _limits(self) -> dict[str, int]:
        """The limits that were asked for, by name."""
        limits = {"suppression_limit": self.suppression_limit, "blank_limit": self.blank_limit}
        return {name: limit for name, limit in limits.items() if limit is not None}

    def to_json(self) -> str:
        """Return the document as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def as_table(self) -> AnswerTable:
        """Return the cut as a table: one row for each attribute, with its labels."""
        proof = "optimal, proven" if self.optimal else f"gap {percent(self.gap)}"
        caption = (
            f"{much_suppressed(self.suppressed_records, self.rows)}"
            f"{percent(self.share)} lost by {self.measure}; {self.metric} cost {amount(self.cost)} "
            f"({self.scheme.value}, {proof}); suppressed: {many(self.suppressed_records, 'record')}, "
            f"{many(self.suppressed_values, 'value')}"
        )
        if self.persons is not None:
            lost = f"no row left of {self.suppressed_persons or 0:,}"
            caption += f"{of_persons(self.rows, self.persons)}, {lost}"
        labels = (
            ["(missing)" if label is None else label for label in cut] for cut in self.cut.values()
        )
        return AnswerTable(
            caption,
            (
                AnswerColumn("attribute", str, list(self.cut)),
                AnswerColumn("released as", str, [", ".join(each) for each in labels]),
            ),
        )


_FRONTIER = (
    *("method", "metric", "rows", "suppression_limit", "suppression"),
    *("nodes", "evaluated", "certified", "seconds"),
)
"""The fields of a frontier that its document holds unchanged."""


def amounts(suppression: str, limit: int) -> str:
    """Return in words how much the points of a frontier suppress.

    >>> amounts("up-to", 301)
    'every amount of suppression up to 301 rows'
    """
    if not limit:
        return "nothing suppressed"
    if suppression == "fill":
        return f"every node suppressing as much as it may of {many(limit, 'row')}, as in the POkA paper"
    return f"every amount of suppression up to {many(limit, 'row')}"


def of_persons(rows: int, persons: int | None) -> str:
    """Return in words whom k counts, where persons have several rows.

    >>> of_persons(30162, 20271)
    '; k counts the 20,271 persons of 30,162 rows'
    """
    return "" if persons is None else f"; k counts the {many(persons, 'person')} of {many(rows, 'row')}"


DOUBLING = 0.01
"""The share of all detail that each doubling of k is worth where the knee is chosen."""
KNEE = (
    "The knee is where the risk 1/k and the share lost add up to the least, a doubling of k being worth "
    f"{percent(DOUBLING)} of the detail."
)


@dataclass(frozen=True, repr=False)
class Frontier(Tabular):
    """Every Pareto-optimal point of some objectives: of (k, loss) unless others were asked for.

    k and loss both descend strictly. Other points are ordered by the first objective, the best first,
    then by the next. `required_k` is a k that every point keeps besides; `sensitive` are the columns
    that l, t or theta are about. With the `suppression` "up-to" the points are of all nodes and all
    amounts of suppression up to the limit; with "fill" every node suppresses as much as the limit lets
    it, the rule of the POkA paper. The `recoding` is nodes or cuts: `nodes` counts them, and `evaluated`
    those that were looked at. If time ended a search of cuts, `proven_to` says how far the points are
    complete.
    """

    method: str
    metric: str
    rows: int
    suppression_limit: int
    nodes: int
    evaluated: int
    certified: bool
    seconds: float
    points: tuple[NodeSolution, ...]
    objectives: tuple[str, ...] = ("k", "loss")
    required_k: int | None = None
    sensitive: tuple[str, ...] = ()
    found_on: Mapping[str, Any] | None = None
    suppression: str = "up-to"
    recoding: str = "nodes"
    proven_to: float | None = None
    persons: int | None = None
    """How many persons the rows are about, if some have several."""

    @property
    def amounts(self) -> str:
        """How much the points suppress, in words."""
        return amounts(self.suppression, self.suppression_limit)

    def __iter__(self) -> Iterator[NodeSolution]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, i: int) -> NodeSolution:
        return self.points[i]

    @property
    def knee(self) -> NodeSolution | None:
        """The point where risk and loss have the smallest sum; None if there is no point.

        The risk is 1 / k, the highest chance that an attacker who knows that a person is in the table
        picks that person's row; the loss is the share of all detail; and each doubling of k is worth
        `DOUBLING` of the detail, so that much privacy for a small loss is chosen. Other objectives count
        likewise: l like k, t as it is, suppressed rows as their share. Nothing is scaled to the ends of
        the curve, which do not say what is worth paying. Points without privacy (k or l of 1, the
        largest t) or without information (t of 0) are chosen only if there are no others.
        """
        if not self.points:
            return None
        far = max(point.t or 0 for point in self.points)
        points = [point for point in self.points if self._useful(point, far)] or list(self.points)
        most = max(point.loss for point in self.points) or 1.0

        def cost(point: NodeSolution) -> float:
            # Old documents have no shares: then the largest loss of a point stands for all detail.
            costs = {"loss": point.loss / most if point.share is None else point.share}
            costs["suppressed"] = point.suppressed / max(self.rows, 1)
            sizes = [getattr(point, name) or 1 for name in self.objectives if name in ("k", "l")]
            doublings = sum(map(log2, sizes))
            return (
                sum(costs.get(name, point.cost(name)) for name in self.objectives) - DOUBLING * doublings
            )

        return min(points, key=cost)

    def _useful(self, point: NodeSolution, far: Fraction | int) -> bool:
        """Whether a point has some privacy and some information, if the largest t is `far`."""
        hidden = all((getattr(point, name) or 1) > 1 for name in ("k", "l") if name in self.objectives)
        shared = isinstance(point, CutPoint) and point.theta is not None and point.theta >= 1
        return hidden and not shared and (point.t is None or 0 < point.t < far)

    def steps(self) -> list[Step]:
        """Return what each step to the next point suppresses and saves, for suppressed rows and loss."""
        return steps(self.points, self.rows) if self.objectives == ("suppressed", "loss") else []

    def decision(self, point: NodeSolution) -> Decision:
        """Return what a release of a point carries out: its levels, and the promise of k, l or t."""
        details: dict[str, Any] = {
            **loss_and_share(point.loss, point.share),
            "method": self.method,
            "certified": self.certified,
            "suppression_limit": self.suppression_limit,
            "suppression": self.suppression,
        }
        if self.objectives == ("k", "loss"):
            details["frontier"] = [[other.k, other.loss, other.share] for other in self.points]
        else:
            details["objectives"] = list(self.objectives)
        close = {} if point.t is None else dict.fromkeys(self.sensitive, point.t)
        shares = {}
        if isinstance(point, CutPoint):
            details |= {"optimal": point.optimal, "lower_bound": point.lower_bound}
            if point.theta is not None:
                shares = dict.fromkeys(self.sensitive, ShareLimits(point.theta))
        promise = Promise(point.k, point.l, shares, close)
        return Decision(
            point.recoding,
            promise,
            metric=self.metric,
            details=details,
            found_on=self.found_on or {"rows": self.rows, "suppressed": point.suppressed},
        )

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Frontier:
        """Return the frontier of a document."""
        return cls(
            # Documents from before amounts were searched do not name the suppression.
            **{name: {"suppression": "fill", **given}[name] for name in _FRONTIER},
            points=tuple(
                (CutPoint if "cut" in point else NodeSolution).from_dict(point)
                for point in given["points"]
            ),
            objectives=tuple(given.get("objectives", ("k", "loss"))),
            required_k=given.get("required_k"),
            sensitive=tuple(given.get("sensitive", ())),
            found_on=given.get("found_on"),
            recoding=given.get("recoding", "nodes"),
            proven_to=given.get("proven_to"),
            persons=given.get("persons"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal frontier --json` prints, with objectives unless (k, loss)."""
        document: dict[str, Any] = {}
        if self.recoding != "nodes":
            document |= {"recoding": self.recoding, "proven_to": self.proven_to}
        if self.objectives != ("k", "loss"):
            document["objectives"] = list(self.objectives)
        if self.required_k is not None:
            document["required_k"] = self.required_k
        if self.sensitive:
            document["sensitive"] = list(self.sensitive)
        return document | {
            **{name: getattr(self, name) for name in _FRONTIER},
            **told_persons(persons=self.persons),
            "points": [point.to_dict() for point in self.points],
            **({} if self.found_on is None else {"found_on": dict(self.found_on)}),
        }

    def to_json(self) -> str:
        """Return the document as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def as_table(self) -> AnswerTable:
        """Return the points as a table, the knee in bold: k, the loss, l and t if asked for, the levels."""
        points, knee = self.points, self.knee
        columns = [
            AnswerColumn("k", int, [point.k for point in points]),
            AnswerColumn("loss", float, [point.loss for point in points], framed=True),
            AnswerColumn(
                "share", float, [point.share for point in points], percent, title=f"lost ({self.metric})"
            ),
            AnswerColumn("suppressed", int, [point.suppressed for point in points]),
        ]
        if self.persons is not None:
            lost = [point.suppressed_persons for point in points]
            columns.append(AnswerColumn("suppressed_persons", int, lost, title="persons suppressed"))
        if "l" in self.objectives:
            columns.append(AnswerColumn("l", int, [point.l for point in points]))
        if "t" in self.objectives:
            columns.append(AnswerColumn("t", float, [float(point.t or 0) for point in points]))
        if "theta" in self.objectives:
            columns.append(AnswerColumn("theta", float, [point.cost("theta") for point in points]))
        levels = points[0].detail if points else {}
        columns += [AnswerColumn(name, int, [point.detail[name] for point in points]) for name in levels]
        proof = "complete, proven" if self.certified else "not proven complete"
        return AnswerTable(
            f"{many(len(self), 'Pareto-optimal point')} of {large_number(self.nodes)} {self.recoding}, "
            f"{self.amounts} "
            f"({self.metric}, {proof}){of_persons(self.rows, self.persons)}",
            tuple(columns),
            frozenset(i for i, point in enumerate(points) if point is knee),
        )

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Draw the trade-off with matplotlib and return its axes."""
        from shoal.present.charts.matplotlib_figures import draw_series
        from shoal.present.charts.tradeoff import frontier_series

        return draw_series(frontier_series(self), ax)

    def picture(self) -> Picture:
        """Return the trade-off as SVG, with the points as a table."""
        from shoal.present.charts.tradeoff import frontier_picture

        return frontier_picture(self)
