"""`shoal anonymize`: one named algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli import output, terminal
from shoal.cli.options import Saved, asking, command, open_study
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
    """Anonymize by one named algorithm."""
    if saved.save is not None:
        output.check_free(saved.save, saved.force)
    with (
        output.running(question.algorithm, execution, kept=True) as progress,
        open_study(study, execution, population) as opened,
    ):
        unlisted = opened.unlisted
        found = opened.anonymize(**asking(question, progress))
    output.keep(saved, found.to_json())
    output.tell_unlisted(study.study, unlisted)
    if saved.as_json:
        print(found.to_json())
    else:
        show(found)
        if found.k < found.asked.get("k", 1):
            output.notice(
                f"the smallest group has {found.k:,} rows, fewer than the k that was asked for"
            )
        output.tell_kept(saved.save)


def show(found: Anonymization) -> None:
    """Print the figures for people."""
    from rich.table import Table

    console = terminal.console()
    table = Table(header_style="bold")
    for title in ("metric", "lost"):
        table.add_column(title, justify="right")
    for name, share in found.shares.items():
        table.add_row(name, percent(share))
    console.print(table)
    kind = found.to_dict()
    where = kind.get("node")
    if where is not None:
        console.print(
            "Levels: " + ", ".join(f"{a} {v}" for a, v in where.items()),
            highlight=False,
        )
    console.print(
        f"{found.algorithm}: k = {found.k:,} in {found.groups:,} groups, "
        f"{found.suppressed:,} of {found.rows:,} rows suppressed ({seconds(found.seconds)}).\n"
        + "".join(f"Guaranteed: {sentence}.\n" for sentence in found.guarantees),
        highlight=False,
    )
