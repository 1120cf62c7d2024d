"""The step Risk today: who stands out in the original table, and by which columns."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from shoal.numbers import percent, share_of
from shoal.web.pages import parts, risk_panels
from shoal.web.pages.frame import Frame
from shoal.web.workspace.workspace import Workspace

SHOWN = 10
"""Combinations shown at once."""


async def build(work: Workspace, frame: Frame) -> None:
    """Fill the content area."""
    parts.heading(
        "Who stands out today?",
        "What somebody who knows a person's quasi-identifiers could do with the original table.",
    )
    if not work.bench.quasi:
        frame.ask_for_quasi("measure")
        return
    waiting = parts.waiting("Counting who looks like whom")
    found = await frame.ask(work.questions.risk)
    pinned = await frame.ask(work.pins.risks)
    waiting.delete()
    _verdict(found)
    _facts(found)
    risk_panels.attackers(found)
    risk_panels.population(found)
    risk_panels.before_and_after(found, pinned)
    risk_panels.standing_out(found)
    await risk_panels.Riskiest(work, frame, found).show()
    risk_panels.households(found)
    _sizes(found)
    _combinations(found)


def verdict(rows: int, uniques: int, smallest: int, classes: int | None = None) -> tuple[str, str]:
    """Return how bad it is (bad, warn or good), and a sentence about it.

    If persons have several rows, `classes` says how many there are, of which `uniques` have a single person.

    >>> verdict(100, 0, 5)[1]
    'Nobody stands alone: everyone looks like at least 4 others.'
    >>> verdict(100, 1, 1)[1]
    '1 of 100 rows (1%) is one of a kind: whoever knows these columns of that person finds the row.'
    >>> verdict(100, 3, 1, 40)[1]
    '3 of 40 classes hold the rows of one person alone: whoever knows these columns of a person finds them.'
    """
    if uniques and classes is not None:
        verb = "holds" if uniques == 1 else "hold"
        words = f"{uniques:,} of {classes:,} classes {verb} the rows of one person alone"
        how = "bad" if uniques * 100 >= classes else "warn"
        return how, f"{words}: whoever knows these columns of a person finds them."
    if uniques:
        verb, whose = ("is", "that person") if uniques == 1 else ("are", "a person")
        part = f"{uniques:,} of {rows:,} rows ({share_of(uniques, rows)})"
        known = f"whoever knows these columns of {whose} finds the row"
        return "bad" if uniques * 100 >= rows else "warn", f"{part} {verb} one of a kind: {known}."
    others = smallest - 1
    words = f"at least {others:,} {'other' if others == 1 else 'others'}"
    return "good" if smallest >= 5 else "warn", f"Nobody stands alone: everyone looks like {words}."


SIGNS = {
    "bad": ("error", "High risk"),
    "warn": ("warning", "Some risk"),
    "good": ("check_circle", "Low risk"),
}


def _verdict(found: dict[str, Any]) -> None:
    classes = None if found["persons"] is None else found["classes"]
    kind, words = verdict(found["rows"], found["uniques"], found["k"], classes)
    icon, name = SIGNS[kind]
    with ui.element("div").classes(f"verdict {kind}"):
        ui.icon(icon).props("aria-hidden=true")
        with ui.element("div"):
            parts.label(name, "strong")
            parts.text(words)
            parts.note(f"Known columns: {parts.listed(found['quasi'])}.")


def _facts(found: dict[str, Any]) -> None:
    rows = found["rows"]
    attack = found["prosecutor"]
    with parts.panel(), parts.facts():
        who, alone, about = "rows", "One of a kind", share_of(found["uniques"], rows)
        if found["persons"] is not None:
            parts.fact("Persons", f"{found['persons']:,}", f"have {rows:,} rows")
            who, alone, about = "persons", "One person alone", f"classes of {found['classes']:,}"
        parts.fact("Smallest class", f"{found['k']:,}", f"{who} that look alike", "class size")
        parts.fact(alone, f"{found['uniques']:,}", about, "unique")
        parts.fact("Classes", f"{found['classes']:,}", f"of {rows:,} rows", "equivalence class")
        parts.fact("Highest risk", percent(attack["highest"]), "of the worst row", "prosecutor risk")
        parts.fact("Average risk", percent(attack["average"]), "over all rows", "marketer risk")


def _sizes(found: dict[str, Any]) -> None:
    rows = []
    for each in found["class_sizes"]:
        size = f"{each['lowest']:,}"
        if each["highest"] is None:
            size = f"{size} and more"
        elif each["highest"] != each["lowest"]:
            size = f"{size} to {each['highest']:,}"
        rows.append((size, each["rows"] / found["rows"], f"{each['rows']:,}", f"{each['classes']:,}"))
    who = "rows" if found["persons"] is None else "persons"
    with parts.panel(
        "How large are the classes?", f"The more {who} look alike, the better each of them hides."
    ):
        headers = (f"{who.capitalize()} alike", "Share of rows", "Rows", "Classes")
        parts.bars("Rows by class size", headers, rows)


def _combinations(found: dict[str, Any]) -> None:
    worst, who = found["combinations"]["found"], found["combinations"]["counted"]
    with parts.panel(
        "Which columns single people out?",
        f"The combinations of up to three quasi-identifiers that make most {who} one of a kind.",
    ):
        headers = ("Known together", "One of a kind", who.capitalize(), "Smallest class")
        rows = [
            (" + ".join(each["columns"]), each["share"], f"{each['uniques']:,}", f"{each['smallest']:,}")
            for each in worst
        ]
        parts.bars("The worst combinations of columns", headers, rows[:SHOWN])
        if len(rows) > SHOWN:
            with parts.details(f"{len(rows) - SHOWN:,} more combinations"):
                parts.bars("More combinations of columns", headers, rows[SHOWN:])
        left = found["combinations"]["left_out"]
        if left:
            parts.note(f"Not checked, because of too many values: {', '.join(map(str, left))}.")
