"""Panels of the step Risk: what attackers can do today and after pinned solutions, and who stands out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from shoal.numbers import count, many, percent, rounded
from shoal.web.pages import parts
from shoal.web.pages.compare_rows import risk_rows
from shoal.web.pages.frame import Frame
from shoal.web.workspace.workspace import Workspace

MASKED = "•••"
VALUES_SHOWN = 8


def attackers(found: dict[str, Any]) -> None:
    """What each attacker knows and does, and how often it works."""
    models: list[tuple[str, dict[str, Any]]] = [
        (name, found[name]) for name in ("prosecutor", "journalist")
    ]
    models.append(("marketer", {"highest": None, "average": found["marketer"]}))
    if found["sample"] is not None:
        models.append(("sample", found["sample"]))
    rows = [
        (
            name.capitalize(),
            found["assumptions"][name],
            "–" if each["highest"] is None else percent(each["highest"]),
            percent(each["average"]),
        )
        for name, each in models
    ]
    about = "Attackers differ in what they know; each knows all columns above."
    if found["persons"] is not None:
        about += (
            " The rows that fit are counted by whose they are: several rows of a person hide nobody."
        )
    with parts.panel("Who might look?", about):
        headers = ("Attacker", "Knows and does", "Highest risk", "Average risk")
        parts.table("Attackers", headers, rows, numbers=(2, 3))


def population(found: dict[str, Any]) -> None:
    """What is estimated of the population, if the table is a sample."""
    sample = found["sample"]
    if sample is None:
        return
    unique = sample["population_uniques"]
    with parts.panel(
        "How large is the risk in the population?",
        f"The table stands for {count(sample['population'])} persons; the attacker does not know who was "
        "drawn.",
    ):
        with parts.facts():
            parts.fact(
                "Right links, expected",
                rounded(sample["expected_reidentifications"], 1),
                "if every row is linked to somebody",
            )
            parts.fact("Average risk", percent(sample["average"]), "of a row")
            parts.fact("Highest risk", percent(sample["highest"]), "of the worst row")
        estimates = [(name, share) for name, share in unique.items() if isinstance(share, float)]
        rows = [(_estimator(name, unique["dankar"]["by"]), share) for name, share in estimates]
        if rows:
            headers = ("Estimate by", "Share of the population that is unique")
            parts.bars("Unique in the population", headers, rows)
        who = "Rows" if found["persons"] is None else "Persons by class"
        headers_above = ("Risk above", who, f"Share of {who.lower()}", "Share of the population")
        above = [
            (
                percent(one["threshold"]),
                count(one["rows"]),
                *map(percent, (one["share"], one["of_population"])),
            )
            for one in sample["above"]
        ]
        parts.table("At risk in the sample", headers_above, above, numbers=range(4))


def _estimator(name: str, chosen: str) -> str:
    words = name.upper() if name == "snb" else name.capitalize()
    return f"{words}, which Dankar's rule takes" if name == chosen else words


def before_and_after(found: dict[str, Any], pinned: Sequence[dict[str, Any]]) -> None:
    """The risk today beside that which each pinned solution leaves."""
    with parts.panel(
        "Before and after", "The risk of the original table, and what pinned solutions leave."
    ):
        fitting = [each for each in pinned if "error" not in each]
        if not fitting:
            parts.text("Pin a solution in Negotiate or Optimize, and its risk appears here.")
        else:
            rows = risk_rows([{"risk": found | {"sample": _summed_up(found["sample"])}}, *fitting])
            headers = ("", "Today", *(each["title"] for each in fitting))
            parts.table("Risk before and after", headers, rows, numbers=range(1, len(headers)))
        for each in pinned:
            if "error" in each:
                parts.note(f"{each['title']}: {each['error']}.")


def _summed_up(sample: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the figures of a sample that are also known of solutions."""
    if sample is None:
        return None
    return {
        "sample_expected": sample["expected_reidentifications"],
        "sample_highest": sample["highest"],
        "population_uniques": sample["population_uniques"]["dankar"]["share"],
    }


def standing_out(found: dict[str, Any]) -> None:
    """Which columns and values make rows unique by few columns."""
    suda = found["suda"]
    if suda is None:
        return
    by = "by a single column" if suda["size"] == 1 else f"by at most {suda['size']} columns"
    whose = "" if suda["persons"] is None else f", those of {many(suda['persons'], 'person')},"
    with parts.panel(
        "Which columns make people stand out?",
        f"{count(suda['rows'])} of {count(found['rows'])} rows{whose} are unique {by}. The more of "
        "their scores (SUDA) come from a column, the more is won by recoding it.",
    ):
        if not suda["rows"]:
            return
        headers = ("Column", "Share of the scores")
        parts.bars(
            "Columns by how they make people stand out",
            headers,
            [(each["column"], each["share"]) for each in suda["columns"]],
        )
        with parts.details("The values that do so the most"):
            rows = [
                (f"{each['column']} = {each['value']}", each["share"])
                for each in suda["values"][:VALUES_SHOWN]
            ]
            parts.bars("Values by how they make people stand out", ("Value", headers[1]), rows)


def households(found: dict[str, Any]) -> None:
    """The risk of households, and what knowing them adds."""
    homes = found["households"]
    if homes is None:
        return
    members, unique = homes["prosecutor"], homes["unique_persons"]
    with parts.panel(
        "And with their households?",
        f"{count(homes['households'])} households of up to {count(homes['largest'])}: who finds one member "
        "has found all.",
    ):
        with parts.facts():
            parts.fact("Members found", rounded(members["members"], 1), "expected, one by one")
            parts.fact("With their households", rounded(members["persons"], 1), "expected persons")
            parts.fact("Households found", rounded(members["households"], 1), "at least one member")
        known = (
            "their own values",
            "and the size of the household",
            "and the values of all its members",
        )
        rows = [
            (words, each / found["rows"], count(each))
            for words, each in zip(known, unique.values(), strict=True)
        ]
        headers = ("An attacker knows", "Unique persons", "Persons")
        parts.bars("Unique persons by what an attacker knows", headers, rows)


class Riskiest:
    """The rows that stand out the most; their values are fetched when somebody asks for them."""

    def __init__(self, work: Workspace, frame: Frame, found: dict[str, Any]) -> None:
        self.work, self.frame, self.quasi = work, frame, found["quasi"]
        self.alike = "Rows alike" if found["persons"] is None else "Persons alike"
        self.shown = False
        with parts.panel(
            "The riskiest rows",
            "Rows in the smallest classes, those that need the fewest columns first. Their values stay "
            "hidden until you ask for them; others may be looking.",
        ):
            self.button = parts.button("Show the values", self.turn, icon="visibility")
            self.place = ui.element("div")

    async def turn(self) -> None:
        """Show the values, or hide them again."""
        self.shown = not self.shown
        self.button.set_text("Hide the values" if self.shown else "Show the values")
        self.button.props(f"icon={'visibility_off' if self.shown else 'visibility'}")
        await self.show()

    async def show(self) -> None:
        """Fetch the rows, with their values if these are to be seen."""
        found = await self.frame.ask(self.work.questions.riskiest, values=self.shown, at=self.place)
        rows = [
            (
                count(each["group_size"]),
                percent(each["dis_score"]) if each["dis_score"] else "–",
                parts.listed(each["stands_out_by"]) or "–",
                *(each["values"] if each["values"] is not None else [MASKED] * len(self.quasi)),
            )
            for each in found
        ]
        self.place.clear()
        with self.place:
            headers = (self.alike, "A match is correct", "Stands out by", *self.quasi)
            parts.table("The riskiest rows", headers, rows, numbers=(0, 1))
