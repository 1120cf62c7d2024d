"""What released rows say of themselves: how sensitive values are spread, how groups lie in a population.

Verification counts with it. It takes nothing from the criteria that searches and releases use.
"""

from shoal.spread.column import Column, cells_inside, largest_shares
from shoal.spread.crowds import Crowds, measure_crowds
from shoal.spread.measure import Spread, measure_spread, name_cell

__all__ = [
    "Column",
    "Crowds",
    "Spread",
    "cells_inside",
    "largest_shares",
    "measure_crowds",
    "measure_spread",
    "name_cell",
]
