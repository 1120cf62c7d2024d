"""`shoal anonymize`: one named algorithm."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import output
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.anonymization import Anonymization


def anonymize(
    study: Annotated[Path, typer.Argument(help="The study file (YAML).", show_default=False)],
    algorithm: Annotated[str, typer.Option(help="The algorithm's name.", show_default=False)],
    k: Annotated[
        int | None, typer.Option("--k", help="Every group has at least K rows.", show_default=False)
    ] = None,
    l: Annotated[  # noqa: E741  the literature's name
        int | None,
        typer.Option("--l", help="Every group has at least L sensitive values.", show_default=False),
    ] = None,
    theta: Annotated[
        str | None,
        typer.Option(help="No sensitive value has a larger share, 0.25 or 1/4.", show_default=False),
    ] = None,
    t: Annotated[
        str | None,
        typer.Option("--t", help="Every group lies within T of the whole table.", show_default=False),
    ] = None,
    distance: Annotated[
        str | None,
        typer.Option(
            help="How far values are for --t: equal, ordered or hierarchical.", show_default=False
        ),
    ] = None,
    entropy_l: Annotated[
        str | None,
        typer.Option(
            help="Every group is as uncertain as L equally frequent values.", show_default=False
        ),
    ] = None,
    recursive_l: Annotated[
        str | None,
        typer.Option(
            help="C,L: the first value is rarer than C times the L-th and all after it.",
            show_default=False,
        ),
    ] = None,
    delta: Annotated[
        str | None,
        typer.Option(help="LOW,HIGH: the chance that a person is in the release.", show_default=False),
    ] = None,
    k_map: Annotated[
        int | None,
        typer.Option(help="K rows of the population fall into every group.", show_default=False),
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(help="The table of the population.", show_default="the study's"),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(help="Protect this sensitive column (repeat it).", show_default="all of them"),
    ] = None,
    suppress: Annotated[
        str, typer.Option(help="How much may be suppressed: 1%, 0.01 or a number of rows.")
    ] = "0",
    metric: Annotated[str, typer.Option(help="The loss that is to be small.")] = "LM",
    option: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE, an option of the algorithm (repeat it).", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(help="Makes chance repeatable.")] = 0,
    time_limit: Annotated[
        float | None, typer.Option(help="Stop after so many seconds.", show_default=False)
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads to use.", show_default="all cores")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Keep the answer in this file.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --save.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Anonymize by one named algorithm."""
    from shoal.study import Study

    if save is not None:
        output.check_free(save, force)
    with (
        Study.open(study, population=population, threads=threads) as opened,
        output.progress(algorithm) as progress,
    ):
        unlisted = opened.unlisted
        found = opened.anonymize(
            algorithm,
            k=k,
            l=l,
            theta=theta,
            t=t,
            distance=distance,
            entropy_l=entropy_l,
            recursive_l=recursive_l,
            delta=delta,
            k_map=k_map,
            sensitive=sensitive or (),
            suppress=suppress,
            metric=metric,
            seed=seed,
            time_limit=time_limit,
            progress=progress,
            options=_options(option or []),
        )
    if save is not None:
        output.write_whole(save, found.to_json() + "\n", force)
    output.tell_unlisted(study, unlisted)
    if as_json:
        print(found.to_json())
    else:
        show(found)
        if save is not None:
            output.notice(f"kept in {save}")


def _options(given: list[str]) -> dict[str, str]:
    """Return the algorithm's options by name."""
    options: dict[str, str] = {}
    for word in given:
        name, sign, value = word.partition("=")
        if not sign:
            raise InputError(f"the option {word} has no value; write NAME=VALUE")
        if name in options:
            raise InputError(f"the option {name} is given twice; give it once")
        options[name] = value
    return options


def show(found: Anonymization) -> None:
    """Print the figures for people."""
    from rich.console import Console
    from rich.table import Table

    console = Console() if sys.stdout.isatty() else Console(width=200)
    table = Table(header_style="bold")
    for title in ("metric", "loss"):
        table.add_column(title, justify="right")
    for name, loss in found.losses.items():
        table.add_row(name, f"{loss:,.4f}")
    console.print(table)
    kind = found.to_dict()
    where = kind.get("node")
    if where is not None:
        console.print(
            "Levels: " + ", ".join(f"{output.printable(a)} {v}" for a, v in where.items()),
            highlight=False,
        )
    console.print(
        f"{found.algorithm}: k = {found.k:,} in {found.groups:,} groups, "
        f"{found.suppressed:,} of {found.rows:,} rows suppressed ({found.seconds:.2f} s).\n"
        + "".join(f"Guaranteed: {sentence}.\n" for sentence in found.guarantees),
        highlight=False,
    )
