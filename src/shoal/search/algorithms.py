"""The named algorithms. A new one is a file with an `Algorithm`, and its name in `ALGORITHMS`."""

from __future__ import annotations

from shoal.errors import InputError, did_you_mean, show
from shoal.search.mingen import MINGEN
from shoal.search.question import Algorithm

ALGORITHMS: tuple[Algorithm, ...] = (MINGEN,)


def algorithm_named(name: str) -> Algorithm:
    """Return the algorithm of a name, or refuse it.

    >>> algorithm_named("MinGen").recodes
    'node'
    """
    for algorithm in ALGORITHMS:
        if algorithm.name == name.lower().replace("_", "-"):
            return algorithm
    known = [algorithm.name for algorithm in ALGORITHMS]
    raise InputError(f"unknown algorithm {show(name)}; {did_you_mean(name, known)}")
