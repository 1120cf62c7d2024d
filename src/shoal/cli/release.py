"""`shoal release`: writes the anonymized table, its certificate and its record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import output, wanted


def release(
    study: Annotated[
        Path | None, typer.Argument(help="The study file (YAML).", show_default=False)
    ] = None,
    solution: Annotated[
        Path | None, typer.Option(help="A solution kept with --save.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The table to write.", show_default=False)
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(
            help="Write the rows into this new table of the study's engine; OUT (.yaml) says where it is.",
            show_default=False,
        ),
    ] = None,
    from_record: Annotated[
        Path | None,
        typer.Option("--from", help="Make the release of a record again.", show_default=False),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(help="Of a frontier, the point with at least this k.", show_default="the knee"),
    ] = None,
    point: Annotated[
        int | None,
        typer.Option(help="Of a frontier, the point of this number, from 1.", show_default=False),
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(help="The table of the population.", show_default="the study's"),
    ] = None,
    memory_limit: wanted.MemoryLimit = None,
    temp_directory: wanted.TempDirectory = None,
    tally_memory: wanted.TallyMemory = None,
    time_limit: wanted.EngineTimeLimit = None,
    min_level: wanted.MinLevel = None,
    seed: Annotated[
        int | None, typer.Option(help="Draws the order of the rows.", show_default="random")
    ] = None,
    spreadsheet_safe: Annotated[
        bool, typer.Option("--spreadsheet-safe", help="Disarm cells that a spreadsheet would run.")
    ] = False,
    sign: Annotated[
        Path | None,
        typer.Option(
            help="Sign the certificate with this private key (Ed25519, PEM).", show_default=False
        ),
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Carry out a solution that was found on other counts, unproven."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier release.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write the anonymized table with its certificate and record, verified on the written rows."""
    from shoal.again import remake
    from shoal.errors import InputError
    from shoal.release.solutions import read_solution
    from shoal.study import Study

    if out is None:
        raise InputError("say where to write the release: -o OUT")
    if from_record is not None and study is not None:
        raise InputError("name a study with --solution, or a record with --from, not both")
    limits: dict[str, Any] = {
        "memory_limit": memory_limit,
        "temp_directory": temp_directory,
        "tally_memory": tally_memory,
    }
    with output.progress("release", time_limit) as progress:
        moved = None if progress is None else lambda share: progress(share, "writing")
        if from_record is not None:
            others = (solution, seed, k, point, population, min_level, again or None)
            if any(given is not None for given in others):
                raise InputError(
                    "--from RECORD makes the same release again; leave the other options out"
                )
            published = remake(
                from_record, out, into=into, force=force, sign=sign, progress=moved, **limits
            )
        else:
            if study is None or solution is None:
                raise InputError("name a study and a solution (STUDY --solution FILE), or --from RECORD")
            decision = read_solution(solution, k, point)
            with Study.open(study, population=population, min_levels=min_level, **limits) as opened:
                made = opened.release(
                    decision, seed=seed, spreadsheet_safe=spreadsheet_safe, again=again
                )
                published = made.write(out, into=into, force=force, sign=sign, progress=moved)
    if as_json:
        print(json.dumps(published.to_dict(), ensure_ascii=False))
        return
    measured, split = published.verdict.measured, published.verdict.measured.buckets
    said = f"{measured.groups:,} groups of {measured.k:,} or more"
    if split is not None:
        said = f"{split.groups:,} buckets of {split.smallest:,} or more, their quasi values as they were"
    where = published.path if into is None else f"The table {into}"
    print(f"{where}: {measured.rows:,} rows in {said}.")
    print("Verified on the written rows.")
    output.show_warnings(published.warnings)
    name = published.path.name
    second = "" if split is None else f"{published.certificate['buckets']['file']}, "
    signature = "" if sign is None else f"{name}.certificate.json.sig, "
    print(f"For the public: {name}, {second}{name}.certificate.json, {signature}{name}.public.html.")
    mappings = "" if split is not None else f", {name}.mappings/"
    print(f"For you alone:  {name}.record.json, {name}.report.html{mappings}.")
