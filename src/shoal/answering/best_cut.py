"""From what a curator asks to the provably best cut: roles, limits, search, and a solution to release."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from shoal.answers.found_on import found_on
from shoal.answers.recoding import Scheme
from shoal.answers.solution import CutSolution
from shoal.data.tally.tally import Tally
from shoal.describe.promise import Promise, ShareLimits, share
from shoal.describe.promise.limits import diversity
from shoal.describe.specification import Role
from shoal.errors import InputError, NoSolutionError, did_you_mean, show
from shoal.metrics.on_cuts import CutMetric, cut_metric_named
from shoal.questions.material import Material
from shoal.running.clock import Clock, Progress, check_time_limit
from shoal.search.cuts.cut_problem import CutProblem
from shoal.search.cuts.l_plus_optimize import (
    Improvement,
    Standing,
    Techniques,
    l_plus_optimize,
    suppressed,
)
from shoal.search.cuts.posing import branches_of

MOST_TOP = 10_000


@dataclass(frozen=True)
class Wish:
    """What is to be promised: k, and share limits (l is 1 / theta): uniform, by value, by frequency."""

    l: float | str | Fraction | None = None  # noqa: E741  the literature's name
    theta: float | str | Fraction | None = None
    values: Mapping[str, float | str | Fraction] = field(default_factory=dict)
    by_frequency: float | str | Fraction | None = None
    k: int | None = None
    sensitive: Sequence[str] = ()

    @property
    def limits_shares(self) -> bool:
        """Whether any share is limited."""
        return bool(self.values) or not (
            self.l is None and self.theta is None and self.by_frequency is None
        )

    def check(self) -> None:
        """Refuse wishes that contradict themselves, or wish nothing."""
        given = [name for name in ("l", "theta", "by_frequency") if getattr(self, name) is not None]
        if len(given) > 1:
            words = " and ".join(
                "theta-by-frequency" if name == "by_frequency" else name for name in given
            )
            raise InputError(f"{words} both limit every value; give one of them")
        if self.k is not None and not (_whole(self.k) and self.k >= 1):
            raise InputError(f"a k of {self.k}; use a whole number, 1 or more")
        for value in self.values:
            if not isinstance(value, str):
                raise InputError(f"a limit for {value!r}; name sensitive values as text")
        if not self.limits_shares and self.k is None:
            raise InputError("nothing is to be promised; give l, theta or k")
        if not self.limits_shares and self.sensitive:
            raise InputError("a sensitive column is named, but no limit; give l or theta")

    def uniform(self) -> Fraction | None:
        """Return the limit of the values that have none of their own."""
        if self.theta is not None:
            return share(self.theta)
        if self.l is not None:
            return 1 / diversity(self.l, "l", most=None)
        return None

    def limits(self, tally: Tally, columns: Sequence[str]) -> dict[str, ShareLimits]:
        """Return the limits of each sensitive column, or refuse values that none of them has."""
        found = {
            column: {value for value in tally.domain(column) if value is not None} for column in columns
        }
        for value in self.values:
            if not any(value in values for values in found.values()):
                known = sorted(set().union(*found.values()))
                raise InputError(
                    f"no value {show(value)} in {', '.join(columns)}; {did_you_mean(value, known)}"
                )
        by_value = {value: share(limit, f"theta of {value}") for value, limit in self.values.items()}
        limits = {}
        for column in columns:
            own = {value: limit for value, limit in by_value.items() if value in found[column]}
            if self.by_frequency is None:
                limits[column] = ShareLimits(self.uniform(), own).marked(tally.frequencies(column))
                continue
            general = ShareLimits.by_frequency(share(self.by_frequency), tally.frequencies(column))
            limits[column] = replace(
                general,
                values={**general.values, **own},
                counted=frozenset(general.values).difference(own),
            ).marked(tally.frequencies(column))
        return limits


def _whole(given: object) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)


def optimize(
    material: Material,
    wish: Wish,
    *,
    scheme: str = "allRec",
    metric: str | type[CutMetric] = "LM",
    top: int = 1,
    seed: int | None = None,
    time_limit: float | None = None,
    gap: float = 0.0,
    threads: int = 1,
    progress: Progress | None = None,
    on_improvement: Callable[[Improvement], None] | None = None,
    watch: Callable[[Standing], None] | None = None,
    techniques: Techniques | None = None,
) -> CutSolution:
    """Return the cheapest full-subtree recoding that keeps a promise, or say why there is none."""
    problem = pose(material, wish, scheme, metric)
    if not (_whole(top) and 1 <= top <= MOST_TOP):
        raise InputError(f"the best {top} cuts are asked for; ask for 1 to {MOST_TOP:,}")
    if not (isinstance(gap, (int, float)) and 0 <= gap < 1):
        raise InputError(f"a gap of {gap}; use at least 0 and less than 1, such as 0.01")
    if seed is not None and not _whole(seed):
        raise InputError(f"a seed of {seed}; use a whole number")
    check_time_limit(time_limit)
    drawn = secrets.randbits(32) if seed is None and top > 1 else seed or 0
    outcome = l_plus_optimize(
        problem,
        keep=top,
        seed=drawn,
        gap=gap,
        threads=threads,
        clock=Clock(time_limit, progress),
        on_improvement=on_improvement,
        watch=watch,
        techniques=techniques,
    )
    if not outcome.found:
        raise NoSolutionError(_why_none(problem, outcome.complete))
    picked = random.Random(drawn).choice(outcome.found) if top > 1 else outcome.found[0]
    best = outcome.found[0].cost
    optimal = outcome.optimal and picked.cost == best
    deleted, blanked = suppressed(problem, picked.cut)
    return CutSolution(
        metric=problem.metric.name,
        scheme=problem.scheme,
        rows=problem.tally.rows,
        space=outcome.space,
        examined=outcome.examined,
        cost=picked.cost,
        lower_bound=outcome.lower_bound,
        gap=0.0 if optimal or not picked.cost else max(0.0, 1 - outcome.lower_bound / picked.cost),
        optimal=optimal,
        seconds=outcome.seconds,
        cut=picked.cut,
        suppressed_records=deleted,
        suppressed_values=blanked,
        promise=Promise(wish.k, None, problem.limits),
        seed=drawn if top > 1 else seed,
        solutions=tuple(cut.cost for cut in outcome.found) if top > 1 else (),
        complete=outcome.complete,
        found_on=found_on(problem.tally, material.hierarchies),
    )


def pose(
    material: Material, wish: Wish, scheme: str = "allRec", metric: str | type[CutMetric] = "LM"
) -> CutProblem:
    """Return the problem that a wish poses on a study's table."""
    wish.check()
    specification = material.specification
    kind = cut_metric_named(metric) if isinstance(metric, str) else metric
    chosen = Scheme.of(scheme)
    sensitive = specification.having(Role.SENSITIVE)
    for column in wish.sensitive:
        if column not in sensitive:
            raise specification.refuse(
                f"{show(column)} is no sensitive column; {did_you_mean(column, sensitive)}"
            )
    columns = tuple(dict.fromkeys(wish.sensitive)) or sensitive
    if not wish.limits_shares:
        columns = ()
    elif not columns:
        raise specification.refuse(
            "no column has the role sensitive, so no share can be limited; name one"
        )
    classes = specification.having(Role.CLASS) if kind.needs_class else ()
    if kind.needs_class and not classes:
        raise specification.refuse(
            f"the metric {kind.name} needs a column of the role class; name one, or choose LM"
        )
    names = specification.having(Role.QUASI)
    for column in columns:
        if column in names:
            raise specification.refuse(
                f"{show(column)} is quasi and sensitive: a released group has one value of it, so no share "
                "of it can be limited; give it one role, or limit another with --sensitive",
                column,
            )
    tally = material.tally(*(name for name in dict.fromkeys((*columns, *classes)) if name not in names))
    labels = len(tally.domain(classes[0])) if classes else 0
    return CutProblem(
        branches_of(specification, material.hierarchies, tally),
        tally,
        chosen,
        kind(names, tally.rows, labels, specification.weights),
        wish.limits(tally, columns),
        min(wish.k or 1, tally.rows + 1),
        classes[0] if classes else None,
    )


