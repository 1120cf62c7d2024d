"""What privacy costs by any means: a curve for each kind of recoding, and what none of them can beat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from shoal.answers.recoding import CutRecoding, Decision, NodeRecoding
from shoal.answers.solution import Frontier, loss_and_share
from shoal.describe.promise import Promise
from shoal.errors import InputError, NoSolutionError, did_you_mean, show
from shoal.numbers import percent
from shoal.tabular import AnswerColumn, AnswerTable

if TYPE_CHECKING:
    import matplotlib.axes

    from shoal.present.charts.svg import Picture

TITLES = {
    "nodes": "one level a column",
    "cuts": "one cut a column",
    "local-recoding": "local recoding",
    "mondrian": "Mondrian",
}
"""What the curves are called in pictures and tables."""
MEANINGS = {
    "nodes": "Every value of a column goes to the same level: a value has one meaning in the whole table.",
    "cuts": "Every value has one label, on a level of its own: a value has one meaning in the whole table.",
    "local-recoding": (
        "Every group has labels of the hierarchies for itself: the same value may be 37 in one row and 30-39 "
        "in another, so counts by value are estimates."
    ),
    "mondrian": (
        "Every group has the tightest intervals and sets for itself: nearest to the values, but in no fixed "
        "bands, so counts by band are estimates."
    ),
}
"""What each curve means for those who use the data."""
SHORT = {
    "nodes": "a value has one meaning in the whole table",
    "cuts": "a value has one meaning in the whole table",
    "local-recoding": "labels of the hierarchies, chosen group by group",
    "mondrian": "intervals and sets of its own, chosen group by group",
}
"""The same in a few words, for pictures."""
BOUND_TITLE = "no labels lose less (proven)"
BOUND = (
    "No recoding with labels of the hierarchies loses less, proven; Mondrian's intervals and sets are no "
    "such labels, and may."
)
"""What the lower bound is called, and means."""
PROOFS = {True: "exact", False: "found"}
"""The mark of a curve that is certified, and of one that is not: others of its kind may lose less."""


@dataclass(frozen=True)
class CostPoint:
    """A recoding on a curve: its k, its loss, and the recoding as documents show it.

    Groups are too large for a document of many points, which has only their number: `decide` gives what
    a release of them carries out, and a saved document has them in a file of its own (`kept_curves`).
    """

    k: int
    loss: float
    share: float | None
    suppressed: int
    recoded: Mapping[str, Any]
    decide: Callable[[], Decision] | None = field(default=None, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the point as documents show it."""
        return {
            "k": self.k,
            **loss_and_share(self.loss, self.share),
            "suppressed": self.suppressed,
            **self.recoded,
        }


@dataclass(frozen=True)
class CostCurve:
    """What privacy costs by one kind of recoding: its points, k and loss strictly descending."""

    name: str
    points: tuple[CostPoint, ...]
    certified: bool

    @property
    def title(self) -> str:
        """What people call it, and whether it is proven."""
        return f"{TITLES[self.name]} ({PROOFS[self.certified]})"

    @property
    def meaning(self) -> str:
        """What it means for those who use the data."""
        return MEANINGS[self.name]

    @property
    def sentence(self) -> str:
        """Its title and what it means, in a sentence of its own."""
        return f"{self.title[0].upper()}{self.title[1:]}: {self.meaning}"

    def at(self, k: int) -> CostPoint | None:
        """Return the cheapest point with at least k; None where there is none."""
        return min((p for p in self.points if p.k >= k), key=lambda p: p.loss, default=None)


def pareto(points: list[CostPoint]) -> tuple[CostPoint, ...]:
    """Return the points that no other matches or beats in both k and loss, both strictly descending."""
    found: list[CostPoint] = []
    for point in sorted(points, key=lambda p: (-p.k, p.loss)):
        if not found or point.loss < found[-1].loss:
            found.append(point)
    return tuple(found)


