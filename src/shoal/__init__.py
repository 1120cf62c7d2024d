"""Shoal: what privacy costs, the provably best way to pay, and the release."""

from typing import TYPE_CHECKING, Any

from shoal.version import VERSION

if TYPE_CHECKING:
    from shoal.again import Reused, apply, remake
    from shoal.answering.risk_of_table import TableRisk
    from shoal.answering.side_by_side import Comparison
    from shoal.answers.anonymization import Anonymization
    from shoal.answers.negotiation import Answer, Offer
    from shoal.answers.privacy_costs import PrivacyCosts
    from shoal.answers.solution import CutPoint, CutSolution, Frontier, NodeSolution
    from shoal.assess.attacks.attack_report import AttackReport, Finding
    from shoal.assess.audit import AuditWarning
    from shoal.assess.composition import ReleaseComparison
    from shoal.assess.policy_check import PolicyVerdict
    from shoal.assess.risk import Combinations, Risk
    from shoal.assess.utility.utility_report import UtilityReport
    from shoal.data.tally import Tally
    from shoal.describe.hierarchies import Hierarchy, Taxonomy
    from shoal.describe.promise import Promise
    from shoal.describe.specification import Role
    from shoal.errors import (
        InputError,
        MissingExtraError,
        NoSolutionError,
        NoTableError,
        ShoalError,
        TimeOverError,
        VerificationError,
    )
    from shoal.functions import attack, check_release, diff, propose, risk, utility, verify
    from shoal.proposal import Proposal
    from shoal.release.papers.publish import Published
    from shoal.release.study_release import StudyRelease
    from shoal.search.negotiation.negotiator import Negotiator
    from shoal.study import Study
    from shoal.verification import Verdict
    from shoal.web.notebook.exploring import Exploring

__version__ = VERSION

_HOMES = {
    "Anonymization": "shoal.answers.anonymization",
    "Answer": "shoal.answers.negotiation",
    "AttackReport": "shoal.assess.attacks.attack_report",
    "AuditWarning": "shoal.assess.audit",
    "Combinations": "shoal.assess.risk",
    "Comparison": "shoal.answering.side_by_side",
    "CutPoint": "shoal.answers.solution",
    "CutSolution": "shoal.answers.solution",
    "Exploring": "shoal.web.notebook.exploring",
    "Finding": "shoal.assess.attacks.attack_report",
    "Frontier": "shoal.answers.solution",
    "Hierarchy": "shoal.describe.hierarchies",
    "InputError": "shoal.errors",
    "MissingExtraError": "shoal.errors",
    "Negotiator": "shoal.search.negotiation.negotiator",
    "NoSolutionError": "shoal.errors",
    "NoTableError": "shoal.errors",
    "NodeSolution": "shoal.answers.solution",
    "Offer": "shoal.answers.negotiation",
    "PolicyVerdict": "shoal.assess.policy_check",
    "PrivacyCosts": "shoal.answers.privacy_costs",
    "Promise": "shoal.describe.promise",
    "Proposal": "shoal.proposal",
    "Published": "shoal.release.papers.publish",
    "ReleaseComparison": "shoal.assess.composition",
    "Reused": "shoal.again",
    "Risk": "shoal.assess.risk",
    "Role": "shoal.describe.specification",
    "ShoalError": "shoal.errors",
    "Study": "shoal.study",
    "StudyRelease": "shoal.release.study_release",
    "TableRisk": "shoal.answering.risk_of_table",
    "Tally": "shoal.data.tally",
    "Taxonomy": "shoal.describe.hierarchies",
    "TimeOverError": "shoal.errors",
    "UtilityReport": "shoal.assess.utility.utility_report",
    "Verdict": "shoal.verification",
    "VerificationError": "shoal.errors",
    "apply": "shoal.again",
    "attack": "shoal.functions",
    "check_release": "shoal.functions",
    "diff": "shoal.functions",
    "propose": "shoal.functions",
    "remake": "shoal.again",
    "risk": "shoal.functions",
    "utility": "shoal.functions",
    "verify": "shoal.functions",
}

__all__ = [
    "Anonymization",
    "Answer",
    "AttackReport",
    "AuditWarning",
    "Combinations",
    "Comparison",
    "CutPoint",
    "CutSolution",
    "Exploring",
    "Finding",
    "Frontier",
    "Hierarchy",
    "InputError",
    "MissingExtraError",
    "Negotiator",
    "NoSolutionError",
    "NoTableError",
    "NodeSolution",
    "Offer",
    "PolicyVerdict",
    "PrivacyCosts",
    "Promise",
    "Proposal",
    "Published",
    "ReleaseComparison",
    "Reused",
    "Risk",
    "Role",
    "ShoalError",
    "Study",
    "StudyRelease",
    "TableRisk",
    "Tally",
    "Taxonomy",
    "TimeOverError",
    "UtilityReport",
    "Verdict",
    "VerificationError",
    "__version__",
    "apply",
    "attack",
    "check_release",
    "diff",
    "propose",
    "remake",
    "risk",
    "utility",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'shoal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
