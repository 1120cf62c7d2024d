"""The tally: how many rows share each combination of quasi values; all searches run on it."""

from shoal.data.tally.ladders import MOST_LEVELS, labels_at, make_ladder
from shoal.data.tally.problem import Ladder, Node, Problem, places_of
from shoal.data.tally.tally import Tally, take_tally

__all__ = [
    "MOST_LEVELS",
    "Ladder",
    "Node",
    "Problem",
    "Tally",
    "labels_at",
    "make_ladder",
    "places_of",
    "take_tally",
]
