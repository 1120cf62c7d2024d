"""`shoal compare`: all algorithms on the same question, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shoal.cli import terminal
from shoal.cli.answered import answered
from shoal.cli.options import Drawn, command
from shoal.errors import NoSolutionError
from shoal.numbers import figure, percent, seconds
from shoal.questions.execution import Execution
from shoal.questions.searches import CompareQuestion
from shoal.questions.tables import PopulationOf, StudyOpened

if TYPE_CHECKING:
    from shoal.answering.side_by_side import Comparison, Entry


@command
def compare(
    question: CompareQuestion,
    study: StudyOpened,
    population: PopulationOf,
    execution: Execution,
    drawn: Drawn,
) -> None:
    """Run the algorithms on one question and show them side by side."""
    # The time limit is for each algorithm; counting the table has none.
    execution = replace(execution, time_limit=None)
    more: dict[str, Any] = {"population": population, "kept": False}
    found: Comparison = answered("compare", question, study, execution, drawn, show, **more)
    if not found.answers:
        raise NoSolutionError("no algorithm has an answer; ask for less, or allow more suppression")


def show(found: Comparison) -> None:
    """Print the answers for people, the least loss first, then the failures."""
    from rich.text import Text

    console = terminal.console()
    losses = list(dict.fromkeys(name for e in found.answers if e.answer for name in e.answer.losses))
    losses = [found.metric, *(name for name in losses if name != found.metric)]
    lost = (f"lost ({name})" for name in losses)
    figures = ("k", "l", "groups", "suppressed", *lost, "moved", "pMSE", "seconds")
    table = terminal.table("algorithm", numbers=figures, no_wrap=True)
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
            *(percent(answer.shares[name]) if name in answer.shares else "" for name in losses),
            "" if entry.use is None else percent(entry.use.distance),
            "" if entry.use is None else figure(entry.use.propensity, 3),
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
    """Return what was asked in one line."""
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
