"""How easily persons are found in a table or a release, and whom a population hides."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.assess.composition import functional, read_mappings
from shoal.assess.risk import (
    ASSUMPTIONS,
    Combinations,
    Risk,
    SampleRisk,
    measure_risk,
    measure_sample,
    of_persons,
    population_sizes,
    stand_for,
    worst_combinations,
)
from shoal.assess.risk.households import HouseholdRisk, household_risk
from shoal.assess.risk.records import NumberedRows, check_ending, numbered_rows, risk_records
from shoal.assess.risk.suda import USUAL_FRACTION, SpecialUniques, special_uniques
from shoal.data.engine import Cells, Engine
from shoal.data.files.sources import name_of
from shoal.data.opening import opened, settle
from shoal.data.tally.counting import StudyCounts
from shoal.data.tally.living_together import Households
from shoal.data.tally.tally import Tally, tally_of
from shoal.describe.places import holds_a_place, names_a_table
from shoal.describe.study_file import read_study_file
from shoal.describe.units import Units
from shoal.documents import certificate_path, read_certificate
from shoal.errors import InputError, MissingExtraError, show
from shoal.questions.tables import RiskQuestion
from shoal.tabular import AnswerTable, Tabular
from shoal.verification.matching import alike

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class TableRisk(Tabular):
    """The risk of a table by its quasi columns, and what should be said about it."""

    table: str
    quasi: tuple[str, ...]
    measured: Risk
    combinations: Combinations
    notices: tuple[str, ...] = ()
    sample: SampleRisk | None = None
    """The risk from someone who knows the population but not the sample, if the table is a sample."""
    missing: str = "value"
    """How missing values are read: as a value of their own, or as matching any value (`wildcard`)."""
    suda: SpecialUniques | None = None
    """Who stands out by few columns, and by which ones."""
    households: HouseholdRisk | None = None
    records: pa.Table | None = None
    """The risk of every row, if it was asked for."""
    persons: int | None = None
    """How many persons the rows are about, if some have several; attackers then look for persons."""

    def as_table(self) -> AnswerTable:
        """Return the attackers as a table; `combinations` is another."""
        found = self.measured.as_table()
        return replace(found, caption=f"{self.table} by {', '.join(self.quasi)}: {found.caption}")

    def _repr_html_(self) -> str:
        """Return figures, pictures and tables for notebooks."""
        from shoal.answering.risk_display import risk_html

        return risk_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal risk --json` prints."""
        return {
            "table": self.table,
            "quasi": list(self.quasi),
            "missing": self.missing,
            "persons": self.persons,
            **self.measured.to_dict(),
            "sample": None if self.sample is None else self.sample.to_dict(),
            "assumptions": ASSUMPTIONS,
            "combinations": self.combinations.to_dict(),
            "suda": None if self.suda is None else self.suda.to_dict(),
            "households": None if self.households is None else self.households.to_dict(),
        }


def risk_of(
    question: RiskQuestion, tally_memory: int | str | None = None, threads: int | None = None
) -> TableRisk:
    """Return how easily persons are found in a table, a release, or the table of a study."""
    table, population = question.table, question.population
    name = name_of(table)
    if question.records is not None:
        check_ending(question.records)
    tally, units, rows = _counted(question, tally_memory)
    persons = None if population is None else _persons(_classes(tally), population, table)
    found = risk_of_counts(name, tally, units, persons, rows, question.missing, question.suda, threads)
    if found.measured.outside:
        news = (
            f"{found.measured.outside:,} of {tally.rows:,} rows have fewer like them in "
            f"{name_of(population)} than in {name}; they count as if the population were the table"
        )
        found = replace(found, notices=(*found.notices, news))
    return found


