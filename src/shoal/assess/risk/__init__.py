"""Re-identification risk: three attackers, and the columns that make people unique."""

from shoal.assess.risk.combinations import Combination, Combinations, worst_combinations
from shoal.assess.risk.measures import Above, Attack, Risk, SizeBin, measure_risk, population_sizes

__all__ = [
    "Above",
    "Attack",
    "Combination",
    "Combinations",
    "Risk",
    "SizeBin",
    "measure_risk",
    "population_sizes",
    "worst_combinations",
]
