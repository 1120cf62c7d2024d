"""Re-identification risk: three attackers, samples of a population, and what makes people unique."""

from shoal.assess.risk.combinations import Combination, Combinations, worst_combinations
from shoal.assess.risk.measures import (
    ASSUMPTIONS,
    Above,
    Attack,
    Risk,
    SizeBin,
    measure_risk,
    population_sizes,
)
from shoal.assess.risk.sampling import SampleRisk, measure_sample, of_persons, stand_for
from shoal.assess.risk.uniqueness import Uniqueness, population_uniqueness

__all__ = [
    "ASSUMPTIONS",
    "Above",
    "Attack",
    "Combination",
    "Combinations",
    "Risk",
    "SampleRisk",
    "SizeBin",
    "Uniqueness",
    "measure_risk",
    "measure_sample",
    "of_persons",
    "population_sizes",
    "population_uniqueness",
    "stand_for",
    "worst_combinations",
]
