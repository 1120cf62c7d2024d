"""`shoal optimize`: the provably best full-subtree recoding for l+-diversity and k-anonymity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli import terminal
from shoal.cli.answered import answered
from shoal.cli.options import Saved, command
from shoal.cli.robust import show_defence
from shoal.numbers import amount, large_number, much_suppressed, percent, seconds
from shoal.questions.execution import Execution
from shoal.questions.searches import OptimizeQuestion
from shoal.questions.tables import StudyOrTally

if TYPE_CHECKING:
    from shoal.answers.solution import CutSolution


@command
def optimize(
    question: OptimizeQuestion, study: StudyOrTally, execution: Execution, saved: Saved
) -> None:
    """Find the provably best full-subtree recoding for limited shares, for k, or both."""
    answered("optimize", question, study, execution, saved, show)


def show(best: CutSolution) -> None:
    """Print the cut for people: what each attribute is released as, what it costs, what is proven."""
    from rich.text import Text

    console = terminal.console()
    if told := much_suppressed(best.suppressed_records, best.rows):
        console.print(told.strip(), style="bold", highlight=False)
    table = terminal.table("attribute", no_wrap=True)
    table.add_column("released as")
    for name, labels in best.cut.items():
        shown = "   ".join("(missing)" if label is None else _line(label) for label in labels)
        table.add_row(Text(_line(name)), Text(shown))
    console.print(table)
    bound = f"no cut costs less than {amount(best.lower_bound)} (gap {percent(best.gap)})"
    if best.solutions:
        many = f"{len(best.solutions):,}"
        proof = f"Picked at random from the {many} best: {bound}."
        if not best.complete:
            proof = f"Picked at random from {many} good ones, not proven to be the best: {bound}."
    elif best.near:
        proof = f"Drawn at random near the best: {bound}."
    elif best.optimal:
        limited = best.suppression_limit is not None or best.blank_limit is not None
        proof = f"Optimal: no cut{' within the limits' if limited else ''} costs less."
    else:
        proof = f"Not proven optimal: {bound}."
    console.print(
        f"{percent(best.share)} of all detail is lost, by {best.measure}.\n"
        f"{best.metric} cost {amount(best.cost)} with {best.scheme.value} on {best.rows:,} rows. {proof}\n"
        f"Suppressed: {best.suppressed_records:,} records{_most(best.suppression_limit)}, "
        f"{best.suppressed_values:,} sensitive values{_most(best.blank_limit)}.\n"
        f"{best.examined:,} of {large_number(best.space)} cuts examined ({seconds(best.seconds)}).",
        highlight=False,
    )
    show_defence(best.near)


def _most(limit: int | None) -> str:
    """Return a limit that was asked for, in words."""
    return "" if limit is None else f" (at most {limit:,})"


def _line(text: str) -> str:
    """Return text in one line in which a terminal finds nothing to obey."""
    return text.replace("\n", "\\n")
