"""`shoal attack`: a release is attacked in every known way before anybody else does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli import output, terminal
from shoal.cli.options import Replacing, command
from shoal.cli.reported import reported
from shoal.numbers import percent, seconds
from shoal.questions.execution import Execution
from shoal.questions.releases import AttackQuestion

if TYPE_CHECKING:
    from shoal.assess.attacks.attack_report import AttackReport


@command
def attack(question: AttackQuestion, execution: Execution, replacing: Replacing) -> None:
    """Attack a release in every known way, and say what each attack found."""
    from shoal.assess.attacks.attacking import attack_release
    from shoal.present.report.attack_page import render_attacks
    from shoal.study import Study

    if question.report is not None:
        output.check_free(question.report, replacing.force)  # again below; here before any work is done
    with (
        output.running("attack", execution) as progress,
        Study.open(question.source, **execution.engines) as study,
    ):
        found = attack_release(study.material(), question, progress)
    reported(found, question.report, render_attacks, show, replacing)


def show(found: AttackReport) -> None:
    """Print for each attack what its attacker knows, what it finds, and its baseline."""
    console = terminal.console()
    for finding in found.findings:
        console.print(f"{finding.attack} ({seconds(finding.seconds)})", style="bold", highlight=False)
        console.print(f"  Known: {finding.knows}. Success: {finding.success}.", highlight=False)
        for sentence in finding.sentences:
            console.print("  • " + sentence, highlight=False)
        if finding.breaks is not None:
            console.print(f"  This breaks the promise of {finding.breaks}.", style="bold red")
        if finding.cases:
            figures = terminal.table("", numbers=("success", "baseline", "certain"))
            for case in finding.cases:
                certain = "" if case.certain is None else f"{case.certain:,}"
                figures.add_row(
                    case.name, percent(case.found.share), percent(case.baseline.share), certain
                )
            console.print(figures)
