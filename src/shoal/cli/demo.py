"""`shoal demo`: the main job on the built-in synthetic data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import output


def demo(
    directory: Annotated[
        Path, typer.Argument(help="Where the demo's files go.", show_default=True)
    ] = Path("shoal-demo"),
    rows: Annotated[int, typer.Option(help="Rows of the synthetic hospital table.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Another seed, another table.")] = 7,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier demo.")] = False,
) -> None:
    """Make a synthetic hospital table, and show what privacy costs there."""
    from shoal.cli.frontier import show
    from shoal.errors import InputError, MissingExtraError
    from shoal.report.plots import save_frontier
    from shoal.study import Study
    from shoal.synthetic import write_hospital

    say = print
    say(f"1. A synthetic hospital table: {rows:,} discharges, made up, no real person in it.")
    try:
        study_file = write_hospital(directory, rows, seed, force=force)
    except FileExistsError as problem:
        raise InputError(str(problem).replace("force=True", "--force")) from None
    except ValueError as problem:
        raise InputError(str(problem)) from None
    say(f"   {study_file} says which columns could identify a person, and how to generalize them.\n")

    say("2. What privacy costs: every Pareto-optimal generalization, at most 1% of the rows suppressed.")
    with Study.open(study_file) as study, output.progress("frontier") as progress:
        front = study.frontier(suppress="1%", progress=progress)
    sys.stdout.flush()
    show(front)

    answer = directory / "frontier.json"
    output.write_whole(answer, front.to_json() + "\n", force=True)
    picture = directory / "frontier.svg"
    try:
        save_frontier(front, picture)
        drawn = str(picture)
    except MissingExtraError as problem:
        drawn = f"not drawn: {problem}"
    knee = front.knee
    if knee is not None:
        levels = ", ".join(f"{name} {level}" for name, level in knee.node.items())
        say(f"\n3. The knee: k = {knee.k:,}. Beyond it, much information buys little more privacy.")
        say(f"   Levels: {levels}; {knee.suppressed:,} rows suppressed.")
    say(f"\n   The picture:  {drawn}\n   The answer:   {answer}")
    say(f"   Try yourself: shoal frontier {study_file} --suppress 2% --metric DM")
