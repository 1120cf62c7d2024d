"""The named algorithms. A new one is a file with an `Algorithm`, and its name in `ALGORITHMS`."""

from __future__ import annotations

from shoal.errors import InputError, did_you_mean, show
from shoal.search.anatomy import ANATOMY
from shoal.search.annealing import ANNEALING
from shoal.search.bottom_up import BOTTOM_UP
from shoal.search.datafly import DATAFLY
from shoal.search.flash import FLASH
from shoal.search.genetic import GENETIC
from shoal.search.incognito import INCOGNITO
from shoal.search.k_optimize import K_OPTIMIZE
from shoal.search.local_recoding import LOCAL_RECODING
from shoal.search.mingen import MINGEN
from shoal.search.mondrian import MONDRIAN
from shoal.search.mu_argus import MU_ARGUS
from shoal.search.question import Algorithm
from shoal.search.samarati import SAMARATI
from shoal.search.top_down import TOP_DOWN

ALGORITHMS: tuple[Algorithm, ...] = (
    MINGEN,
    DATAFLY,
    MU_ARGUS,
    SAMARATI,
    INCOGNITO,
    FLASH,
    GENETIC,
    K_OPTIMIZE,
    TOP_DOWN,
    BOTTOM_UP,
    ANNEALING,
    ANATOMY,
    MONDRIAN,
    LOCAL_RECODING,
)


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
