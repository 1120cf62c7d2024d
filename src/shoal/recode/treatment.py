"""What happens to every class of rows: its labels, and which rows and values are suppressed.

It is computed on the tally; the engine that holds the rows then applies it in one statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import Decision, Scheme
from shoal.answers.released_classes import NEVER_SEEN, classes_of, name_group
from shoal.criteria import (
    Criterion,
    DistinctDiversity,
    Groups,
    KAnonymity,
    Population,
    ShareLimit,
    broken,
    criteria_of,
    sensitive_of,
)
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.errors import InputError
from shoal.recode.population_classes import count_crowds
from shoal.recode.quotas import Quota, suppress_some

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Treatment:
    """The classes of a decision, and what is done to each.

    `classes[i]` is the class of the tally's combination i, `labels[c]` the labels of class c, one per
    attribute. The rows of `deleted` classes are suppressed; `quotas` suppress further rows, by their values
    of the `sensitive` columns; `blanked[column]` are pairs of class and values whose rows lose their
    sensitive value, None meaning all values of the class. `crowds` are the population's rows in each class,
    if they matter.
    """

    attributes: tuple[str, ...]
    classes: Ints
    labels: tuple[tuple[Label, ...], ...]
    deleted: frozenset[int]
    rows: int
    suppressed_rows: int
    suppressed_values: int
    sensitive: tuple[str, ...] = ()
    quotas: tuple[Quota, ...] = ()
    blanked: Mapping[str, tuple[tuple[int, tuple[Label, ...] | None], ...]] = field(default_factory=dict)
    crowds: Ints | None = None
    persons: int = 0
    """How many persons the table is about; as many as rows, unless the study names persons."""
    suppressed_persons: int = 0
    """How many of them have no released row."""
    homes: tuple[str, ...] = ()
    """The households that are suppressed whole."""
    lost: Ints | None = None
    """How many rows of each combination are suppressed with their households."""

    @property
    def released_rows(self) -> int:
        """How many rows are released."""
        return self.rows - self.suppressed_rows

    @property
    def released_persons(self) -> int:
        """How many persons have a released row."""
        return self.persons - self.suppressed_persons


def treat(
    decision: Decision,
    tally: Tally,
    hierarchies: Mapping[str, Hierarchy],
    class_column: str | None = None,
    *,
    sensitive: Sequence[str] | None = None,
    reused: bool = False,
    refused: Mapping[str, frozenset[Label]] | None = None,
    population: Population | None = None,
) -> Treatment:
    """Return what the decision does to the rows of a tally, or refuse one that breaks its promise.

    The tally has every sensitive column of the promise, and the class column if CM needs it; l is about the
    `sensitive` columns, by default all others of the tally. A decision that is `reused` on rows it was not
    made for suppresses rows that would break its promise, whatever its scheme, and rows with `refused`
    values. The `population` is needed if the promise is about one.
    """
    classes, labels = classes_of(decision, tally, hierarchies, refused or {})
    promise, scheme = decision.promise, decision.scheme
    if reused and scheme is Scheme.NO_SUPP:
        scheme = Scheme.ALL_REC
    about = tally.others if sensitive is None else sensitive
    columns = sensitive_of(promise, about)
    crowds = count_crowds(decision, tally.attributes, labels, population)
    groups = Groups.of(tally, classes, len(labels), columns, crowds)
    criteria = criteria_of(promise, tally, about)
    limits = [criterion for criterion in criteria if isinstance(criterion, ShareLimit)]
    others = [criterion for criterion in criteria if not isinstance(criterion, ShareLimit)]
    chosen = frozenset(decision.deleted)
    gone = np.array([NEVER_SEEN in shown or shown in chosen for shown in labels], dtype=np.bool_)
    if scheme is Scheme.VIO_REC and limits and tally.persons is not None:
        raise InputError(
            "vioRec suppresses single rows of a group, and a person may have several; use allRec"
        )
    if scheme not in (Scheme.ALL_REC, Scheme.NO_SUPP):
        for one in criteria:
            if not isinstance(one, (KAnonymity, DistinctDiversity, ShareLimit)):
                raise InputError(f"{scheme} cannot keep a promise of {one.name}; use allRec")
    few = _broken(groups, others, gone)
    violated = {limit.column: limit.violations(groups) for limit in limits}

    quotas: tuple[Quota, ...] = ()
    blanked: dict[str, tuple[tuple[int, tuple[Label, ...] | None], ...]] = {}
    values = 0
    if scheme is Scheme.ALL_REC:
        gone = _broken(groups, criteria, gone)
    elif scheme is Scheme.VIO_REC:
        gone, quotas = suppress_some(decision, tally, classes, few, groups.histograms, class_column)
    else:
        small = few & ~gone
        if not reused and small.any():
            worst = int(np.flatnonzero(small)[0])
            raise InputError(
                f"the group {name_group(labels[worst])} has {int(groups.sizes[worst]):,} "
                f"{'rows' if tally.persons is None else 'persons'}, too few or too alike for the promise, "
                f"and {scheme} suppresses no rows"
            )
        gone = few
        anywhere = _broken(groups, limits, np.zeros_like(gone))
        if scheme is Scheme.NO_SUPP and anywhere.any():
            worst = int(np.flatnonzero(anywhere)[0])
            raise InputError(
                f"the group {name_group(labels[worst])} breaks a share limit, and NoSupp suppresses nothing"
            )
        for column, matrix in violated.items():
            marks = _blanks(matrix & ~gone[:, None], scheme, tally.domain(column))
            if marks:
                blanked[column] = marks
                rows_of = tally.histogram(column, classes, len(labels))
                values += _count_blanked(marks, rows_of, tally.domain(column))
    deleted = frozenset(np.flatnonzero(gone).tolist())
    by_quota = sum(quota.rows for quota in quotas)  # where every row is a person
    rows = int(groups.rows[gone].sum()) + by_quota
    facts = (tally.rows, rows, values, tuple(promise.theta))
    released = int(tally.people_in(gone[classes].astype(np.int64), 2)[0]) - by_quota
    persons = (tally.people, tally.people - released)
    return Treatment(
        tally.attributes, classes, labels, deleted, *facts, quotas, blanked, crowds, *persons
    )


def _broken(groups: Groups, criteria: Sequence[Criterion], gone: Mask) -> Mask:
    """Return which groups are suppressed, given those that already are."""
    result = gone.copy()
    result[~gone] = broken(groups.where(~gone), criteria)
    return result


def _blanks(
    matrix: Mask, scheme: Scheme, domain: Sequence[Label]
) -> tuple[tuple[int, tuple[Label, ...] | None], ...]:
    """Return which sensitive values of which classes are blanked."""
    hit = np.flatnonzero(matrix.any(axis=1)).tolist()
    if scheme is Scheme.ALL_SA:
        return tuple((c, None) for c in hit)
    return tuple((c, tuple(domain[v] for v in np.flatnonzero(matrix[c]).tolist())) for c in hit)


def _count_blanked(
    marks: Sequence[tuple[int, tuple[Label, ...] | None]], histogram: Ints, domain: Sequence[Label]
) -> int:
    return sum(
        int(histogram[c, v])
        for c, values in marks
        for v, value in enumerate(domain)
        if value is not None and (values is None or value in values)
    )
