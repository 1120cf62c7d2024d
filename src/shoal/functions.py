"""Questions that are functions: about releases, and about tables that nobody has described."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shoal.answering.checking import verdict_of
from shoal.answering.risk_of_table import TableRisk, risk_of
from shoal.assess.attacks.attack_report import AttackReport
from shoal.assess.attacks.attacking import attack_release
from shoal.assess.composition import ReleaseComparison, compare_releases
from shoal.assess.policy_check import PolicyVerdict, check_attacks, check_policy
from shoal.assess.risk.records import write_records
from shoal.assess.utility.measuring import utility_of_release
from shoal.assess.utility.utility_report import UtilityReport
from shoal.describe.policy_file import read_policy
from shoal.documents.whole.file import whole_file
from shoal.errors import InputError
from shoal.present.report.attack_page import render_attacks
from shoal.present.report.utility_page import render_utility
from shoal.proposal import Proposal, lay_out, study_text
from shoal.proposal import propose as look_at
from shoal.proposal.decimal_commas import opened_as_found
from shoal.proposal.file_layout import write_study
from shoal.questions.execution import Execution
from shoal.questions.fields import answers, asked, question
from shoal.questions.kinds import Flag
from shoal.questions.releases import (
    AttackQuestion,
    CheckReleaseQuestion,
    DiffQuestion,
    UtilityQuestion,
    VerifyQuestion,
)
from shoal.questions.tables import InitQuestion, RiskQuestion
from shoal.study import Study
from shoal.verification import Verdict


@question
class VerifyAsked(Execution, VerifyQuestion):
    """What `verify` takes."""


@question
class RiskAsked(Execution, RiskQuestion):
    """What `risk` takes."""

    force: bool = asked("Replace an existing file of records.", Flag(), default=False)


@question
class DiffAsked(Execution, DiffQuestion):
    """What `diff` takes."""


@question
class AttackAsked(Execution, AttackQuestion):
    """What `attack` takes."""

    force: bool = asked("Replace an existing report.", Flag(), default=False)


@question
class CheckReleaseAsked(Execution, CheckReleaseQuestion):
    """What `check_release` takes."""


@question
class UtilityAsked(Execution, UtilityQuestion):
    """What `utility` takes."""

    force: bool = asked("Replace an existing report.", Flag(), default=False)


@question
class ProposeAsked(Execution, InitQuestion):
    """What `propose` takes."""

    force: bool = asked("Replace existing files.", Flag(), default=False)


@answers(VerifyAsked)
def verify(question: VerifyAsked) -> Verdict:
    """Check a release afresh, from its rows and its certificate; or any table, by its `quasi` columns.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": ["30-39", "30-39", "40-49"], "illness": ["flu", "cold", "flu"]})
    >>> verify(people, quasi="age", k=2).failures
    ("k: the group ('40-49') has 1 rows, fewer than 2",)
    """
    with question.within():
        return verdict_of(question)


@answers(RiskAsked)
def risk(question: RiskAsked) -> TableRisk:
    """Measure how easily persons are found in a table, a release, or the table of a study.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": ["31", "31", "44"], "sex": ["f", "f", "m"]})
    >>> risk(people, quasi=["age", "sex"]).measured.uniques
    1
    """
    with question.within():
        found = risk_of(question, question.tally_memory, question.threads)
    if question.records is not None:
        with whole_file(question.records, force=question.force, private=True) as place:
            write_records(found.records, question.records, place)
    return found


@answers(DiffAsked)
def diff(question: DiffAsked) -> ReleaseComparison:
    """Find what two releases of the same table reveal together."""
    with question.within():
        return compare_releases(question.one, question.other, k=question.k)


@answers(AttackAsked)
def attack(question: AttackAsked) -> AttackReport:
    """Attack a release in every known way, judged by the study that it was made from (docs/attacks.md).

    The `source` is a study file, or a `Study`. The record of the release must be beside it.
    """
    with question.within(), _study(question.source, question) as study:
        found = attack_release(study.material(), question, question.progress)
    if question.report is not None:
        with whole_file(question.report, force=question.force, private=True) as place:
            place.write_text(render_attacks(found), encoding="utf-8")
    return found


@answers(CheckReleaseAsked)
def check_release(question: CheckReleaseAsked) -> PolicyVerdict:
    """Check a release against a policy file: every demand, what was found, and whether it is met.

    Where the policy is about attacks, the `source` is a study file, or a `Study`.
    """
    policy, attacks = read_policy(question.policy), None
    with question.within():
        check_attacks(policy)
        if policy.attacks and question.source is not None:
            tried = AttackQuestion(
                question.release,
                source=question.source,
                attack=tuple(policy.attacks),
                seed=question.seed,
            )
            with _study(question.source, question) as study:
                attacks = attack_release(study.material(), tried)
        return check_policy(policy, question.release, attacks)


@answers(UtilityAsked)
def utility(question: UtilityAsked) -> UtilityReport:
    """Measure what a release is still good for, beside the study that it was made from (docs/utility.md).

    The `source` is a study file, or a `Study`. The record of the release must be beside it.
    """
    with question.within(), _study(question.source, question) as study:
        found = utility_of_release(study.material(), question)
    if question.report is not None:
        with whole_file(question.report, force=question.force, private=True) as place:
            place.write_text(render_utility(found), encoding="utf-8")
    return found


@contextmanager
def _study(given: Any, execution: Execution) -> Iterator[Study]:
    """Open a study for the block; one that is open already stays open."""
    if isinstance(given, Study):
        yield given
        return
    with Study.open(given, **execution.engines) as study:
        yield study


@answers(ProposeAsked)
def propose(question: ProposeAsked) -> Proposal:
    """Look at a table and propose a study of it; with `out` write the study, for `Study.open`.

    >>> import pyarrow as pa
    >>> people = pa.table({"name": ["Ann", "Bob"], "age": [31, 44], "diagnosis": ["flu", "cold"]})
    >>> propose(people)
    <Proposal: a study of 2 rows; quasi: age>
    """
    if question.out is not None and not isinstance(question.table, str | Path):
        raise InputError("a study names its table; write the table to a file first, or omit `out`")
    with question.within(), opened_as_found(question.table) as engine:
        proposal = look_at(engine, question.hierarchies)
    if question.out is not None:
        layout = lay_out(proposal, Path(question.table), question.out)

        def write(path: Path, text: str) -> None:
            with whole_file(path, force=question.force, private=False) as place:
                place.write_text(text, encoding="utf-8", newline="\n")

        write_study(layout, study_text(proposal, layout), write)
    return proposal
