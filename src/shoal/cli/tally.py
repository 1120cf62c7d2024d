"""`shoal tally`: saves the tally, so that the searches run without the rows."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import output, wanted


def tally(
    study: wanted.StudyFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the tally goes.", show_default=False)],
    update: Annotated[
        bool, typer.Option("--update", help="Add the files that the saved tally has not counted yet.")
    ] = False,
    threads: wanted.Threads = None,
    memory_limit: wanted.MemoryLimit = None,
    temp_directory: wanted.TempDirectory = None,
    tally_memory: wanted.TallyMemory = None,
    time_limit: wanted.EngineTimeLimit = None,
    min_level: wanted.MinLevel = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
    as_json: wanted.AsJson = False,
) -> None:
    """Count the table once; frontier, optimize, negotiate and anonymize then take --tally FILE."""
    from shoal.data.tally.keeping import WARNING, keep_tally
    from shoal.describe.study_file import read_study_file

    with output.progress("tally", time_limit):
        kept = keep_tally(
            read_study_file(study).raised(min_level),
            out,
            update=update,
            force=force,
            threads=threads,
            memory_limit=memory_limit,
            temp_directory=temp_directory,
            tally_memory=tally_memory,
        )
    if as_json:
        print(json.dumps(kept.to_dict(), ensure_ascii=False))
    else:
        news = f", {kept.added_rows:,} of them new" if update else ""
        print(f"{out}: {kept.rows:,} rows{news}, {kept.combinations:,} combinations.")
    if kept.levels:
        levels = ",".join(f"{name}={level}" for name, level in kept.levels.items())
        output.notice(f"counted from higher levels on; search it with --min-level {shlex.quote(levels)}")
    output.notice(WARNING)
