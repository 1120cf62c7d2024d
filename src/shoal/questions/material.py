"""What questions are asked of: a table in its engine, its roles and hierarchies, and its tally."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from shoal.criteria import Population
from shoal.data.engine import Engine
from shoal.data.tally.tally import Tally
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.specification import Specification
from shoal.errors import InputError


@dataclass(frozen=True)
class Material:
    """What a question is asked of, and a release made from."""

    engine: Engine
    specification: Specification
    hierarchies: Mapping[str, Hierarchy]
    tally: Callable[..., Tally]
    hierarchy: Callable[[str], Hierarchy]
    """The hierarchy of any column that has one, sensitive ones too."""
    population: Callable[[], Population] | None = None
    tally_memory: int | None = None
    """How many bytes a tally may take, that of the released rows too."""

    def the_population(self) -> Population:
        """Return the population, or say that none is named."""
        if self.population is None:
            raise InputError(
                "k-map and delta-presence need a population; name its table with --population, or as "
                "population in the study"
            )
        return self.population()
