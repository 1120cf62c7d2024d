"""Privacy criteria: what must hold in every released group, and what searches may rely on."""

from shoal.criteria.criterion import Criterion, Groups, broken, monotone
from shoal.criteria.delta_presence import DeltaPresence
from shoal.criteria.gain_limits import BetaLikeness, DeltaDisclosure
from shoal.criteria.identification_risk import AverageRisk, MaxRisk, PopulationUniques
from shoal.criteria.k_anonymity import KAnonymity, KMap
from shoal.criteria.l_diversity import DistinctDiversity, EntropyDiversity, RecursiveDiversity
from shoal.criteria.of_promise import criteria_of, sensitive_of
from shoal.criteria.population import Population
from shoal.criteria.share_limit import ShareLimit
from shoal.criteria.t_closeness import TCloseness

__all__ = [
    "AverageRisk",
    "BetaLikeness",
    "Criterion",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctDiversity",
    "EntropyDiversity",
    "Groups",
    "KAnonymity",
    "KMap",
    "MaxRisk",
    "Population",
    "PopulationUniques",
    "RecursiveDiversity",
    "ShareLimit",
    "TCloseness",
    "broken",
    "criteria_of",
    "monotone",
    "sensitive_of",
]
