"""Local suppression: single cells are blanked, and nothing else is changed.

Reference: sdcMicro (Templ and others 2015) and mu-Argus blank cells one after the other; Meyerson and
Williams 2004 show that the fewest cells for k-anonymity are NP-hard to find. LKC-privacy (Mohammed and others
2009) asks for k rows only of what somebody can know: any L columns.

`combinations` (or all of one `combination_size`) are the sets of columns that somebody can know together; by
default all quasi columns are one set. Of every set, every row must show what k rows show; if persons have
several rows, what rows of k persons show. If l is asked for, rows that show the same have l values of each
sensitive column: values are counted as persons are, each having a row wherever it occurs. Where persons have
several rows, l is about values of different persons; these are the same if nobody has two values, and where
somebody has, l is refused.

Two readings of a blanked cell. By `missing` = value, the default, it is a value of its own: rows are alike if
they show the same and blank the same. By wildcard, the weaker reading of sdcMicro, it is like any value. By
that reading alone, k - 1 wholly blanked rows would make every row like k rows, and protect nobody; so a
row is blanked only as far as it needs it itself: k rows of the table (with l values) agree with what it still
shows. Others become like it, and need no blanks then.

All rows with the same quasi values are blanked alike. The search is annealing (`kernels/cells`): groups are
taken apart and put together anew, the cost is the sum of the blanked cells' weights. Columns whose highest
level is below the root are never blanked; a lowest level above 0 is applied to all rows first. A blanked cell
is released as the root of its hierarchy.

Bounds. Value: a row that stands out needs at least its cheapest set of columns without which k rows of the
table (with l values) agree with it, since rows that show the same agree in what they show. With scipy, HiGHS
solves the relaxed integer program (`cells_proof`) and, on small tables, the program itself: an answer that
costs no more is proven. For wildcard the bound is about blankings by the rule above.

Complexity: one pass over the combinations for each set of columns that is tried, by rising price.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import Scheme
from shoal.criteria import DistinctDiversity, KAnonymity
from shoal.data.person_rows import PersonRows
from shoal.describe.promise import OWN, READINGS, WILDCARD, Known, Promise
from shoal.errors import InputError, NoSolutionError, show
from shoal.kernels import Blanking, CellChoices, Helping
from shoal.numbers import many
from shoal.running.clock import Clock
from shoal.search.algorithm_options import choice, effort_of
from shoal.search.groups.cell_table import CellTable
from shoal.search.groups.cells_proof import Proof, prove_helping, prove_own
from shoal.search.groups.column_sets import Sets, cell_weights, known_sets
from shoal.search.lattice.mu_argus import blanked_recoding
from shoal.search.task import Algorithm, Found, Task

Masks = npt.NDArray[np.uint64]

CHOICES = {OWN: 16, WILDCARD: 64}
"""How many sets of columns are kept for a combination that stands out."""
STEPS = {OWN: (60, 2), WILDCARD: (2000, 50)}
FEW = 1000
"""Steps at an effort of 1: so many for each of the first FEW combinations that stand out, then for each."""
SMALL, CHEAP = 10, {OWN: 5_000, WILDCARD: 1_000_000}
"""Small tables get SMALL times as many steps, up to so many: they take some tenths of a second."""
SLICES = 50
WARM, COLD = 0.5, 0.1
"""The first and the last temperature, in weights of the heaviest column."""
TOO_DEAR = 2
"""What keeps k of all known columns together is a start if it costs at most so many times another."""
CHECKED = 15e-9
"""Seconds for each combination and each set of columns to check what was found."""
ROW, SHOWN, DISTINCT = 800, 36, 260
"""Bytes for each combination; for each and each set of columns; and for each that a set tells apart."""


def local_suppression(
    task: Task,
    clock: Clock,
    combinations: str | Iterable[str | Iterable[str]] | None = None,
    combination_size: int | str | None = None,
    missing: str = OWN,
    weights: str | Mapping[str, Any] | None = None,
    effort: float | str | None = None,
    proof: float | str | None = None,
) -> Found:
    """Return which cells are blanked, and a bound of what that costs at least."""
    if task.promise.k is None and task.promise.l is None:
        raise InputError("local-suppression needs k or l; give one")
    if any(not isinstance(one, KAnonymity | DistinctDiversity) for one in task.criteria):
        raise InputError(
            "local-suppression looks only at k and at distinct l; give no more, or choose another algorithm"
        )
    problem, reading = task.problem, choice("missing", missing, READINGS)
    sets = known_sets(problem.names, combinations, combination_size)
    whole, one = cell_weights(problem.names, [ladder.weight for ladder in problem.ladders], weights)
    work, solving = effort_of(effort, clock), _seconds(proof)
    task.tally.check_memory(_needed(task, sets), many(len(sets), "set of columns", "sets of columns"))
    codes, of = _lowest(task)
    persons = problem.in_combinations
    table = CellTable.of(
        codes,
        np.bincount(of, weights=problem.counts),
        whole,
        sets,
        _free(task),
        task.promise.k or 1,
        problem.names,
        persons and persons.regrouped(of, len(codes)),
        _values(task, of, len(codes)),
    )
    clock.leave(len(sets) * len(codes) * CHECKED)
    searched = _Search(table, reading, task.seed, clock)
    found = searched.run(work)
    shown = searched.proven(found, solving)
    if not table.keeps(shown.masks, wildcard=reading == WILDCARD):
        raise AssertionError("cells were blanked that do not keep the promise")
    gone = (shown.masks[of][:, None] >> np.arange(len(whole), dtype=np.uint64)) & np.uint64(1) > 0
    recoding, _ = blanked_recoding(task, problem.bottom, gone)
    cells = (gone * problem.counts[:, None]).sum(axis=0)
    same = metric_counts_cells(task, weights)
    details = {
        "blanked_cells": int(cells.sum()),
        "blanked": {name: int(n) for name, n in zip(problem.names, cells.tolist(), strict=True) if n},
        "missing": reading,
        "cost": float(Fraction(shown.cost, one)),
        # What is known by the weaker reading is about blanking no row beyond its own need.
        "lower_bound" if reading == OWN else "bound_by_need": float(Fraction(shown.bound, one)),
        "proven": shown.bound == shown.cost,
        "steps": found.steps,
    }
    return Found(
        recoding,
        _promised(task.promise, sets, reading, problem.names, task),
        optimal=shown.bound == shown.cost and reading == OWN and same,
        scheme=Scheme.NO_SUPP,
        details=details,
        guarantees=_guaranteed(reading),
    )


def _guaranteed(reading: str) -> tuple[str, ...]:
    like = "like any value" if reading == WILDCARD else "a value of its own"
    return (
        "no row is suppressed; single cells are blanked, and nothing else is changed",
        f"a blanked cell is {like} in the promise",
    )


def metric_counts_cells(task: Task, weights: object) -> bool:
    """Return whether the metric costs what blanked cells weigh, so that a proof is about it too."""
    full = all(ladder.leaves > 1 for ladder in task.problem.ladders)
    return task.metric.name == "LM" and not weights and not any(task.problem.bottom) and full


def _seconds(given: float | str | None) -> float | None:
    """Return the seconds for a proof; None if only what takes little is to be proven."""
    if given is None:
        return None
    if given == "all":
        return math.inf
    try:
        seconds = float(given)
    except (TypeError, ValueError):
        seconds = -1.0
    if not 0 <= seconds < math.inf:
        raise InputError(f"proof {show(str(given))}; use a number of seconds, 0 or more, or all")
    return seconds


def _lowest(task: Task) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return the combinations on the lowest levels, and which of them each of the tally's is."""
    problem = task.problem
    columns = [ladder.codes[ladder.lo][problem.codes[:, a]] for a, ladder in enumerate(problem.ladders)]
    codes, of = np.unique(np.stack(columns, axis=1).astype(np.int32), axis=0, return_inverse=True)
    return np.ascontiguousarray(codes), of.reshape(-1)


