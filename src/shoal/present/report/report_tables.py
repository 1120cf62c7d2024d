"""The tables of the internal report, one function for each; None if facts are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.numbers import amount, count, many, percent, rounded
from shoal.present import words
from shoal.present.charts.svg import Table, table_if_any
from shoal.present.report.facts import (
    Facts,
    counted,
    listed,
    number,
    part,
    parts,
    shown,
    text,
    texts,
    unit,
    whole,
)

MOST_SAMPLES, MOST_LABELS = 20, 12


def _few(figure: float | None) -> str:
    return "" if figure is None else rounded(figure, 2)


RISKS = (
    ("Rows", "rows", count),
    ("Groups of rows that look the same", "classes", count),
    ("Rows in the smallest group (k)", "k", count),
    ("Rows that are unique", "uniques", count),
    (
        "Highest risk, attacker knows the person is in the table (prosecutor)",
        "prosecutor_highest",
        percent,
    ),
    ("Average risk, the same attacker", "prosecutor_average", percent),
    ("Highest risk, attacker does not know it (journalist)", "journalist_highest", percent),
    ("Average risk, the same attacker", "journalist_average", percent),
    ("Rows found by an attacker who tries all (marketer)", "marketer", percent),
    ("Highest risk, attacker does not know who was drawn (sample)", "sample_highest", percent),
    ("Average risk, the same attacker", "sample_average", percent),
    ("Rows that the same attacker finds, expected", "sample_expected", _few),
    ("Share of the population that is unique (Dankar's rule)", "population_uniques", percent),
)

OF_PERSONS = {
    "k": "Persons in the group that has the fewest (k)",
    "uniques": "Groups with a single person",
    "sample_expected": "Right links by the same attacker, expected",
}
"""What figures are called that count persons."""


def risk_table(facts: Facts) -> Table | None:
    """Return the risks before and after."""
    both = [part(facts, "risk", side) for side in ("before", "after")]
    rows = [
        (
            OF_PERSONS.get(key, name) if unit(facts) == "person" else name,
            *(show(number(side, key)) for side in both),
        )
        for name, key, show in RISKS
        if any(number(side, key) is not None for side in both)
    ]
    limits = dict.fromkeys(limit for side in both for limit in part(side, "at_risk"))
    for limit in limits:
        shares = [number(part(side, "at_risk"), limit) for side in both]
        try:
            name = f"Rows with a risk above {percent(float(limit))}"
        except ValueError:
            continue
        rows.append((name, *(percent(share) for share in shares)))
    for limit in dict.fromkeys(limit for side in both for limit in part(side, "population_at_risk")):
        shares = [number(part(side, "population_at_risk"), limit) for side in both]
        name = f"Share of the population in rows with a risk above {limit} (sample)"
        rows.append((name, *(percent(share) for share in shares)))
    caption = "Risk of re-identification before and after"
    return table_if_any(caption, ("Measure", "Before", "After"), rows, (1, 2))


def worst(facts: Facts) -> Table | None:
    """Return the combinations of columns that made rows unique."""
    rows = [
        (
            " + ".join(texts(found, "columns")),
            count(whole(found, "uniques")),
            percent(number(found, "share")),
            count(whole(found, "k")),
        )
        for found in parts(facts, "worst_combinations")
        if texts(found, "columns")
    ]
    who = f"{unit(facts)}s"
    caption = f"Combinations of columns that made most {who} unique in the original table"
    head = ("Columns", f"Unique {who}", f"Of all {who}", "Smallest group")
    return table_if_any(caption, head, rows, (1, 2, 3))


def standing_out(facts: Facts) -> Table | None:
    """Return the columns and values that made rows unique by few columns."""
    found = part(facts, "suda")
    rows = [
        (
            text(one, "column") or "",
            "any" if values is None else shown(values),
            percent(number(one, "share")),
        )
        for name in ("columns", "values")
        for one in parts(found, name)
        for values in [None if name == "columns" else one.get("value")]
    ]
    rows_alone, few = many(whole(found, "rows") or 0, "row"), many(whole(found, "size") or 0, "column")
    if (persons := whole(found, "persons")) is not None:
        rows_alone += f" of {many(persons, 'person')}"
    caption = (
        f"What made {rows_alone} unique by at most {few} in the original table: the share of the scores "
        "(SUDA) that comes from sets with the column or the value"
    )
    return table_if_any(caption, ("Column", "Value", "Share"), rows, (2,))


def households(facts: Facts) -> Table | None:
    """Return how many persons are unique by what an attacker knows of their households."""
    found = part(facts, "households")
    rows = [
        (text(one, "known") or "", count(whole(one, "before")), count(whole(one, "after")))
        for one in parts(found, "uniques")
    ]
    before, after = (many(whole(found, side) or 0, "household") for side in ("before", "after"))
    caption = (
        f"Unique persons, by what an attacker knows of them: {before} before and {after} after, if it can be "
        "told which rows live together"
    )
    return table_if_any(caption, ("The attacker knows", "Before", "After"), rows, (1, 2))


def metric_losses(facts: Facts) -> Table | None:
    """Return the loss by each metric."""
    rows = [
        (
            text(loss, "metric") or "",
            text(loss, "title") or words.metric_title(text(loss, "metric") or ""),
            amount(number(loss, "loss")),
            percent(number(loss, "share")),
        )
        for loss in parts(facts, "losses")
        if text(loss, "metric") or text(loss, "title")
    ]
    head = ("Metric", "Measures", "Loss", "Share lost")
    return table_if_any("Loss by every metric", head, rows, (2, 3))


def measured(facts: Facts) -> Table | None:
    """Return what was measured on the released rows."""
    found, buckets = part(facts, "measured"), part(facts, "buckets")
    figures = [
        ("Rows", whole(found, "rows")),
        ("Groups of rows that look the same", whole(found, "groups")),
        ("Rows in the smallest group", whole(found, "k")),
    ]
    if persons := part(found, "persons"):
        figures.insert(1, ("Persons", whole(persons, "count")))
        figures.append(("Persons in the group that has the fewest", whole(persons, "k")))
    if buckets:
        figures[1:] = [
            ("Groups", whole(buckets, "groups")),
            ("Rows in the smallest group", whole(buckets, "smallest")),
            ("Rows in the largest group", whole(buckets, "largest")),
        ]
        if persons:
            figures.insert(1, ("Persons", whole(persons, "count")))
            for word in ("smallest", "largest"):
                dealt = whole(part(persons, "buckets"), word)
                figures.append((f"Persons in the {word} group", dealt))
    rows = [(name, count(figure)) for name, figure in figures if figure is not None]
    for column in part(counted(facts), "sensitive"):
        spread = part(counted(facts), "sensitive", column)
        if whole(spread, "l") is not None:
            rows.append((f"Fewest different values of {column} in a group", count(whole(spread, "l"))))
        if spread.get("largest_share") is not None:
            share = words.exact_share(spread["largest_share"])
            rows.append((f"Largest share of one value of {column} in a group", share))
    if buckets:
        least = many(whole(found, "k"), "row")
        rows.append(("Fewest rows that look the same (k), not promised", least))
    return table_if_any("Measured on the released rows", ("Measure", "Figure"), rows, (1,))


def columns(facts: Facts, said: Mapping[str, str], otherwise: str) -> Table | None:
    """Return the columns by role, in the words of `said`; `otherwise` stands for no role."""
    roles = part(facts, "roles")
    hidden = texts(facts, "not_released")
    by_role: dict[str, list[str]] = {}
    for name in dict.fromkeys([*texts(facts, "columns"), *hidden]):
        role = "; ".join(said.get(role, role) for role in texts(roles, name))
        if name in hidden and not {"identifying", "undecided"} & set(texts(roles, name)):
            role = f"{role}; not released" if role else "not released"
        by_role.setdefault(role or otherwise, []).append(name)
    rows = [(role, words.listing(names, len(names))) for role, names in by_role.items()]
    return table_if_any("The columns and what they are", ("What they are", "Columns"), rows)


def samples(facts: Facts) -> Mapping[str, Any] | None:
    """Return sample rows, with the original of each cell that changed; a suppressed row has no cells."""
    given = part(facts, "samples")
    names, before, after = texts(given, "columns"), listed(given, "before"), listed(given, "after")
    rows: list[list[dict[str, Any]] | None] = []
    for old, new in list(zip(before, after, strict=False))[:MOST_SAMPLES]:
        if not isinstance(old, list):
            continue
        if not isinstance(new, list):
            rows.append(None)
            continue
        rows.append(
            [
                {"now": shown(is_), "was": shown(was), "changed": was != is_, "missing": is_ is None}
                for was, is_ in zip(old, new, strict=False)
            ]
        )
    return {"columns": names, "rows": rows} if names and rows else None


def hierarchies(facts: Facts) -> list[dict[str, Any]]:
    """Return each generalized column: its levels, the chosen level, and the labels of the cut."""
    decision = part(facts, "decision")
    by_name = {text(a, "name"): a for a in parts(facts, "attributes")}
    described = {text(h, "name"): h for h in parts(facts, "hierarchies")}
    node, cut = part(decision, "node"), part(decision, "cut")
    names = [n for n in dict.fromkeys([*by_name, *described, *node, *cut]) if n is not None]
    return [
        _hierarchy(
            name, by_name.get(name, {}), described.get(name, {}), whole(node, name), texts(cut, name)
        )
        for name in names
    ]


def _hierarchy(
    name: str, attribute: Facts, described: Facts, level: int | None, cut: Sequence[str]
) -> dict[str, Any]:
    levels = parts(described, "levels")
    if level is None and not cut:
        level = whole(attribute, "level")
    height = whole(attribute, "height") or (len(levels) - 1 if levels else None)
    labels = list(cut) or texts(attribute, "labels")
    before, after = whole(attribute, "distinct_before"), whole(attribute, "distinct_after")
    ends = {len(levels) - 1: "\xa0(all\xa0alike)", 0: "\xa0(as\xa0it\xa0was)"}
    steps = Table.of(
        f"Levels of {name}",
        ("Level", "Values", "Examples", "Chosen"),
        [
            (
                f"{i}{ends.get(i, '')}",
                count(whole(step, "count")),
                words.listing(texts(step, "examples"), 6) or "–",
                "chosen" if i == level else "",
            )
            for i, step in enumerate(levels)
        ],
        (1,),
        level,
    )
    label = text(described, "label")
    return {
        "name": f"{name}: {label}" if label else name,
        "level": level,
        "height": height,
        "before": count(before) if before is not None else "",
        "after": count(after) if after is not None else "",
        "labels": words.listing(labels, MOST_LABELS),
        "cut": bool(cut),
        "levels": steps if levels else None,
    }
