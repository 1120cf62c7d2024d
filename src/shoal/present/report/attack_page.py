"""The page of attacks: one section an attack, for the curator alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from shoal.assess.attacks.attack_report import AttackReport, Finding
from shoal.numbers import count, percent, seconds
from shoal.present.charts.attack_bars import SERIES, attack_cases, attack_overview
from shoal.present.charts.bars import Bars, bars_chart
from shoal.present.charts.svg import Table, table_if_any
from shoal.present.report.facts import Facts, number, part, parts, text, texts
from shoal.present.report.layout import Figure, KeyFigure, figure
from shoal.version import VERSION

CERTAIN = ("all_certain", "certain_rows", "certain")
"""What may tell how much of a case is certain, the fullest count first."""


@dataclass(frozen=True)
class AttackSection:
    """What the page shows of one attack."""

    finding: Finding
    took: str
    bars: Figure | None


def render_attacks(found: AttackReport) -> str:
    """Return what attacks found as one self-contained HTML page.

    >>> "No attack proves a promise broken" in render_attacks(AttackReport("out.csv", 10, (), 0))
    True
    """
    sections = [
        AttackSection(finding, seconds(finding.seconds), _drawn(attack_cases(finding)))
        for finding in found.findings
    ]
    view = {
        "file": Path(found.file).name,
        "seed": found.seed,
        "made": datetime.now(UTC).strftime("%Y-%m-%d"),
        "version": VERSION,
        "figures": [
            KeyFigure("Attacks", count(len(found.findings)), "each beside its baseline"),
            KeyFigure("Broken promises", count(len(found.broken)), "proven by an attack"),
            KeyFigure("Rows", count(found.rows), "in the released file"),
        ],
        "broken": found.broken,
        "overview": _drawn(attack_overview(found)),
        "sections": sections,
    }
    from shoal.present.report.html import render_page  # whose reports have a section of attacks

    return render_page("attacks.html", view)


@dataclass(frozen=True)
class AttackSummary:
    """What a report shows of attacks: a picture, what was found in sentences, and what was not tried."""

    overview: Figure | None
    sentences: tuple[str, ...]
    not_tried: str


def attack_summary(facts: Facts) -> AttackSummary | None:
    """Return what the quick attacks found on a release; None if none was tried."""
    given = part(facts, "attacks")
    if not given:
        return None
    found = AttackReport.from_dict(given)
    broken = [f"{one.attack} breaks the promise of {one.breaks}." for one in found.broken]
    said = [f"{one.attack}: {sentence}" for one in found.findings for sentence in one.sentences]
    return AttackSummary(
        _drawn(attack_overview(found)), (*broken, *said), ", ".join(texts(given, "not_tried"))
    )


def defence_table(facts: Facts) -> Table | None:
    """Return how attacks succeed before and after a defence, if the release has one."""
    told = part(facts, "decision", "robust")

    def shown(figures: Facts, name: str) -> str:
        value = number(figures, name)
        return "" if value is None else percent(value) if name == "success" else count(value)

    rows = []
    for case in parts(told, "attacks"):
        before, after = part(case, "before"), part(case, "after")
        figures = [shown(one, "success") for one in (before, after)]
        told_of = next((name for name in CERTAIN if name in {*before, *after}), "certain")
        figures += [shown(one, told_of) for one in (before, after)]
        rows.append((f"{text(case, 'attack')}: {text(case, 'case')}", *figures))
    head = ("Attack", "Success before", "after", "Certain before", "after")
    return table_if_any("Attacks before and after the defence", head, rows, range(1, 5))


def _drawn(bars: Bars) -> Figure | None:
    return figure(lambda width: bars_chart(bars, width), SERIES) if bars.groups else None
