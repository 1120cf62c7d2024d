"""`shoal anonymize`: one named algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.cli import output, terminal
from shoal.cli.answered import answered
from shoal.cli.options import Saved, command
from shoal.numbers import percent, seconds
from shoal.questions.execution import Execution
from shoal.questions.searches import AnonymizeQuestion
from shoal.questions.tables import PopulationOf, StudyOrTally

if TYPE_CHECKING:
    from shoal.answers.anonymization import Anonymization


@command
def anonymize(
    question: AnonymizeQuestion,
    study: StudyOrTally,
    population: PopulationOf,
    execution: Execution,
    saved: Saved,
) -> None:
    """Anonymize with one named algorithm."""
    more: dict[str, Any] = {"population": population, "title": question.algorithm}
    answered("anonymize", question, study, execution, saved, show, **more)


def show(found: Anonymization) -> None:
    """Print the figures for people."""
    console = terminal.console()
    table = terminal.table(numbers=("metric", "lost"))
    for name, share in found.shares.items():
        table.add_row(name, percent(share))
    console.print(table)
    where = found.to_dict().get("node")
    if where is not None:
        console.print("Levels: " + ", ".join(f"{a} {v}" for a, v in where.items()), highlight=False)
    console.print(
        f"{found.algorithm}: k = {found.k:,} in {found.groups:,} groups, "
        f"{found.suppressed:,} of {found.rows:,} rows suppressed ({seconds(found.seconds)}).\n"
        + "".join(f"Guaranteed: {sentence}.\n" for sentence in found.guarantees),
        highlight=False,
    )
    if found.k < found.asked.get("k", 1):
        output.notice(f"the smallest group has {found.k:,} rows, fewer than the k you asked for")
