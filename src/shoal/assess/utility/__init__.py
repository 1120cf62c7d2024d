"""What a release is still good for: its loss by every metric, who is lost, and what can be learnt."""

from shoal.assess.utility.classification import Classification, classification, tree_errors
from shoal.assess.utility.losses import AttributeLoss, Utility, measure_utility, utility_of
from shoal.assess.utility.subgroups import Subgroup, suppressed_by_subgroup

__all__ = [
    "AttributeLoss",
    "Classification",
    "Subgroup",
    "Utility",
    "classification",
    "measure_utility",
    "suppressed_by_subgroup",
    "tree_errors",
    "utility_of",
]
