"""Whether a release keeps what its certificate promises, or any table what is asked of it."""

from __future__ import annotations

from dataclasses import replace

from shoal.assess.risk.matching import alike
from shoal.data.opening import opened
from shoal.describe.hierarchies import read_hierarchy
from shoal.describe.promise import Distance, DistanceKind
from shoal.questions.releases import VerifyQuestion
from shoal.verification.release_check import verify_release
from shoal.verification.table_check import count_population, verify_table
from shoal.verification.verdict import Verdict


def verdict_of(question: VerifyQuestion) -> Verdict:
    """Return what was measured on the rows, and every promise that does not hold."""
    verdict = _verdict(question)
    if question.missing != "wildcard":
        return verdict
    with opened(question.table) as engine:
        cells = engine.cells(verdict.quasi)
    like = alike(cells, cells.counts)
    return replace(verdict, alike=int(like.min()) if len(like) else 0)


def _verdict(question: VerifyQuestion) -> Verdict:
    if question.quasi is None:
        return verify_release(question.table, question.key)
    quasi, columns = tuple(question.quasi), tuple(question.sensitive)
    far = _distance(question)
    population = question.population
    promise = question.promise(
        columns,
        {} if far is None else dict.fromkeys(columns, far),
        None if population is None else count_population(population, quasi),
        sampling=question.sampling_fraction,
    )
    return verify_table(question.table, promise, quasi, columns, tuple(question.persons))


def _distance(question: VerifyQuestion) -> Distance | None:
    """Return how far sensitive values are from each other; None where all are alike."""
    kind, given = DistanceKind.of(question.distance or DistanceKind.EQUAL), question.hierarchy
    if kind is DistanceKind.EQUAL:
        return None
    rows = () if given is None else tuple(read_hierarchy(given).rows())
    return Distance(kind, tuple(question.order), rows)
