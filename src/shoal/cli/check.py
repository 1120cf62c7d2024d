"""`shoal check`: says all that is wrong or doubtful in a study."""

from __future__ import annotations

import typer

from shoal.cli import output
from shoal.cli.options import Printed, command
from shoal.questions.execution import Execution
from shoal.questions.tables import CheckQuestion


@command
def check(question: CheckQuestion, execution: Execution, printed: Printed) -> None:
    """Say all that is wrong or doubtful in a study at once; exit 2 if something is wrong."""
    from shoal.numbers import many
    from shoal.proposal.study_check import check_study

    with output.running("check", execution):
        found = check_study(question.study)
    if printed.as_json:
        output.print_json(found.to_dict())
    else:
        for kind in ("wrong", "doubtful"):
            for line in getattr(found, kind):
                print(f"{kind}: {' '.join(line.split())}")
        doubts = f"{len(found.doubtful):,} doubtful"
        print(f"{found.study}: {many(len(found.wrong), 'thing')} wrong, {doubts}.")
    if found.wrong:
        raise typer.Exit(2)
