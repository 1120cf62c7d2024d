"""Turns a promise into the criteria that groups must keep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from shoal.criteria.criterion import Criterion, Weighing
from shoal.criteria.delta_presence import DeltaPresence
from shoal.criteria.gain_limits import BetaLikeness, DeltaDisclosure
from shoal.criteria.identification_risk import AverageRisk, MaxRisk, PopulationUniques
from shoal.criteria.k_anonymity import KAnonymity, KMap
from shoal.criteria.l_diversity import DistinctDiversity, EntropyDiversity, RecursiveDiversity
from shoal.criteria.share_limit import ShareLimit
from shoal.criteria.t_closeness import TCloseness
from shoal.data.tally import Tally
from shoal.describe.promise import Promise
from shoal.errors import InputError


def sensitive_of(promise: Promise, sensitive: Iterable[str]) -> tuple[str, ...]:
    """Return the sensitive columns of a promise; l is about all of them unless the promise names some."""
    return tuple(dict.fromkeys([*promise.columns, *promise.distinct(sensitive)]))


def criteria_of(promise: Promise, tally: Tally, sensitive: Iterable[str]) -> tuple[Criterion, ...]:
    """Return the criteria of a promise; at least that every group has a row."""
    found: list[Criterion] = [KAnonymity(promise.k or 1)]
    sampling = promise.sampling
    if promise.max_risk is not None:
        highest = MaxRisk(promise.max_risk, sampling)
        # It amounts to a least number of rows, so searches can use it as they use k.
        found = [KAnonymity(max(promise.k or 1, highest.least)), highest]
    if promise.average_risk is not None:
        found.append(AverageRisk(promise.average_risk, sampling, spread=tally.spread))
    if promise.population_uniques is not None:
        found.append(PopulationUniques(promise.population_uniques, sampling))
    domain, distance = tally.domain, promise.distance
    if promise.l is not None:
        found += [
            DistinctDiversity(name, domain(name), promise.l) for name in promise.distinct(sensitive)
        ]
    weighing: list[Weighing] = [
        *(ShareLimit(name, domain(name), limits) for name, limits in promise.theta.items()),
        *(EntropyDiversity(name, domain(name), least) for name, least in promise.entropy.items()),
        *(RecursiveDiversity(name, domain(name), limit) for name, limit in promise.recursive.items()),
        *(TCloseness(name, t, domain(name), distance(name)) for name, t in promise.t.items()),
        *(BetaLikeness(name, domain(name), beta) for name, beta in promise.beta.items()),
        *(DeltaDisclosure(name, domain(name), delta) for name, delta in promise.disclosure.items()),
    ]
    found += [replace(one, spread=tally.spread) for one in weighing]
    if promise.k_map is not None:
        found.append(KMap(promise.k_map))
    if promise.delta is not None:
        if promise.population is None:
            raise InputError("delta-presence needs a population; name its table")
        found.append(DeltaPresence(promise.delta, promise.population.rows, spread=tally.spread))
    return tuple(found)
