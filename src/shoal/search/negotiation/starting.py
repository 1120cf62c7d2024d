"""Opens sessions: from the index beside the study, from a new one, or over histograms computed on demand."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from shoal.describe import Role, Specification
from shoal.errors import TimeOverError
from shoal.running.watching import watch, watched
from shoal.search.negotiation import index_file
from shoal.search.negotiation.histograms import Histograms, HistogramsOnDemand, IndexedHistograms
from shoal.search.negotiation.index_losses import Losses, lm_losses
from shoal.search.negotiation.indexed_persons import IndexedPersons, PersonLosses
from shoal.search.negotiation.negotiator import Negotiator, Rows
from shoal.search.negotiation.request import LatticeShape, sensitive_columns

if TYPE_CHECKING:
    from shoal.data.tally import Problem, Tally
    from shoal.describe.hierarchies import Hierarchy
    from shoal.kernels import HistogramIndex
    from shoal.metrics import Metric
    from shoal.questions.material import Material
    from shoal.search.negotiation.bottom_classes import BottomClasses
    from shoal.search.negotiation.person_histograms import PersonHistograms

MOST_WORK = 1_000_000_000
"""The most nodes times combinations times words of an index: about two seconds of one core."""
MOST_NODES = 200_000
"""The most nodes of an index: about a hundred megabytes."""


class Studied(Protocol):
    """What a session takes from a study."""

    specification: Specification

    @property
    def threads(self) -> int:
        """How many threads searches take."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns."""

    def tally(self, *others: str) -> Tally:
        """Return the tally with other columns."""

    def problem(self, *, with_class: bool = False, others: tuple[str, ...] = ()) -> Problem:
        """Return ladders and tally."""

    def hierarchy(self, attribute: str) -> Hierarchy:
        """Return the hierarchy of an attribute."""

    def material(self) -> Material:
        """Return what searches are posed on."""


def open_negotiator(
    study: Studied,
    *,
    index: bool,
    lazy: bool | None,
    memory: int,
    notice: index_file.Notice | None = None,
) -> Negotiator:
    """Return a session over a study; see `Study.negotiator`."""
    notice = notice or _warn
    place = index_file.place(study.specification) if index and not lazy else None
    key = None if place is None else index_file.key_of(study.specification)
    if place is not None and key is not None:
        found = index_file.load(place, key, study.specification, notice)
        if found is not None:
            return _saved(found, lambda: study)
    return _build(study, place, key, lazy, memory, notice)


def reopen_negotiator(
    specification: Specification, study: Callable[[], Studied], notice: index_file.Notice
) -> tuple[Negotiator, tuple[str, ...]] | None:
    """Return a session from the index beside a study file, and the table's columns; None without an index.

    The study is opened only if values are needed, for explanations and for losses by other metrics than LM.
    """
    place = index_file.place(specification)
    key = None if place is None else index_file.key_of(specification)
    if place is None or key is None:
        return None
    found = index_file.load(place, key, specification, notice)
    return None if found is None else (_saved(found, study), found.columns)


def _saved(found: index_file.SavedIndex, study: Callable[[], Studied]) -> Negotiator:
    lm = None if found.lm is None else lm_losses(found.index, *found.lm)

    def rows(kind: type[Metric] | None) -> Rows:
        return _rows(study(), kind)

    if found.persons is None:
        return Negotiator(found.shape, IndexedHistograms(found.index), rows, lm)
    by_persons = IndexedPersons(
        found.index, found.persons, found.shape, lambda: _counted(study(), found.shape)
    )
    return Negotiator(
        found.shape, by_persons, rows, lm and PersonLosses(lm, lambda: _counted_lm(by_persons, rows))
    )


def _counted(study: Studied, shape: LatticeShape) -> PersonHistograms:
    from shoal.search.negotiation.person_histograms import PersonHistograms

    problem = study.problem(others=shape.sensitive)
    return PersonHistograms(problem, study.tally(*shape.sensitive), shape)


def _counted_lm(histograms: IndexedPersons, rows: Callable[[type[Metric] | None], Rows]) -> Losses:
    from shoal.metrics import LM
    from shoal.search.negotiation.counted_losses import CountedLosses

    of = rows(LM)
    return CountedLosses(histograms.shape, histograms, of.problem, of.tally, LM(of.problem), of.threads)


def _build(
    study: Studied,
    place: Path | None,
    key: str | None,
    lazy: bool | None,
    memory: int,
    notice: index_file.Notice,
) -> Negotiator:
    from shoal.search.lattice.value_sets import value_sets
    from shoal.search.negotiation.bottom_classes import BottomClasses

    sensitive, doubled = sensitive_columns(study.specification)
    problem = study.problem(others=sensitive)
    shape = LatticeShape(problem.names, problem.bottom, problem.top, problem.rows, sensitive, doubled)
    whose = problem.persons
    # An index by persons holds no values: these are matched with persons when they are asked for.
    sets = value_sets(study.tally(*sensitive), sensitive if whose is None else ())
    ground = BottomClasses(problem, sets)
    if lazy is None:
        pairs = 0 if whose is None else len(whose.cells)
        work = shape.nodes * (len(problem.counts) * (1 + sum(sets.widths)) + pairs)
        lazy = shape.nodes > MOST_NODES or work > MOST_WORK
    made = None if lazy else _indexed(ground, study.threads)
    if made is None:
        histograms: Histograms = (
            HistogramsOnDemand(ground, shape, memory, study.threads)
            if whose is None
            else _counted(study, shape)
        )
        return Negotiator(shape, histograms, lambda kind: _rows(study, kind))
    lm = None if ground.lm is None else (ground.lm.unit, ground.lm.row)
    found = index_file.SavedIndex(shape, study.columns, made, lm, problem.people_if_several)
    # Save only if the table still has the digest in the key.
    if place is not None and key is not None and index_file.key_of(study.specification) == key:
        index_file.save(place, key, found, notice)
    return _saved(found, lambda: study)


def _indexed(ground: BottomClasses, threads: int) -> HistogramIndex | None:
    """Return the index, or None if half of the time that is left is not enough for it."""
    left = watch().left
    if left == math.inf:
        return ground.index(threads)
    try:
        with watched(max(left, 0.01) / 2):
            return ground.index(threads)
    except TimeOverError:
        return None


def _rows(study: Studied, kind: type[Metric] | None = None) -> Rows:
    """Return what explanations need, or what losses by a metric are counted from."""
    from shoal.metrics import LM

    sensitive, _ = sensitive_columns(study.specification)
    quasi = study.specification.having(Role.QUASI)
    problem, tally = study.material().posed(kind or LM, sensitive)
    hierarchies = {name: study.hierarchy(name) for name in quasi}
    return Rows(tally, hierarchies, problem, study.threads)


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=4)