@dataclass(frozen=True, repr=False)
class PrivacyCosts(Frontier):
    """The frontier of nodes, with what other recodings cost beside it, for each of the `ks`.

    Its own points are those of the nodes; it has none if only groups were asked for. `lower_bound`
    gives, for each of the ks, the loss (and its share) that no recoding with labels of the hierarchies
    goes below; it is empty for metrics without such a bound.
    """

    recoding: str = "all"
    ks: tuple[int, ...] = ()
    curves: tuple[CostCurve, ...] = ()
    lower_bound: tuple[tuple[int, float, float], ...] = ()

    def curve(self, name: str | None) -> CostCurve:
        """Return the curve with this name, or refuse the name."""
        names = [curve.name for curve in self.curves]
        if name is None:
            raise InputError(f"say which curve (`recoding`): {', '.join(names)}")
        if name not in names:
            raise InputError(f"there is no curve {show(name)}; {did_you_mean(name, names)}")
        return next(curve for curve in self.curves if curve.name == name)

    def chosen(self, name: str | None, k: int | None) -> Decision:
        """Return what a release of the cheapest point with at least k of a curve carries out."""
        curve = self.curve(name)
        if k is None:
            raise InputError(f"say which k of {curve.name}: {', '.join(f'{k:,}' for k in self.ks)}")
        point = curve.at(k)
        if point is None:
            raise NoSolutionError(f"{curve.name} has no point with k of {k:,} or more")
        beside = {"curves": self.figures(), "curve": curve.name}
        if point.decide is not None:
            decision = point.decide()
            return replace(decision, details={**decision.details, **beside})
        if "groups" in point.recoded:
            raise InputError(
                f"this document has no groups; save the curves again, or anonymize with the algorithm "
                f"{curve.name} and k = {k}"
            )
        details = {
            **loss_and_share(point.loss, point.share),
            "method": self.method if "node" in point.recoded else "l+-Optimize",
            "certified": curve.certified,
            "suppression_limit": self.suppression_limit,
            **beside,
        }
        cut = {name: tuple(labels) for name, labels in point.recoded.get("cut", {}).items()}
        return Decision(
            CutRecoding(cut) if cut else NodeRecoding(dict(point.recoded["node"])),
            Promise(point.k),
            metric=self.metric,
            details=details,
            found_on=self.found_on or {"rows": self.rows, "suppressed": point.suppressed},
        )

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> PrivacyCosts:
        """Return the curves of a document; groups are not in it (`kept_curves` reads them)."""
        read = [
            CostCurve(name, tuple(map(_read, points)), given["certified"][name])
            for name, points in given["curves"].items()
        ]
        bound = given.get("lower_bound") or ()
        return cls(
            method=given["method"],
            metric=given["metric"],
            rows=given["rows"],
            suppression_limit=given["suppression_limit"],
            nodes=given["nodes"],
            evaluated=given["evaluated"],
            certified=bool(given["certified"].get("nodes")),
            seconds=given["seconds"],
            points=(),
            found_on=given.get("found_on"),
            recoding=given["recoding"],
            ks=tuple(given["ks"]),
            curves=tuple(read),
            lower_bound=tuple((point["k"], point["loss"], point["share"]) for point in bound),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal frontier --recoding all --json` prints."""
        return {
            "recoding": self.recoding,
            "method": self.method,
            "metric": self.metric,
            "rows": self.rows,
            "suppression_limit": self.suppression_limit,
            "nodes": self.nodes,
            "evaluated": self.evaluated,
            "seconds": self.seconds,
            "ks": list(self.ks),
            "certified": {curve.name: curve.certified for curve in self.curves},
            "meanings": {curve.name: curve.meaning for curve in self.curves},
            "curves": {curve.name: [p.to_dict() for p in curve.points] for curve in self.curves},
            "lower_bound": [
                {"k": k, "loss": loss, "share": share} for k, loss, share in self.lower_bound
            ]
            or None,
            **({} if self.found_on is None else {"found_on": dict(self.found_on)}),
        }

    @property
    def proofs(self) -> str:
        """Which curves are proven, and which have no point because their search was ended."""
        proven = [TITLES[curve.name] for curve in self.curves if curve.certified]
        empty = [TITLES[curve.name] for curve in self.curves if not (curve.certified or curve.points)]
        may = "other recodings of their kind may lose less."
        said = "Exact curves are proven; of those that are found, " + may
        if not proven:
            said = "No curve is proven: " + may
        elif len(proven) == len(self.curves):
            said = "All curves are proven."
        ended = (f" The search for {name} was ended before it had a point." for name in empty)
        return said + "".join(ended)

    def figures(self) -> dict[str, Any]:
        """Return the document without the recodings: what the curves are drawn from."""
        document = self.to_dict()
        kept = ("k", "loss", "share", "suppressed")
        curves = {
            name: [{field: point[field] for field in kept if field in point} for point in points]
            for name, points in document["curves"].items()
        }
        for name in ("meanings", "found_on"):
            document.pop(name, None)
        return document | {"curves": curves}

    def shares(self, curve: CostCurve) -> list[float | None]:
        """Return what a curve loses at each of the ks; None where it has no point."""
        found = [curve.at(k) for k in self.ks]
        return [None if point is None else point.share for point in found]

    def as_table(self) -> AnswerTable:
        """Return what each curve loses at each k."""
        columns = [AnswerColumn("k", int, list(self.ks))]
        columns += [
            AnswerColumn(curve.name, float, self.shares(curve), lost_share, title=curve.title)
            for curve in self.curves
        ]
        if self.lower_bound:
            bound = {k: share for k, _, share in self.lower_bound}
            columns.append(
                AnswerColumn(
                    "lower bound",
                    float,
                    [bound.get(k) for k in self.ks],
                    lost_share,
                    title=BOUND_TITLE,
                )
            )
        return AnswerTable(
            f"What privacy costs by any means: share of {self.metric} lost at each k", tuple(columns)
        )

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Draw the curves with matplotlib and return their axes."""
        from shoal.present.charts.any_means import costs_series
        from shoal.present.charts.matplotlib_figures import draw_series

        return draw_series(costs_series(self), ax)

    def picture(self) -> Picture:
        """Return the curves as SVG, with what each loses at each k as a table."""
        from shoal.present.charts.any_means import costs_picture

        return costs_picture(self)


def lost_share(share: float | None) -> str:
    """Return a share for a table's cell; nothing where there is none."""
    return "" if share is None else percent(share)


def _read(point: Mapping[str, Any]) -> CostPoint:
    recoded = {name: point[name] for name in ("node", "cut", "groups") if name in point}
    return CostPoint(point["k"], point["loss"], point.get("share"), point["suppressed"], recoded)
