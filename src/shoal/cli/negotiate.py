"""`shoal negotiate`: an exact answer to the constraints, or the three nearest relaxations."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import output, terminal, wanted
from shoal.numbers import milliseconds

if TYPE_CHECKING:
    from rich.console import Console

    from shoal.answers.negotiation import Answer
    from shoal.search.negotiation.negotiator import Negotiator

Mark = Callable[["Answer"], Mapping[str, Any]]
"""Returns the counts that an answer was found on."""

RELAXED = {
    "suppression": "suppress more",
    "height": "generalize more",
    "privacy": "promise less",
}


def negotiate(
    study: wanted.StudyFile,
    k: Annotated[
        int | None, typer.Option(help="Rows that every class has at least.", show_default=False)
    ] = None,
    l: Annotated[
        int | None,
        typer.Option("--l", help="Distinct sensitive values of a class at least.", show_default=False),
    ] = None,
    heights: Annotated[
        str | None,
        typer.Option(
            help="The highest levels allowed, such as age=1,workclass=2.", show_default="the roots"
        ),
    ] = None,
    max_suppressed: Annotated[
        str, typer.Option(help="How much may be suppressed: 1%, 0.01 or a number of rows.")
    ] = "0",
    choose: Annotated[
        str | None,
        typer.Option(
            help="What --save keeps if there is no exact answer: suppression, height or privacy.",
            show_default=False,
        ),
    ] = None,
    index: Annotated[
        bool,
        typer.Option(help="Keep the histograms beside the study, in STUDY.index, for the next start."),
    ] = True,
    threads: Annotated[
        int | None, typer.Option(help="Threads to use.", show_default="all cores", min=1, max=1024)
    ] = None,
    tally: wanted.Tally = None,
    memory_limit: wanted.MemoryLimit = None,
    temp_directory: wanted.TempDirectory = None,
    tally_memory: wanted.TallyMemory = None,
    min_level: wanted.MinLevel = None,
    save: wanted.Save = None,
    force: wanted.ForceSave = False,
    as_json: wanted.AsJson = False,
) -> None:
    """Answer constraints on privacy, heights and suppression, or say what comes nearest.

    On a terminal, without --k and --l, a dialogue is opened.
    """
    from shoal.answers.negotiation import CHOICES
    from shoal.describe.quantities import suppression_limit
    from shoal.errors import InputError, NoSolutionError
    from shoal.search.negotiation.request import parse_heights

    settings: dict[str, Any] = {
        "threads": threads,
        "memory_limit": memory_limit,
        "temp_directory": temp_directory,
        "tally_memory": tally_memory,
    }
    if choose is not None and choose not in CHOICES:
        raise InputError(f"--choose {choose}; the suggestions are {', '.join(CHOICES)}")
    if choose is not None and save is None:
        raise InputError("--choose says which suggestion is kept; add --save FILE")
    if save is not None:
        output.check_free(save, force)
    if k is None and l is None:
        if as_json or save is not None or not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise InputError("nothing is asked for; give --k, --l or both")
        from shoal.cli.dialogue import Dialogue

        with opened(study, index, settings, tally, min_level) as (negotiator, unlisted, mark):
            given = parse_heights(heights or "", negotiator.shape.names)
            dialogue = Dialogue(negotiator, sys.stdin, sys.stdout, given, max_suppressed, mark)
            output.tell_unlisted(study, unlisted)
            dialogue.run()
        return
    with opened(study, index, settings, tally, min_level) as (negotiator, unlisted, mark):
        given = parse_heights(heights or "", negotiator.shape.names)
        answer = negotiator.ask(k=k, l=l, heights=given, max_suppressed=max_suppressed)
        if not answer.rows():
            raise NoSolutionError(answer.reason or "nothing comes near")
        if save is not None:
            limit = suppression_limit(max_suppressed, negotiator.shape.rows)
            keep(answer, choose, save, force, mark(answer), limit)
    output.tell_unlisted(study, unlisted)
    if as_json:
        print(answer.to_json())
        return
    show(answer, terminal.console())
    if save is not None:
        _tell_kept(answer, choose, save)


@contextmanager
def opened(
    file: Path,
    index: bool,
    settings: dict[str, Any],
    tally: Path | None = None,
    min_level: str | None = None,
) -> Iterator[tuple[Negotiator, tuple[str, ...], Mark]]:
    """Give the session of a study file, the columns that it does not list, and what marks its counts.

    Where the index beside the study serves, the table is neither opened nor read but for its digest.
    """
    from shoal.data.engines.saved_tally.engine import KeptTally
    from shoal.describe.specification import Role
    from shoal.describe.study_file import read_study_file

    specification = read_study_file(file).raised(min_level)
    if tally is not None:
        index, specification = False, replace(specification, table=KeptTally(tally))
    studies: list[Any] = []
    told: set[str] = set()

    def notice(text: str) -> None:
        if text not in told:  # an index is looked for here and by the study
            told.add(text)
            output.notice(text)

    def study() -> Any:
        from shoal.study import Study

        if not studies:
            studies.append(Study.of(specification, **settings))
        return studies[0]

    def mark(answer: Answer) -> Mapping[str, Any]:
        with_l = any(offer.l is not None for _, offer in answer.rows())
        columns = specification.having(Role.SENSITIVE) if with_l else ()
        found: Mapping[str, Any] = study().found_on(*columns)
        return found

    try:
        found = None
        if index:
            from shoal.search.negotiation.starting import reopen_negotiator

            found = reopen_negotiator(specification, study, notice)
        if found is not None:
            negotiator, columns = found
        else:
            negotiator = study().negotiator(index=index, notice=notice)
            columns = study().columns
        yield (
            negotiator,
            tuple(name for name in columns if name not in specification.attributes),
            mark,
        )
    finally:
        for each in studies:
            each.close()


def keep(
    answer: Answer,
    choice: str | None,
    path: Path,
    force: bool,
    found_on: Mapping[str, Any],
    limit: int,
) -> None:
    """Write what `shoal release` reads: the whole answer, or the chosen suggestion alone.

    With it go the counts it was found on, and how many rows may be suppressed.
    """
    if answer.exact is None and choice is not None:
        offer = answer.choose(choice)
        document, limit = offer.solution(), max(limit, offer.suppressed)
    else:
        document = answer.to_dict()
    document |= {"suppression_limit": limit, "found_on": found_on}
    output.write_whole(path, json.dumps(document, ensure_ascii=False) + "\n", force)


def show(answer: Answer, console: Console) -> None:
    """Print the answer as a table for people."""
    from rich.table import Table
    from rich.text import Text

    shown = answer.rows()
    names = list(shown[0][1].node) if shown else []
    wide = 60 + sum(len(name) + 3 for name in names) <= console.width
    table = Table(header_style="bold")
    table.add_column("", no_wrap=True)
    privacy = [name for name in ("k", "l") if shown and getattr(shown[0][1], name) is not None]
    for title in (*privacy, "suppressed", "height", *(names if wide else ["levels"])):
        table.add_column(Text(title), justify="right", no_wrap=True)
    for title, offer in shown:
        levels = [str(offer.node[name]) for name in names]
        table.add_row(
            f"{title}: {RELAXED[title]}" if title in RELAXED else title,
            *(f"{getattr(offer, name):,}" for name in privacy),
            f"{offer.suppressed:,}",
            str(offer.height),
            *(levels if wide else [" ".join(levels)]),
        )
    if answer.exact is None:
        console.print("No exact answer. What comes nearest, one constraint relaxed at a time:")
    if shown:
        console.print(table)
    if shown and not wide:
        console.print(Text("Levels of: " + ", ".join(names)))
    missing = [name for name, offer in answer.suggestions or () if offer is None]
    if missing:
        console.print(Text(f"No suggestion for {', '.join(missing)}: {answer.reason}."))
    console.print(
        f"{answer.visited:,} nodes visited, {milliseconds(answer.milliseconds)}.", highlight=False
    )


def _tell_kept(answer: Answer, choice: str | None, path: Path) -> None:
    if answer.exact is not None or choice is not None:
        output.notice(f"kept in {path}")
        return
    there = "|".join(name for name, offer in answer.suggestions or () if offer is not None)
    output.notice(f"kept in {path}; to release a suggestion, keep it with --choose {there}")
