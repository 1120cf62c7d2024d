"""`shoal check`: says all that is wrong or doubtful in a study."""

from __future__ import annotations

import json

import typer

from shoal.cli import output
from shoal.cli.options import Replacing, command
from shoal.questions.execution import Execution
from shoal.questions.tables import CheckQuestion


@command
def check(question: CheckQuestion, execution: Execution, replacing: Replacing) -> None:
    """Say all that is wrong or doubtful in a study at once; exit 2 if something is wrong."""
    from shoal.describe.study_schema import study_schema
    from shoal.numbers import many
    from shoal.proposal.study_check import check_study

    if question.schema is not None:
        text = json.dumps(study_schema(), indent=2, ensure_ascii=False) + "\n"
        output.check_free(question.schema, replacing.force)
        output.write_whole(question.schema, text, replacing.force, private=False)
    with output.running("check", execution):
        found = check_study(question.study)
    if replacing.as_json:
        output.print_json(found.to_dict())
    else:
        for kind in ("wrong", "doubtful"):
            for line in getattr(found, kind):
                print(f"{kind}: {' '.join(line.split())}")
        doubts = f"{len(found.doubtful):,} doubtful"
        print(f"{found.study}: {many(len(found.wrong), 'thing')} wrong, {doubts}.")
    if found.wrong:
        raise typer.Exit(2)
