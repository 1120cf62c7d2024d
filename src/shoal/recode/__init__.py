"""Carries a recoding out on the tally: what happens to each class, and the mapping tables for the engine."""

from shoal.recode.household_crowds import suppress_households
from shoal.recode.mapping_tables import mapping_tables
from shoal.recode.treatment import Treatment, treat

__all__ = ["Treatment", "mapping_tables", "suppress_households", "treat"]
