"""Privacy criteria, one file each: what must hold of every released group."""

from shoal.privacy.base import Criterion, Groups, broken, monotone
from shoal.privacy.confidence import ShareLimit
from shoal.privacy.criteria import criteria_of, sensitive_of
from shoal.privacy.entropy import EntropyDiversity
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_map import KMap
from shoal.privacy.l_diversity import DistinctDiversity
from shoal.privacy.population import Population
from shoal.privacy.presence import DeltaPresence
from shoal.privacy.recursive import RecursiveDiversity
from shoal.privacy.t_closeness import TCloseness

__all__ = [
    "Criterion",
    "DeltaPresence",
    "DistinctDiversity",
    "EntropyDiversity",
    "Groups",
    "KAnonymity",
    "KMap",
    "Population",
    "RecursiveDiversity",
    "ShareLimit",
    "TCloseness",
    "broken",
    "criteria_of",
    "monotone",
    "sensitive_of",
]
