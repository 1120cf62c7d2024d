"""What a release promises about every released group."""

from shoal.describe.promise.crowd import PopulationCounts
from shoal.describe.promise.distance import Distance, DistanceKind
from shoal.describe.promise.limits import Presence, Recursive
from shoal.describe.promise.promise import Promise
from shoal.describe.promise.shares import ShareLimits, share

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
