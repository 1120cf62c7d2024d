"""`shoal compare`: all algorithms on the same question, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import output, terminal, wanted
from shoal.errors import InputError, NoSolutionError
from shoal.numbers import figure, seconds

if TYPE_CHECKING:
    from shoal.answering.side_by_side import Comparison, Entry


def compare(
    study: wanted.StudyFile,
    algorithms: Annotated[
        str | None, typer.Option(help="Only these, separated by commas.", show_default="all of them")
    ] = None,
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
    seed: wanted.Seed = 0,
    time_limit: Annotated[float, typer.Option(help="Seconds for each algorithm.")] = 60.0,
    threads: wanted.Threads = None,
    tally_memory: wanted.TallyMemory = None,
    min_level: wanted.MinLevel = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw it into this SVG, PNG or PDF file.", show_default=False)
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Keep the comparison in this file.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the files.")] = False,
    as_json: wanted.AsJson = False,
) -> None:
    """Run the algorithms on one question and show them side by side."""
    from shoal.study import Study

    for path in (save, plot):
        if path is not None:
            output.check_free(path, force)
    if plot is not None:
        output.check_picture(plot)
    names = [name.strip() for name in (algorithms or "").split(",") if name.strip()]
    if algorithms is not None and not names:
        raise InputError("--algorithms names none; name some, separated by commas, or leave it out")
    with (
        output.progress("compare") as progress,
        Study.open(
            study,
            population=population,
            threads=threads,
            tally_memory=tally_memory,
            min_levels=min_level,
        ) as opened,
    ):
        unlisted = opened.unlisted
        found = opened.compare(
            names,
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
        )
    if plot is not None:
        output.draw(plot, found.plot(), force)
    if save is not None:
        output.write_whole(save, found.to_json() + "\n", force)
    output.tell_unlisted(study, unlisted)
    if as_json:
        print(found.to_json())
    else:
        show(found)
        for path in (save, plot):
            if path is not None:
                output.notice(f"kept in {path}")
    if not found.answers:
        raise NoSolutionError("no algorithm has an answer; ask for less, or allow more suppression")


def show(found: Comparison) -> None:
    """Print the answers for people, the least loss first, then what failed."""
    from rich.table import Table
    from rich.text import Text

    console = terminal.console()
    losses = list(dict.fromkeys(name for e in found.answers if e.answer for name in e.answer.losses))
    losses = [found.metric, *(name for name in losses if name != found.metric)]
    table = Table(header_style="bold")
    table.add_column("algorithm", no_wrap=True)
    for title in ("k", "l", "groups", "suppressed", *losses, "seconds"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("proven", no_wrap=True)
    for entry in found.answers:
        answer = entry.answer
        assert answer is not None
        table.add_row(
            entry.name,
            f"{answer.k:,}",
            str(min(entry.least.values())) if entry.least else "",
            f"{answer.groups:,}",
            f"{answer.suppressed:,}",
            *(figure(answer.losses[name]) if name in answer.losses else "" for name in losses),
            seconds(answer.seconds),
            _proven(entry, found),
        )
    console.print(table)
    for entry in found.entries:
        if entry.failure is not None:
            console.print(Text(f"{entry.name}: {entry.failure}"))
    verified = " Every answer was released in memory and verified." if found.answers else ""
    console.print(
        f"Asked: {_asked(found.asked)}; at most {found.suppression_limit:,} of {found.rows:,} rows "
        f"suppressed.{verified}",
        highlight=False,
    )
    for entry in found.answers:
        assert entry.answer is not None
        console.print(Text(f"{entry.name}: " + "; ".join(entry.answer.guarantees) + "."))


def _asked(asked: Mapping[str, Any]) -> str:
    """Return what was asked for in one line."""
    words = []
    for name, given in asked.items():
        if not isinstance(given, Mapping):
            words.append(f"{name} = {given}")
            continue
        for column, value in given.items():
            shown = value
            if isinstance(value, Mapping):
                shown = ", ".join(f"{part} {number}" for part, number in value.items() if number)
            words.append(f"{name} of {column} = {shown}")
    return ", ".join(words)


def _proven(entry: Entry, found: Comparison) -> str:
    if found.breaks(entry):
        return "NOT WHAT WAS ASKED"
    return "best of its kind" if entry.answer is not None and entry.answer.optimal else ""
