"""`shoal verify`: rechecks a release from the released file alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def verify(
    table: Annotated[Path, typer.Argument(help="The released table.", show_default=False)],
    quasi: Annotated[
        str | None,
        typer.Option(help="Check any table: its quasi columns, by commas.", show_default=False),
    ] = None,
    k: Annotated[
        int | None, typer.Option(help="Every group has this many rows.", show_default=False)
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(help="The sensitive columns, by commas.", show_default=False)
    ] = None,
    l: Annotated[  # noqa: E741
        int | None, typer.Option(help="Every group has this many distinct values.", show_default=False)
    ] = None,
    theta: Annotated[
        str | None, typer.Option(help="No value has a larger share of a group.", show_default=False)
    ] = None,
    t: Annotated[
        str | None, typer.Option(help="No group lies farther from the table.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """Recheck a release from its rows and its certificate; exit 1 where a promise does not hold."""
    from shoal.errors import InputError
    from shoal.promise import Promise, ShareLimits, share
    from shoal.verify import verify_release, verify_table

    if quasi is None:
        if any(given is not None for given in (k, sensitive, l, theta, t)):
            raise InputError("--k, --l and --theta check any table: name its --quasi columns too")
        verdict = verify_release(table)
    else:
        columns = _names(sensitive)
        if k is None and l is None and theta is None and t is None:
            raise InputError("say what to check: --k, --l, --theta or --t")
        if not (l is None and theta is None and t is None) and not columns:
            raise InputError(
                "--l, --theta and --t are about a sensitive column: name it with --sensitive"
            )
        for name, number in (("k", k), ("l", l)):
            if number is not None and number < 1:
                raise InputError(f"--{name} {number} is less than 1")
        limits = {} if theta is None else dict.fromkeys(columns, ShareLimits(share(theta)))
        near = {} if t is None else dict.fromkeys(columns, share(t, "t"))
        verdict = verify_table(table, Promise(k, l, limits, near), _names(quasi), columns)
    if as_json:
        document = {
            "holds": verdict.holds,
            "failures": list(verdict.failures),
            "measured": verdict.measured.to_dict(),
        }
        print(json.dumps(document, ensure_ascii=False))
    else:
        measured = verdict.measured
        print(
            f"{table}: {measured.rows:,} rows, {measured.groups:,} groups, the smallest of {measured.k:,}"
        )
        if measured.buckets is not None:
            split = measured.buckets
            print(
                f"  dealt into {split.groups:,} groups of {split.smallest:,} to {split.largest:,} rows"
            )
        for column, spread in measured.sensitive.items():
            print(
                f"  {column}: at least {spread.l} distinct values a group, no share above {spread.share}"
            )
        for failure in verdict.failures:
            print(f"  BROKEN {failure}")
        print("Every promise holds." if verdict.holds else "A promise does not hold.")
    return 0 if verdict.holds else 1


def _names(given: str | None) -> list[str]:
    return [name.strip() for name in given.split(",") if name.strip()] if given else []
