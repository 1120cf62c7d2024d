"""l+-Optimize (Liu and Wang, ICDE 2010): the cheapest full-subtree recoding, found and proven.

Branch and bound over the cuts of all taxonomies. The enumeration tree, the bounds with their arguments, and
the order of values are in `worker.hpp`, `bounds.hpp` and `value_order.hpp` of `kernels/cuts`; what a cut
costs is in `rules.hpp`. Beyond the paper: combinations that can no longer be distinguished are merged on the
way down, so the work shrinks with the remaining decisions; the search starts from a good cut (descents from
both ends, and from random steps away); three bounds of our own ("need", "mixed" and "ahead") are added to the
paper's; values are ordered by how much each has raised the bounds; values without rows, and values that only
rename another, are not searched; threads share what they find, and the answer does not depend on them.

Proof of optimality. Every cut is in exactly one unfinished part of the search, or was examined, or is in a
part that was pruned because its bound, or its bound and its place in the order of ties, showed that nothing
in it comes before the best. So at every moment the least bound of the unfinished parts, or the best cost if
that is less, is a lower bound of all costs; when no part is unfinished, the best is optimal. For a metric
that is monotone the bounds hold by the arguments of the paper's Lemmas 2 and 3 and Theorems 5 and 6, and by
those written beside them.

Where persons have several rows, a group keeps k if k persons have rows in it. The persons of a group are the
union of those of its parts: a group with a part that keeps k keeps it too, and every part of a group that
breaks k breaks it. That is all that the bounds use of k, so they hold with persons in the place of rows;
`bounds.hpp` says where. Suppression and costs still count rows. In shares a person weighs one, spread
over their rows in the group. If nobody's rows are in several combinations, these weights add up as rows
do, and the bounds hold with weights in their place. Otherwise merging two groups that keep a limit may
break it, because someone with rows in both weighs one in each and one in their union. Then every cut is
judged exactly, and the bounds use weights that add up and are on the safe side: `person_shares.hpp` has
the argument. These bounds are lower, so a proof takes longer, but it is still a proof.

With a limit on suppression (`most_lost`), all of this is about the cuts within it: only they can be the
best; a part is also pruned if all its cuts suppress more than allowed; and the bounds are those of a
search in which suppression costs a premium, less the premium of all that may be suppressed: `bounds.hpp`
has the two arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from shoal.describe.hierarchies import Label
from shoal.kernels import NEVER, CutQuestion, CutSearch, CutWalk
from shoal.numbers import amount, count, percent
from shoal.running.beside import Beside
from shoal.running.clock import Clock
from shoal.search.cuts.cut_problem import CutProblem, refuse_too_hard
from shoal.search.cuts.forest import Forest

SLICE = 0.05
"""Seconds between two looks at the clock and the progress."""

KICKS = 8
KICK_WORK = 160_000
"""Combinations times random restarts: larger tallies get fewer."""

Cut = dict[str, tuple[Label, ...]]
Start = tuple[int, list[int]] | None
"""What a cut costs, and what it specializes."""
FIRST = 50
"""How many steps to other cuts come before the search, if no time limit ends them."""
OWN = 0.4
"""The share of the time left for a start of its own, if there is another."""


@dataclass(frozen=True)
class CutFound:
    """A cut and what it costs."""

    cost: float
    cut: Cut


@dataclass(frozen=True)
class Improvement:
    """A new best cut, while the search goes on."""

    cost: float
    lower_bound: float
    seconds: float
    cut: Cut


@dataclass(frozen=True)
class Standing:
    """The state of a search; `cost` is None until a cut is found."""

    cost: float | None
    lower_bound: float
    examined: int
    seconds: float

    @property
    def gap(self) -> float | None:
        """How much less than the best another cut may cost, as a share; None until there is a best."""
        if self.cost is None:
            return None
        return (self.cost - self.lower_bound) / self.cost if self.cost else 0.0


@dataclass(frozen=True)
class Techniques:
    """The techniques of the search; each can be switched off to measure its effect."""

    start: bool = True
    """Start from a good cut."""
    descending: bool = True
    """Specialize the values with the most rows first (the paper's Observation 4); otherwise the fewest."""
    update: bool = True
    """Raise the bounds when a value is locked (Observation 5)."""
    learn: bool = True
    """Try first the values that have raised the bounds the most, if trials are cheap."""
    needs: bool = True
    """Count rows that no group can take."""
    steps: bool = True
    """Count the step that merges a broken group with another, in addition to blanked values."""
    ahead: bool = True
    """Look one specialization ahead in each group."""
    remember: bool = True
    """Compute no group twice, as far as memory allows."""


@dataclass(frozen=True)
class CutOutcome:
    """The best cuts, best first; a bound that holds for every cut; whether the first is proven best.

    `complete` says that all cuts were examined or ruled out, so no other cut is better than these.
    """

    found: tuple[CutFound, ...]
    lower_bound: float
    optimal: bool
    complete: bool
    examined: int
    space: int
    seconds: float


def l_plus_optimize(
    problem: CutProblem,
    *,
    keep: int = 1,
    seed: int = 0,
    gap: float = 0.0,
    threads: int = 1,
    clock: Clock | None = None,
    on_improvement: Callable[[Improvement], None] | None = None,
    watch: Callable[[Standing], None] | None = None,
    techniques: Techniques | None = None,
    known: Callable[[Clock], Iterator[Cut | None]] | None = None,
) -> CutOutcome:
    """Return the `keep` cheapest cuts: proven, unless time or a gap ended the search.

    `known` may find cuts by other means, each better than those before, in part of the time; None is a step
    that found none. The search starts from the last if that is better. Without a time limit more of these
    steps go on beside the search, if there was any cut: then its proof is out of reach.

    `watch` receives the state of the search at every look at the clock.

    Of cuts with the same cost the one that specializes less comes first: the first value that only one
    of two specializes, in the order of attributes and their taxonomies, puts the other first.
    """
    clock = clock or Clock()
    use = techniques or Techniques()
    forest = problem.forest(merged=keep == 1)
    question = problem.question(forest)
    unit = problem.unit
    start, premium, beside = None, 0, None
    cuts: Iterator[Cut | None] = iter(()) if known is None else known(clock)
    # Before the search takes over the combinations, so that the two never need memory at once.
    if use.start:
        start, premium, more = _start(question, problem, forest, seed, clock, cuts)
        beside = CutWalk(question) if more and not clock.limited else None
    search = CutSearch(
        question,
        keep=keep,
        slack=int(gap * 2**20),
        ascending=not use.descending,
        update=use.update,
        learn=use.learn and use.descending,
        needs=use.needs,
        steps=use.steps,
        ahead=use.ahead,
        remember=use.remember,
        threads=threads,
        premium=premium,
        take=beside is None,
    )
    least = NEVER
    done = False

    def look() -> None:
        nonlocal least
        best = search.best()
        cost = best[0][0] if best else NEVER
        bound = min(cost, search.bound)
        if cost < least:
            least = cost
            if on_improvement is not None:
                cut = forest.cut(best[0][1])
                on_improvement(Improvement(cost / unit, bound / unit, clock.seconds, cut))
        if watch is not None:
            known_cost = cost / unit if cost < NEVER else None
            watch(Standing(known_cost, bound / unit, search.examined, clock.seconds))
        if cost < NEVER:
            left = (cost - bound) / cost if cost else 0.0
            rate = search.examined / max(clock.seconds, 1e-9)
            costs = f"cost {amount(cost / unit)}, bound {amount(bound / unit)}"
            words = f"{costs}, gap {percent(left)}, {count(rate)} cuts/s"
            clock.show(1 - left, words, problem.share(Fraction(cost, unit)))

    if start is not None:
        search.offer(*start)
        look()
    others = (
        None if beside is None else Beside(_better(beside, problem, forest, search, cuts, clock), clock)
    )
    while not done and not clock.over:
        done = search.run(min(SLICE, clock.left))
        look()
        if others is not None:
            others.go_on()
    refuse_too_hard(question.gave_up)
    best = search.best()
    lowest = min([cost for cost, _ in best[:1]] + [search.bound])
    return CutOutcome(
        tuple(CutFound(cost / unit, forest.cut(specialized)) for cost, specialized in best),
        lowest / unit if lowest < NEVER else math.inf,
        bool(best) and lowest == best[0][0],
        done and gap == 0,
        search.examined,
        forest.space,
        clock.seconds,
    )


def _start(
    question: CutQuestion,
    problem: CutProblem,
    forest: Forest,
    seed: int,
    clock: Clock,
    cuts: Iterator[Cut | None],
) -> tuple[Start, int, bool]:
    """Return the best start in reach, by descents or from other cuts; a premium; and if there were any."""
    kicks = min(KICKS, KICK_WORK // max(len(problem.tally), 1))
    other = None
    for cut in cuts if clock.limited else islice(cuts, FIRST):
        other = cut or other
    if other is None:
        return *_good_start(question, problem, seed, kicks, clock.left), False
    own = _good_start(question, problem, seed, kicks, clock.left * OWN)
    start = _better_start(question, problem, own, forest.specialized(other), seed, clock.left)
    return start, own[1], True


def _better(
    walk: CutWalk,
    problem: CutProblem,
    forest: Forest,
    search: CutSearch,
    cuts: Iterator[Cut | None],
    clock: Clock,
) -> Iterator[None]:
    """Offer the search the ends of descents from other cuts, and now and then from near its best."""
    due, rounds = 2 * clock.seconds, 0
    for cut in cuts:
        begun, kicks = None if cut is None else forest.specialized(cut), 0
        if clock.seconds >= due and (best := search.best()):
            begun, kicks, rounds = best[0][1], KICKS, rounds + 1
            due = 2 * clock.seconds
        if begun is not None:
            end, _ = walk.go_on(begun, 0, rounds, kicks, clock.left)
            found = _measured(walk, problem, end)
            if found is not None:
                search.offer(*found)
        yield


def _good_start(
    question: CutQuestion, problem: CutProblem, seed: int, kicks: int, seconds: float
) -> tuple[Start, int]:
    """Return the cost of a good cut and what it specializes, None if none was allowed; and a premium."""
    walk = CutWalk(question)
    specialized, premium = walk.good_start(seed % 2**64, kicks, seconds)
    return _measured(walk, problem, specialized), premium


def _better_start(
    question: CutQuestion,
    problem: CutProblem,
    own: tuple[Start, int],
    begun: list[int],
    seed: int,
    seconds: float,
) -> Start:
    """Return the cheapest of a start, of another cut, and of where descents from that cut end."""
    walk, (start, premium) = CutWalk(question), own
    specialized, _ = walk.go_on(begun, premium, seed % 2**64, 0, seconds)
    found = (start, _measured(walk, problem, begun), _measured(walk, problem, specialized))
    return min((one for one in found if one is not None), key=lambda one: one[0], default=None)


def _measured(walk: CutWalk, problem: CutProblem, specialized: list[int]) -> Start:
    """Return what a cut costs, and what it specializes; None if it is not allowed."""
    forbidden, cost, _, deleted, blanked = walk.measure(specialized)
    over = problem.most_lost is not None and deleted + blanked > problem.most_lost
    failed = forbidden or deleted == problem.tally.rows or over
    return None if failed else (cost, specialized)


def suppressed(problem: CutProblem, cut: Cut) -> tuple[int, int]:
    """Return how many rows a cut suppresses, and how many sensitive values it blanks."""
    forest = problem.forest(merged=False)
    *_, deleted, blanked = CutWalk(problem.question(forest)).measure(forest.specialized(cut))
    return deleted, blanked
