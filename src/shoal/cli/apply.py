"""`shoal apply`: recodes new rows as an earlier release did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import output


def apply(
    record: Annotated[Path, typer.Argument(help="The record of a release.", show_default=False)],
    table: Annotated[Path, typer.Argument(help="The table with new rows.", show_default=False)],
    out: Annotated[Path, typer.Option("-o", "--out", help="The table to write.", show_default=False)],
    seed: Annotated[
        int | None, typer.Option(help="Draws the order of the rows.", show_default="random")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier release.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Recode new rows of the same kind with the mapping and the promise of an earlier release."""
    from shoal.again import reuse

    with output.progress("apply") as progress:
        moved = None if progress is None else lambda share: progress(share, "writing")
        reused = reuse(record, table, out, seed=seed, force=force, progress=moved)
    published = reused.published
    if as_json:
        document = published.to_dict() | {
            "new_values": [new.to_dict() for new in reused.new_values],
            "together": None if reused.together is None else reused.together.to_dict(),
        }
        print(json.dumps(document, ensure_ascii=False))
        return
    measured, suppressed = published.verdict.measured, published.record["suppressed"]
    groups = f"{measured.groups:,} groups of {measured.k:,} or more"
    print(f"{published.path}: {measured.rows:,} rows in {groups}.")
    print(f"{suppressed['rows']:,} rows and {suppressed['values']:,} sensitive values suppressed.")
    for new in reused.new_values:
        rows = "the 1 row" if new.rows == 1 else f"all {new.rows:,} rows"
        for values, fate in (
            (new.placed, "placed by the hierarchy"),
            (new.refused, f"without a place in the release, so {rows} with it suppressed"),
        ):
            if values:
                shown = ", ".join("(missing)" if v is None else v for v in values[:5])
                more = f" and {len(values) - 5:,} more" if len(values) > 5 else ""
                print(f"Never seen before in {new.attribute}, {fate}: {shown}{more}.")
    output.show_warnings(published.warnings)
    if reused.together is not None:
        print("Together with the earlier release:")
        for sentence in reused.together.sentences():
            print(f"  {sentence}")
