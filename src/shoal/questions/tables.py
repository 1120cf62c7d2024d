"""The questions about tables: which study, its tally, how risky a table is, a study proposed for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.questions.fields import Question, asked, question
from shoal.questions.kinds import (
    AnyTable,
    File,
    Flag,
    Fractional,
    Heights,
    Levels,
    Names,
    NewFile,
    Number,
    Several,
    Text,
    Whole,
    Word,
)
from shoal.questions.option_words import MISSING

if TYPE_CHECKING:
    from shoal.describe.units import Units


@question
class StudyChanged(Question):
    """What is asked of a study instead of what its file says."""

    min_levels: Levels | None = asked(
        "Raise the lowest levels, as in age=1,zip=2.",
        Heights(),
        default=None,
        shown="the study's",
        options=("--min-level",),
    )
    persons: Names | None = asked(
        "The columns that tell who a row is about, separated by commas.",
        Several(commas=True),
        default=None,
        shown="the study's",
    )


@question
class StudyOpened(StudyChanged):
    """Which study is asked."""

    study: Path = asked("The study file (YAML).", File(), argument=True, kw_only=False)


@question
class StudyOrTally(StudyOpened):
    """Which study is asked, by its table or by a tally that was saved."""

    tally: Path | None = asked("A saved tally in the table's place.", File(), default=None)


@question
class PopulationOf(Question):
    """Who might be in a study's table."""

    population: Any = asked(
        "The table of the population.", AnyTable(), default=None, shown="the study's"
    )


@question
class RiskQuestion(Question):
    """How easily persons are found in a table."""

    table: Any = asked("A table, or a study.", AnyTable(), argument=True, kw_only=False)
    quasi: Names | None = asked(
        "The quasi columns of a table, separated by commas.",
        Several(commas=True),
        default=None,
        shown="its certificate's",
    )
    population: Any = asked(
        "A table of the population, for the journalist's risk.", AnyTable(), default=None
    )
    sample_weight: str | None = asked(
        "The column that says how many persons a row stands for.",
        Text(),
        default=None,
        shown="the study's",
        options=("--weights",),
    )
    population_size: int | None = asked(
        "How many persons the population has of which the table is a sample.",
        Whole(),
        default=None,
        shown="the study's",
    )
    sampling_fraction: Number | None = asked(
        "Which part of the population is in the table, 0.01 or 1%.",
        Fractional(),
        default=None,
        shown="the study's",
    )
    missing: str = asked(
        "What a missing value is like.",
        Word(MISSING),
        default="value",
    )
    persons: Names | None = asked(
        "The columns that tell who a row is about, separated by commas.",
        Several(commas=True),
        default=None,
        shown="the study's",
    )
    households: str | None = asked(
        "The column that tells which rows live together, for the risk of households.",
        Text(),
        default=None,
        shown="the study's",
    )
    suda: int | None = asked(
        "Rank columns by minimal unique sets of at most so many columns (SUDA2); 0 does not.",
        Whole(0),
        default=None,
        shown="3, or fewer if that takes long",
    )
    records: Path | None = asked(
        "Write the risk of every row to this private file: Parquet or CSV.", NewFile(), default=None
    )

    def check(self) -> None:
        """Refuse impossible numbers, and two statements about one sample."""
        self.units  # noqa: B018  reading it refuses them

    @property
    def units(self) -> Units:
        """Whom the rows stand for, if the question says so."""
        from shoal.describe.units import Units

        return Units.said(
            persons=self.persons,
            households=self.households,
            sample_weight=self.sample_weight,
            population_size=self.population_size,
            sampling_fraction=self.sampling_fraction,
        )


@question
class TallyQuestion(Question):
    """The tally of a study, kept in a file."""

    out: Path = asked("Where the tally goes.", NewFile(), options=("--out", "-o"))
    update: bool = asked(
        "Add the files that the saved tally has not counted yet.", Flag(), default=False
    )
    counted: Path | None = asked(
        "Keep the result of tally.sql of shoal statements, CSV or Parquet, in the place of counting.",
        File(),
        default=None,
    )


@question
class CheckQuestion(Question):
    """All that is wrong or doubtful in a study."""

    study: Path = asked("The study file (YAML).", File(), argument=True, kw_only=False)
    schema: Path | None = asked(
        "Write the JSON Schema of study files to this file, for editors.", NewFile(), default=None
    )


@question
class ImportArxQuestion(Question):
    """A study made of a project of ARX."""

    project: Path = asked("The project (.deid).", File(), argument=True, kw_only=False)
    out: Path | None = asked(
        "The study file.", NewFile(), default=None, shown="PROJECT.study.yaml", options=("--out", "-o")
    )


@question
class HierarchyQuestion(Question):
    """One hierarchy of a study: shown, tested, made anew."""

    study: Path = asked("The study file (YAML).", File(), argument=True, kw_only=False)
    column: str = asked("The column.", Text(), argument=True, kw_only=False)
    describe: str | None = asked(
        "Another hierarchy, as a study describes it, or its file.", Text(), default=None
    )
    quantiles: int | None = asked(
        "Intervals with about equally many rows: so many on the lowest level.", Whole(2), default=None
    )
    optimal: int | None = asked(
        "The intervals with so many rows or more that lose least.", Whole(1), default=None
    )
    alike: str | None = asked(
        "Join values that are alike in this column; in the column itself, by spelling.",
        Text(),
        default=None,
    )
    write: Path | None = asked(
        "Write the hierarchy to this file, in ARX's form.", NewFile(), default=None
    )
    edit: bool = asked("Put the hierarchy into the study.", Flag(), default=False)


@question
class InitQuestion(Question):
    """A study proposed from a look at a table."""

    table: Any = asked(
        "The table: CSV, TSV, Parquet, Arrow, SPSS, Stata, SAS or Excel.",
        AnyTable(),
        argument=True,
        kw_only=False,
    )
    hierarchies: Path | None = asked(
        "A folder of hierarchy files, named like columns.", File(), default=None
    )
    out: Path | None = asked(
        "The study file.", NewFile(), default=None, shown="TABLE.study.yaml", options=("--out", "-o")
    )
