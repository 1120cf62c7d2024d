"""What notebooks show of each kind of answer that lies below this room."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from shoal.answers.anonymization import Anonymization
from shoal.answers.negotiation import Offer
from shoal.answers.privacy_costs import PrivacyCosts
from shoal.answers.recoding import CutRecoding, Decision, NodeRecoding
from shoal.answers.solution import CutPoint, CutSolution, Frontier, NodeSolution
from shoal.assess.attacks.attack_report import AttackReport, Finding
from shoal.assess.audit import AuditWarning
from shoal.assess.composition import ReleaseComparison
from shoal.assess.risk import Risk
from shoal.assess.utility.utility_report import UtilityReport
from shoal.numbers import count, figure, percent, share_of
from shoal.present.charts.attack_bars import attack_cases, attack_overview
from shoal.present.charts.bars import Bar, BarGroup, Bars
from shoal.present.charts.heat_map import heat_map
from shoal.present.charts.svg import Table
from shoal.present.charts.utility_charts import (
    column_bars,
    model_picture,
    moved_bars,
    pairs_map,
    prediction_bars,
)
from shoal.present.notebook import kit
from shoal.present.promises import promises
from shoal.present.report.facts import clean
from shoal.present.report.utility_page import groups_table, indicator_table
from shoal.present.verdicts import promised
from shoal.present.words import LEVELS
from shoal.search.negotiation.explanation import Explanation
from shoal.tabular import AnswerColumn, AnswerTable, Tabular
from shoal.verification.verdict import Verdict

MOST_PICTURES = 3
"""Columns, or models, that have a picture of their own."""


@singledispatch
def html_of(shown: Any) -> str:
    """Return what notebooks show of an answer: its table, unless more is known about its kind."""
    assert isinstance(shown, Tabular)
    return kit.page(kit.table(shown.as_table()))


@html_of.register
def _frontier(shown: Frontier) -> str:
    return kit.page(kit.picture(shown.picture()), kit.table(shown.as_table()))


@html_of.register
def _costs(shown: PrivacyCosts) -> str:
    meanings = kit.sentences([curve.sentence for curve in shown.curves])
    return kit.page(kit.picture(shown.picture()), kit.table(shown.as_table()), meanings)


@html_of.register
def _point(shown: NodeSolution) -> str:
    told = {"k": count(shown.k), "lost": _lost(shown.share, shown.loss)}
    told["suppressed rows"] = count(shown.suppressed)
    if shown.suppressed_persons is not None:
        told["suppressed persons"] = count(shown.suppressed_persons)
    for name in ("l", "t", "theta"):
        value = getattr(shown, name, None)
        if value is not None:
            told[name] = figure(value)
    if isinstance(shown, CutPoint):
        told["proof"] = "nothing with as much privacy loses less" if shown.optimal else "not proven"
        return kit.page(kit.facts(told), kit.table(_labels(shown.cut)))
    return kit.page(kit.facts(told), kit.table(_levels(shown.node)))


@html_of.register
def _offer(shown: Offer) -> str:
    told = {name: count(value) for name, value in (("k", shown.k), ("l", shown.l)) if value is not None}
    if shown.loss is not None:
        told["lost"] = _lost(shown.share, shown.loss)
    told["suppressed rows"] = count(shown.suppressed)
    if not shown.proven:
        told["proof"] = "found in time, not proven the best"
    return kit.page(kit.facts(told), kit.table(_levels(shown.node)))


@html_of.register
def _cut(shown: CutSolution) -> str:
    losses = _lost_bars(shown.shares)
    return kit.page(
        kit.words(shown.as_table().caption), kit.sentences(promises_of(shown.decision())), losses,
        kit.table(_labels(shown.cut)),
    )  # fmt: skip


@html_of.register
def _anonymization(shown: Anonymization) -> str:
    decision = shown.decision()
    return kit.page(
        kit.words(shown.as_table().caption), kit.sentences(promises_of(decision)),
        _lost_bars(shown.shares), kit.table(recoding_table(decision)),
    )  # fmt: skip


@html_of.register
def _decision(shown: Decision) -> str:
    return kit.page(kit.sentences(promises_of(shown)), kit.table(recoding_table(shown)))


@html_of.register
def _explanation(shown: Explanation) -> str:
    verdict = "holds" if shown.holds else "fails"
    title = f"The request {verdict}: {shown.suppressed:,} rows suppressed, {shown.limit:,} allowed"
    names = list(shown.node)
    classes = Table.of(
        f"The largest of {shown.blocked:,} suppressed classes",
        [*names, "rows", "distinct values"],
        [
            [*(one.labels[name] or "" for name in names), count(one.rows), _if_known(one.distinct)]
            for one in shown.classes
        ],
        (len(names), len(names) + 1),
    )
    values = Table.of(
        "The values with most suppressed rows",
        ["attribute", "value", "suppressed", "of"],
        [
            [one.attribute, one.label or "", count(one.suppressed), count(one.rows)]
            for one in shown.values
        ],
        (2, 3),
    )
    steps = Table.of(
        "One step",
        ["attribute", "to level", "suppressed", "change"],
        [
            [one.attribute, count(one.level), count(one.suppressed), f"{one.change:+,}"]
            for one in shown.steps
        ],
        (1, 2, 3),
    )
    return kit.page(kit.words(title, strong=True), *map(kit.table, (classes, values, steps)))


@html_of.register
def _verdict(shown: Verdict) -> str:
    said = "Every promise holds." if shown.holds else "A promise does not hold."
    measured = shown.as_table() if shown.measured.sensitive else None
    return kit.page(
        kit.words(said, strong=True), kit.sentences(shown.failures), kit.sentences(promised(shown)),
        kit.words(shown.as_table().caption) if measured is None else kit.table(measured),
    )  # fmt: skip


@html_of.register
def _risk(shown: Risk) -> str:
    sizes = [one for one in shown.sizes if one.rows]
    title = "Share of rows by the size of their group"
    shares = [one.rows / shown.rows for one in sizes]
    groups = tuple(
        BarGroup("unique" if one.highest == 1 else one.label, (Bar(share, percent(share)),))
        for one, share in zip(sizes, shares, strict=True)
    )
    rows = [(one.label, count(one.classes), count(one.rows)) for one in sizes]
    data = Table.of(title, ("group size", "groups", "rows"), rows, (1, 2))
    attackers = (("prosecutor", shown.prosecutor), ("journalist", shown.journalist))
    chances = [
        (name, percent(one.highest), percent(one.average), *(percent(over.share) for over in one.above))
        for name, one in attackers
    ]
    above = [f"rows above 1/{over.size}" for over in shown.prosecutor.above]
    chances.append(("marketer", "", percent(shown.marketer), *("" for _ in above)))
    head = ("attacker", "highest chance", "average", *above)
    return kit.page(
        kit.words(shown.as_table().caption, strong=True),
        kit.bars(Bars(title, groups, data, most=1.0)),
        kit.table(Table.of("How likely a person is found", head, chances, range(1, len(head)))),
    )


@html_of.register
def _attacks(shown: AttackReport) -> str:
    broken = [f"{one.attack} breaks the promise of {one.breaks}." for one in shown.broken]
    said = [f"{one.attack}: {sentence}" for one in shown.findings for sentence in one.sentences]
    verdict = " ".join(broken) or "No attack proves a promise broken."
    table = kit.table(shown.as_table())
    return kit.page(
        kit.words(verdict, strong=True), kit.bars(attack_overview(shown)), kit.sentences(said), table
    )


@html_of.register
def _finding(shown: Finding) -> str:
    bars = attack_cases(shown)
    told = {"attack": shown.attack, "knows": shown.knows, "succeeds if": shown.success}
    said = kit.sentences(shown.sentences)
    return kit.page(kit.facts(told), said, kit.bars(bars), kit.table(bars.table))


@html_of.register
def _utility(shown: UtilityReport) -> str:
    most = sorted(shown.columns, key=lambda one: -one.distance)[:MOST_PICTURES]
    kept = share_of(shown.released, shown.rows)
    return kit.page(
        kit.words(f"{shown.released:,} of {shown.rows:,} rows are released ({kept}).", strong=True),
        kit.sentences([*shown.sentences, *shown.notes]),
        kit.bars(moved_bars(shown.columns)),
        *(kit.bars(column_bars(one), "Striped: before; solid: after.") for one in most),
        kit.picture(heat_map(pairs_map(shown.pairs), kit.WIDE)) if shown.pairs else "",
        *(kit.picture(model_picture(one, kit.WIDE)) for one in shown.models[:MOST_PICTURES]),
        kit.bars(prediction_bars(shown)) if shown.predictions else "",
        *(kit.table(indicator_table(one)) for one in shown.indicators),
        kit.table(shown.as_table()),
        kit.table(groups_table(shown)),
    )


@html_of.register
def _together(shown: ReleaseComparison) -> str:
    found = shown.as_table()
    figures = AnswerTable("What each release says about the rows of the other", found.columns)
    return kit.page(kit.sentences(shown.sentences()), kit.table(figures))


@html_of.register
def _warning(shown: AuditWarning) -> str:
    return kit.page(kit.words(f"{LEVELS.get(shown.level, shown.level)}: {shown.sentence}"))


def recoding_table(decision: Decision) -> AnswerTable | None:
    """Return what a decision does to each column; None for groups, which have labels of their own."""
    recoding = decision.recoding
    if isinstance(recoding, NodeRecoding):
        return _levels(recoding.levels)
    return _labels(recoding.labels) if isinstance(recoding, CutRecoding) else None


def promises_of(decision: Decision) -> list[str]:
    """Return what a decision promises, in words."""
    about = decision.promise.columns
    told = {"promise": decision.promise.to_dict(), "roles": {name: ["sensitive"] for name in about}}
    return [line.promise for line in promises(clean(told))]


def _levels(levels: Any) -> AnswerTable:
    return AnswerTable(
        "The level of every column; 0 leaves its values as they are",
        (AnswerColumn("column", str, list(levels)), AnswerColumn("level", int, list(levels.values()))),
    )


def _labels(cut: Any) -> AnswerTable:
    labels = (["(missing)" if label is None else label for label in each] for each in cut.values())
    return AnswerTable(
        "What every column is released as",
        (
            AnswerColumn("column", str, list(cut)),
            AnswerColumn("labels", int, [len(each) for each in cut.values()]),
            AnswerColumn("released as", str, [", ".join(each) for each in labels]),
        ),
    )


def _lost(share: float | None, loss: float) -> str:
    return figure(loss) if share is None else percent(share)


def _lost_bars(shares: Any) -> str:
    title = "Share of all detail that is lost, by each metric"
    groups = tuple(BarGroup(name, (Bar(share, percent(share)),)) for name, share in shares.items())
    table = Table.of(title, ("metric", "lost"), [(name, percent(one)) for name, one in shares.items()])
    return kit.bars(Bars(title, groups, table, most=1.0))


def _if_known(number: int | None) -> str:
    return "" if number is None else count(number)
