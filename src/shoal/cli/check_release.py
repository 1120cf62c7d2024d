"""`shoal check-release`: a policy's demands on a release, for build servers and schedulers."""

from __future__ import annotations

from pathlib import Path

from shoal.cli import output
from shoal.cli.options import Replacing, command
from shoal.questions.execution import Execution
from shoal.questions.fields import asked, question
from shoal.questions.kinds import NewFile
from shoal.questions.releases import CheckReleaseQuestion


@question
class Papers(Replacing):
    """In which forms the result is written."""

    junit: Path | None = asked("Write the result as JUnit's XML to this file.", NewFile(), default=None)
    sarif: Path | None = asked("Write the result as SARIF to this file.", NewFile(), default=None)


@command
def check_release(question: CheckReleaseQuestion, execution: Execution, papers: Papers) -> int:
    """Check a release against a policy; exit with 1 if a demand is not met."""
    from dataclasses import asdict

    from shoal import functions
    from shoal.present.policy_papers import junit, sarif

    written = [(papers.junit, junit), (papers.sarif, sarif)]
    for place, _ in written:
        if place is not None:
            output.check_free(place, papers.force)  # again below; here before any work is done
    with output.running("check-release", execution):
        found = functions.check_release(**asdict(question), **execution.engines)
    for place, paper in written:
        if place is not None:
            output.write_whole(place, paper(found), papers.force, private=False)
    if papers.as_json:
        output.print_json(found.to_dict())
    else:
        for demand in found.demands:
            print(f"{'met    ' if demand.met else 'NOT MET'} {demand}")
        unmet = sum(not demand.met for demand in found.demands)
        print(f"{found.release}: {unmet} of {len(found.demands)} demands not met.")
    return 0 if found.met else 1