def risk_of_counts(
    name: str,
    tally: Tally,
    units: Units,
    persons: npt.NDArray[np.int64] | None = None,
    rows: NumberedRows | None = None,
    missing: str = "value",
    size: int | None = None,
    threads: int | None = None,
) -> TableRisk:
    """Return how easily persons are found in a table of this name, whose tally has the columns of `units`.

    `persons` counts the population's persons in each class; `rows` are given if records are asked for;
    `size` is the most columns that SUDA combines.
    """
    cells, near = _classes(tally), None
    if missing == "wildcard":
        if persons is not None:
            raise InputError(
                "a population is matched by values, also missing ones; leave the population out, or "
                "take missing as value"
            )
        if tally.persons is not None:
            raise InputError("wildcards count rows, and persons have several; take missing as value")
        near = np.rint(alike(cells, cells.counts)).astype(np.int64)
    if tally.persons is not None:
        near = tally.people_in(np.arange(len(tally)), len(tally))
    whose = tally.in_combinations
    measured, combinations = (
        measure_risk(cells.counts, persons, near),
        worst_combinations(cells, whose=whose),
    )
    drawn, stands, sample = units.drawn, stand_for(units, tally), None
    if drawn is not None and stands is not None:
        if near is None or tally.persons is None:
            others = None if near is None else (near, alike(cells, stands))
            sample = measure_sample(drawn, cells.counts, stands, others)
        else:
            sample = measure_sample(drawn, near, of_persons(stands, cells.counts, near))
            # Someone with rows in several classes is still one person of the population.
            sample = replace(sample, population=sample.population * tally.people / int(near.sum()))
    fraction = USUAL_FRACTION if sample is None else min(tally.people / sample.population, 1.0)
    cores = threads or os.cpu_count() or 1
    suda = special_uniques(cells, size, fraction=fraction, threads=cores, whose=whose)
    households, records = None, None
    if units.households is not None:
        households = household_risk(tally, units.households, None if sample is None else sample.risks)
    if rows is not None:
        sizes = cells.counts if near is None else near
        records = risk_records(rows, _figures(sizes, sample, suda))
    notices = []
    if units.households is not None and Households.overlap(tally, units.households):
        notices.append(
            "some persons have rows in several households, and are counted as members of each"
        )
    if combinations.left_out:
        notices.append("too many columns to combine, so without: " + ", ".join(combinations.left_out))
    if sample is not None and sample.unique.pitman is None and find_spec("scipy") is None:
        notices.append(str(MissingExtraError("Pitman's and the SNB estimate", "scipy", "risk")))
    return TableRisk(
        name,
        cells.columns,
        measured,
        combinations,
        tuple(notices),
        sample,
        missing,
        suda,
        households,
        records,
        tally.people_if_several,
    )


def _classes(tally: Tally) -> Cells:
    return Cells(tally.attributes, tally.domains, tally.codes, tally.counts)


def _figures(
    sizes: npt.NDArray[np.int64], sample: SampleRisk | None, suda: SpecialUniques | None
) -> dict[str, npt.NDArray[Any]]:
    """Return what a record says of a row, by combination."""
    figures: dict[str, npt.NDArray[Any]] = {"group_size": sizes, "risk": 1 / sizes}
    if sample is not None:
        figures["individual_risk"] = sample.risks
    if suda is not None:
        figures |= {
            "suda_score": suda.scores,
            "dis_score": suda.dis,
            "smallest_unique": suda.smallest,
        }
    return figures


Counted = tuple[Tally, Units, NumberedRows | None]


def _counted(question: RiskQuestion, tally_memory: int | str | None) -> Counted:
    """Return the classes of a study's table, or of a table by its quasi columns, and how it was drawn.

    If records are asked for, the rows come too, one by one.
    """
    table, units = question.table, question.units
    certificate = None
    if isinstance(table, Path):
        settle(table)
        if names_a_table(table) and not holds_a_place(table):
            if question.quasi is not None:
                raise InputError("a study says itself what is quasi; leave quasi out", file=table)
            return _study_tally(question, table, tally_memory)
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
        weight = units.sample_weight
        if weight in columns:
            raise InputError(f"{show(weight)} is quasi and the weight of a row; leave it out of quasi")
        if units.households in columns:
            raise InputError(f"{show(units.households)} tells households; leave it out of quasi")
        others = [name for name in (weight, units.households) if name is not None]
        cells = engine.cells([*columns, *others], None, units.persons)
        if not len(cells.counts):
            raise InputError("the table has no rows", file=engine.name)
        tally = tally_of(cells, len(columns))
        return tally, units, _rows(question, engine, tally, units)


def _study_tally(question: RiskQuestion, study: Path, tally_memory: int | str | None) -> Counted:
    specification, asked = read_study_file(study), question.units
    if asked.persons:
        specification = specification.about(asked.persons)
    said = specification.units
    drawn = said if asked.drawn is None else asked
    units = replace(drawn, persons=said.persons, households=asked.households or said.households)
    others = [name for name in (units.sample_weight, units.households) if name is not None]
    with opened(specification.table, specification.reading) as engine:
        tally = StudyCounts(engine, specification, tally_memory).tally(*others)
        tally.check_fine("the risk of the table as it is")
        return tally, units, _rows(question, engine, tally, units)


def _rows(question: RiskQuestion, engine: Engine, tally: Tally, units: Units) -> NumberedRows | None:
    return (
        None
        if question.records is None
        else numbered_rows(engine, tally, units.households, units.persons)
    )


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
