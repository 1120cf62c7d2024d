"""`shoal frontier`: every Pareto-optimal (k, loss) generalization."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import output

METRICS = "The loss: LM, DM, CM, Prec, NCP, ClassSize, NUE, Ambiguity, Height or Intensity."

if TYPE_CHECKING:
    from shoal.solution import Frontier


def frontier(
    study: Annotated[Path, typer.Argument(help="The study file (YAML).", show_default=False)],
    metric: Annotated[str, typer.Option(help=METRICS)] = "LM",
    suppress: Annotated[
        str, typer.Option(help="How much may be suppressed: 1%, 0.01 or a number of rows.")
    ] = "0",
    method: Annotated[str, typer.Option(help="exact (proven), poka or exhaustive.")] = "exact",
    depth: Annotated[
        int | None, typer.Option(help="POkA's depth d.", show_default="d_avg of the paper")
    ] = None,
    min_k: Annotated[int, typer.Option(help="Search no smaller k.")] = 1,
    max_k: Annotated[int | None, typer.Option(help="Search no larger k.", show_default=False)] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Stop after so many seconds.", show_default=False)
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads to use.", show_default="all cores")
    ] = None,
    memory_limit: Annotated[
        str | None, typer.Option(help="DuckDB's memory, such as 2GB.", show_default=False)
    ] = None,
    temp_directory: Annotated[
        Path | None, typer.Option(help="Where DuckDB may spill.", show_default=False)
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Keep the answer in this file.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --save.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Show every Pareto-optimal way to trade information for privacy."""
    from shoal.study import Study

    if save is not None:
        output.check_free(save, force)
    with (
        Study.open(
            study, threads=threads, memory_limit=memory_limit, temp_directory=temp_directory
        ) as opened,
        output.progress("frontier") as progress,
    ):
        unlisted = opened.unlisted
        front = opened.frontier(
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
    output.tell_unlisted(study, unlisted)
    if as_json:
        print(json.dumps(front.to_dict(), ensure_ascii=False))
    else:
        show(front)
        if save is not None:
            output.notice(f"kept in {save}")


def show(front: Frontier) -> None:
    """Print the frontier as a table for people, its knee marked."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console() if sys.stdout.isatty() else Console(width=200)
    names = list(front.points[0].node) if front.points else []
    wide = 45 + sum(len(name) + 3 for name in names) <= console.width
    table = Table(header_style="bold")
    for title in ("k", f"{front.metric} loss", "of the most", "suppressed"):
        table.add_column(title, justify="right", no_wrap=True)
    for title in names if wide else ["levels"]:
        table.add_column(Text(title), justify="right", no_wrap=True)
    most = max((point.loss for point in front.points), default=0.0) or 1.0
    for point in front.points:
        knee = point is front.knee
        levels = [str(point.node[name]) for name in names]
        table.add_row(
            ("knee ▶ " if knee else "") + f"{point.k:,}",
            f"{point.loss:,.1f}",
            f"{100 * point.loss / most:.1f}%",
            f"{point.suppressed:,}",
            *(levels if wide else [" ".join(levels)]),
            style="bold yellow" if knee else None,
        )
    console.print(table)
    if not wide:
        console.print(Text("Levels of: " + ", ".join(names)))
    proof = "Complete: no Pareto-optimal pair is missing."
    if not front.certified:
        proof = "Not proven complete: better points may exist."
    console.print(
        f"{len(front)} points from {front.rows:,} rows, at most {front.suppression_limit:,} suppressed. "
        f"{proof}\n{front.evaluated:,} of {front.nodes:,} nodes evaluated "
        f"({front.method}, {front.seconds:.2f} s).",
        highlight=False,
    )
