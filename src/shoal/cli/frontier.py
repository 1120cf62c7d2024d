"""`shoal frontier`: every Pareto-optimal (k, loss) generalization, or that of other objectives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import output, wanted

METRICS = "The loss: LM, DM, CM, Prec, NCP, ClassSize, NUE, Ambiguity, Height or Intensity."


def frontier(
    study: wanted.StudyFile,
    objectives: Annotated[
        str,
        typer.Option(
            help="k,loss; suppressed,loss with --k; l,loss; t,loss; k,suppressed,loss; or k,l,loss."
        ),
    ] = "k,loss",
    k: Annotated[
        int | None,
        typer.Option(
            "--k", help="Every class has at least K rows, where k is no objective.", show_default=False
        ),
    ] = None,
    metric: Annotated[str, typer.Option(help=METRICS)] = "LM",
    suppress: Annotated[
        str | None,
        typer.Option(
            help="How much may be suppressed: 1%, 0.01 or a number of rows.",
            show_default="0, but any where suppressed is an objective",
        ),
    ] = None,
    method: Annotated[str, typer.Option(help="exact (proven), poka or exhaustive.")] = "exact",
    depth: Annotated[
        int | None, typer.Option(help="POkA's depth d.", show_default="d_avg of the paper")
    ] = None,
    min_k: Annotated[int, typer.Option(help="Search no smaller k.")] = 1,
    max_k: Annotated[int | None, typer.Option(help="Search no larger k.", show_default=False)] = None,
    time_limit: wanted.TimeLimit = None,
    tally: wanted.Tally = None,
    threads: wanted.Threads = None,
    memory_limit: wanted.MemoryLimit = None,
    temp_directory: wanted.TempDirectory = None,
    tally_memory: wanted.TallyMemory = None,
    min_level: wanted.MinLevel = None,
    save: wanted.Save = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the trade-off into this file: SVG, PNG or PDF.", show_default=False),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the files of --save and --plot.")
    ] = False,
    as_json: wanted.AsJson = False,
) -> None:
    """Show every Pareto-optimal way to trade information for privacy."""
    from shoal.cli.frontier_table import show
    from shoal.study import Study

    for path in (save, plot):
        if path is not None:
            output.check_free(path, force)
    if plot is not None:
        output.check_picture(plot)
    with (
        output.progress("frontier", time_limit) as progress,
        Study.open(
            study,
            threads=threads,
            memory_limit=memory_limit,
            temp_directory=temp_directory,
            tally=tally,
            tally_memory=tally_memory,
            min_levels=min_level,
        ) as opened,
    ):
        unlisted = opened.unlisted
        front = opened.frontier(
            objectives=objectives,
            k=k,
            metric=metric,
            suppress=suppress,
            method=method,
            depth=depth,
            min_k=min_k,
            max_k=max_k,
            time_limit=time_limit,
            progress=progress,
        )
    if save is not None:
        output.write_whole(save, front.to_json() + "\n", force)
    if plot is not None:
        output.draw(plot, front.plot(), force)
    output.tell_unlisted(study, unlisted)
    if as_json:
        print(json.dumps(front.to_dict(), ensure_ascii=False))
    else:
        show(front)
        for path, word in ((save, "kept"), (plot, "drawn")):
            if path is not None:
                output.notice(f"{word} in {path}")
