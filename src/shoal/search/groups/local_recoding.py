"""Local recoding: every group has levels of its own, and its labels are labels of the hierarchies.

It starts with groups that keep the promise, in one of two ways:

- nearest: combinations are merged with those that are nearest, the cheapest pair first, until every group
  keeps the promise (bottom-up, as Xu and others 2006 do);
- rounds: a full-domain node that suits the remaining rows releases its classes that keep the promise; the
  others are recoded again with another node, and so on (as ARX does, Prasser and others 2016); rows that no
  round releases are merged with near ones.

Or it starts with the cheapest full-domain node that suppresses nothing, if that costs less: the answer is
never worse than that node (`flash` finds it, if there is time; on a lattice too large for a proof it is the
best one that `anytime` finds).

Then groups are split, and combinations move between neighbouring groups as long as that lowers the loss
(annealing; see `regroup`). Every group keeps the promise at all times. Groups may overlap: a label of one may
be above a label of another. All levels are between the study's lowest and highest. The search minimizes the
metric that was asked for if it adds up cells (LM, NCP, Prec, NUE), and otherwise LM; see `group_loss` for CM,
and `more_groups` for DM and ClassSize. Columns that are named consistent have one level in all groups.
For metrics that have one, the answer comes with a bound that no recoding with labels of the hierarchies is
below (`lower_bound`), whether columns are consistent or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.criteria import broken
from shoal.data.coding import placed
from shoal.data.tally import Node, Problem, Tally
from shoal.metrics.by_cell import CellMetric
from shoal.metrics.class_size import ClassSize
from shoal.metrics.dm import DM
from shoal.metrics.lm import LM
from shoal.metrics.metric import Metric
from shoal.running.clock import Clock
from shoal.search.algorithm_options import choice, effort_of, names_of
from shoal.search.groups.consistent import Weighed, consistently
from shoal.search.groups.dear_rows import without_outliers
from shoal.search.groups.group_loss import group_loss, led_by_class
from shoal.search.groups.grouping import Grouping
from shoal.search.groups.in_parts import InParts, regrouper_of
from shoal.search.groups.lower_bound import MOST_LOOKS, NearOnes, bounded, told_bound
from shoal.search.groups.more_groups import by_size
from shoal.search.groups.own_crowd import check_presence
from shoal.search.groups.regroup import Regrouper
from shoal.search.lattice.anytime import HOPELESS, Anytime
from shoal.search.lattice.flash import Cheapest
from shoal.search.lattice.node_judge import Judge, Judged
from shoal.search.task import Algorithm, Found, Task

Ints = npt.NDArray[np.int64]

KEPT = "every group keeps the promise"
LABELS = "every label is one of the hierarchies, between the study's lowest and highest levels"

STARTS = ("nearest", "rounds")
PRICE = Fraction(1, 16)
"""The price of a row that a round leaves for later, as a share of a suppressed row's."""
BOUND = 0.1
"""The share of a time limit for the bound."""
LOOKS = 4_000_000_000
"""So many costs of labels the bound on many columns may look at, for each effort: about 20 seconds of
computing. Without effort it is a tenth of them.
"""
LEAST = 0.02
"""If a round releases a smaller share of the remaining rows, the price is doubled; at 1 it is the last round.
"""


def local_recoding(
    task: Task,
    clock: Clock,
    start: str = "nearest",
    effort: float | str | None = None,
    consistent: str | Sequence[str] | None = None,
) -> Found:
    """Return groups under labels of the hierarchies."""
    first = choice("start", start, STARTS)
    names = names_of(consistent, task.problem.names, "consistent")
    check_presence(task, overlap=True)

    proven: list[bool] = []

    def search(part: Task, clock: Clock, effort: float) -> Weighed:
        whole = (
            part.tally is task.tally
        )  # the bound is about all rows, and so is what no node goes below
        found = _searched(part, clock, first, effort, task if whole and not names else None)
        if whole:
            proven.append(found.found.to_end)
        return found

    spared = without_outliers(search, lambda part: Grouping.of(part, "hierarchy"))
    given = effort_of(effort, clock)
    found = consistently(task, names, clock, given, led_by_class(spared))
    said = (KEPT, LABELS, *(_below_nodes(task.metric, names) if all(proven) else ()))
    return bounded(task, replace(found, guarantees=said), given, clock)


