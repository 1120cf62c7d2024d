"""Whether a release meets a policy: every demand, what was found, and whether it is met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from shoal.assess.attacks.attack_report import AttackReport
from shoal.data.opening import opened, settle
from shoal.describe.policy_file import Policy, attack_entry
from shoal.describe.promise import Promise
from shoal.describe.table_reading import AS_WRITTEN
from shoal.documents import certificate_path
from shoal.errors import InputError, did_you_mean, show
from shoal.numbers import figure, rounded
from shoal.tabular import AnswerColumn, AnswerTable, Tabular
from shoal.verification.release_check import verify_release
from shoal.verification.table_check import verify_table
from shoal.verification.verdict import Measurement, PersonMeasurement, Verdict

NOT_RECOUNTED = "persons cannot be recounted from the file; release it with pseudonyms"


@dataclass(frozen=True)
class PolicyDemand:
    """One demand of a policy: what it asks, what was found, and whether it is met."""

    name: str
    asked: str
    found: str
    met: bool
    line: int | None = None
    """Where the policy says it; nowhere for what is demanded of every release."""

    def __str__(self) -> str:
        return f"{self.name}: {self.asked}; found: {self.found}"


@dataclass(frozen=True, repr=False)
class PolicyVerdict(Tabular):
    """Every demand of a policy on one release."""

    policy: str
    release: str
    demands: tuple[PolicyDemand, ...]

    @property
    def met(self) -> bool:
        """Whether every demand is met."""
        return all(demand.met for demand in self.demands)

    def as_table(self) -> AnswerTable:
        """Return one line for each demand."""
        unmet = sum(not one.met for one in self.demands)
        return AnswerTable(
            f"{self.release}: {unmet} of {len(self.demands)} demands not met",
            (
                AnswerColumn("demand", str, [one.name for one in self.demands]),
                AnswerColumn("asked", str, [one.asked for one in self.demands]),
                AnswerColumn("found", str, [one.found for one in self.demands]),
                AnswerColumn("met", bool, [one.met for one in self.demands]),
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal check-release --json` prints."""
        demands = [asdict(one) for one in self.demands]
        return {"policy": self.policy, "release": self.release, "met": self.met, "demands": demands}


def check_policy(policy: Policy, release: Path, attacks: AttackReport | None = None) -> PolicyVerdict:
    """Return what a release makes of a policy's demands; `attacks` is what those that it names found."""
    certified = _certified(policy, release)
    verdict = _counted(policy, release, certified)
    with opened(release, reading=AS_WRITTEN) as engine:
        columns = tuple(engine.columns)
    if verdict.measured.buckets is not None:  # these are in Anatomy's second table
        columns += verdict.sensitive
    demands = [*_kept(policy, certified), *_columns(policy, columns), *_measured(policy, verdict)]
    if policy.attacks:
        demands += _attacked(policy, attacks)
    return PolicyVerdict(str(policy.path), str(release), tuple(demands))


def _certified(policy: Policy, release: Path) -> Verdict | None:
    """Return what becomes of a release's certificate; None if it has none and the policy says what it is."""
    settle(release)
    there = certificate_path(release).is_file()
    if policy.quasi is None and release.is_file() and not there:
        raise InputError(
            "has no certificate beside it; say in the policy what its columns are, such as quasi: [age]",
            file=release,
        )
    return verify_release(release, policy.key) if there or policy.quasi is None else None


def _counted(policy: Policy, release: Path, certified: Verdict | None) -> Verdict:
    """Return what is counted of the columns that the policy names, or else of those of the certificate."""
    if policy.quasi is None and certified is not None:
        return certified
    if certified is not None and certified.persons != () and not policy.persons:
        raise InputError(
            f"{release.name} is about persons, of whom quasi alone counts the rows; name the persons too, or "
            "leave quasi to the certificate",
            file=policy.path,
            line=policy.lines["quasi"],
        )
    return verify_table(release, Promise(), policy.quasi or (), policy.sensitive, policy.persons)


def _kept(policy: Policy, certified: Verdict | None) -> Iterator[PolicyDemand]:
    """What a certificate promises must hold, whether or not the policy says so."""
    if certified is not None:
        found = "; ".join(certified.failures) or "it holds"
        yield PolicyDemand("certificate", "every promise of it holds", found, certified.holds)
    if policy.key is not None:
        signed = certified is not None and certified.signed is not None and certified.signed.fits is True
        found = "signed" if signed else "not signed with that key"
        yield PolicyDemand("key", f"signed with {policy.key}", found, signed, policy.lines["key"])


