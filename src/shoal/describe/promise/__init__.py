"""What a release promises about every released group."""

from shoal.describe.promise.distance import Distance, DistanceKind
from shoal.describe.promise.known import OWN, READINGS, WILDCARD, Known
from shoal.describe.promise.limits import Presence, Recursive, ShareLimits, share
from shoal.describe.promise.promise import PopulationCounts, Promise

__all__ = [
    "OWN",
    "READINGS",
    "WILDCARD",
    "Distance",
    "DistanceKind",
    "Known",
    "PopulationCounts",
    "Presence",
    "Promise",
    "Recursive",
    "ShareLimits",
    "share",
]
