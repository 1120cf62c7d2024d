"""Reads the table of a population, and extends the hierarchies to its values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.criteria import Population
from shoal.data.opening import opened
from shoal.data.tally import take_tally
from shoal.describe import Place, Role, Specification
from shoal.describe.hierarchies import Hierarchy
from shoal.documents.digests import digest
from shoal.errors import InputError, did_you_mean, show
from shoal.numbers import many
from shoal.release.reuse import extend


def read_population(specification: Specification, hierarchies: Mapping[str, Hierarchy]) -> Population:
    """Return the population of a study, given the hierarchies of its quasi attributes.

    A described hierarchy is extended to the population's own values; a listed one is not. Its persons are
    counted if it has the columns that tell them apart; otherwise each of its rows is a person.
    """
    given: Any = specification.population
    quasi = specification.having(Role.QUASI)
    with opened(given, specification.reading) as engine:
        for name in quasi:
            if name not in engine.columns:
                raise InputError(
                    f"the population has no column {show(name)}; {did_you_mean(name, engine.columns)}",
                    file=engine.name,
                )
        key = specification.units.persons
        whose = key if all(name in engine.columns for name in key) else ()
        if whose and (nameless := engine.keyed(whose).nameless):
            raise InputError(
                f"{many(nameless, 'row')} of the population name no person in {', '.join(map(show, whose))}; "
                "fill them in, or drop the rows",
                file=engine.name,
            )
        tally = take_tally(engine, quasi, persons=whose)
    extended, refused = {}, {}
    for name in quasi:
        description = specification.attributes[name].described
        extended[name], new = extend(hierarchies[name], description, tally.domain(name), name)
        refused[name] = frozenset(new.refused)
    path = Path(given) if isinstance(given, (str, Path)) else None
    return Population(tally, extended, refused, _name(given), None if path is None else digest(path))


def _name(table: Any) -> str:
    """Return the public name of a population."""
    if isinstance(table, Place):
        return f"the table {table.table}"
    return Path(table).name if isinstance(table, (str, Path)) else "a table in memory"
