"""How easily persons are found in a table or a release, and whom a population hides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.assess.composition import functional, read_mappings
from shoal.assess.risk import Combinations, Risk, measure_risk, population_sizes, worst_combinations
from shoal.data.engine import Cells
from shoal.data.opening import opened, settle
from shoal.data.tally.counting import StudyCounts
from shoal.describe.places import holds_a_place, names_a_table
from shoal.describe.study_file import read_study_file
from shoal.documents import certificate_path, read_certificate
from shoal.errors import InputError
from shoal.questions.tables import RiskQuestion
from shoal.tabular import AnswerTable, Tabular

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, repr=False)
class TableRisk(Tabular):
    """The risk of a table by its quasi columns, and what should be said about it."""

    table: str
    quasi: tuple[str, ...]
    measured: Risk
    combinations: Combinations
    notices: tuple[str, ...] = ()

    def as_table(self) -> AnswerTable:
        """Return the attackers as a table; `combinations` is another."""
        found = self.measured.as_table()
        return replace(found, caption=f"{self.table} by {', '.join(self.quasi)}: {found.caption}")

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal risk --json` prints."""
        return {
            "table": self.table,
            "quasi": list(self.quasi),
            **self.measured.to_dict(),
            "combinations": self.combinations.to_dict(),
        }


def risk_of(question: RiskQuestion, tally_memory: int | str | None = None) -> TableRisk:
    """Return how easily persons are found in a table, a release, or the table of a study."""
    table, population = question.table, question.population
    cells = _cells(question, tally_memory)
    persons = None if population is None else _persons(cells, population, table)
    measured, combinations = measure_risk(cells.counts, persons), worst_combinations(cells)
    notices = []
    if combinations.left_out:
        notices.append("too many columns to combine, so without: " + ", ".join(combinations.left_out))
    if measured.outside:
        notices.append(
            f"{measured.outside:,} of {measured.rows:,} rows have fewer like them in {population} than "
            f"in {table}; they count as if the population were the table"
        )
    return TableRisk(str(table), cells.columns, measured, combinations, tuple(notices))


def _cells(question: RiskQuestion, tally_memory: int | str | None) -> Cells:
    """Return the classes of a study's table, or of a table by its quasi columns."""
    table = question.table
    certificate = None
    if isinstance(table, Path):
        settle(table)
        if names_a_table(table) and not holds_a_place(table):
            if question.quasi is not None:
                raise InputError("a study says itself what is quasi; leave quasi out", file=table)
            return _study_cells(table, tally_memory)
        certificate = certificate_path(table)
    columns = tuple(question.quasi or ())
    if not columns and certificate is not None and certificate.is_file():
        columns = tuple(read_certificate(certificate)["quasi"])
    with opened(table) as engine:
        if not columns:
            known = ", ".join(engine.columns)
            raise InputError(
                f"by which columns could a person be found? name them as quasi; it has {known}",
                file=engine.name,
            )
        cells = engine.cells(columns)
        if not len(cells.counts):
            raise InputError("the table has no rows", file=engine.name)
    return cells


def _study_cells(study: Path, tally_memory: int | str | None) -> Cells:
    specification = read_study_file(study)
    with opened(specification.table) as engine:
        tally = StudyCounts(engine, specification, tally_memory).tally()
        tally.check_fine("the risk of the table as it is")
        return Cells(tally.attributes, tally.domains, tally.codes, tally.counts)


def _persons(cells: Cells, population: Any, table: Any) -> npt.NDArray[np.int64]:
    """Return how many of the population fall into each class, recoded as the table was."""
    with opened(population) as engine:
        persons = engine.cells(cells.columns)
    maps = {}
    if isinstance(table, Path):
        certificate, recoded = certificate_path(table), cells.columns
        if certificate.is_file():
            recoded = tuple(read_certificate(certificate)["quasi"])
        for column, pairs in read_mappings(table, recoded).items():
            labels = functional(pairs)
            if labels is None:
                raise InputError(
                    f"{column} was recoded group by group, so a population cannot be recoded alike",
                    file=table,
                )
            maps[column] = labels
    return population_sizes(cells, persons, maps)
