"""What a release promises about every released group."""

from shoal.describe.promise.distance import Distance, DistanceKind
from shoal.describe.promise.limits import Presence, Recursive, ShareLimits, share
from shoal.describe.promise.promise import PopulationCounts, Promise

__all__ = [
    "Distance",
    "DistanceKind",
    "PopulationCounts",
    "Presence",
    "Promise",
    "Recursive",
    "ShareLimits",
    "share",
]