def _values(task: Task, of: npt.NDArray[np.int64], count: int) -> list[tuple[int, PersonRows]]:
    """Return for each column that l is about l, and in which combinations each of its values occurs."""
    found, tally = [], task.tally
    for one in task.criteria:
        if not isinstance(one, DistinctDiversity):
            continue
        value = np.array(
            [-1 if label is None else v for v, label in enumerate(one.domain)], dtype=np.int64
        )
        given = value[tally.in_cells(one.column)]
        if tally.persons is not None and tally.persons.regrouped(given, len(value)).spread:
            raise InputError(
                f"some persons have several values of {show(one.column)}, and l is about values of different "
                "persons, which local-suppression does not count; give only k, or choose another algorithm"
            )
        there = given >= 0
        places, rows = of[tally.cell_combinations[there]], tally.cell_counts[there]
        alone = np.zeros(count, dtype=np.int64)
        found.append((one.l, PersonRows.listed(alone, places, given[there], rows)))
    return found


def _needed(task: Task, sets: Sets) -> int:
    """Return about how many bytes a search over some sets of columns takes."""
    count, ladders = len(task.tally), {ladder.name: ladder for ladder in task.problem.ladders}
    kinds = {name: len(np.unique(one.codes[one.lo])) for name, one in ladders.items()}
    distinct = sum(min(count, math.prod(kinds[name] for name in one)) for one in sets)
    return (count * (ROW + SHOWN * len(sets)) + distinct * DISTINCT) * len(task.criteria)


def _free(task: Task) -> int:
    """Return the columns that may be blanked, one bit each: those that may go to their root."""
    ladders = enumerate(task.problem.ladders)
    return sum(1 << a for a, ladder in ladders if ladder.hi == ladder.height > ladder.lo)


def _promised(asked: Promise, sets: Sets, reading: str, names: tuple[str, ...], task: Task) -> Promise:
    """Return what is promised: k and l, or if known columns or a weaker reading were asked for, of these."""
    if reading == OWN and sets == (tuple(names),):
        return asked
    blank = {}
    if reading == WILDCARD:
        columns = {name for one in sets for name in one}
        blank = {name: task.hierarchies[name].labels[-1][0] for name in names if name in columns}
    about = tuple(one.column for one in task.criteria if isinstance(one, DistinctDiversity))
    known = Known(asked.k or 1, sets, reading, blank, asked.l, about)
    return replace(asked, k=None, l=None, about=(), known=known)


