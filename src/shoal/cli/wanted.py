"""The options that several commands have, what must hold of every released group among them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.errors import InputError


def _option(help: str, *names: str) -> typer.models.OptionInfo:  # noqa: A002  Typer's word
    found: typer.models.OptionInfo = typer.Option(*names, help=help, show_default=False)
    return found


K = Annotated[int | None, _option("Every group has at least K rows.", "--k")]
L = Annotated[int | None, _option("Every group has at least L sensitive values.", "--l")]
Theta = Annotated[list[str] | None, _option("No sensitive value has a larger share, 0.25 or 1/4.")]
T = Annotated[str | None, _option("Every group lies within T of the whole table.", "--t")]
Distance = Annotated[str | None, _option("How far values are for --t: equal, ordered or hierarchical.")]
EntropyL = Annotated[str | None, _option("Every group is as uncertain as L equally frequent values.")]
RecursiveL = Annotated[
    str | None, _option("C,L: the first value is rarer than C times the L-th and all after it.")
]
Delta = Annotated[str | None, _option("LOW,HIGH: the chance that a person is in the release.")]
KMap = Annotated[int | None, _option("K rows of the population fall into every group.")]
Population = Annotated[
    Path | None, typer.Option(help="The table of the population.", show_default="the study's")
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option(help="Protect this sensitive column (repeat it).", show_default="all of them"),
]
Suppress = Annotated[
    str | None,
    typer.Option(
        help="How much may be suppressed: 1%, 0.01 or a number of rows.",
        show_default="0, but Datafly's own rule for Datafly",
    ),
]
Metric = Annotated[str, typer.Option(help="The loss that is to be small.")]
Seed = Annotated[int, typer.Option(help="Makes chance repeatable.")]

StudyFile = Annotated[Path, typer.Argument(help="The study file (YAML).", show_default=False)]
TimeLimit = Annotated[float | None, typer.Option(help="Stop after so many seconds.", show_default=False)]
EngineTimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit", help="Stop PostgreSQL or Spark after so many seconds.", show_default=False
    ),
]
Tally = Annotated[
    Path | None,
    typer.Option(help="A saved tally in the table's place (shoal tally).", show_default=False),
]
Threads = Annotated[int | None, typer.Option(help="Threads to use.", show_default="all cores")]
MemoryLimit = Annotated[
    str | None, typer.Option(help="DuckDB's memory, such as 2GB.", show_default=False)
]
TempDirectory = Annotated[Path | None, typer.Option(help="Where DuckDB may spill.", show_default=False)]
TallyMemory = Annotated[
    str | None,
    typer.Option(
        help="Memory of the tally, such as 4GB.", show_default="a quarter of what is available"
    ),
]
MinLevel = Annotated[
    str | None,
    typer.Option(help="Raise the lowest levels, as in age=1,zip=2.", show_default="the study's"),
]
Save = Annotated[Path | None, typer.Option(help="Keep the answer in this file.", show_default=False)]
ForceSave = Annotated[bool, typer.Option("--force", help="Replace the file of --save.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def one_theta(given: list[str] | None) -> str | None:
    """Return the one limit of all shares, or refuse several and those of single values."""
    if not given:
        return None
    if len(given) > 1 or "=" in given[0]:
        raise InputError(
            "one limit holds for every sensitive value here; shoal optimize limits values by name"
        )
    return given[0]