def _below_nodes(metric: Metric, consistent: Sequence[str]) -> tuple[str, ...]:
    """Return what holds, if the cheapest node was proven: no node loses less by what the search minimizes.

    It may not hold where another metric chooses among groups that were found: smaller groups may have wider
    labels (DM, ClassSize), and so may those that keep more of a class (CM, target).
    """
    if metric.needs_class or isinstance(metric, DM | ClassSize):
        return ()
    searched = isinstance(metric, CellMetric)
    which = ""
    if consistent:
        which = f", of those with {'levels that were tried' if searched else 'the levels chosen'} in "
        which += "the consistent columns"
    by = metric.name if searched else LM.name
    return (f"by {by}, no full-domain node without suppression loses less{which}",)


def _searched(task: Task, clock: Clock, first: str, effort: float, asked: Task | None) -> Weighed:
    """Return the groups of one task, what they lose, and the bound of what was asked, if any."""
    ground = Grouping.of(task, "hierarchy")
    task = ground.task
    regrouper = regrouper_of(ground, task.seed, clock)
    merged = regrouper.gathered(_rounds(ground, clock.part(0.25)) if first == "rounds" else None)
    starts = [(regrouper.cost(merged), first, merged)]
    node, proven = None, False
    if ground.crowd is None:  # else classes count persons whom groups of their rows do not
        judge = _judge(ground, task.problem, task.tally, 0)
        below = ground.loss_of(starts[0][0])
        node, proven = _cheapest_node(judge, clock.part(0.25), task.seed, below)
    if node is not None:
        classes = classes_of_node(ground, node)
        starts.append((regrouper.cost(classes), "node", classes))
    _, used, groups = min(starts, key=lambda one: one[0])
    found = regrouper.improved(regrouper.split(groups), effort, clock.part(1 - BOUND, heard=True))
    details = {"start": used, "steps": found.steps}
    if asked is not None:
        known = _known(regrouper, found.groups, int(min(LOOKS * (0.1 + effort), MOST_LOOKS)))
        details |= told_bound(asked, ground.k, effort, clock, known)
    groups = by_size(regrouper, found.groups, clock)
    loss = group_loss(ground, groups, found.cost)
    return Weighed(replace(ground.found(groups, details), to_end=proven), loss, ground.gone_row)


def _known(regrouper: Regrouper, groups: Ints, work: int) -> NearOnes:
    """Return groups of the kept points as those of combinations, and some of the near ones of each."""
    ground = regrouper.ground
    of = np.full(len(ground), -1, dtype=np.int64)
    of[ground.kept] = groups[:, 0]
    if isinstance(regrouper, InParts) and regrouper.large:  # who is near whom was known in parts only
        return NearOnes(of[ground.point_of], np.full((len(ground.point_of), 1), -1, np.int32), work)
    one = np.full(len(ground) + 1, -1, dtype=np.int32)  # a combination of each point; the last is none
    one[ground.point_of] = np.arange(len(ground.point_of))
    near = np.full((len(ground), regrouper.neighbours.shape[1]), -1, dtype=np.int32)
    near[ground.kept] = one[:-1][ground.kept][regrouper.neighbours]
    near[ground.kept] = np.where(regrouper.neighbours < 0, -1, near[ground.kept])
    return NearOnes(of[ground.point_of], np.ascontiguousarray(near[ground.point_of]), work)


def _cheapest_node(judge: Judge, clock: Clock, seed: int, below: Fraction) -> tuple[Node | None, bool]:
    """Return the cheapest node, or a good one if a proof is out of reach; None if none was found that costs
    less than what is known. And whether no node costs less than it, or than what is known.
    """
    if judge.problem.nodes > HOPELESS:
        sketch = Anytime(judge, clock, seed)
        sketch.run()
        return None if sketch.best is None else sketch.best.node, False
    search = Cheapest(judge, clock, below)
    done = search.run()
    return None if search.best is None else search.best.node, done


