"""The questions about releases: made, made again, checked, reused, and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.questions import option_words as words
from shoal.questions.fields import Question, asked, question
from shoal.questions.kinds import AnyTable, File, Flag, Names, NewFile, Place, Several, Text, Whole, Word
from shoal.questions.promised import ABOUT_POPULATION, ABOUT_VALUES, CRITERIA, Promised

RANDOM = "random"
FRESH, STABLE = "fresh", "stable"
"""Random names of persons: new ones for each release, or the same under one secret."""


@question
class ReleaseQuestion(Question):
    """How a solution is carried out."""

    k: int | None = asked(
        "Of a frontier, the cheapest point with at least this k.",
        Whole(),
        default=None,
        shown="the knee",
    )
    recoding: str | None = asked(
        "Of a frontier of all recodings, the curve.",
        Word(words.CURVES),
        default=None,
    )
    point: int | None = asked(
        "Of a frontier, the point of this number, from 1.", Whole(None), default=None
    )
    seed: int | None = asked("Draws the order of the rows.", Whole(None), default=None, shown=RANDOM)
    spreadsheet_safe: bool = asked("Disarm cells that a spreadsheet would run.", Flag(), default=False)
    pseudonyms: str | None = asked(
        "Release a random name for each person.",
        Word(words.PSEUDONYMS),
        default=None,
        shown="none",
    )
    secret: Place | None = asked(
        "The secret of stable pseudonyms: the record of an earlier release, or a file with it.",
        File(),
        default=None,
        shown="a new one",
    )
    household_k: int | None = asked(
        "Suppress households whole that fewer than so many look like, by the values of their members.",
        Whole(),
        default=None,
    )
    accept_attack: Names = asked(
        "Release although this attack proves a promise broken.",
        Several(known=words.ACCEPTED),
        default=(),
        words=words.ACCEPTED,
    )
    again: bool = asked(
        "Carry out a solution that was found on other counts, unproven.", Flag(), default=False
    )


@question
class Landing(Question):
    """Where the rows of a release go, and who signs for it."""

    into: str | None = asked(
        "Write the rows into this new table of the study's engine; the file (.yaml) says where it is.",
        Text(),
        default=None,
    )
    sign: Place | None = asked(
        "Sign the certificate with this private key (Ed25519, PEM).", File(), default=None
    )
    force: bool = asked("Replace what is there.", Flag(), default=False)


@question
class Written(Landing):
    """Where a release is written."""

    out: Path | None = asked("The table to write.", NewFile(), default=None, options=("--out", "-o"))


@question
class VerifyQuestion(Promised):
    """Whether a release keeps what its certificate promises; or what is asked of any table."""

    table: Any = asked("The released table.", AnyTable(), argument=True, kw_only=False)
    quasi: Names | None = asked(
        "Check any table: its quasi columns, separated by commas.", Several(commas=True), default=None
    )
    sensitive: Names = asked(
        "The sensitive columns of any table, separated by commas.", Several(commas=True), default=()
    )
    distance: str | None = asked("How far values are for t.", Word(words.DISTANCES), default="equal")
    order: Names = asked(
        "The sensitive values in their order, separated by commas.",
        Several(commas=True),
        default=(),
        shown="as numbers",
    )
    hierarchy: Place | None = asked("The hierarchy of the sensitive values.", File(), default=None)
    population: Any = asked(
        "The population, its quasi columns recoded as the table's.", AnyTable(), default=None
    )
    persons: Names = asked(
        "The columns that tell who a row of any table is about, separated by commas; it then counts persons.",
        Several(commas=True),
        default=(),
    )
    missing: str = asked(
        "What a missing value is like; wildcard is measured besides.",
        Word(words.MISSING),
        default="value",
    )
    combinations: str | None = asked(
        "Of these sets of columns, instead of all, every row shows what K rows show: age,sex;age,job.",
        Text(),
        default=None,
    )
    combination_size: int | None = asked(
        "Instead: of all sets of so many columns.", Whole(), default=None
    )
    key: Place | None = asked(
        "The public key that the certificate must be signed with (Ed25519).", File(), default=None
    )

    def check(self) -> None:
        """Refuse fields for any table if a release is checked, and fields that need others."""
        if self.quasi is None:
            others = (
                self.sensitive,
                self.order,
                self.hierarchy,
                self.population,
                self.sampling_fraction,
                self.persons,
                self.combinations,
                self.combination_size,
            )
            if self.given(CRITERIA) or any(others):
                raise InputError("k, l, theta and so on check any table: name its quasi columns too")
            return
        if self.key is not None:
            raise InputError("a key is about a release's certificate; leave quasi out")
        if not self.given(CRITERIA):
            raise InputError("say what to check: " + ", ".join(CRITERIA))
        about = self.given(ABOUT_VALUES)
        if about and not self.sensitive:
            raise InputError(f"{' and '.join(about)}: about a sensitive column; name it as sensitive")
        self.check_sampling()
        if (self.combinations or self.combination_size) and (self.k is None or self.persons):
            raise InputError("combinations are about k rows: give k, and no persons")
        if self.given(ABOUT_POPULATION) and self.population is None:
            raise InputError("k_map and delta are about a population: name its table as population")
        if self.order and self.distance != "ordered":
            raise InputError("an order is for the distance ordered")
        if (self.hierarchy is not None) != (self.distance == "hierarchical"):
            raise InputError("the distance hierarchical and a hierarchy go together")


@question
class ApplyQuestion(Question):
    """New rows of the same kind, recoded with the mapping and the promise of an earlier release."""

    record: Place = asked("The record of a release.", File(), argument=True, kw_only=False)
    table: Any = asked("The table with new rows.", AnyTable(), argument=True, kw_only=False)
    seed: int | None = asked("Draws the order of the rows.", Whole(None), default=None, shown=RANDOM)


@question
class AttackQuestion(Question):
    """What is found by attacking a release, judged by the study that it was made from."""

    release: Place = asked("The released table.", File(), argument=True, kw_only=False)
    source: Any = asked("The study that it was made from.", File())
    other: Names = asked("Another release of the same study, attacked together.", Several(), default=())
    attack: Names = asked(
        "An attack to try.", Several(), default=(), shown="all of them", words=words.ATTACKS
    )
    known: Names = asked(
        "Columns that an attacker knows, quasi or released unchanged, separated by commas.",
        Several(commas=True),
        default=(),
    )
    seed: int = asked("Draws the persons that are attacked.", Whole(None), default=0)
    report: Path | None = asked(
        "Write what is found to this page (HTML), for you alone.", NewFile(), default=None
    )


@question
class CheckReleaseQuestion(Question):
    """Whether a release meets a policy."""

    policy: Path = asked("The policy (YAML).", File(), argument=True, kw_only=False)
    release: Path = asked("The released table.", File(), argument=True, kw_only=False)
    source: Any = asked(
        "The study that it was made from, if the policy is about attacks.", File(), default=None
    )
    seed: int = asked("Draws the persons that are attacked.", Whole(None), default=0)


@question
class UtilityQuestion(Question):
    """What a release is still good for, beside the study that it was made from."""

    release: Place = asked("The released table.", File(), argument=True, kw_only=False)
    source: Any = asked("The study that it was made from.", File())
    model: Names = asked(
        'A regression on both tables, such as "income ~ age + education".', Several(), default=()
    )
    indicator: Names = asked(
        "A file of SQL to run on both tables, each called data.", Several(), default=()
    )
    predict: Names = asked(
        "A column to predict, from released rows, on held-out original rows.",
        Several(),
        default=(),
        shown="the class column",
    )
    seed: int = asked("Draws the rows that are held out.", Whole(None), default=0)
    report: Path | None = asked(
        "Write what is found to this page (HTML), for you alone.", NewFile(), default=None
    )


@question
class DiffQuestion(Question):
    """What two releases of the same table reveal together."""

    one: Place = asked("A released table.", File(), argument=True, kw_only=False)
    other: Place = asked("Another release of the same table.", File(), argument=True, kw_only=False)
    k: int | None = asked(
        "Look for fewer than so many.", Whole(), default=None, shown="the smaller promise"
    )


@question
class StatementsQuestion(Question):
    """The statements for a warehouse."""

    dialect: str = asked("The dialect of the warehouse.", Word(words.DIALECTS))
    table: str = asked("The table, as the warehouse names it.", Text())
    out: Path = asked("The folder to write.", NewFile(), options=("--out", "-o"))
    solution: Path | None = asked(
        "A solution saved with --save; without, only the tally's statement is written.",
        File(),
        default=None,
    )
    k: int | None = asked(
        "Of a frontier, the cheapest point with at least this k.",
        Whole(),
        default=None,
        shown="the knee",
    )
    into: str = asked("The table that the release creates there.", Text(), default="released")
