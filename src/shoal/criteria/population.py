"""The population that released groups are compared with: everyone who might be in the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shoal.criteria.criterion import Groups, Ints
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.describe.promise import PopulationCounts
from shoal.errors import InputError


@dataclass(frozen=True)
class Population:
    """A population's combinations of quasi values, and hierarchies that contain these values.

    The hierarchies map the table's own values as the study's do. Values that they lack are `refused`:
    these fall into a group only if the attribute is released as its root.
    """

    tally: Tally
    hierarchies: Mapping[str, Hierarchy]
    refused: Mapping[str, frozenset[Label]]
    file: str
    sha256: str | None

    @property
    def named(self) -> PopulationCounts:
        """The population as promises name it, before anything is counted."""
        return PopulationCounts(self.file, self.sha256, self.tally.people)


def counted(groups: Groups) -> Ints:
    """Return the population's persons in each group, or refuse groups for which they are unknown."""
    if groups.population is None:
        raise InputError(
            "k-map and delta-presence compare groups with a population, which this algorithm does not "
            "count; choose a full-domain one, such as mingen"
        )
    return groups.population
