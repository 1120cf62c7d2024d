"""What happens to every class of rows: its labels, and what of it is deleted or blanked.

Worked out on the tally; the engine that holds the rows then carries it out as one statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError
from shoal.hierarchy import Hierarchy, Label
from shoal.promise import Promise, ShareLimits
from shoal.recoding import Decision, Scheme
from shoal.release.classes import NEVER_SEEN, classes_of, name_group
from shoal.release.quotas import Quota, delete_some
from shoal.tally import Tally

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Treatment:
    """The classes of a decision, and what is done to each.

    `classes[i]` is the class of the tally's combination i, `labels[c]` what class c is released as, one
    label an attribute. The rows of `deleted` classes are not released; `quotas` delete some rows more, by
    their values of the `sensitive` columns;
    `blanked[column]` are pairs of class and values whose rows lose their sensitive value, None meaning
    all values of the class.
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

    @property
    def released_rows(self) -> int:
        """How many rows are released."""
        return self.rows - self.suppressed_rows


def treat(
    decision: Decision,
    tally: Tally,
    hierarchies: Mapping[str, Hierarchy],
    class_column: str | None = None,
    *,
    reused: bool = False,
    refused: Mapping[str, frozenset[Label]] | None = None,
) -> Treatment:
    """Return what the decision does to the rows of a tally, or refuse one that breaks its promise.

    The tally holds every sensitive column that is limited, and the class column where CM matters. A
    decision that is `reused` on rows it was not made for deletes what would break its promise, whatever
    its scheme, and the rows with `refused` values.
    """
    classes, labels = classes_of(decision, tally, hierarchies, refused or {})
    sizes = np.bincount(classes, weights=tally.counts, minlength=len(labels)).astype(np.int64)
    promise, scheme = decision.promise, decision.scheme
    if reused and scheme is Scheme.NO_SUPP:
        scheme = Scheme.ALL_REC
    small = sizes < (promise.k or 1)
    small |= np.array([NEVER_SEEN in shown for shown in labels], dtype=np.bool_)
    histograms = {
        column: tally.histogram(column, classes, len(labels)) for column in _limited(promise, tally)
    }
    violated = {
        column: _violations(histogram, sizes, promise, column, tally.domain(column))
        for column, histogram in histograms.items()
    }
    few = _too_few(histograms, promise, tally, len(labels))
    anywhere = few.copy()
    for matrix in violated.values():
        anywhere |= matrix.any(axis=1)

    quotas: tuple[Quota, ...] = ()
    blanked: dict[str, tuple[tuple[int, tuple[Label, ...] | None], ...]] = {}
    values = 0
    if scheme is Scheme.ALL_REC:
        gone = small | anywhere
    elif scheme is Scheme.VIO_REC:
        gone, quotas = delete_some(decision, tally, classes, small | few, histograms, class_column)
    else:
        gone = small | few
        if not reused:
            _refuse_small(gone, scheme, labels, sizes, promise)
        if scheme is Scheme.NO_SUPP and anywhere.any():
            worst = int(np.flatnonzero(anywhere)[0])
            raise InputError(
                f"the group {name_group(labels[worst])} breaks a share limit, and NoSupp suppresses nothing"
            )
        for column, matrix in violated.items():
            marks = _blanks(matrix & ~gone[:, None], scheme, tally.domain(column))
            if marks:
                blanked[column] = marks
                values += _count_blanked(marks, histograms[column], tally.domain(column))
    deleted = frozenset(int(c) for c in np.flatnonzero(gone))
    rows = int(sizes[gone].sum()) + sum(quota.rows for quota in quotas)
    limited = tuple(promise.theta)
    return Treatment(
        tally.attributes, classes, labels, deleted, tally.rows, rows, values, limited, quotas, blanked
    )


def _limited(promise: Promise, tally: Tally) -> list[str]:
    """Return the sensitive columns whose values matter to the promise."""
    columns = list(promise.theta)
    if promise.l is not None:
        columns += [column for column in tally.others if column not in columns]
    return columns


def _violations(
    histogram: Ints, sizes: Ints, promise: Promise, column: str, domain: Sequence[Label]
) -> npt.NDArray[np.bool_]:
    """Return which values exceed their share in which classes, compared in whole numbers."""
    limits = promise.theta.get(column, ShareLimits())
    result = np.zeros(histogram.shape, dtype=np.bool_)
    for v, value in enumerate(domain):
        limit = limits.of(value)
        if limit is not None:
            result[:, v] = histogram[:, v] * limit.denominator > limit.numerator * sizes
    return result


def _too_few(
    histograms: Mapping[str, Ints], promise: Promise, tally: Tally, count: int
) -> npt.NDArray[np.bool_]:
    """Return which classes have fewer than l distinct values of some sensitive column."""
    few = np.zeros(count, dtype=np.bool_)
    if promise.l is None:
        return few
    for column, histogram in histograms.items():
        present = np.array([value is not None for value in tally.domain(column)])
        few |= (histogram[:, present] > 0).sum(axis=1) < promise.l
    return few


def _refuse_small(
    small: npt.NDArray[np.bool_],
    scheme: Scheme,
    labels: Sequence[tuple[Label, ...]],
    sizes: Ints,
    promise: Promise,
) -> None:
    if small.any():
        worst = int(np.flatnonzero(small)[0])
        raise InputError(
            f"the group {name_group(labels[worst])} has {int(sizes[worst]):,} rows, too few or too alike for "
            f"k = {promise.k} and l = {promise.l}, and {scheme} deletes no rows"
        )


def _blanks(
    matrix: npt.NDArray[np.bool_], scheme: Scheme, domain: Sequence[Label]
) -> tuple[tuple[int, tuple[Label, ...] | None], ...]:
    """Return which sensitive values of which classes are blanked."""
    hit = np.flatnonzero(matrix.any(axis=1)).tolist()
    if scheme is Scheme.ALL_SA:
        return tuple((c, None) for c in hit)
    return tuple((c, tuple(domain[v] for v in np.flatnonzero(matrix[c]).tolist())) for c in hit)


def _count_blanked(
    marks: Sequence[tuple[int, tuple[Label, ...] | None]], histogram: Ints, domain: Sequence[Label]
) -> int:
    total = 0
    for c, values in marks:
        for v, value in enumerate(domain):
            if value is not None and (values is None or value in values):
                total += int(histogram[c, v])
    return total
