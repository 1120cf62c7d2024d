"""MinGen: the most precise generalization that keeps the promise; of several, the preferred one.

Reference: L. Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression",
International Journal on Uncertainty, Fuzziness and Knowledge-based Systems 10 (5), 2002. Its steps: all
generalizations; those that keep the promise; of them those of the highest precision; of them the
preferred one. Generalization is by attribute here (global recoding), so all generalizations are the nodes
of the lattice.

Guarantee: a minimal distortion: no allowed node has a higher precision, whatever metric is asked for (a
suppressed row counts as fully generalized). The promise is kept.

Proof. `map_allowed` settles every node: by judging it or, if the promise is monotone, by a judged node above
it that is not allowed or an allowed one below it. `cheapest` goes through the allowed nodes by rising loss0
of precision, a lower bound of the loss, until it exceeds the best loss, so all nodes that tie for the best
are judged.

Complexity: one step per node of the lattice, which the literature calls unrealistic; with the tally and
roll-up it takes seconds for thousands of nodes. If the promise is monotone, only chains are judged.

More nodes than a map can have are searched as `flash` does, by precision: the answer is the best so far, and
proven only if that search ends. It finds the lowest node of the highest precision, and no other of those that
tie: nothing is left to prefer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from shoal.data.tally import Node
from shoal.errors import InputError
from shoal.metrics.precision import Precision
from shoal.running.clock import Clock
from shoal.search.algorithm_options import names_of
from shoal.search.lattice.allowed import cheapest, map_allowed, minimal, too_many
from shoal.search.lattice.flash import cheapest_without_map
from shoal.search.task import Algorithm, Found, Task

Levels = Mapping[str, int]
Preferred = Callable[[Sequence[Levels]], Levels]
"""Chooses among the most precise nodes, each given as the level of every attribute."""


def mingen(task: Task, clock: Clock, preferred: Preferred | str | Sequence[str] | None = None) -> Found:
    """Return the preferred node among the allowed nodes of highest precision.

    `preferred` is a function that takes them all and returns one, or a list of attributes, the one whose
    level should be lowest first. By default the lowest node is preferred, then the first in attribute order.
    """
    problem = task.problem
    choose = _preference(task, preferred)
    judge = task.judge(Precision(task.problem))
    if too_many(problem):
        found, done = cheapest_without_map(judge, clock)
        return Found(
            task.at(found.node),
            task.promise,
            done and task.metric.name == Precision.name,
            details={
                "nodes": problem.nodes,
                "judged": judge.judged,
                "precision": 1 - found.loss / judge.metric.largest,
                "proven": done,
            },
            to_end=done,
        )
    allowed, settled = map_allowed(judge, clock)
    best, proven = cheapest(judge, allowed, settled, clock)
    tied = [found.node for found in best]
    chosen = choose(tied)
    precision = 1 - best[0].loss / judge.metric.largest
    details = {
        "nodes": problem.nodes,
        "judged": judge.judged,
        "tied": len(tied),
        "precision": precision,
        "proven": proven,
    }
    if settled:
        details |= {"satisfying": int(allowed.sum()), "minimal": int(minimal(allowed).sum())}
    optimal = proven and task.metric.name == Precision.name
    return Found(task.at(chosen), task.promise, optimal, details=details)


def _preference(
    task: Task, preferred: Preferred | str | Sequence[str] | None
) -> Callable[[Sequence[Node]], Node]:
    """Return the rule that chooses among nodes."""
    names = task.problem.names
    if callable(preferred):
        return lambda nodes: _chosen(names, nodes, preferred)
    first = [names.index(name) for name in names_of(preferred, names, "preferred")]
    return lambda nodes: min(nodes, key=lambda node: (*(node[a] for a in first), sum(node), node))


def _chosen(names: tuple[str, ...], nodes: Sequence[Node], preferred: Preferred) -> Node:
    offered = [dict(zip(names, node, strict=True)) for node in nodes]
    answer = preferred(offered)
    if answer not in offered:
        raise InputError("preferred must return one of the nodes that it was given")
    return nodes[offered.index(dict(answer))]


MINGEN = Algorithm(
    "mingen",
    "MinGen (Sweeney 2002)",
    "node",
    mingen,
    ("the promise is kept",),
    at_end=("no allowed node has a higher precision",),
    options={
        "preferred": "which of several most precise nodes to take: attributes, the one whose level should be "
        "lowest first, or in Python a function; by default the lowest node"
    },
)
