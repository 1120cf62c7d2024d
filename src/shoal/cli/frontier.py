"""`shoal frontier`: every Pareto-optimal (k, loss) generalization, or that of other objectives."""

from __future__ import annotations

from shoal.cli.answered import answered
from shoal.cli.options import Drawn, command
from shoal.questions.execution import Execution
from shoal.questions.searches import FrontierQuestion
from shoal.questions.tables import StudyOrTally


@command
def frontier(
    question: FrontierQuestion, study: StudyOrTally, execution: Execution, drawn: Drawn
) -> None:
    """Show every Pareto-optimal way to trade information for privacy."""
    from shoal.cli.frontier_table import show

    answered("frontier", question, study, execution, drawn, show)