@dataclass(frozen=True)
class _Blanked:
    masks: Masks
    cost: int
    steps: int
    helping: Helping | None = None


class _Search:
    """Annealing of the blanked cells of one table under one reading."""

    def __init__(self, table: CellTable, reading: str, seed: int, clock: Clock) -> None:
        self.table, self.reading, self.seed, self.clock = table, reading, seed, clock
        self.choices = self._choices(table)
        if self.choices.hopeless:
            raise NoSolutionError(
                f"{many(self.choices.hopeless, 'row')} stand out by columns that may not be blanked; raise "
                f"their max_level to the root, or lower {'k or l' if table.values else 'k'}"
            )

    def _choices(self, table: CellTable) -> CellChoices:
        return table.choices(
            CHOICES[self.reading], minimal=self.reading == WILDCARD, seconds=self.clock.part(0.3).left
        )

    def run(self, effort: float) -> _Blanked:
        """Return the best blanking that was found."""
        outstanding = len(self.choices.outstanding)
        first, each = STEPS[self.reading]
        usual = first * min(outstanding, FEW) + each * max(outstanding - FEW, 0)
        steps = effort * max(usual, min(SMALL * usual, CHEAP[self.reading]))
        if self.reading == WILDCARD:
            helping = Helping(self.choices, self.seed, self.clock.part(0.3).left)
            taken = self._anneal(helping, steps, outstanding)
            helping.settle()
            return _Blanked(helping.masks()[:, 0], helping.cost, taken, helping)
        blanking = Blanking(self.choices, self.seed)
        blanking.begin(None, self.clock.part(0.3).left)
        if len(self.table.sets) > 1 and outstanding and not self.clock.over:
            # What keeps k of all columns keeps it of every part, and more cells can then be shown.
            joint = self.table.joint()
            known = self._choices(joint)
            if not known.hopeless and not self.clock.over:
                start = Blanking(known, self.seed)
                start.begin(None, self.clock.part(0.3).left)
                if start.cost <= TOO_DEAR * blanking.cost:
                    start.run(int(min(steps, 20 * outstanding)), WARM, COLD, self.clock.part(0.3).left)
                    blanking.begin(start.masks(), self.clock.part(0.3).left)
        taken = self._anneal(blanking, steps, outstanding)
        blanking.settle(self.clock.left)
        return _Blanked(blanking.masks()[:, 0], blanking.cost, taken)

    def _anneal(self, search: Blanking | Helping, steps: float, outstanding: int) -> int:
        """Take steps in proportion to the effort; if time is limited, the temperature follows the clock."""
        if not outstanding or steps < 1:
            return 0
        clock = self.clock
        size = max(round(min(steps / SLICES, outstanding)), 1)
        begun, limit = clock.seconds, clock.left
        taken, part = 0, 0.0
        all_cells = max(sum(self.table.weights) * int(self.table.rows.sum()), 1)
        while part < 1 and not clock.over:
            before, part = part, min((taken + size) / steps, 1.0)
            if clock.limited:
                # Assume that a slice takes as long as the average one before.
                spent = (clock.seconds - begun) * (1 + size / max(taken, 1))
                part = max(part, before, min(spent / limit, 1.0) if limit else 1.0)
            taken += search.run(size, _temperature(before), _temperature(part), clock.left)
            clock.show(part, "blanking fewer cells", search.cost / all_cells)
        return taken

    def proven(self, found: _Blanked, seconds: float | None) -> Proof:
        """Return the blanking with a bound, or a better one that the proof came upon."""
        if found.helping is None:
            known = (found.masks, found.cost, self.choices.bound)
            return prove_own(self.table, *known, seconds, self.clock)
        whole = self.choices.complete and found.helping.whole
        return prove_helping(
            self.table,
            found.masks,
            found.cost,
            found.helping.model,
            seconds if whole else 0,
            self.clock,
        )


def _temperature(part: float) -> float:
    """Return the temperature after some part of the steps."""
    return float(WARM * (COLD / WARM) ** part)


LOCAL_SUPPRESSION = Algorithm(
    "local-suppression",
    "Local suppression of cells",
    "groups",
    local_suppression,
    _guaranteed(OWN),
    options={
        "combinations": "sets of columns that somebody can know: age,sex,region;age,job (all columns)",
        "combination_size": "instead: all sets of so many columns",
        "missing": "value (the default): a blanked cell is a value of its own; wildcard: it is like any",
        "weights": "how much a blanked cell of a column costs: age=2,sex=0.5 (the study's weights)",
        "effort": "how long to search for fewer cells: 0 or more, by default 1; all: until the time limit",
        "proof": "seconds for a proof by HiGHS (needs scipy); by default only small tables are proven",
    },
    by_chance=False,
)
