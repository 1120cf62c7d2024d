"""`shoal utility`: what a release is still good for, beside the table that it was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli import output, terminal
from shoal.cli.options import Replacing, command
from shoal.cli.reported import reported
from shoal.numbers import figure, percent
from shoal.questions.execution import Execution
from shoal.questions.releases import UtilityQuestion

if TYPE_CHECKING:
    from shoal.assess.utility.utility_report import UtilityReport

SHOWN_GROUPS = 8


@command
def utility(question: UtilityQuestion, execution: Execution, replacing: Replacing) -> None:
    """Show what a release is still good for: distributions, means, models, predictions, who loses most."""
    from shoal.assess.utility.measuring import utility_of_release
    from shoal.present.report.utility_page import render_utility
    from shoal.study import Study

    if question.report is not None:
        output.check_free(question.report, replacing.force)  # again below; here before any work is done
    with (
        output.running("utility", execution),
        Study.open(question.source, **execution.engines) as study,
    ):
        found = utility_of_release(study.material(), question)
    reported(found, question.report, render_utility, show, replacing)


def show(found: UtilityReport) -> None:
    """Print the figures: every column, models, predictions, indicators, and who loses most."""
    from shoal.assess.utility.utility_report import group_name

    console = terminal.console()
    for sentence in (*found.sentences, *found.notes):
        console.print("• " + sentence, highlight=False)
    columns = terminal.table(
        "column",
        numbers=("moved", "values", "labels", "mean before", "after", "true mean of them within"),
    )
    for one in found.columns:
        mean = one.summary
        columns.add_row(
            one.column,
            percent(one.distance),
            f"{one.values:,}",
            f"{one.labels:,}",
            "" if mean is None else _number(mean.mean_before),
            "" if mean is None else _number(mean.mean_after),
            "" if mean is None or mean.interval is None else _span(*mean.interval),
        )
    console.print(columns)
    for model in found.models:
        table = terminal.table(model.formula, numbers=("before", "after", "overlap"))
        for term in model.coefficients:
            spans = [
                "" if one is None else f"{figure(one.value)} ({_span(one.low, one.high)})"
                for one in (term.before, term.after)
            ]
            table.add_row(term.term, *spans, "" if term.overlap is None else percent(term.overlap))
        console.print(table)
    for indicator in found.indicators:
        table = terminal.table(indicator.name, numbers=("before", "after"))
        for cell in indicator.compared:
            name = ", ".join([*("" if part is None else part for part in cell.key), cell.column])
            table.add_row(name, _number(cell.before), _number(cell.after))
        console.print(table)
    if not found.groups:
        from shoal.assess.utility.lost_groups import NOBODY

        console.print(NOBODY)
        return
    groups = terminal.table(
        "who loses most", numbers=("rows", "suppressed", "wrong before", "wrong after")
    )
    for group in found.groups[:SHOWN_GROUPS]:
        errors = ["" if one is None else percent(one) for one in (group.error_before, group.error_after)]
        groups.add_row(group_name(group), f"{group.rows:,}", percent(group.suppressed), *errors)
    console.print(groups)


def _number(value: float | None) -> str:
    return "" if value is None else figure(value)


def _span(low: float, high: float) -> str:
    return f"{figure(low)} to {figure(high)}"
