"""What is drawn of a frontier: axes, staircases within limits, or a map of the least loss; and the knee."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.answers.steps import notable
from shoal.numbers import amount, count, many, percent, rounded
from shoal.present.charts.grid import Grid, grid_chart
from shoal.present.charts.plane import Curve, Drop, Plane, Spot, plane_chart
from shoal.present.charts.scales import Scale, k_scale, number_scale, share_scale, suppressed_scale
from shoal.present.charts.svg import Picture, Table

if TYPE_CHECKING:
    from shoal.answers.solution import Frontier, NodeSolution

SHARES = (0.0, 0.001, 0.01, 0.05, 0.2)
"""The limits of suppressed rows that are drawn, as shares of all rows."""
MOST_ROWS = 15
"""So many numbers of distinct values are drawn at most."""


@dataclass(frozen=True)
class Objective:
    """An objective as an axis: where a point lies on it, how that is said, and its scale."""

    at: Callable[[NodeSolution, Frontier], float]
    said: Callable[[NodeSolution, Frontier], str]
    scale: Callable[[Sequence[float], str], Scale]
    label: str
    falls: bool = False
    """Whether the loss falls along it, as where the objective is to be small."""


def _suppressed(point: NodeSolution, front: Frontier) -> float:
    return point.suppressed / front.rows


OBJECTIVES = {
    "k": Objective(
        lambda point, _: point.k,
        lambda point, _: f"k = {count(point.k)}",
        k_scale,
        "k: rows in the smallest group",
    ),
    "l": Objective(
        lambda point, _: point.l or 0,
        lambda point, _: f"l = {point.l}",
        number_scale,
        "l: sensitive values in each group, at least",
    ),
    "t": Objective(
        lambda point, _: float(point.t or 0),
        lambda point, _: f"t = {rounded(point.t or 0, 3)}",
        number_scale,
        "t: how far a group's sensitive values are from the table's, at most",
        falls=True,
    ),
    "theta": Objective(
        lambda point, _: point.cost("theta"),
        lambda point, _: f"theta = {rounded(point.cost('theta'), 3)}",
        number_scale,
        "theta: share of a sensitive value in a group, at most",
        falls=True,
    ),
    "suppressed": Objective(
        _suppressed,
        lambda point, front: f"{percent(_suppressed(point, front))} suppressed",
        suppressed_scale,
        "suppressed rows, of all rows",
        falls=True,
    ),
}


def lost(metric: str) -> str:
    """Return the label of the axis of losses."""
    return f"information lost ({metric})"


def most_of(losses: Iterable[tuple[float, float | None]]) -> float | None:
    """Return the most that can be lost, from losses and their shares; None if no share is known."""
    return next((loss / share for loss, share in losses if loss and share), None)


def shares(losses: Sequence[float], most: float | None = None) -> list[float]:
    """Return losses as shares of the largest, or of `most`."""
    whole = most or max(losses, default=0.0) or 1.0
    return [loss / whole for loss in losses]


def _most(front: Frontier) -> float | None:
    return most_of((point.loss, point.share) for point in front.points)


def frontier_picture(front: Frontier) -> Picture:
    """Return the picture of a frontier of any objectives."""
    drawn = frontier_series(front)
    return grid_chart(drawn, 760) if isinstance(drawn, Grid) else plane_chart(drawn, 760, 430)


def frontier_series(front: Frontier) -> Plane | Grid:
    """Return what is drawn of a frontier.

    Two objectives are a staircase. Of k, suppressed rows and loss there is one staircase for each of a few
    limits of suppressed rows; of k, l and loss a map of the least loss for each k and l.
    """
    proof = "complete, proven" if front.certified else "not proven complete"
    title = f"{many(len(front), 'Pareto-optimal way')} to generalize {many(front.rows, 'row')} ({proof})"
    if front.objectives == ("k", "l", "loss"):
        return _least_loss(front, title)
    objective = OBJECTIVES[front.objectives[0]]
    high = dict(
        zip(map(id, front.points), shares([p.loss for p in front.points], _most(front)), strict=True)
    )

    def place(point: NodeSolution) -> tuple[float, float]:
        return float(objective.at(point, front)), high[id(point)]

    staircases: list[tuple[str, Sequence[NodeSolution]]] = [("", front.points)]
    if len(front.objectives) > 2:
        staircases = [(limit.words(front), envelope(front, limit)) for limit in limits(front)]
    curves = tuple(Curve(tuple(map(place, points)), name) for name, points in staircases)
    drops = []
    for step in notable(front.steps()):
        (_, before), (x, after) = place(front.points[step.start]), place(front.points[step.start + 1])
        drops.append(Drop(x, before, after, step.words.replace("-", "−")))
    knee, chosen = front.knee, None
    if knee is not None:
        said = [OBJECTIVES[name].said(knee, front) for name in front.objectives if name != "loss"]
        chosen = Spot(*place(knee), "knee: " + ", ".join(said))
    required = "" if front.required_k is None else f" (k = {count(front.required_k)})"
    return Plane(
        title,
        "; ".join([front.amounts, *([chosen.words] if chosen else [])]),
        objective.scale(
            [float(objective.at(p, front)) for p in front.points], objective.label + required
        ),
        share_scale(list(high.values()), lost(front.metric)),
        curves or (Curve(()),),
        frontier_table(front),
        holds=objective.falls,
        chosen=chosen,
        drops=tuple(drops),
    )


def _number(point: NodeSolution, field: str) -> str:
    return rounded(point.cost(field), 4) if field in ("t", "theta") else count(getattr(point, field))


def frontier_table(front: Frontier) -> Table:
    """Return the points as a table, the knee marked."""
    names = list(front.points[0].detail) if front.points else []
    fields = ["k", *(name for name in ("l", "t", "theta") if name in front.objectives)]
    parts = shares([point.loss for point in front.points], _most(front))
    rows = [
        (
            *(_number(p, name) for name in fields),
            amount(p.loss),
            percent(share),
            count(p.suppressed),
            *(str(p.detail[name]) for name in names),
        )
        for p, share in zip(front.points, parts, strict=True)
    ]
    knee = front.knee
    marked = next((i for i, point in enumerate(front.points) if point is knee), None)
    head = (*fields, front.metric, "lost", "suppressed rows", *names)
    return Table.of("The points of the frontier", head, rows, range(len(head)), marked)


def k_plane(
    pairs: Sequence[tuple[int, float]],
    metric: str,
    table: Table,
    *,
    title: str = "Trade-off of privacy and information loss",
    desc: str = "",
    words: Sequence[str] = (),
    chosen: Spot | None = None,
) -> Plane:
    """Return what is drawn of pairs of k and the share that is lost."""
    ks = [float(k) for k, _ in pairs] + ([chosen.x] if chosen else [])
    high = [share for _, share in pairs] + ([chosen.y] if chosen else [])
    curve = Curve(tuple((float(k), share) for k, share in pairs), words=tuple(words))
    return Plane(
        title, desc, k_scale(ks), share_scale(high, lost(metric)), (curve,), table, chosen=chosen
    )


def document_plane(points: Sequence[Mapping[str, Any]], metric: str) -> Plane:
    """Return what is drawn of points as `shoal frontier --json` gives them, each with its words."""
    most = most_of((point["loss"], point.get("share")) for point in points)
    parts = shares([point["loss"] for point in points], most)
    names = tuple(points[0]["node"]) if points else ()
    words, rows = [], []
    for point, share in zip(points, parts, strict=True):
        levels = ", ".join(f"{name} {level}" for name, level in point["node"].items())
        gone = many(point["suppressed"], "row")
        words.append(f"k = {count(point['k'])}, {percent(share)} lost, {gone} suppressed; {levels}")
        own = [str(point["node"][name]) for name in names]
        rows.append(
            (count(point["k"]), percent(share), amount(point["loss"]), count(point["suppressed"]), *own)
        )
    head = ("k", "lost", metric, "suppressed rows", *names)
    table = Table.of("The Pareto frontier", head, rows, range(len(head)))
    pairs = [(point["k"], share) for point, share in zip(points, parts, strict=True)]
    return k_plane(
        pairs, metric, table, title=f"The frontier, {many(len(points), 'point')}", words=words
    )


@dataclass(frozen=True)
class Limit:
    """At most so many suppressed rows."""

    rows: int
    share: float | None = None

    def words(self, front: Frontier) -> str:
        """Return the limit as a legend names it."""
        if self.share is not None:
            return f"{percent(self.share)} suppressed at most" if self.rows else "nothing suppressed"
        return "any suppression" if self.rows >= front.rows - 1 else f"{many(self.rows, 'row')} at most"


def limits(front: Frontier) -> list[Limit]:
    """Return the limits to draw, the strictest first; none that gives the staircase of the one before."""
    most = front.suppression_limit
    candidates = [Limit(int(share * front.rows), share) for share in SHARES]
    candidates = [*(limit for limit in candidates if limit.rows < most), Limit(most)]
    found: list[Limit] = []
    before: list[NodeSolution] = []
    for limit in candidates:
        points = envelope(front, limit)
        if points and points != before:
            found.append(limit)
            before = points
    return found


def envelope(front: Frontier, limit: Limit) -> list[NodeSolution]:
    """Return the points of the frontier of k and loss within the limit, k descending."""
    within = [point for point in front.points if point.suppressed <= limit.rows]
    found: list[NodeSolution] = []
    for point in sorted(within, key=lambda point: (-point.k, point.loss)):
        if not found or point.loss < found[-1].loss:
            found.append(point)
    return found


def cells(front: Frontier) -> tuple[list[int], list[int], list[list[float | None]]]:
    """Return numbers of k and l, and for each l (a row) and k the least loss of a point that has both.

    The k are 1, 2, 5, 10 and so on; where no point has both there is None.
    """
    most = max((point.k for point in front.points), default=1)
    ks = [digit * 10**power for power in range(len(str(most))) for digit in (1, 2, 5)]
    ks = [k for k in ks if k <= most]
    ls = sorted({point.l or 0 for point in front.points}) or [1]
    if len(ls) > MOST_ROWS:
        ls = [ls[round(i * (len(ls) - 1) / (MOST_ROWS - 1))] for i in range(MOST_ROWS)]
    losses = [
        [
            min((p.loss for p in front.points if p.k >= k and (p.l or 0) >= least), default=None)
            for k in ks
        ]
        for least in ls
    ]
    return ks, ls, losses


def _least_loss(front: Frontier, title: str) -> Grid:
    ks, ls, losses = cells(front)
    most = _most(front) or max((point.loss for point in front.points), default=0.0) or 1.0
    knee, framed, note = front.knee, None, ""
    if knee is not None:
        x = max((i for i, k in enumerate(ks) if k <= knee.k), default=0)
        y = max((i for i, value in enumerate(ls) if value <= (knee.l or 0)), default=0)
        framed, note = (x, y), f"framed: the knee, k = {count(knee.k)} and l = {knee.l}"
    return Grid(
        title,
        OBJECTIVES["k"].label,
        OBJECTIVES["l"].label,
        f"least {lost(front.metric)}",
        tuple(count(k) for k in ks),
        tuple(str(value) for value in ls),
        tuple(tuple(None if loss is None else loss / most for loss in row) for row in losses),
        frontier_table(front),
        framed,
        note,
    )
