"""The named algorithms. To add one, write a file with an `Algorithm` and list it in `ALGORITHMS`."""

from __future__ import annotations

from shoal.errors import InputError, did_you_mean, show
from shoal.search.cuts.annealing import ANNEALING
from shoal.search.cuts.bottom_up import BOTTOM_UP
from shoal.search.cuts.k_optimize import K_OPTIMIZE
from shoal.search.cuts.top_down import TOP_DOWN
from shoal.search.groups.anatomy import ANATOMY
from shoal.search.groups.local_recoding import LOCAL_RECODING
from shoal.search.groups.local_suppression import LOCAL_SUPPRESSION
from shoal.search.groups.mondrian import MONDRIAN
from shoal.search.lattice.datafly import DATAFLY
from shoal.search.lattice.flash import FLASH
from shoal.search.lattice.genetic import GENETIC
from shoal.search.lattice.incognito import INCOGNITO
from shoal.search.lattice.mingen import MINGEN
from shoal.search.lattice.mu_argus import MU_ARGUS
from shoal.search.lattice.samarati import SAMARATI
from shoal.search.task import Algorithm

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
    LOCAL_SUPPRESSION,
)


def algorithm_named(name: str) -> Algorithm:
    """Return the algorithm with this name, or refuse the name.

    >>> algorithm_named("MinGen").recodes
    'node'
    """
    for algorithm in ALGORITHMS:
        if algorithm.name == name.lower().replace("_", "-"):
            return algorithm
    known = [algorithm.name for algorithm in ALGORITHMS]
    raise InputError(f"unknown algorithm {show(name)}; {did_you_mean(name, known)}")
