"""`shoal statements`: what a warehouse runs, as SQL in its dialect."""

from __future__ import annotations

from shoal.cli import output
from shoal.cli.options import Replacing, command
from shoal.questions.execution import Execution
from shoal.questions.releases import StatementsQuestion
from shoal.questions.tables import StudyOrTally


@command
def statements(
    question: StatementsQuestion, study: StudyOrTally, execution: Execution, replacing: Replacing
) -> None:
    """Write the statements that count, release and verify a table in a warehouse out of reach."""
    from shoal.describe.study_file import read_study_file
    from shoal.release.solutions import read_solution
    from shoal.release.warehouse_folder import write_statements
    from shoal.study import Study

    with output.running("statements", execution):
        where = (question.dialect, question.table)
        into = question.into
        if question.solution is None:
            specification = read_study_file(study.study).raised(study.min_levels).about(study.persons)
            names = write_statements(question.out, specification, *where, force=replacing.force)
        else:
            decision = read_solution(question.solution, question.k)
            with Study.open(
                study.study,
                tally=study.tally,
                min_levels=study.min_levels,
                persons=study.persons,
                **execution.engines,
            ) as opened:
                release = opened.carry_out(decision)
                names = write_statements(
                    question.out, opened.specification, *where, release, into=into, force=replacing.force
                )
    if replacing.as_json:
        output.print_json({"folder": str(question.out), "dialect": question.dialect, "files": names})
        return
    print(f"{question.out}: {', '.join(names)}.")
    if question.dialect != "duckdb":
        output.notice(f"the statements were never run on {question.dialect}; read them before you do")
