"""Re-identification risk: three attackers, and the columns that make people unique."""

from shoal.risk.combinations import Combination, Combinations, worst_combinations
from shoal.risk.measures import Above, Attack, Risk, SizeBin, measure_risk
from shoal.risk.population import population_sizes

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
