"""What attacks find, as figures and as sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import Any

from shoal.numbers import percent
from shoal.tabular import AnswerColumn, AnswerTable, Shown, Tabular

Z = 1.959963984540054
"""Intervals hold the true share 19 times in 20."""


@dataclass(frozen=True)
class Rate:
    """The share of tries that succeeded, with an interval that holds the true share (19 times in 20)."""

    share: float
    low: float
    high: float
    tried: int

    def __str__(self) -> str:
        return percent(self.share)


def rate(succeeded: float, tried: int) -> Rate:
    """Return the share of tries that succeeded, with Wilson's interval.

    >>> found = rate(5, 10)
    >>> found.share, round(found.low, 3), round(found.high, 3)
    (0.5, 0.237, 0.763)
    """
    if not tried:
        return Rate(0.0, 0.0, 1.0, 0)
    share = succeeded / tried
    middle = (share + Z * Z / (2 * tried)) / (1 + Z * Z / tried)
    width = Z * sqrt(share * (1 - share) / tried + Z * Z / (4 * tried * tried)) / (1 + Z * Z / tried)
    return Rate(share, max(0.0, middle - width), min(1.0, middle + width), tried)


def whole(share: float, tried: int) -> Rate:
    """Return a share that was counted for everybody, and so is certain."""
    return Rate(share, share, share, tried)


@dataclass(frozen=True)
class Case:
    """One try of an attack: what the attacker knew, how often it succeeded, and its baseline: how often the
    same guess succeeds without the release, or without what the attack concludes from it.

    `certain` counts the persons about whom something is proven, not guessed. `worst` is the highest
    chance of success for any one person.
    """

    name: str
    found: Rate
    baseline: Rate
    worst: float | None = None
    certain: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def gain(self) -> float:
        """What the release adds: the success above the baseline, as a part of what it could add.

        >>> Case("", whole(0.75, 10), whole(0.5, 10)).gain
        0.5
        """
        room = 1 - self.baseline.share
        return (self.found.share - self.baseline.share) / room if room > 0 else 0.0

    @property
    def shows(self) -> bool:
        """Whether the release adds more than chance explains."""
        return self.found.low > self.baseline.high or bool(self.certain)


@dataclass(frozen=True)
class Finding(Shown):
    """What one attack found.

    `knows` says what the attacker is assumed to know, `success` what counts as success, `reference`
    where the attack comes from. `breaks` names the promise that it proves broken, if any.
    """

    attack: str
    knows: str
    success: str
    reference: str
    cases: tuple[Case, ...]
    sentences: tuple[str, ...]
    breaks: str | None = None
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as documents show it."""
        cases = [asdict(case) | {"gain": case.gain, "shows": case.shows} for case in self.cases]
        return asdict(self) | {"cases": cases}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Finding:
        """Return the finding of a document."""
        cases = tuple(
            Case(
                case["name"],
                Rate(**case["found"]),
                Rate(**case["baseline"]),
                case["worst"],
                case["certain"],
                case["details"],
            )
            for case in given["cases"]
        )
        told = {name: given[name] for name in ("attack", "knows", "success", "reference")}
        rest = {name: given[name] for name in ("breaks", "seconds")}
        return cls(**told, cases=cases, sentences=tuple(given["sentences"]), **rest)


@dataclass(frozen=True, repr=False)
class AttackReport(Tabular):
    """What every attack found on one release."""

    file: str
    rows: int
    findings: tuple[Finding, ...]
    seed: int

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The attacks that prove a promise broken."""
        return tuple(finding for finding in self.findings if finding.breaks is not None)

    def of(self, attack: str) -> Finding:
        """Return what one attack found."""
        return next(finding for finding in self.findings if finding.attack == attack)

    def as_table(self) -> AnswerTable:
        """Return one line for each case of each attack."""
        lines = [(finding, case) for finding in self.findings for case in finding.cases]
        columns = (
            AnswerColumn("attack", str, [finding.attack for finding, _ in lines]),
            AnswerColumn("case", str, [case.name for _, case in lines]),
            AnswerColumn("success", float, [case.found.share for _, case in lines]),
            AnswerColumn("baseline", float, [case.baseline.share for _, case in lines]),
            AnswerColumn("gain", float, [case.gain for _, case in lines]),
            AnswerColumn("certain", int, [case.certain for _, case in lines]),
        )
        return AnswerTable(f"{len(self.findings)} attacks on {self.file}", columns)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> AttackReport:
        """Return what a document tells.

        >>> report = AttackReport("out.csv", 3, (), 0)
        >>> AttackReport.from_dict(report.to_dict()) == report
        True
        """
        findings = tuple(Finding.from_dict(one) for one in given["attacks"])
        return cls(given["file"], given["rows"], findings, given["seed"])

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal attack --json` prints."""
        return {
            "file": self.file,
            "rows": self.rows,
            "seed": self.seed,
            "broken": [finding.attack for finding in self.broken],
            "attacks": [finding.to_dict() for finding in self.findings],
        }
