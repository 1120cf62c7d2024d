"""`shoal frontier`: every Pareto-optimal (k, loss) generalization, or that of other objectives."""

from __future__ import annotations

import json

from shoal.cli import output
from shoal.cli.options import Drawn, asking, command, open_study
from shoal.questions.execution import Execution
from shoal.questions.searches import FrontierQuestion
from shoal.questions.tables import StudyOrTally


@command
def frontier(
    question: FrontierQuestion, study: StudyOrTally, execution: Execution, drawn: Drawn
) -> None:
    """Show every Pareto-optimal way to trade information for privacy."""
    from shoal.cli.frontier_table import show

    output.check_drawn(drawn)
    with (
        output.running("frontier", execution, kept=True) as progress,
        open_study(study, execution) as opened,
    ):
        unlisted = opened.unlisted
        front = opened.frontier(**asking(question, progress))
    output.keep(drawn, front.to_json())
    if drawn.plot is not None:
        output.draw(drawn.plot, front, drawn.force)
    output.tell_unlisted(study.study, unlisted)
    if drawn.as_json:
        print(json.dumps(front.to_dict(), ensure_ascii=False))
    else:
        show(front)
        output.tell_kept(drawn.save)
        output.tell_kept(drawn.plot, "drawn")
