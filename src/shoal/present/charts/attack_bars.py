"""Bars of attacks: how often each succeeds, beside its baseline."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.assess.attacks.attack_report import AttackReport, Case, Finding
from shoal.numbers import count, percent
from shoal.present.charts.bars import SOLID, STRIPED, Bar, BarGroup, Bars
from shoal.present.charts.svg import Table

SERIES = ((SOLID, "the attack"), (STRIPED, "its baseline"))


def attack_overview(found: AttackReport) -> Bars:
    """Return two bars for every attack that has figures: the case that is most above its baseline."""
    cases = [(finding.attack, telling(finding)) for finding in found.findings if finding.cases]
    return _bars("Success of each attack beside its baseline", cases)


def attack_cases(finding: Finding) -> Bars:
    """Return two bars for every case of one attack."""
    cases = [(case.name, case) for case in finding.cases]
    return _bars(f"Success of {finding.attack} beside its baseline", cases)


def telling(finding: Finding) -> Case:
    """Return the case of an attack that is most above its baseline."""
    return max(finding.cases, key=lambda case: case.gain)


def _bars(title: str, cases: Sequence[tuple[str, Case]]) -> Bars:
    groups, rows = [], []
    for name, case in cases:
        shares = percent(case.found.share), percent(case.baseline.share)
        both = (
            Bar(case.found.share, shares[0], SOLID),
            Bar(case.baseline.share, f"{shares[1]} baseline", STRIPED),
        )
        groups.append(BarGroup(name, both))
        certain = "" if case.certain is None else count(case.certain)
        rows.append((name, case.name, shares[0], _interval(case), shares[1], certain))
    head = ("attack", "case", "success", "19 times in 20 within", "baseline", "certain")
    first = int(all(name == case.name for name, case in cases))  # the name is told once
    table = Table.of(title, head[first:], [row[first:] for row in rows], range(2 - first, 6 - first))
    desc = "; ".join(f"{group.name}: {', '.join(bar.words for bar in group.bars)}" for group in groups)
    return Bars(title, tuple(groups), table, desc, most=1.0)


def _interval(case: Case) -> str:
    """Return where the true share is, or nothing if everybody was counted."""
    low, high = case.found.low, case.found.high
    return "" if low == high else f"{percent(low)} to {percent(high)}"
