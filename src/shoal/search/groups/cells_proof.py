"""What blanked cells cost at least: integer programs for HiGHS, which scipy brings along.

A blanked cell as a value of its own. For a combination c and a set S of columns, x[c, S] says that c does
without S; for each known set of columns and each content of it that rows can show, y says that it is shown.
Then: every c has one S; x[c, S] is at most every y that it shows; and the persons of those that show
something are at least k times its y, its values at least l times. Someone with rows in several combinations
that may show it counts by a variable from 0 to 1 that is at most the sum of their x, and so does a value.
Every blanking is such a solution with its cost, and every solution in whole numbers a blanking, so the
program's optimum is the fewest cells, and the optimum without whole numbers is a bound.

If not all S fit, those that are left out cost at least as much as the cheapest of them: c may then do without
S at that price, needs nothing, and counts wherever it could show something. That is no blanking, but whatever
blanking there is costs as much. If one set of columns is known, c counts nowhere then, since what is left out
shows nothing that is left in. What too few can show is left out, too; and if one set is known, blanks among
combinations that each have enough by themselves (shown whole, they cost less).

A blanked cell that is like any value: `prove_helping`. z[c, S] says that c takes a choice, and every set in
which a combination lacks persons is met if the combination takes a choice or is helped by enough of them.

HiGHS computes in floating point: bounds are rounded up to whole numbers only after a tolerance is taken off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.running.clock import Clock
from shoal.search.groups.cell_table import CellTable, Ints, Masks, Need

Row = tuple[Ints, Ints, float, float]
"""Variables, their factors, and the least and the most that the sum may be."""

RELAXED, WHOLE = 40_000, 2_000
"""The most variables of a program that is solved without and with whole numbers, unless seconds are given."""
LINKS = 3
"""If more sets than these are known, there are fewer variables, since each has a row for each set."""
NODES, WORK = 2_000, 500_000
"""The most nodes of a search for whole numbers, alone and times the entries, unless seconds are given."""
LEAST = 0.5
"""Seconds that must be left of a limit for a proof to begin."""
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Proof:
    """Blanked columns, what they cost, and what any cost at least."""

    masks: Masks
    cost: int
    bound: int


def prove_own(
    table: CellTable, masks: Masks, cost: int, bound: int, seconds: float | None, clock: Clock
) -> Proof:
    """Return a blanking with the best bound there is; a blank is a value of its own.

    Without `seconds` only programs are solved that take little, and always in the same way.
    """
    best = Proof(masks, cost, min(bound, cost))
    if best.bound >= cost or seconds == 0:
        return best
    program = _own_program(table, RELAXED if seconds is None else 4 * RELAXED, clock)
    return best if program is None else _solved(program, best, table, seconds, clock, wildcard=False)


def prove_helping(
    table: CellTable,
    masks: Masks,
    cost: int,
    model: Callable[[], tuple[Ints, Ints, Ints]],
    seconds: float | None,
    clock: Clock,
) -> Proof:
    """Return a blanking with a bound of what any costs in which no row is blanked beyond its own need."""
    best = Proof(masks, cost, 0)
    if not cost or seconds == 0 or clock.left < LEAST:
        return best
    choices, lacks, links = model()
    if len(choices) > RELAXED:
        return best
    links = links[np.argsort(links[:, 1], kind="stable")]
    rows: list[Row] = []
    costs: list[int] = choices[:, 2].tolist()
    of = [np.flatnonzero(choices[:, 0] == c) for c in range(int(choices[:, 0].max()) + 1)]
    like = [table.contents(known, np.zeros(len(table.rows), dtype=np.uint64)) for known in table.sets]
    helpers = np.split(links[:, 0], np.cumsum(np.bincount(links[:, 1], minlength=len(lacks)))[:-1])
    for (c, j, m, lack), helping in zip(lacks.tolist(), helpers, strict=True):
        there, need = frozenset[int](), table.needs[m]
        if need.whose is not None:
            there = there.union(*(need.several[d] for d in np.flatnonzero(like[j] == like[j][c])))
        at, factors = _crowd(need, helping, choices[helping, 0], there, costs, rows)
        own = of[c]
        at, factors = np.append(own, at), np.append(np.full(len(own), lack), factors)
        rows.append((at, factors, lack, np.inf))
    rows += [(one, np.ones(len(one), dtype=np.int64), 0, 1) for one in of if len(one)]
    program = _Program(np.array(costs), rows, choices[:, 0], choices[:, 1].astype(np.uint64))
    return _solved(program, best, table, seconds, clock, wildcard=True)


def _crowd(
    need: Need,
    variables: Ints,
    combinations: Sequence[int] | Ints,
    there: frozenset[int],
    costs: list[int],
    rows: list[Row],
) -> tuple[Ints, Ints]:
    """Return how many a need counts by these variables, each of a combination: variables and factors.

    Those who are `there` already count no more. Someone with rows in several of the combinations gets a
    variable, which is added to the costs and limited by the rows.
    """
    whose = [need.several[c] - there for c in combinations]
    having: dict[int, dict[int, list[int]]] = {}  # by person and combination, the variables
    for x, c, persons in zip(variables.tolist(), combinations, whose, strict=True):
        for person in persons:
            having.setdefault(person, {}).setdefault(int(c), []).append(x)
    shared = {person: found for person, found in having.items() if len(found) > 1}
    alone = [
        int(need.own[c]) - len(need.several[c]) + sum(one not in shared for one in persons)
        for c, persons in zip(combinations, whose, strict=True)
    ]
    first = len(costs)
    for found in shared.values():
        members = [x for some in found.values() for x in some]
        factors = np.append(np.full(len(members), -1), 1)
        rows.append((np.array([*members, len(costs)]), factors, -np.inf, 0))
        costs.append(0)
    more = np.arange(first, len(costs))
    return np.append(variables, more), np.append(np.array(alone, dtype=np.int64), np.ones_like(more))


@dataclass(frozen=True)
class _Program:
    """Costs of variables from 0 to 1; rows of a matrix with limits; whose masks variables stand for."""

    costs: Ints
    rows: list[Row]
    whose: Ints
    masks: Masks
    """The combination and the mask of the first variables; the combination is -1 for those that are none."""


def _own_program(table: CellTable, most: int, clock: Clock) -> _Program | None:
    if clock.left < LEAST:
        return None
    n, alone = len(table.rows), len(table.sets) == 1
    fitting = min(most, most * LINKS // len(table.sets))
    # Whatever the others do, these may show everything; rows of others that show the same are no help that
    # lasts, since those may be blanked.
    safe = table.enough(np.arange(n))
    of = table.contents(table.sets[0], np.zeros(n, dtype=np.uint64))
    unlike = np.bincount(of)[of] == 1
    costs: list[int] = []
    whose: list[int] = []
    masks: list[int] = []
    shows: list[list[tuple[int, int, int]]] = []  # for each x: (set, blanked part of it, content)
    by_combination: list[list[int]] = [[] for _ in range(n)]
    left_out: dict[int, int] = {}
    shown_by: dict[tuple[int, int], Ints] = {}
    for mask, price in table.masks():
        if clock.over:
            return None
        if len(costs) + n > fitting:
            if not mask:
                return None
            # Those that are left out, at the price of the cheapest.
            for c in np.flatnonzero(~safe).tolist() if alone else range(n):
                by_combination[c].append(len(costs))
                left_out[c] = len(costs)
                costs.append(price * int(table.rows[c]))
                whose.append(-1)
                masks.append(0)
                shows.append([])
            break
        usable = np.ones(n, dtype=np.bool_)
        contents = []
        given = np.full(n, mask, dtype=np.uint64)
        for j, known in enumerate(table.sets):
            of = table.contents(known, given)
            contents.append(of)
            shown_by[j, mask & known] = of
            usable &= table.enough(of)[of]
            if alone and mask:
                usable &= np.bincount(of, weights=~safe)[of] > 0
        for c in np.flatnonzero(usable).tolist():
            by_combination[c].append(len(costs))
            costs.append(price * int(table.rows[c]))
            whose.append(c)
            masks.append(mask)
            # With k rows of its own it needs nobody to show everything; others that show the same need it.
            whole = alone and not mask and safe[c] and unlike[c]
            shows.append(
                []
                if whole
                else [(j, mask & known, int(contents[j][c])) for j, known in enumerate(table.sets)]
            )
    contents_of: dict[tuple[int, int, int], list[int]] = {}
    for x, shown in enumerate(shows):
        for one in shown:
            contents_of.setdefault(one, []).append(x)
    rows: list[Row] = []
    for (j, part, content), having in contents_of.items():
        y = len(costs)
        costs.append(0)
        rows += [(np.array([x, y]), np.array([1, -1]), -np.inf, 0) for x in having]
        could = np.flatnonzero(shown_by[j, part] == content).tolist() if left_out and not alone else []
        showing = [whose[x] for x in having] + could
        members = having + [left_out[c] for c in could]
        for need in table.needs:
            at, factors = _crowd(need, np.array(members), showing, frozenset(), costs, rows)
            rows.append((np.append(at, y), np.append(factors, -need.least), 0, np.inf))
    rows += [(np.array(one), np.ones(len(one), dtype=np.int64), 1, 1) for one in by_combination]
    return _Program(np.array(costs), rows, np.array(whose), np.array(masks, dtype=np.uint64))


def _solved(
    program: _Program,
    best: Proof,
    table: CellTable,
    seconds: float | None,
    clock: Clock,
    *,
    wildcard: bool,
) -> Proof:
    """Return the proof, with the bound of the program, or a better blanking that its solution is."""
    small = len(program.costs) <= WHOLE
    if seconds is None:
        bound, _ = _optimum(program, clock.left, whole=False, timed=False)
        best = replace(best, bound=max(best.bound, min(bound, best.cost)))
        if not small or best.bound >= best.cost:
            return best
    allowed = clock.left if seconds is None else min(seconds, clock.left)
    bound, found = _optimum(program, allowed, whole=True, timed=seconds is not None)
    if found is not None:
        taken = np.flatnonzero(found[: len(program.whose)] > 0.5)
        masks = np.zeros(len(table.rows), dtype=np.uint64)
        own = taken[program.whose[taken] >= 0]
        masks[program.whose[own]] = program.masks[own]
        cost = table.cost(masks)
        if cost < best.cost and table.keeps(masks, wildcard=wildcard):
            best = replace(best, masks=masks, cost=cost)
    return replace(best, bound=max(best.bound, min(bound, best.cost)))


def _optimum(
    program: _Program, seconds: float, *, whole: bool, timed: bool
) -> tuple[int, npt.NDArray[np.float64] | None]:
    """Return a bound of the optimum, 0 if none was found, and the best solution; without scipy neither."""
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_matrix
    except ImportError:
        return 0, None
    if seconds <= 0:
        return 0, None
    ends = np.cumsum([0, *(len(at) for at, _, _, _ in program.rows)])
    matrix = csr_matrix(
        (
            np.concatenate([factors for _, factors, _, _ in program.rows]).astype(np.float64),
            np.concatenate([at for at, _, _, _ in program.rows]),
            ends,
        ),
        shape=(len(program.rows), len(program.costs)),
    )
    limits: dict[str, Any] = {"mip_rel_gap": 0.0}
    if math.isfinite(seconds):
        limits["time_limit"] = seconds
    if whole and not timed:
        limits["node_limit"] = max(1, min(NODES, WORK // matrix.nnz))
    found = milp(
        program.costs.astype(np.float64),
        constraints=LinearConstraint(
            matrix, [low for _, _, low, _ in program.rows], [high for _, _, _, high in program.rows]
        ),
        bounds=Bounds(0, 1),
        integrality=np.full(len(program.costs), int(whole)),
        options=limits,
    )
    reached = found.mip_dual_bound if whole else found.fun if found.status == 0 else None
    if reached is None or not math.isfinite(reached):
        return 0, found.x
    return max(math.ceil(reached - TOLERANCE * max(1.0, abs(reached))), 0), found.x