def _columns(policy: Policy, columns: Sequence[str]) -> Iterator[PolicyDemand]:
    if policy.never:
        # Not even in other letters: SSN is ssn.
        never = {name.casefold() for name in policy.never}
        there = [name for name in columns if name.casefold() in never]
        asked = f"none of {', '.join(policy.never)}"
        yield PolicyDemand("never", asked, ", ".join(there) or "none", not there, policy.lines["never"])
    if policy.only is not None:
        more = [name for name in columns if name not in policy.only]
        asked = f"no other columns than {', '.join(policy.only)}"
        yield PolicyDemand("only", asked, ", ".join(more) or "no other", not more, policy.lines["only"])


def _measured(policy: Policy, verdict: Verdict) -> Iterator[PolicyDemand]:
    """What was counted on the released rows, in persons where they are about persons."""
    measured, hidden = verdict.measured, verdict.persons is None
    counted: Measurement | PersonMeasurement = measured.persons or measured
    whose = "rows" if measured.persons is None else "persons"
    for name, limit in policy.limits.items():
        line, least = policy.lines[name], name in ("k", "l", "entropy_l")
        asked = f"at {'least' if least else 'most'} {_shown(limit)}"
        if hidden and name not in ("k", "l"):
            yield PolicyDemand(name, asked, NOT_RECOUNTED, met=False, line=line)
            continue
        if name in ("k", "highest_risk"):
            k = min(counted.k, verdict.promise.k or 1) if hidden else counted.k
            value = Fraction(k) if name == "k" else Fraction(1, max(k, 1))
            found = f"the smallest group has {k:,} {'persons, as promised' if hidden else whose}"
        elif name == "average_risk":
            people = measured.rows if measured.persons is None else measured.persons.count
            value = Fraction(measured.groups, max(people, 1))
            found = f"{rounded(float(value), 4)} on average"
        else:
            if not counted.sensitive:
                raise InputError(
                    f"{name} is about sensitive columns, and there are none; name them (quasi, sensitive)",
                    file=policy.path,
                    line=line,
                )
            worst = min if least else max
            of = {"l": "l", "entropy_l": "entropy", "theta": "share", "t": "t"}[name]
            column, value = worst(
                ((one, Fraction(getattr(spread, of))) for one, spread in counted.sensitive.items()),
                key=lambda pair: pair[1],
            )
            if hidden:
                value = min(value, Fraction(verdict.promise.l or 1))
            found = f"{_shown(value)} of {column}"
        yield PolicyDemand(name, asked, found, value >= limit if least else value <= limit, line)


def _attacked(policy: Policy, attacks: AttackReport | None) -> Iterator[PolicyDemand]:
    if attacks is None:
        raise InputError(
            "attacks are judged by the study that a release was made from; name it (source)",
            file=policy.path,
            line=policy.lines["attacks"],
        )
    for name, limit in policy.attacks.items():
        finding, entry = attacks.of(name), attack_entry(name)
        shares = [case.found.share for case in finding.cases if case.found.tried]
        met = finding.breaks is None and bool(shares) and max(shares) <= limit
        if finding.breaks is not None:
            found = f"it proves the promise of {finding.breaks} broken"
        elif shares:
            found = f"{rounded(max(shares), 4)} of its tries succeed"
        else:  # that nobody tried says nothing
            found = " ".join(["it was not tried", *finding.sentences])
        yield PolicyDemand(entry, f"at most {_shown(limit)}", found, met, policy.lines[entry])


def check_attacks(policy: Policy) -> None:
    """Refuse attacks that do not exist, or that need more than one release and its study."""
    from shoal.assess.attacks.attacking import ALONE

    for name in policy.attacks:
        if name not in ALONE:
            raise InputError(
                f"no attack {show(name)} on one release; {did_you_mean(name, ALONE)}",
                file=policy.path,
                line=policy.lines[attack_entry(name)],
            )


def _shown(value: Fraction) -> str:
    """Return a number as people write it.

    >>> _shown(Fraction(5)), _shown(Fraction(1, 5)), _shown(Fraction(1, 3))
    ('5', '0.2', '0.3333')
    """
    return figure(value)
