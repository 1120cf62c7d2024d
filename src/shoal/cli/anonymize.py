"""`shoal anonymize`: one named algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import output, terminal, wanted
from shoal.errors import InputError
from shoal.numbers import figure, seconds

if TYPE_CHECKING:
    from shoal.answers.anonymization import Anonymization

NAMES = (
    "mingen, datafly, mu-argus, samarati, incognito, flash, genetic (one level an attribute); k-optimize, "
    "top-down, bottom-up, annealing (cuts); mondrian, local-recoding (groups); anatomy (two tables)."
)


def anonymize(
    study: wanted.StudyFile,
    algorithm: Annotated[str, typer.Option(help=NAMES, show_default=False)],
    k: wanted.K = None,
    l: wanted.L = None,  # noqa: E741  the literature's name
    theta: wanted.Theta = None,
    t: wanted.T = None,
    distance: wanted.Distance = None,
    entropy_l: wanted.EntropyL = None,
    recursive_l: wanted.RecursiveL = None,
    delta: wanted.Delta = None,
    k_map: wanted.KMap = None,
    population: wanted.Population = None,
    sensitive: wanted.Sensitive = None,
    suppress: wanted.Suppress = None,
    metric: wanted.Metric = "LM",
    option: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE, an option of the algorithm (repeat it).", show_default=False),
    ] = None,
    seed: wanted.Seed = 0,
    time_limit: wanted.TimeLimit = None,
    tally: wanted.Tally = None,
    threads: wanted.Threads = None,
    tally_memory: wanted.TallyMemory = None,
    min_level: wanted.MinLevel = None,
    save: wanted.Save = None,
    force: wanted.ForceSave = False,
    as_json: wanted.AsJson = False,
) -> None:
    """Anonymize by one named algorithm."""
    from shoal.study import Study

    if save is not None:
        output.check_free(save, force)
    with (
        output.progress(algorithm, time_limit) as progress,
        Study.open(
            study,
            population=population,
            threads=threads,
            tally=tally,
            tally_memory=tally_memory,
            min_levels=min_level,
        ) as opened,
    ):
        unlisted = opened.unlisted
        found = opened.anonymize(
            algorithm,
            k=k,
            l=l,
            theta=wanted.one_theta(theta),
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
        if found.k < found.asked.get("k", 1):
            output.notice(
                f"the smallest group has {found.k:,} rows, fewer than the k that was asked for"
            )
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
    from rich.table import Table

    console = terminal.console()
    table = Table(header_style="bold")
    for title in ("metric", "loss"):
        table.add_column(title, justify="right")
    for name, loss in found.losses.items():
        table.add_row(name, figure(loss))
    console.print(table)
    kind = found.to_dict()
    where = kind.get("node")
    if where is not None:
        console.print(
            "Levels: " + ", ".join(f"{a} {v}" for a, v in where.items()),
            highlight=False,
        )
    console.print(
        f"{found.algorithm}: k = {found.k:,} in {found.groups:,} groups, "
        f"{found.suppressed:,} of {found.rows:,} rows suppressed ({seconds(found.seconds)}).\n"
        + "".join(f"Guaranteed: {sentence}.\n" for sentence in found.guarantees),
        highlight=False,
    )
