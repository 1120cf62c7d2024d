"""Every Pareto-optimal (k, loss) of full-subtree cuts, or (l, loss), or (theta, loss).

Searches run one after another, each for a little more privacy than the answer before it has. The first
finds and proves the cheapest cut with k of at least 1 (`l_plus_optimize` has that proof); if its
smallest group has k' rows, or persons if they are counted, the next asks for k' + 1, and so on until no
cut is left. l and theta work the same way: the next search asks for one more distinct value, or for the
largest share below the one reached.

Proof. Let c(k) be the least loss of all cuts with at least k, where the rows in groups below k are suppressed
if the limit allows it. Raising k only takes cuts away, and only adds suppressed rows to the others, which
cost no less than released ones; so c never falls. The cheapest cut for k reaches some k' >= k, so
c(k) = c(k + 1) = ... = c(k'): of all pairs with k to k' rows, (k', c(k')) dominates the others. It is
Pareto-optimal unless c(k' + 1) is no more; then the next answer takes its place. So exactly the
Pareto-optimal pairs are left. The same holds for l and theta: a group that has too few distinct values,
or too large a share of one, is broken by every stricter demand too.

Of cuts with the same pair the search finds the one with the fewest suppressed rows: each costs a little
extra, all together less than any difference of losses. Of those, it finds the one that specializes less.

The searches share the table in the kernels' form and the premium near which the limit binds; each begins with
descents from the answer before, and ends at once if one of these costs no more than it: nothing can cost
less. What a search remembers of groups is not shared, because its bounds depend on k.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice

from shoal.describe.promise import ShareLimits
from shoal.errors import InputError
from shoal.kernels import NEVER, CutSearch, CutWalk
from shoal.numbers import amount, count, percent
from shoal.running.beside import Beside
from shoal.running.clock import Clock
from shoal.search.cuts.cut_problem import CutProblem, refuse_too_hard, share_below
from shoal.search.cuts.l_plus_optimize import KICK_WORK, KICKS, SLICE, Cut

Privacy = int | Fraction

FIRST = 200
"""How many steps of a search without proof come before this one, if no time limit ends them."""
KICKS_LATER = 2
"""Random restarts of a search that begins with the answer before it."""


@dataclass(frozen=True)
class FrontierCut:
    """A cut of the frontier: the privacy of its released groups, what it loses, and what is proven.

    No cut with as much privacy loses less than `lower_bound`; if the point is proven, that is its loss.
    """

    k: int
    distinct: int
    theta: Fraction
    loss: Fraction
    lower_bound: Fraction
    suppressed: int
    cut: Cut

    @property
    def proven(self) -> bool:
        """Whether no cut with as much privacy loses less."""
        return self.lower_bound >= self.loss


@dataclass(frozen=True)
class CutFrontier:
    """The points, most privacy first. If not `certified`, they are complete up to `proven_to`, and the cut
    that generalizes most is among them or dominated.
    """

    points: tuple[FrontierCut, ...]
    certified: bool
    proven_to: Privacy | None
    examined: int
    space: int
    seconds: float


@dataclass(frozen=True)
class Demand:
    """How one objective is asked for, step by step.

    `first` is the least to ask for; `after` gives what to ask for next, given what was reached, or None
    if nothing is left; `done` says how far that is, from 0 to 1.
    """

    name: str
    first: Privacy
    reached: Callable[[FrontierCut], Privacy]
    after: Callable[[Privacy], Privacy | None]
    done: Callable[[Privacy], float]


def demand_of(objective: str, problem: CutProblem, first: int = 1) -> Demand:
    """Return how k, l or theta is asked for."""
    if objective == "theta":
        rows = problem.tally.rows if problem.weights is None else problem.weights.largest
        if not rows:
            raise InputError(
                "somebody has so many rows in different combinations that shares of persons are too fine to "
                "be told apart; ask for l or for one theta, or search nodes"
            )
        return Demand(
            "theta",
            Fraction(1),
            lambda point: point.theta,
            lambda theta: share_under(Fraction(theta), rows) if theta else None,
            lambda theta: 1 - float(theta),
        )
    most = problem.tally.people
    if objective == "l":
        most = min(
            len([v for v in problem.tally.domain(name) if v is not None]) for name in problem.limits
        )
    return Demand(
        objective,
        first,
        (lambda point: point.k) if objective == "k" else (lambda point: point.distinct),
        lambda value: int(value) + 1 if value < most else None,
        lambda value: math.log(float(value)) / math.log(most) if most > 1 else 1.0,
    )


def share_under(limit: Fraction, rows: int) -> Fraction:
    """Return the largest share of at most `rows` rows that is below a limit.

    >>> share_under(Fraction(1, 2), 7), share_under(Fraction(1), 7), share_under(Fraction(1, 7), 7)
    (Fraction(3, 7), Fraction(6, 7), Fraction(0, 1))
    """
    # Two such shares differ by 1 / rows^2 at least.
    return share_below(limit - Fraction(1, 2 * rows * rows), rows)


def cut_frontier(
    problem: CutProblem,
    objective: str = "k",
    *,
    first: int = 1,
    last: int | None = None,
    threads: int = 1,
    clock: Clock | None = None,
    near: Iterator[None] | None = None,
) -> CutFrontier:
    """Return every Pareto-optimal point of all cuts, from `first` on; or those that there was time for.

    The search ends after a point with more than `last`, which shows whether the one before is dominated.

    `near` are the steps of a search without proof, where that of this one is out of reach: they come first,
    and without a time limit go on beside it.

    The problem's scheme is allRec, its k holds as well, and its `most_lost` limits the suppressed rows.
    """
    clock, beside = clock or Clock(), None
    if near is not None:
        for _ in near if clock.limited else islice(near, FIRST):
            pass
        beside = None if clock.limited else Beside(near, clock)
    series = _Series(problem, demand_of(objective, problem, first), threads, clock, last, beside)
    points: list[FrontierCut] = []
    proven_to: Privacy | None = None
    for point in series.points():
        if point.proven:
            proven_to = series.demand.reached(point)
        if points and points[-1].loss == point.loss:
            points.pop()
        points.append(point)
    top = None if series.certified else series.most_general()
    if top is not None and (not points or _more_private(objective, top, points[-1])):
        points.append(top)
    refuse_too_hard(series.question.gave_up)
    return CutFrontier(
        tuple(reversed(points)),
        series.certified,
        proven_to,
        series.examined,
        series.forest.space,
        series.clock.seconds,
    )


def _more_private(objective: str, one: FrontierCut, other: FrontierCut) -> bool:
    if objective == "theta":
        return one.theta < other.theta
    return one.k > other.k if objective == "k" else one.distinct > other.distinct


@dataclass
class _Series:
    """The questions of one frontier, one after the other."""

    problem: CutProblem
    demand: Demand
    threads: int
    clock: Clock
    last: int | None = None
    beside: Beside | None = None
    examined: int = 0
    certified: bool = False
    found: int = 0
    before: tuple[list[int], int] | None = None
    """What the answer before specializes, and the premium of its search."""
    floor: int = 0
    """What that answer costs: no later one costs less."""
    parts: int = field(init=False)
    """Into how many parts a unit of loss is divided, each the price of a suppressed row among ties."""

    def __post_init__(self) -> None:
        self._share = self.problem.share
        self.problem, self.parts = _with_ties(self.problem)
        self.forest = self.problem.forest(merged=True)
        self.question = self.problem.question(self.forest)
        self.walk = CutWalk(self.question)
        self.kicks = min(KICKS, KICK_WORK // max(len(self.problem.tally), 1))

    def points(self) -> Iterator[FrontierCut]:
        """Yield the cheapest cut for each step of privacy, until there is none or the time is over."""
        wanted: Privacy | None = self.demand.first
        while wanted is not None:
            best, bound, complete = self._solve(wanted)
            if best is None:
                self.certified = complete
                return
            point = self._point(*best, bound)
            yield point
            if not complete:
                return
            self.floor = best[0]
            self.found += 1
            wanted = self.demand.after(self.demand.reached(point))
            if self.last is not None and self.demand.reached(point) > self.last:
                break
        self.certified = True

    def most_general(self) -> FrontierCut | None:
        """Return the cut that generalizes most, without a bound: what is known before any search."""
        self._ask(self.demand.first)
        forbidden, cost, _, deleted, _ = self.walk.measure([])
        limit = self.problem.most_lost
        if forbidden or deleted >= self.problem.tally.rows or (limit is not None and deleted > limit):
            return None
        return self._point(cost, [], 0)

    def _solve(self, wanted: Privacy) -> tuple[tuple[int, list[int]] | None, int, bool]:
        """Return the cheapest cut with this much privacy, a lower bound, and whether that is proven."""
        self._ask(wanted)
        left = self.clock.left
        if self.before is None:
            specialized, premium = self.walk.good_start(0, self.kicks, left)
        else:
            kicks = min(self.kicks, KICKS_LATER)
            specialized, premium = self.walk.go_on(*self.before, 0, kicks, left)
        forbidden, cost, _, deleted, _ = self.walk.measure(specialized)
        limit = self.problem.most_lost
        allowed = not forbidden and deleted < self.problem.tally.rows
        start = (cost, specialized) if allowed and (limit is None or deleted <= limit) else None
        if start is not None and cost == self.floor and self.before is not None:
            self.before = (specialized, premium)
            return start, cost, True
        search = CutSearch(
            self.question,
            keep=1,
            slack=0,
            ascending=False,
            update=True,
            learn=True,
            needs=True,
            steps=True,
            ahead=True,
            remember=True,
            threads=self.threads,
            premium=premium,
            take=False,
        )
        if start is not None:
            search.offer(*start)
        done = False
        while not done and not self.clock.over:
            done = search.run(min(SLICE, self.clock.left))
            self._show(wanted, search)
            if self.beside is not None:
                self.beside.go_on()
        self.examined += search.examined
        best = search.best()
        if not best:
            return None, NEVER, done
        self.before = (best[0][1], premium)
        bound = max(self.floor, min(best[0][0], search.bound))
        return best[0], bound, bound >= best[0][0]

    def _ask(self, wanted: Privacy) -> None:
        """Make the kernels ask for this much privacy."""
        name, k, limits, distinct = self.demand.name, self.problem.k, self.problem.limits, 0
        if name == "k":
            k = max(k, int(wanted))
        elif name == "l":
            distinct = int(wanted)
        else:
            limits = {column: ShareLimits(Fraction(wanted)) for column in limits}
        self.question.ask(k, self.problem.limit_rows(limits), distinct)

    def _show(self, wanted: Privacy, search: CutSearch) -> None:
        """Show how far the frontier is, and how the current search stands."""
        text = f"{count(self.found)} points, {self.demand.name} from {wanted}"
        best = search.best()
        if best:
            cost, bound = best[0][0], max(self.floor, min(best[0][0], search.bound))
            gap = (cost - bound) / cost if cost else 0.0
            costs = (amount(self._loss(each)) for each in (cost, bound))
            text += ", cost {}, bound {}, gap {}".format(*costs, percent(gap))
        lost = None if not best else self._share(self._loss(best[0][0]))
        self.clock.show(self.demand.done(wanted), text, lost, f" at {self.demand.name} = {wanted}")

    def _loss(self, cost: int) -> Fraction:
        """Return the loss of a cost: without what suppressed rows cost among ties."""
        return Fraction(cost // self.parts * self.parts, self.problem.unit)

    def _point(self, cost: int, specialized: list[int], bound: int) -> FrontierCut:
        *_, deleted, _ = self.walk.measure(specialized)
        k, distinct, with_value, of_rows = self.walk.reached()
        return FrontierCut(
            k,
            distinct,
            Fraction(with_value, of_rows),
            self._loss(cost),
            self._loss(bound),
            deleted,
            self.forest.cut(specialized),
        )


def _with_ties(problem: CutProblem) -> tuple[CutProblem, int]:
    """Return the problem in which suppressed rows decide among equal losses, and the number of parts."""
    rows, costs, metric = problem.tally.rows, problem.costs, problem.metric
    if not costs.exact or not problem.most_lost:
        return problem, 1
    row = Fraction(metric.record_cost()) + Fraction(1, costs.unit * (rows + 1))
    dearer = type(metric.name, (type(metric),), {"record_cost": lambda _: row})
    divided = replace(
        problem, metric=dearer(metric.attributes, metric.rows, metric.labels, metric.weights)
    )
    if not divided.costs.exact:
        return problem, 1
    return divided, divided.unit // costs.unit
