"""Whether a release keeps what its certificate promises, or any table what is asked of it."""

from __future__ import annotations

from dataclasses import replace

from shoal.data.opening import opened
from shoal.describe.hierarchies import read_hierarchy
from shoal.describe.promise import Distance, DistanceKind, Known
from shoal.questions.releases import VerifyQuestion
from shoal.search.groups.column_sets import known_sets
from shoal.verification.known_columns import blanks_as_missing
from shoal.verification.matching import alike
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
    known = verdict.promise.known
    like = alike(blanks_as_missing(cells, {} if known is None else known.blank), cells.counts)
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
    if question.combinations is not None or question.combination_size is not None:
        sets = known_sets(quasi, question.combinations, question.combination_size)
        # What is asked of groups is then asked of those that are alike in each set.
        known = Known(
            question.k or 1, sets, question.missing, l=promise.l, about=promise.distinct(columns)
        )
        promise = replace(promise, k=None, l=None, about=(), known=known)
    return verify_table(question.table, promise, quasi, columns, tuple(question.persons))


def _distance(question: VerifyQuestion) -> Distance | None:
    """Return how far sensitive values are from each other; None where all are alike."""
    kind, given = DistanceKind.of(question.distance or DistanceKind.EQUAL), question.hierarchy
    if kind is DistanceKind.EQUAL:
        return None
    rows = () if given is None else tuple(read_hierarchy(given).rows())
    return Distance(kind, tuple(question.order), rows)
