"""From a promise to the criteria that groups are judged by."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.privacy.base import Criterion
from shoal.privacy.confidence import ShareLimit
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import DistinctDiversity
from shoal.privacy.t_closeness import TCloseness
from shoal.promise import Promise
from shoal.tally import Tally


def sensitive_of(promise: Promise, sensitive: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that a promise looks at; l is about every sensitive column."""
    columns = [*promise.theta, *promise.t]
    if promise.l is not None:
        columns += sensitive
    return tuple(dict.fromkeys(columns))


def criteria_of(promise: Promise, tally: Tally, sensitive: Iterable[str]) -> tuple[Criterion, ...]:
    """Return what a promise asks of every group; at least that it has a row."""
    found: list[Criterion] = [KAnonymity(promise.k or 1)]
    if promise.l is not None:
        found += [DistinctDiversity(column, tally.domain(column), promise.l) for column in sensitive]
    found += [
        ShareLimit(column, tally.domain(column), limits) for column, limits in promise.theta.items()
    ]
    found += [TCloseness(column, limit) for column, limit in promise.t.items()]
    return tuple(found)
