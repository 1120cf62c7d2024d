"""What requests may contain; anything else is refused. The answers are the command line's documents."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Text = Annotated[str, Field(max_length=10_000)]
Level = Annotated[int, Field(ge=0, le=1000)]


class Given(BaseModel):
    """A request's body; unknown names are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, given: Any) -> Any:
        """Refuse what no file could keep: half characters, and NaN."""
        if not isinstance(given, dict):  # bytes, if the request does not say that it is JSON
            return given
        try:
            json.dumps(given, ensure_ascii=False, allow_nan=False).encode()
        except (UnicodeEncodeError, RecursionError):
            raise ValueError("it has half characters, or is nested too deeply") from None
        return given


class BuiltIn(Given):
    """The made-up hospital table."""

    rows: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000
    seed: Annotated[int, Field(ge=0, le=2**31)] = 7


class Roles(Given):
    """The roles of some columns; the others keep theirs."""

    roles: dict[
        Text, list[Literal["identifying", "quasi", "sensitive", "class", "insensitive", "undecided"]]
    ]


class Persons(Given):
    """The columns that tell who a row is about; none if every row is a person."""

    columns: list[Text]


class UnitsGiven(Given):
    """Whom the rows stand for; what is not named stays, and what is null is no longer said."""

    persons: list[Text] | None = None
    households: Text | None = None
    sample_weight: Text | None = None
    population_size: Annotated[int, Field(ge=1, le=10**12)] | None = None
    sampling_fraction: (
        Annotated[str, Field(max_length=50)] | Annotated[float, Field(gt=0, le=1)] | None
    ) = None


class Files(Given):
    """A study as texts: its YAML and the hierarchy files that it names, by name."""

    files: Annotated[dict[Annotated[str, Field(max_length=300)], str], Field(max_length=1001)]


class Levels(Given):
    """The levels that a quasi column may have, up to the root unless `max_level` says otherwise."""

    min_level: Level = 0
    max_level: Level | None = None


class HierarchyGiven(Given):
    """A hierarchy: a description, rows from the leaf to the root, or a text in the ARX form; one of them."""

    description: dict[str, Any] | None = None
    rows: list[list[Text | None]] | None = None
    text: str | None = None


class Edit(Given):
    """One edit of a hierarchy; its operation decides which fields it needs."""

    operation: Literal["rename", "group", "split", "reorder", "drop_level"]
    level: Level
    label: Text | None = None
    labels: list[Text | None] | None = None
    name: Text | None = None


class PinGiven(Given):
    """A solution document to keep for comparison."""

    solution: dict[str, Any]
    title: Text = ""


class PinName(Given):
    """The name of a pinned solution."""

    title: Text


class ReleaseGiven(Given):
    """A solution to release: its document, that of a frontier too, or the key of a pinned one."""

    solution: dict[str, Any] | None = None
    pin: Text | None = None
    ending: Literal["csv", "tsv", "parquet", "arrow", "sav", "dta", "xpt", "xlsx"] = "csv"
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = None
    asked: dict[str, Any] = {}
    """How the solution was found, for the script: `question` and its options."""


class UtilityGiven(Given):
    """Models and indicators to look at on the original and on the released rows."""

    model: Annotated[list[Text], Field(max_length=20)] = []
    """Regressions, such as income ~ age + education."""
    indicator: Annotated[str, Field(max_length=100_000)] = ""
    """SQL to run on both tables, each called data; it can reach nothing else."""
    predict: Annotated[list[Text], Field(max_length=20)] = []
    """Columns to predict; by default the class column."""


class Acknowledged(Given):
    """The codes of the warnings that were read."""

    codes: list[Text]


class Refusal(BaseModel):
    """Why a request is refused: one sentence."""

    error: str


class SessionOpened(BaseModel):
    """The secret that a program sends as `Authorization: Bearer SECRET` from then on."""

    session: str


class JobShown(BaseModel):
    """A job: `result` is the document that the command line prints, once there is one."""

    id: str
    study: str
    kind: str
    status: Literal["queued", "running", "done", "stopped", "failed"]
    progress: dict[str, Any]
    result: dict[str, Any] | None
    error: str | None
