"""The page of attacks: one section an attack, for the curator alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from shoal.assess.attacks.attack_report import AttackReport, Finding
from shoal.numbers import count, seconds
from shoal.present.charts.attack_bars import SERIES, attack_cases, attack_overview
from shoal.present.charts.bars import Bars, bars_chart
from shoal.present.report.html import render_page
from shoal.present.report.layout import Figure, KeyFigure, figure
from shoal.version import VERSION


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
    return render_page("attacks.html", view)


def _drawn(bars: Bars) -> Figure | None:
    return figure(lambda width: bars_chart(bars, width), SERIES) if bars.groups else None