def _why_none(problem: CutProblem, complete: bool) -> str:
    """Return why no cut was found.

    Merging groups that are allowed gives one that is: shares become averages, rows add up. So if any cut is
    allowed, or releases a row, the groups of the most general one say what is wrong.
    """
    rows = problem.tally.rows
    if rows < problem.k:
        return f"the table has {rows:,} rows, fewer than k asks for in every group; lower k"
    for labels, size, counts in _top_groups(problem):
        where = ", ".join("(missing)" if label is None else label for label in labels)
        if size < problem.k and problem.scheme not in (Scheme.ALL_REC, Scheme.VIO_REC):
            return (
                f"no cut has at least {problem.k:,} rows in every group: even the most general group "
                f"({where}) has {size:,}; lower k"
            )
        if problem.scheme is not Scheme.NO_SUPP:
            continue
        for (column, value), count in zip(problem.values, counts, strict=True):
            limit = problem.limits[column].of(value)
            if limit is not None and count > limit * size:
                return (
                    f"no cut limits {show(value)} of {column} to {limit}: even in the most general group "
                    f"({where}) it has {count:,} of {size:,} rows; raise its limit to "
                    f"{Fraction(count, size)} or more, or choose a scheme that suppresses"
                )
    for column, given in problem.limits.items():
        limits = [given.of(value) for value in problem.tally.domain(column)]
        total = sum((limit for limit in limits if limit is not None), Fraction(0))
        if None not in limits and total < 1:
            return (
                f"no group can keep the limits of the {len(limits)} values of {column}: they add up to "
                f"{total}, less than 1; raise them"
            )
    if not complete:
        return "the time was over before any solution was found; give it more"
    return "every row would be deleted under these limits; raise them, lower k, or choose another scheme"


def _top_groups(problem: CutProblem) -> list[tuple[tuple[str | None, ...], int, list[int]]]:
    """Return the labels, the rows and the sensitive values' rows of each group of the most general cut."""
    tally = problem.tally
    roots = []
    for branch in problem.branches:
        root_of = {leaf: tree.label for tree in branch.trees for leaf in tree.leaves}
        roots.append([root_of[leaf] for leaf in branch.values])
    place: dict[tuple[str | None, ...], int] = {}
    groups = np.array(
        [
            place.setdefault(
                tuple(root[code] for root, code in zip(roots, codes, strict=True)), len(place)
            )
            for codes in tally.codes.tolist()
        ],
        dtype=np.int64,
    )
    rows = np.bincount(groups, weights=tally.counts).astype(np.int64).tolist()
    columns = [tally.histogram(column, groups, len(place)) for column in problem.limits]
    counts = np.concatenate([*columns, np.zeros((len(place), 0), dtype=np.int64)], axis=1).tolist()
    return list(zip(place, rows, counts, strict=True))
