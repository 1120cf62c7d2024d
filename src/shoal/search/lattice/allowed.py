"""The allowed nodes of a whole lattice, as a map, and the cheapest of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.tally import Node, Problem
from shoal.errors import NoSolutionError
from shoal.metrics.metric import Ints
from shoal.running.clock import Clock
from shoal.search.lattice.climbs import Steps, first
from shoal.search.lattice.node_judge import Judge, Judged

Map = npt.NDArray[np.bool_]
"""One entry per node and one axis per attribute, from its lowest level up."""

MOST_NODES = 100_000_000
"""The most nodes of a map, at a byte or two each."""

CHUNK, AT_ONCE = 4096, 1 << 20


def refuse_none(done: bool = True) -> NoSolutionError:
    """Return the error for a search that found no allowed node, after all nodes or when time was over."""
    if not done:
        return NoSolutionError("the time ran out before an allowed node was found; allow more time")
    return NoSolutionError(
        "no node of the lattice keeps the promise within the suppression allowed; ask for less, "
        "or allow more suppression"
    )


def rank(judged: Judged) -> tuple[int, int, Node]:
    """Return the sort key of allowed nodes: loss, height, attribute order."""
    return judged.loss, sum(judged.node), judged.node


def too_many(problem: Problem) -> bool:
    """Return whether a lattice has too many nodes for a map."""
    return problem.nodes > MOST_NODES


def shape_of(problem: Problem) -> tuple[int, ...]:
    """Return the shape of a map of the lattice."""
    return tuple(hi - lo + 1 for lo, hi in zip(problem.bottom, problem.top, strict=True))


def map_allowed(judge: Judge, clock: Clock) -> tuple[Map, bool]:
    """Return which nodes are allowed, and whether all were settled before the time ran out.

    From every node that is not settled, a chain to the top is bisected: its highest barred node settles all
    nodes below, its lowest node that is not barred all nodes above. If the judge is monotone, a node that is
    not barred is allowed; otherwise each is then judged separately. Nodes marked when the time runs out are
    allowed.
    """
    problem = judge.problem
    shape = shape_of(problem)
    open_ = np.zeros(shape, dtype=np.bool_)
    settled = np.zeros(shape, dtype=np.bool_)
    flat = settled.reshape(-1)
    steps = Steps(problem, judge.metric)

    def free(node: Node) -> bool:
        where = _moved(node, problem, -1)
        return bool(open_[where]) or not (settled[where] or judge.judge(node).barred)

    for start in range(0, flat.size, CHUNK):
        for i in (start + np.flatnonzero(~flat[start : start + CHUNK])).tolist():
            if flat[i]:
                continue
            if clock.over:
                return open_ & judge.monotone, False
            clock.show(i / flat.size, f"{judge.judged:,} nodes judged", judge.lost)
            place = tuple(int(at) for at in np.unravel_index(i, shape))
            chain = steps.chain(_moved(place, problem))
            lowest = first(chain, free)
            if lowest > 0:
                settled[tuple(slice(0, at + 1) for at in _moved(chain[lowest - 1], problem, -1))] = True
            if lowest < len(chain):
                above = tuple(slice(at, None) for at in _moved(chain[lowest], problem, -1))
                settled[above] = open_[above] = True
    return (open_, True) if judge.monotone else judge_each(judge, open_, clock)


def judge_each(judge: Judge, chosen: Map, clock: Clock) -> tuple[Map, bool]:
    """Return which nodes of a map are allowed, judged one by one, and whether there was enough time."""
    allowed = np.zeros(chosen.shape, dtype=np.bool_)
    nodes = nodes_in(judge.problem, chosen)
    for done, (place, node) in enumerate(zip(np.argwhere(chosen).tolist(), nodes, strict=True)):
        if clock.over:
            return allowed, False
        clock.show(done / len(nodes), f"{judge.judged:,} nodes judged", judge.lost)
        allowed[tuple(place)] = judge.judge(node).allowed
    return allowed, True


def _moved(place: Node, problem: Problem, sign: int = 1) -> Node:
    """Return the node at a map index, or with sign -1 the index of a node."""
    return tuple(at + sign * lo for at, lo in zip(place, problem.bottom, strict=True))


def minimal(allowed: Map) -> Map:
    """Return which allowed nodes have no allowed node below them."""
    reached = allowed.copy()
    for axis in range(allowed.ndim):
        np.logical_or.accumulate(reached, axis=axis, out=reached)
    found = allowed.copy()
    for axis in range(allowed.ndim):
        higher = (slice(None),) * axis + (slice(1, None),)
        lower = (slice(None),) * axis + (slice(None, -1),)
        found[higher] &= ~reached[lower]
    return found


def nodes_in(problem: Problem, chosen: Map) -> list[Node]:
    """Return the nodes of a map, in attribute order."""
    places = np.argwhere(chosen) + np.array(problem.bottom)
    return [tuple(place) for place in places.tolist()]


def cheapest(judge: Judge, allowed: Map, settled: bool, clock: Clock) -> tuple[list[Judged], bool]:
    """Return the allowed nodes of lowest loss, in attribute order, and whether this is proven.

    loss0 is a lower bound of the loss. If it follows from the levels, nodes are judged by rising loss0 until
    it exceeds the best loss; otherwise all are judged. Without suppression a node costs at least as much as
    any node below it, so only minimal nodes are judged; nodes above them with the same loss are not returned.
    If the time ran out before the map was settled, it may be empty: then the top is tried.
    """
    if settled and judge.limit == 0 and judge.metric.monotone:
        allowed = minimal(allowed)
    best: list[Judged] = []
    places = np.flatnonzero(allowed)
    bounds = _bounds(judge, places, allowed.shape)
    if len(places):
        first = int(bounds.argmin())
        best = [judge.judge(_node_at(places[first], allowed, judge.problem))]
        # Few nodes have bounds as low as this loss: the others need not be sorted.
        able = np.flatnonzero(bounds <= best[0].loss)
        for i in able[np.argsort(bounds[able], kind="stable")].tolist():
            if bounds[i] > best[0].loss:
                break
            if clock.over:
                return sorted(best), False
            clock.show(1.0, f"{judge.judged:,} nodes judged", judge.lost)
            if i == first:
                continue
            found = judge.judge(_node_at(places[i], allowed, judge.problem))
            if found.loss <= best[0].loss:
                best = [found] if found.loss < best[0].loss else [*best, found]
    elif not settled and (top := judge.judge(judge.problem.top)).allowed:
        best = [top]
    if not best:
        raise refuse_none(settled)
    return sorted(best), settled


def _bounds(judge: Judge, places: Ints, shape: tuple[int, ...]) -> Ints:
    """Return a lower bound of the loss of each of some nodes, given their places in a map laid flat."""
    problem, metric = judge.problem, judge.metric
    bounds: Ints = np.zeros(len(places), dtype=metric.dtype)
    if not (metric.separable and metric.monotone):
        return bounds
    both = zip(metric.level_losses(), problem.bottom, strict=True)
    losses = [np.array(own[lo:], dtype=metric.dtype) for own, lo in both]
    # The levels of all nodes at once would take many times the memory of their losses.
    for start in range(0, len(places), AT_ONCE):
        levels = np.unravel_index(places[start : start + AT_ONCE], shape)
        bounds[start : start + AT_ONCE] = sum(own[at] for own, at in zip(losses, levels, strict=True))
    return bounds


def _node_at(place: int, allowed: Map, problem: Problem) -> Node:
    """Return the node at a place of a map that is laid flat."""
    return _moved(tuple(int(at) for at in np.unravel_index(place, allowed.shape)), problem)
