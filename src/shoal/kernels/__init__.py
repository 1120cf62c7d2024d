"""The compiled core; its slow and obvious twins are in `tests/kernels/twins`, cuts have brute force.

Tables of classes travel as two arrays: `keys` (one row a class, the codes packed into 64-bit words)
and `counts` (one row a class, one column a label, or one column in all).
"""

from enum import IntEnum

from shoal.kernels._core import (
    NEVER,
    Annealing,
    Blanking,
    CellChoices,
    ClassTables,
    Codebook,
    CutQuestion,
    CutSearch,
    CutWalk,
    Helping,
    HistogramIndex,
    LazyHistograms,
    LazyVisits,
    NodeLosses,
    NodeSet,
    Regions,
    Regrouping,
    ThresholdTables,
    UpSet,
    ValueRules,
    Visits,
    aggregate,
    cheapest_covers,
    enough_alike,
    keep_jointly,
    least_gone,
    near_covers,
    shared_covers,
    suda,
    suppressed_map,
    thresholds_box,
    undominated,
    within,
)

__all__ = [
    "NEVER",
    "Annealing",
    "Blanking",
    "CellChoices",
    "ClassTables",
    "Codebook",
    "Column",
    "CutQuestion",
    "CutSearch",
    "CutWalk",
    "Diversity",
    "Extra",
    "Helping",
    "HistogramIndex",
    "LazyHistograms",
    "LazyVisits",
    "NodeLosses",
    "NodeSet",
    "Regions",
    "Regrouping",
    "ThresholdTables",
    "UpSet",
    "ValueRules",
    "Visits",
    "aggregate",
    "cheapest_covers",
    "enough_alike",
    "keep_jointly",
    "least_gone",
    "near_covers",
    "shared_covers",
    "suda",
    "suppressed_map",
    "thresholds_box",
    "undominated",
    "within",
]


class Column(IntEnum):
    """The columns of a measurement; the sums over the suppressed rows begin at ROWS."""

    K = 0
    """The smallest class size that stays, 0 where no class stays."""
    CLASSES = 1
    """How many classes there are, suppressed or not."""
    SQUARES = 2
    """The sum of the squared sizes of all classes, suppressed or not."""
    MINORITY = 3
    """The rows that are not of their class's most frequent label, suppressed or not."""
    PRODUCTS = 4
    """The rows of all classes, each times the product of its weights, where the codebook multiplies."""
    ROWS = 5
    """The suppressed rows."""
    SUPPRESSED_CLASSES = 6
    SUPPRESSED_SQUARES = 7
    SUPPRESSED_MINORITY = 8
    SUPPRESSED_PRODUCTS = 9
    WEIGHTS = 10
    """The weights of the suppressed rows: this and the following columns, one an attribute."""


class Diversity(IntEnum):
    """At which numbers of distinct values `thresholds_box` looks."""

    NONE = 0
    """Distinct values do not matter."""
    LARGEST = 1
    """At the most that the limit of suppressed rows allows."""
    EVERY = 2
    """At every number that the limit allows."""


class Extra(IntEnum):
    """The last columns of what `thresholds_box` gives, after those of a measurement."""

    DISTINCT = -5
    """The distinct values that every class which stays has at least."""
    FAR = -4
    """The largest distance of a class from the table, times 2 * rows: this is its numerator.

    Where a person weighs one in a class, it is times 2 * scale * the sum of the whole table's weights."""
    FAR_OF = -3
    """And this its denominator."""
    BELOW = -2
    """A distance that no node below goes below, in the same way: its numerator."""
    BELOW_OF = -1
    """And its denominator."""
