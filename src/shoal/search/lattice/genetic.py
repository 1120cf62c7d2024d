"""A genetic search over nodes: for lattices that are too large for a proof.

Reference: V. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002, which searches
generalizations by a genetic algorithm; here over the nodes of the lattice. Parents are chosen by tournament,
a child takes each level from one of them, some levels move by a step. If the promise is monotone, a child
that is not allowed is repaired by going up a random chain to its lowest allowed node. The best node then
moves to cheaper neighbours as long as there are any.

Guarantee: the promise is kept. Nothing is proven about the loss, except that no neighbour of the answer is
allowed and cheaper, unless the time ran out. A node is found if one exists and there is enough time: if the
promise is monotone, the top is in the first generation; otherwise Flash is asked if no allowed node was met.
The same seed gives the same answer if there is enough time.

Complexity: about generations * population judgements, with repairs a few times that.
"""

from __future__ import annotations

import random
import sys
from itertools import takewhile

from shoal.data.tally import Node
from shoal.running.clock import Clock
from shoal.search.algorithm_options import whole_number
from shoal.search.lattice.allowed import rank, refuse_none
from shoal.search.lattice.anytime import HOPELESS, raised
from shoal.search.lattice.climbs import Steps, first
from shoal.search.lattice.flash import flash
from shoal.search.lattice.node_judge import Judge, Judged
from shoal.search.task import Algorithm, Found, Task

POPULATION = 40
GENERATIONS = 50


def genetic(
    task: Task, clock: Clock, population: int | str = POPULATION, generations: int | str | None = None
) -> Found:
    """Return the best node that the search meets."""
    size = whole_number(population, "population", 2)
    endless = clock.limited and task.problem.nodes > HOPELESS
    most = sys.maxsize if endless else GENERATIONS
    rounds = most if generations is None else whole_number(generations, "generations", 0)
    search = Genetic(task.judge(), clock, random.Random(task.seed))
    search.run(size, rounds)
    best = search.best
    if best is None:
        if search.judge.monotone and search.judge.judged:
            raise refuse_none()
        return flash(task, clock)  # none was met by chance; only a proof can say whether one exists
    details = {
        "nodes": task.problem.nodes,
        "judged": search.judge.judged,
        "generations": search.generation,
        "loss": float(task.metric.figure(best.loss)),
    }
    return Found(task.at(best.node), task.promise, details=details)


class Genetic:
    """A population of nodes; `best` is the best allowed one of all that were judged."""

    def __init__(self, judge: Judge, clock: Clock, chance: random.Random) -> None:
        self.judge, self.clock, self.chance = judge, clock, chance
        self.best: Judged | None = None
        self.generation = 0
        self.bottom, self.top = judge.problem.bottom, judge.problem.top
        self.steps = Steps(judge.problem, judge.metric)

    def run(self, size: int, rounds: int) -> None:
        """Breed `rounds` generations, or until the time runs out; then improve the best node."""
        people = [self.look(self.top)]
        if self.judge.monotone and not people[0].allowed:
            return
        while len(people) < size and not self.clock.over:
            people.append(self.repaired(self.anywhere()))
        while self.generation < rounds and not self.clock.over:
            self.generation += 1
            children = [self.repaired(self.child(people)) for _ in range(size) if not self.clock.over]
            unique = {found.node: found for found in (*people, *children)}
            people = sorted(unique.values(), key=_fitness)[:size]
            done = self.clock.gone if rounds == sys.maxsize else self.generation / rounds
            self.clock.show(done, f"{self.generation:,} generations", self.judge.lost)
        self.improve()

    def look(self, node: Node) -> Judged:
        """Judge a node, and record it."""
        found = self.judge.judge(node)
        if found.allowed and (self.best is None or rank(found) < rank(self.best)):
            self.best = found
        return found

    def anywhere(self) -> Node:
        """Return a random node."""
        return tuple(self.chance.randint(lo, hi) for lo, hi in zip(self.bottom, self.top, strict=True))

    def child(self, people: list[Judged]) -> Node:
        """Return a child of two parents, some of its levels moved by a step."""
        one, two = self.parent(people), self.parent(people)
        levels = [self.chance.choice(pair) for pair in zip(one.node, two.node, strict=True)]
        for a, (lo, hi) in enumerate(zip(self.bottom, self.top, strict=True)):
            if self.chance.random() * len(levels) < 1:
                levels[a] = min(max(levels[a] + self.chance.choice((-1, 1)), lo), hi)
        return tuple(levels)

    def parent(self, people: list[Judged]) -> Judged:
        """Return the fitter of two random nodes."""
        return min((self.chance.choice(people) for _ in range(2)), key=_fitness)

    def repaired(self, node: Node) -> Judged:
        """Return the judged node, or the lowest allowed node of a random chain above it."""
        found = self.look(node)
        if found.allowed or not self.judge.monotone:
            return found
        order = [
            a for a, (at, hi) in enumerate(zip(node, self.top, strict=True)) for _ in range(hi - at)
        ]
        self.chance.shuffle(order)
        few = range(1, len(order))
        most = 1 + first(few, lambda steps: self.look(raised(node, order[:steps])).allowed)
        return self.look(raised(node, order[:most]))

    def improve(self) -> None:
        """Go from the best to a cheaper neighbour while there is one."""
        at = None
        while self.best is not None and at is not self.best and not self.clock.over:
            at = self.best
            near = (*self.steps.below(at.node), *self.steps.above(at.node))
            for node in takewhile(lambda _: not self.clock.over, near):
                self.look(node)


def _fitness(found: Judged) -> tuple[bool, int, int, int, Node]:
    """Return the sort key of nodes: allowed ones by rank, others by the rows that break the promise."""
    loss, height, node = rank(found)
    return not found.allowed, 0 if found.allowed else found.suppressed, loss, height, node


GENETIC = Algorithm(
    "genetic",
    "Genetic search over nodes (after Iyengar 2002)",
    "node",
    genetic,
    ("the promise is kept", "a node is found if one exists and there is enough time"),
    options={
        "population": f"how many nodes a generation has, by default {POPULATION}",
        "generations": f"how many generations there are, by default {GENERATIONS}, or if the lattice is too "
        "large for a proof as many as the time limit allows",
    },
)
