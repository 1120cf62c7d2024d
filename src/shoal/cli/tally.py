"""`shoal tally`: saves the tally, so that the searches run without the rows."""

from __future__ import annotations

import shlex

from shoal.cli import output
from shoal.cli.options import Replacing, command
from shoal.questions.execution import Execution
from shoal.questions.tables import StudyOpened, TallyQuestion


@command
def tally(
    question: TallyQuestion, study: StudyOpened, execution: Execution, replacing: Replacing
) -> None:
    """Count the table once; frontier, optimize, negotiate and anonymize then take --tally FILE."""
    from shoal.data.tally.counted_elsewhere import keep_counted
    from shoal.data.tally.keeping import WARNING, keep_tally
    from shoal.describe.study_file import read_study_file
    from shoal.errors import InputError

    out, update, force = question.out, question.update, replacing.force
    with output.running("tally", execution):
        specification = read_study_file(study.study).raised(study.min_levels).about(study.persons)
        if question.counted is None:
            kept = keep_tally(specification, out, update=update, force=force, **execution.engines)
        elif update:
            raise InputError("--counted keeps a whole tally; leave --update out")
        else:
            kept = keep_counted(specification, question.counted, out, force=force)
    if replacing.as_json:
        output.print_json(kept.to_dict())
    else:
        news = f", {kept.added_rows:,} of them new" if update else ""
        print(f"{out}: {kept.rows:,} rows{news}, {kept.combinations:,} combinations.")
    if kept.levels:
        levels = ",".join(f"{name}={level}" for name, level in kept.levels.items())
        output.notice(f"counted from higher levels up; search it with --min-level {shlex.quote(levels)}")
    output.notice(WARNING)