def _judge(ground: Grouping, problem: Problem, tally: Tally, limit: int) -> Judge:
    """Return a judge of some of a task's combinations, by what the search minimizes."""
    task, metric = ground.task, type(ground.objective)(problem)
    return Judge(problem, tally, task.criteria, limit, metric, task.sensitive, task.population)


def _keys(problem: Problem, node: Node) -> Ints:
    """Return the codes of combinations on the levels of a node."""
    columns = [
        ladder.codes[level][problem.codes[:, a]]
        for a, (ladder, level) in enumerate(zip(problem.ladders, node, strict=True))
    ]
    return np.stack(columns, axis=1).astype(np.int64)


def classes_of_node(ground: Grouping, node: Node) -> Ints:
    """Return the classes of a node as groups of the kept points."""
    return _numbered(_keys(ground.task.problem, node), ground)


def _numbered(keys: Ints, ground: Grouping) -> Ints:
    """Return classes of combinations as groups of the kept points, numbered from 0."""
    of = np.zeros(len(ground), dtype=np.int64)
    of[ground.point_of] = placed(keys)[1]
    return np.unique(of[ground.kept], return_inverse=True)[1].reshape(-1, 1).astype(np.int64)


def _rounds(ground: Grouping, clock: Clock) -> Ints:
    """Return the classes that rounds of full-domain recoding release; each remaining point is a group of its
    own.
    """
    task = ground.task
    problem = task.problem
    left = ground.kept[ground.point_of]
    keys = np.zeros((len(left), len(problem.ladders) + 1), dtype=np.int64)
    number, node, price = 0, problem.bottom, PRICE
    while left.any() and not clock.over:
        number += 1
        tally = task.tally.where(left)
        rest = Problem(problem.ladders, tally.codes, tally.counts, persons=tally.in_combinations)
        trade = _Trade(_judge(ground, rest, tally, rest.rows), price)
        node = min((trade.lowest(at, clock) for at in (node, problem.top)), key=trade.loss).node
        classes = placed(_keys(rest, node))[1]
        of = np.zeros(len(left), dtype=np.int64)
        of[left] = classes + 1
        good = ~broken(ground.of_combinations(of, int(of.max()) + 1), task.criteria)
        good[0] = False
        now = good[of]
        if problem.counts[now].sum() < LEAST * rest.rows:
            if price == 1:
                break
            price = min(2 * price, Fraction(1))
            continue
        keys[now, 0] = number
        keys[now, 1:] = _keys(problem, node)[now]
        left &= ~now
    keys[left, 0] = -1 - ground.point_of[left]
    return _numbered(keys, ground)


@dataclass(frozen=True)
class _Trade:
    """The cost of a round: the loss of the rows it releases, and a price for each row it leaves for later."""

    judge: Judge
    price: Fraction

    def loss(self, judged: Judged) -> tuple[Fraction, Node]:
        """Return the price of a node, and the node for ties."""
        row = self.judge.metric.row
        return judged.loss - (1 - self.price) * judged.suppressed * row, judged.node

    def lowest(self, start: Node, clock: Clock) -> Judged:
        """Return a node none of whose neighbours has a lower price, unless the time is over."""
        best = self.judge.judge(start)
        while True:
            near = [
                (*best.node[:a], level, *best.node[a + 1 :])
                for a, ladder in enumerate(self.judge.problem.ladders)
                for level in (best.node[a] - 1, best.node[a] + 1)
                if ladder.lo <= level <= ladder.hi
            ]
            found = min([best, *self.judge.judge_many(near, clock)], key=self.loss)
            if self.loss(found)[0] >= self.loss(best)[0]:
                return best
            best = found


LOCAL_RECODING = Algorithm(
    "local-recoding",
    "Local recoding",
    "groups",
    local_recoding,
    (KEPT, LABELS),
    options={
        "start": "nearest (the default: merge near combinations) or rounds (of full-domain recoding)",
        "effort": "how long to search for less loss: 0 or more, by default 1; all: until the time limit",
        "consistent": "attributes that have one level in all rows, chosen for little loss (empty: none)",
    },
)
