"""What a release promises about every released group."""

from shoal.promise.distance import Distance, Kind
from shoal.promise.parts import Presence, Recursive
from shoal.promise.population import PopulationCounts
from shoal.promise.promise import Promise
from shoal.promise.shares import ShareLimits, share

__all__ = [
    "Distance",
    "Kind",
    "PopulationCounts",
    "Presence",
    "Promise",
    "Recursive",
    "ShareLimits",
    "share",
]
