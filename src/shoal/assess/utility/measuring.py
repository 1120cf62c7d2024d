"""Measures what a release is still good for, beside the study that it was made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shoal.answers.recoding import BucketRecoding, Decision
from shoal.assess.utility.associations import PairOfColumns, associations
from shoal.assess.utility.distributions import Distribution, distributions
from shoal.assess.utility.indicators import Indicator, as_tables, indicators, read_statements
from shoal.assess.utility.lost_groups import lost_groups
from shoal.assess.utility.predictions import HeldOut, Prediction, predict
from shoal.assess.utility.propensity import propensity_error
from shoal.assess.utility.regressions import Model, regression
from shoal.assess.utility.two_tables import TwoTables, open_two_tables, two_tables_of
from shoal.assess.utility.utility_report import Headline, UtilityReport
from shoal.data.tally import Tally
from shoal.describe.specification import Role
from shoal.errors import InputError, MissingExtraError
from shoal.questions.material import Material
from shoal.questions.releases import UtilityQuestion
from shoal.recode import Treatment
from shoal.running import stopping
from shoal.running.one_thread import one_thread

if TYPE_CHECKING:
    import pyarrow as pa

FEW_ROWS = 5_000
OwnIndicators = Callable[["tuple[pa.Table, pa.Table]"], tuple[Indicator, ...]]
"""Gives the indicators of the original and the released rows."""


def utility_of_release(
    material: Material, question: UtilityQuestion, own: OwnIndicators | None = None
) -> UtilityReport:
    """Return what a released file is still good for; what was asked for besides is in it too.

    Whoever cannot let statements run in this process runs them elsewhere and gives what does so as `own`.
    """
    out = Path(question.release)
    statements = [one for path in question.indicator for one in read_statements(Path(path))]
    if own is None and statements:

        def own(both: tuple[pa.Table, pa.Table]) -> tuple[Indicator, ...]:
            return indicators(both, statements, material.threads, material.limits.memory_limit)

    tables = open_two_tables(material, out)
    with one_thread():
        return _measured(material, question, tables, own)


def _measured(
    material: Material, question: UtilityQuestion, tables: TwoTables, own: OwnIndicators | None
) -> UtilityReport:
    notes = _notes(tables)
    # First what may be refused: a formula or a statement with a fault is told before the long work.
    models = tuple(_regressions(tables, question))
    indicated = own(as_tables(tables)) if own is not None else ()
    found, classes = distributions(tables)
    pairs, shown = associations(tables, classes)
    predictions, held_out, why = _predictions(material, question, tables)
    notes += why
    head = _headline(found, pairs, propensity_error(tables, classes, question.seed))
    return UtilityReport(
        str(question.release),
        tables.before.rows,
        tables.after.rows,
        head,
        found,
        pairs,
        shown,
        lost_groups(tables, classes, held_out),
        models,
        predictions,
        indicated,
        tuple(notes),
        tables.weight,
        question.seed,
    )


def _regressions(tables: TwoTables, question: UtilityQuestion) -> Iterator[Model]:
    for formula in question.model:
        stopping.look()
        yield regression(tables, formula, question.seed)


@dataclass(frozen=True)
class InShort:
    """The figures by which releases are compared, and every column; of a release that need not be written."""

    headline: Headline
    columns: tuple[Distribution, ...]


def in_short(
    material: Material, decision: Decision, treatment: Treatment, tally: Tally
) -> InShort | None:
    """Return what a release keeps, over the columns of its tally.

    None where single values were not counted, and for Anatomy, which does not recode quasi columns.
    """
    if tally.coarse or isinstance(decision.recoding, BucketRecoding):
        return None
    return short_of(two_tables_of(material, decision, treatment, tally, None))


def short_of(tables: TwoTables, seed: int = 0) -> InShort:
    """Return every column, and the figures by which releases are compared; pMSE on a sample, since there are
    many of them.
    """
    with one_thread():
        found, classes = distributions(tables)
        pairs, _ = associations(tables, classes)
        return InShort(_headline(found, pairs, propensity_error(tables, classes, seed, FEW_ROWS)), found)


def _headline(
    found: Sequence[Distribution], pairs: Sequence[PairOfColumns], propensity: float
) -> Headline:
    worst = max(found, key=lambda one: one.distance, default=None)
    return Headline(
        float(np.mean([one.distance for one in found])) if found else 0.0,
        0.0 if worst is None else worst.distance,
        None if worst is None or not worst.distance else worst.column,
        float(np.mean([pair.distance for pair in pairs])) if pairs else 0.0,
        propensity,
    )


def _predictions(
    material: Material, question: UtilityQuestion, tables: TwoTables
) -> tuple[tuple[Prediction, ...], HeldOut | None, list[str]]:
    """Return the predictions that are asked for, or those of the class column as far as they can be made."""
    asked = tuple(question.predict)
    names = asked or material.specification.having(Role.CLASS)
    found: list[Prediction] = []
    held_out: HeldOut | None = None
    notes = []
    for name in names:
        stopping.look()
        try:
            learnt = predict(tables, name, question.seed)
        except (InputError, MissingExtraError) as problem:
            if asked:
                raise
            notes.append(f"{name} is not predicted: {problem}")
            continue
        found += learnt.predictions
        held_out = held_out or learnt.held_out
    return tuple(found), held_out, notes


def _notes(tables: TwoTables) -> list[str]:
    notes = []
    if tables.weight is not None and not tables.weighed:
        notes.append(
            f"The weights ({tables.weight}) are not released: original rows count with theirs, released rows "
            "once each, as they would for whoever gets the release."
        )
    if tables.hidden:
        notes.append(f"Not compared, since they were replaced: {', '.join(tables.hidden)}.")
    return notes
