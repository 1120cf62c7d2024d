"""Measures released rows: how sensitive values are distributed, and how groups relate to a population.

It shares no code with the criteria that searches and releases use.
"""

from shoal.verification.spread.in_population import Crowds, measure_crowds
from shoal.verification.spread.measure import Spread, measure_spread, name_cell
from shoal.verification.spread.sensitive_column import SensitiveColumn, cells_inside, largest_shares

__all__ = [
    "Crowds",
    "SensitiveColumn",
    "Spread",
    "cells_inside",
    "largest_shares",
    "measure_crowds",
    "measure_spread",
    "name_cell",
]
