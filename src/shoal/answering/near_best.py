"""One answer drawn at random among those near the best: what `robust` asks for, for every kind of recoding.

Nothing that draws is kept: chance is the operating system's, so nobody can draw again. The record of a
release holds the recoding itself, from which the release can be made again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from random import SystemRandom
from typing import Any

from shoal.answering.defended import measured_defence
from shoal.answering.named import measured, run
from shoal.answers.anonymization import Anonymization
from shoal.answers.recoding import CutRecoding, NodeRecoding, Scheme
from shoal.errors import InputError
from shoal.numbers import percent
from shoal.questions.execution import Timed
from shoal.questions.material import Material
from shoal.running.clock import Clock
from shoal.search.cuts.near_cuts import near_cut
from shoal.search.cuts.posing import cut_problem
from shoal.search.lattice.near_nodes import near_node
from shoal.search.task import Algorithm, Found, Task

SEARCH, AGAIN = 0.45, 0.3
"""Shares of a time limit: for the plain answer, and for drawing another; the rest is for attacks."""


def robust_answer(
    material: Material,
    task: Task,
    algorithm: Algorithm,
    timed: Timed,
    within: Fraction,
    **options: Any,
) -> Anonymization:
    """Return an answer that loses at most `within` of all detail more than the algorithm's own, drawn at
    random, with what attacks find on both."""
    clock = Clock(timed.time_limit, timed.progress)
    if not algorithm.by_chance:
        raise InputError(
            f"robust draws among levels, cuts and groups with labels, of which {algorithm.name} makes none; "
            "use flash, k-optimize, mondrian or local-recoding, or leave robust out"
        )
    plain = run(material, task, algorithm, _for(timed, SEARCH), **options)
    if algorithm.recodes == "groups":
        drawn = _groups(material, task, algorithm, timed, clock, within, plain, **options)
    else:
        drawn = _drawn(material, task, algorithm, clock, within, plain)
    measure = "LM" if algorithm.recodes == "groups" else plain.metric
    told = measured_defence(
        material,
        plain.decision(),
        drawn.decision(),
        within,
        (plain.shares[measure], drawn.shares[measure]),
        clock,
    )
    details = {**drawn.details, "robust": told | {"measure": measure}}
    return replace(
        drawn, decision_made=replace(drawn.decision(), details=details), seconds=clock.seconds
    )


def _for(timed: Timed, part: float) -> Timed:
    limit = None if timed.time_limit is None else timed.time_limit * part
    return Timed(time_limit=limit, progress=timed.progress)


def _drawn(
    material: Material,
    task: Task,
    algorithm: Algorithm,
    clock: Clock,
    within: Fraction,
    plain: Anonymization,
) -> Anonymization:
    """Return a node or cut that a walk among those near the algorithm's answer ends at."""
    recoding, draw, own = plain.decision().recoding, SystemRandom(), clock.part(AGAIN / (1 - SEARCH))
    near: NodeRecoding | CutRecoding
    if isinstance(recoding, NodeRecoding):
        judge = task.judge()
        best = tuple(recoding.levels[name] for name in task.problem.names)
        if not judge.judge(best).allowed:
            raise InputError(
                f"the answer of {algorithm.name} suppresses more than was allowed, by a rule of its own, so "
                "nothing is near it; say how much may be suppressed, or choose another algorithm"
            )
        with own:
            walked = near_node(judge, best, within, draw, own)
        near, met = task.at(walked.state), walked.met
    else:
        assert isinstance(recoding, CutRecoding)
        try:
            problem = cut_problem(task, Scheme.ALL_REC, algorithm.name)
        except InputError:
            raise InputError(
                "robust draws among cuts that keep k and theta, by a metric of cuts, and this asks for "
                "something else; use flash, mondrian or local-recoding, or leave robust out"
            ) from None
        more = within * Fraction(task.metric.largest, task.metric.unit)
        with own:
            cut = near_cut(problem, recoding.labels, more, draw, own)
        near, met = CutRecoding(cut.cut), cut.met
    details = _told(within, plain, met) | {"search": dict(_plain_details(plain.details))}
    found = Found(near, plain.decision().promise, details=details)
    said = _sentence(within, algorithm, met)
    return measured(material, task, algorithm, found, clock.seconds, (algorithm.guarantees[0], said))


def _plain_details(details: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the search says of the plain answer, which the robust one is held against."""
    return {name: details[name] for name in ("loss", "share", "lower_bound") if name in details}


def _groups(
    material: Material,
    task: Task,
    algorithm: Algorithm,
    timed: Timed,
    clock: Clock,
    within: Fraction,
    plain: Anonymization,
    **options: Any,
) -> Anonymization:
    """Return groups formed anew by chance, under labels that are widened at random.

    If chance alone makes them lose too much, or there is too little time for both, they are formed as for the
    plain answer, and labels differ. If nothing can be widened within the limit either, it is the plain
    answer, and says so.
    """
    ceiling = Fraction(plain.shares["LM"]) + within
    draw = SystemRandom()
    more = f"for at most {percent(float(within))} of all detail more (LM)"
    for seed, by_chance in ((draw.getrandbits(32), True), (task.seed, False)):
        if clock.past(SEARCH + AGAIN if by_chance else 1):
            continue
        again = replace(task, ceiling=ceiling, seed=seed, by_chance=by_chance)
        found = run(material, again, algorithm, _for(timed, AGAIN / 2), **options)
        drawn = by_chance or found.details["widened"] > 0
        if drawn and found.shares["LM"] <= float(ceiling) + 1e-9:
            formed = "groups are formed by chance, and labels" if by_chance else "labels are"
            said, met = f"{formed} widened at random, {more}", None
            break
    else:
        found, met = plain, 1
        said = f"it is the answer of {algorithm.name}: nothing else was found {more}"
    details = {**found.details, **_told(within, plain, met), "best_proven": False}
    if met is None:
        details["formed_by_chance"] = by_chance
    decision = replace(found.decision(), details=details)
    return replace(
        found, decision_made=decision, optimal=False, guarantees=(algorithm.guarantees[0], said)
    )


def _told(within: Fraction, plain: Anonymization, met: int | None) -> dict[str, Any]:
    told = {"within": float(within), "best_proven": plain.optimal}
    return told if met is None else told | {"met": met}


def _sentence(within: Fraction, algorithm: Algorithm, met: int) -> str:
    return (
        f"it loses at most {percent(float(within))} of all detail more than the answer of {algorithm.name}, "
        f"and was drawn from at least {met:,} such"
    )
