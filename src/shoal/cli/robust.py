"""Prints what a defence costs, and how attacks succeed before and after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.cli import output, terminal
from shoal.numbers import count, percent


def show_defence(details: Mapping[str, Any]) -> None:
    """Print the defence of an answer, if it has one: its cost, and each attack before and after."""
    told = details.get("robust")
    if told is None:
        return
    console = terminal.console()
    before, after = percent(told["share_before"]), percent(told["share_after"])
    met = details.get("met")
    if met is not None:
        drawn = "The answer as it was" if met == 1 else f"Drawn from {count(met)} or more"
    elif details.get("formed_by_chance", True):
        drawn = "Groups formed and labels widened at random"
    else:
        drawn = "Labels widened at random"
    console.print(
        f"{drawn}: {after} of all detail is lost by {told['measure']}, {before} without the defence "
        f"(at most {percent(told['within'])} more was allowed).",
        highlight=False,
    )
    figures = terminal.table("attack", numbers=("before", "after", "certain before", "certain after"))
    for case in told["attacks"]:
        figures.add_row(
            f"{case['attack']}: {case['case']}",
            *(_success(case[when]) for when in ("before", "after")),
            *(_certain(case[when]) for when in ("before", "after")),
        )
    console.print(figures)
    if told["not_measured"]:
        output.notice(f"no time was left to try {', '.join(told['not_measured'])}; allow more")
    if met == 1:
        output.notice("nothing else is near the best one, so nothing was drawn; allow more (--robust)")


def _success(figures: Mapping[str, Any] | None) -> str:
    return "" if figures is None else percent(figures["success"])


def _certain(figures: Mapping[str, Any] | None) -> str:
    """Return how many are certain: persons, or for downcoding the finer values known to occur."""
    if figures is None:
        return ""
    named = ("all_certain", "certain_rows", "certain")
    number = next((figures[name] for name in named if figures.get(name) is not None), None)
    return "" if number is None else count(number)
