"""`shoal demo`: the main job on the built-in synthetic data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    directory: Annotated[
        Path, typer.Argument(help="Where the demo's files go.", show_default=True)
    ] = Path("shoal-demo"),
    rows: Annotated[int, typer.Option(help="Rows of the synthetic hospital table.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Another seed, another table.")] = 7,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier demo.")] = False,
) -> None:
    """Make a synthetic hospital table, and show what privacy costs there."""
