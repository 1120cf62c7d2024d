"""From what a curator asks to what privacy costs by any means: nodes, cuts, groups, and a bound on all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any, TypeVar

from shoal.answering.cut_trade_off import cut_trade_off
from shoal.answering.following import clock_after, seconds_after
from shoal.answering.named import measured, pose
from shoal.answering.trade_off import trade_off
from shoal.answers.anonymization import Anonymization
from shoal.answers.privacy_costs import CostCurve, CostPoint, PrivacyCosts, pareto
from shoal.answers.solution import CutPoint, Frontier, NodeSolution
from shoal.assess.utility.losses import with_class
from shoal.data.tally import Node
from shoal.errors import NoSolutionError
from shoal.metrics import metric_named
from shoal.metrics.on_cuts import CUT_COSTS
from shoal.questions.material import Material
from shoal.questions.searches import AnonymizeQuestion, FrontierQuestion
from shoal.running.clock import Clock
from shoal.search.groups.group_loss import known_loss
from shoal.search.groups.local_recoding import LOCAL_RECODING
from shoal.search.groups.lower_bound import lower_bounds
from shoal.search.groups.mondrian import MONDRIAN
from shoal.search.groups.series import GroupsAt, local_series, mondrian_series
from shoal.search.lattice.anytime import HOPELESS
from shoal.search.lattice.every_k import ASKED
from shoal.search.task import Algorithm, Found, Task

R = TypeVar("R")

STEPS = (2, 3, 5, 7, 10, 15)
UNPROVEN = 60.0
"""Without a limit, the seconds for nodes, and for cuts, if they are too many for a proof: others wait."""
MOST = 20
"""At most this many values of k are searched."""


def series(people: int, least: int, most: int | None) -> tuple[int, ...]:
    """Return the values of k: 2, 3, 5, 7, 10, 15, 20, 30 and so on, as far as they lie between two ends.

    Ends that are set are among them. If there are more than twenty, the first twenty are taken, or
    evenly spaced ones if `most` is set.

    >>> series(30_162, 1, None)
    (2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000)
    >>> series(100, 4, 12)
    (4, 5, 7, 10, 12)
    """
    end = people if most is None else min(most, people)
    found = {step * 10**i for i in range(len(str(end))) for step in STEPS}
    found |= {20 * 10**i for i in range(len(str(end)))}
    ends = {*([least] if least > 1 else ()), *(() if most is None else (end,))}
    ks = sorted(k for k in found | ends if max(least, 2) <= k <= end)
    if len(ks) > MOST and most is not None:
        ks = [ks[round(i * (len(ks) - 1) / (MOST - 1))] for i in range(MOST)]
    return tuple(ks[:MOST])


def by_any_means(material: Material, question: FrontierQuestion) -> PrivacyCosts:
    """Return what privacy costs by groups, or by any means, for a series of k."""
    asked = _Asked(material, question)
    with asked.clock:
        return asked.answer()


class _Asked:
    """One question while it is being answered: what all curves share."""

    def __init__(self, material: Material, question: FrontierQuestion) -> None:
        counting = Clock()
        self.material, self.question = material, question
        self.kind = metric_named(question.metric)
        problem, tally = material.posed(self.kind)
        self.clock = clock_after(counting, question, seconds_after(tally, "groups"))
        self.ks = series(problem.people, question.min_k, question.max_k)
        if not self.ks:
            raise NoSolutionError(
                f"no k of {max(question.min_k, 2):,} or more: the table has {problem.crowd}; lower min_k"
            )
        self.asked_k = next((k for k in self.ks if k >= ASKED), self.ks[-1])
        self.lost: float | None = None
        asked = AnonymizeQuestion(
            algorithm="local-recoding",
            k=self.ks[0],
            suppress=question.suppress or 0,
            metric=question.metric,
        )
        self.task = pose(material, asked)
        self.task.tally.check_fine("groups are made of single combinations, which")

    def answer(self) -> PrivacyCosts:
        """Return all curves; with threads, Mondrian's groups and the bound are computed in parallel."""
        everything = self.question.recoding == "all"
        with _beside(self.clock, self.material.threads) as later:
            bound = later(lambda clock: lower_bounds(self.task.metric, self.ks, clock.part(0.4)))
            split = later(lambda clock: mondrian_series(self.task, self.ks, clock))
            self._show(0.0, "nodes")
            nodes = self._nodes() if everything else None
            self._note(nodes.points if nodes is not None else ())
            self._show(0.1, "local recoding")
            local = local_series(
                self.task,
                self.ks,
                self.clock.part(0.6),
                self._starts(),
                lambda share: self._show(0.1 + 0.4 * share, "local recoding"),
            )
            recoded = self._groups(LOCAL_RECODING, local)
            self._note(recoded.points)
            self._show(0.5, "cuts")
            curves = [] if nodes is None else [self._of_nodes(nodes), *self._cuts(nodes.points)]
            self._show(0.8, "Mondrian, and the bound")
            curves.append(recoded)
            curves.append(self._groups(MONDRIAN, split()))
            least = bound()
        metric = self.task.metric
        told = [metric.told(loss) for loss in least or ()]
        front = nodes or self._without_nodes()
        return PrivacyCosts(
            **{one.name: getattr(front, one.name) for one in fields(Frontier)}
            | {
                "seconds": self.clock.seconds,
                "found_on": self.material.found_on(self.material.classes(self.kind)),
                "recoding": self.question.recoding,
            },
            ks=self.ks,
            curves=tuple(curves),
            lower_bound=tuple(
                (k, float(one.loss), float(one.share)) for k, one in zip(self.ks, told, strict=False)
            ),
        )

    def _show(self, share: float, words: str) -> None:
        """Report progress, with the least that is lost at a k people ask for by what is found so far."""
        self.clock.show(share, words, self.lost, f" at k = {self.asked_k:,}")

    def _heard(self, name: str, begun: float, part: float) -> Callable[[float, str], bool]:
        """Return what passes the progress of another question on, as a part of this one's."""

        def heard(share: float, words: str) -> bool:
            self.clock.show(begun + part * share, f"{name}: {words}")
            return self.clock.over

        return heard

    def _left(self, clock: Clock) -> float | None:
        """Return the time left as a limit for another question, which must be above 0."""
        if clock.limited:
            return max(clock.left, 1e-9)
        return UNPROVEN if self.task.problem.nodes > HOPELESS else None

    def _note(self, points: Iterable[NodeSolution | CostPoint]) -> None:
        """Remember the least that is lost by some points at that k."""
        shares = [point.share for point in points if point.k >= self.asked_k and point.share is not None]
        self.lost = min(shares if self.lost is None else [self.lost, *shares], default=None)

    def _nodes(self, **changed: Any) -> Frontier:
        asked = replace(
            self.question,
            recoding="nodes",
            min_k=self.ks[0],
            max_k=None,
            time_limit=self._left(self.clock.part(0.2)),
            progress=self._heard("nodes", 0.0, 0.1),
            **changed,
        )
        try:
            return trade_off(self.material, asked)
        except NoSolutionError:
            # POkA says so too where it has found none.
            return replace(self._without_nodes(), certified=self.question.method != "poka")

    def _without_nodes(self) -> Frontier:
        return Frontier(
            "exact",
            self.task.metric.name,
            self.task.rows,
            self.task.limit,
            self.task.problem.nodes,
            0,
            False,
            0.0,
            (),
            persons=self.task.tally.people_if_several,
        )

    def _of_nodes(self, front: Frontier) -> CostCurve:
        points = [CostPoint(p.k, p.loss, p.share, p.suppressed, {"node": p.node}) for p in front.points]
        return CostCurve("nodes", self._up_to(pareto(points)), front.certified)

    def _up_to(self, points: Sequence[CostPoint]) -> tuple[CostPoint, ...]:
        """Return the points below the largest k, and the cheapest that keeps it."""
        beyond = [point for point in points if point.k >= self.ks[-1]]
        return tuple(beyond[-1:]) + tuple(point for point in points if point.k < self.ks[-1])

    def _starts(self) -> dict[int, Node]:
        """Return, for each k, the cheapest full-domain node without suppression that is known to keep it."""
        front = self._nodes(suppress=0, metric="LM")
        if self.task.metric.name == front.metric:
            self._note(front.points)
        found: dict[int, Node] = {}
        for k in self.ks:
            keeping = [point for point in front.points if point.k >= k]
            if keeping:
                best = min(keeping, key=lambda point: point.loss)
                found[k] = tuple(best.node[name] for name in self.task.problem.names)
        return found

    def _cuts(self, nodes: Sequence[NodeSolution]) -> Iterator[CostCurve]:
        """Yield the curve of cuts, if the metric defines a cost of cuts; it is never above that of nodes."""
        if self.kind.name not in {cost.name for cost in CUT_COSTS}:
            return

        asked = replace(
            self.question,
            recoding="cuts",
            fill=False,
            min_k=self.ks[0],
            max_k=self.ks[-1],
            time_limit=self._left(self.clock),
            progress=self._heard("cuts", 0.5, 0.3),
        )
        try:
            front = cut_trade_off(self.material, asked, beyond=True, known=nodes)
        except NoSolutionError:
            yield CostCurve("cuts", (), certified=True)
            return
        points = []
        for point in front.points:
            assert isinstance(point, CutPoint)
            cut = {name: list(labels) for name, labels in point.cut.items()}
            points.append(CostPoint(point.k, point.loss, point.share, point.suppressed, {"cut": cut}))
        yield CostCurve("cuts", self._up_to(pareto(points)), front.certified)

    def _groups(self, algorithm: Algorithm, found: list[GroupsAt]) -> CostCurve:
        distinct = {id(one.groups): one for one in found}.values()
        points: list[CostPoint] = []
        for one in distinct:
            if points and self.clock.late:
                break
            points.append(self._group_point(algorithm, one))
        return CostCurve(algorithm.name, pareto(points), False)

    def _group_point(self, algorithm: Algorithm, found: GroupsAt) -> CostPoint:
        """Return groups as a point, measured like a release unless the loss is known without its labels."""
        ground, metric = found.ground.at(found.k), self.task.metric

        def measure() -> Anonymization:
            return self._measured(algorithm, ground.task, ground.found(found.groups, {}))

        loss = known_loss(ground, found.groups, found.cost)
        if loss is None:
            return _point(measure(), {"groups": found.count})
        # What `measure` looks up is counted here, while the table is open.
        with_class(self.material, ground.task.tally)
        told = metric.told(loss)
        return CostPoint(
            found.k,
            float(told.loss),
            float(told.share),
            ground.lost,
            {"groups": found.count},
            lambda: measure().decision(),
        )

    def _measured(self, algorithm: Algorithm, task: Task, found: Found) -> Anonymization:
        seconds = self.clock.seconds
        return measured(self.material, task, algorithm, found, seconds, algorithm.guarantees)


def _point(answer: Anonymization, recoded: dict[str, Any]) -> CostPoint:
    return CostPoint(answer.k, answer.loss, answer.share, answer.suppressed, recoded, answer.decision)


Later = Callable[[Callable[[Clock], R]], Callable[[], R]]


@contextmanager
def _beside(clock: Clock, threads: int) -> Iterator[Later[Any]]:
    """Give a function that starts work in parallel, and returns a function that waits for its result.

    With one thread the work is done when its result is asked for. It must end when the time of `clock`
    ends.
    """
    if threads < 2:
        yield lambda work: lambda: work(clock)
        return
    own = clock.part(1.0)
    with ThreadPoolExecutor(1) as pool:

        def later(work: Callable[[Clock], R]) -> Callable[[], R]:
            begun = pool.submit(work, own)

            def wait() -> R:
                while not begun.done():
                    if clock.over:
                        own.end()
                    wait_for([begun], timeout=0.1)
                return begun.result()

            return wait

        try:
            yield later
        finally:
            own.end()
