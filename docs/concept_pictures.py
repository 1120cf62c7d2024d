"""Draws the pictures of docs/concepts.md: twelve patients, and what Shoal answers about them.

python docs/concept_pictures.py
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import shoal
from shoal.present.charts.bars import STRIPED, Bar, BarGroup, Bars, bars_chart
from shoal.present.charts.gap import Moment, gap
from shoal.present.charts.svg import Picture, Table, alone, drawing, element, label, line, shape
from shoal.present.charts.tradeoff import frontier_picture
from shoal.present.charts.tree_chart import tree

FOLDER = Path(__file__).with_name("concepts")
TABLE = FOLDER / "twelve.csv"
WIDE, HIGH, LEFT, TOP = 460.0, 266.0, 52.0, 44.0
ZIPS = ("101", "102", "203", "204")
ILLNESSES = ("flu", "cold", "gout", "asthma")
SHAPES = (0, 1, 2, 3)
HIERARCHIES = {
    "age": {"intervals": {"origin": 20, "widths": [10, 20, 40]}},
    "zip": {"mask": {"digits": 3}},
}
Row = dict[str, str]


def study() -> shoal.Study:
    """Return the study of the twelve patients."""
    return shoal.Study(TABLE, quasi=HIERARCHIES, sensitive="illness")


def patients() -> list[Row]:
    """Return the twelve rows."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def pictures() -> dict[str, str]:
    """Return every picture of the page as SVG, by its name."""
    with study() as asked:
        best = asked.anonymize("flash", k=3)
        levels = dict(best.decision().recoding.levels)
        made: dict[str, Picture] = {
            "k": _crowds(_labels(asked, best), "Every group has three patients or more", plain=True),
            "l": _crowds(_labels(asked, best), "What each group tells about illnesses"),
            "t": _shares(_labels(asked, best)),
            "node": _tree(asked, _of_node(asked, levels["zip"]), "one level for all"),
            "cut": _tree(asked, _of_cut(asked), "each branch at its own height"),
            "groups": _crowds(
                _labels(asked, asked.anonymize("mondrian", k=3)), "Groups that are fitted to the rows"
            ),
            "frontier": frontier_picture(asked.frontier()),
        }
    made |= {"bound": _bound(), "persons": _persons(), "attack": _attack()}
    return {name: alone(picture) + "\n" for name, picture in made.items()}


def _labels(asked: shoal.Study, answer: Any) -> list[tuple[Row, tuple[str, str]]]:
    """Return each patient with the labels that an answer releases: the same for the whole group."""
    tally, treatment = asked.tally(), asked.carry_out(answer.decision(), seed=1).treatment
    label_of = {
        tuple(domain[code] for domain, code in zip(tally.domains, codes, strict=True)): treatment.labels[
            c
        ]
        for codes, c in zip(tally.codes.tolist(), treatment.classes.tolist(), strict=True)
    }
    return [(row, label_of[row["age"], row["zip"]]) for row in patients()]


def _place(row: Row) -> tuple[float, float]:
    x = LEFT + (float(row["age"]) - 18) * (WIDE - LEFT - 10) / 42
    return x, HIGH - 46 - ZIPS.index(row["zip"]) * (HIGH - TOP - 60) / 3


def _crowds(found: list[tuple[Row, tuple[str, str]]], title: str, *, plain: bool = False) -> Picture:
    """Draw patients by age and place, with a frame around those who look alike."""
    inside = [label("↑ zip", 2, 14, "axis"), label("age →", WIDE, HIGH - 8, "axis", "end")]
    for code in ZIPS:
        y = _place({"age": "20", "zip": code})[1]
        inside += [line("grid", (LEFT, y), (WIDE, y)), label(code, LEFT - 8, y + 4, "tick", "end")]
    for age in range(20, 61, 10):
        x = _place({"age": str(age), "zip": "101"})[0]
        inside.append(label(str(age), x, HIGH - 24, "tick", "middle"))
    groups: dict[tuple[str, str], list[Row]] = {}
    for row, labels in found:
        groups.setdefault(labels, []).append(row)
    for labels, rows in groups.items():
        places = [_place(row) for row in rows]
        left, right = min(x for x, _ in places) - 11, max(x for x, _ in places) + 11
        top, low = min(y for _, y in places) - 11, max(y for _, y in places) + 11
        inside.append(
            element("rect", x=left, y=top, width=right - left, height=low - top, rx=6, class_="ring")
        )
        told = f"{labels[0]}, {labels[1]}: {len(rows)}"
        inside.append(label(told, left + 2, top - 4, "note"))
    for row, _ in found:
        kind = 0 if plain else ILLNESSES.index(row["illness"])
        inside.append(shape(SHAPES[kind], *_place(row), 5, f"kind k{kind}"))
    if not plain:
        for i, name in enumerate(ILLNESSES):
            x = LEFT + 60 + i * 80
            inside += [shape(SHAPES[i], x, 10, 5, f"kind k{i}"), label(name, x + 10, 14, "legend-name")]
    table = Table.of(
        title,
        ("group", "patients", "illnesses"),
        [
            (", ".join(labels), str(len(rows)), ", ".join(row["illness"] for row in rows))
            for labels, rows in groups.items()
        ],
    )
    return Picture(drawing(WIDE, HIGH, title, inside), table)


def _shares(found: list[tuple[Row, tuple[str, str]]]) -> Picture:
    """Draw how frequent each illness is in all rows and in the group that is farthest from them."""
    everybody = Counter(row["illness"] for row, _ in found)
    groups: dict[tuple[str, str], Counter[str]] = {}
    for row, labels in found:
        groups.setdefault(labels, Counter())[row["illness"]] += 1

    def apart(group: Counter[str]) -> float:
        return (
            sum(
                abs(group[name] / group.total() - everybody[name] / everybody.total())
                for name in everybody
            )
            / 2
        )

    labels, group = max(groups.items(), key=lambda one: apart(one[1]))
    title = f"All rows, and the group {', '.join(labels)}: t is {apart(group):.2f}"
    bars = tuple(
        BarGroup(
            name,
            tuple(
                Bar(counts[name] / counts.total(), f"{counts[name]} of {counts.total()}", kind)
                for counts, kind in ((everybody, STRIPED), (group, "b0"))
            ),
        )
        for name in ILLNESSES
    )
    rows = [(name, str(everybody[name]), str(group[name])) for name in ILLNESSES]
    return bars_chart(
        Bars(title, bars, Table.of(title, ("illness", "all rows", "the group"), rows, (1, 2)))
    )


def _of_cut(asked: shoal.Study) -> set[str]:
    """Return the released labels of places in the best cut for k = 3 that suppresses nobody."""
    return set(asked.optimize(k=3, scheme="NoSupp").decision().recoding.labels["zip"])


def _of_node(asked: shoal.Study, level: int) -> set[str]:
    """Return the labels of places on a level."""
    return {row[level] for row in asked.hierarchy("zip").rows()}


def _tree(asked: shoal.Study, released: set[str], words: str) -> Picture:
    """Draw the hierarchy of places with the labels that are released."""
    places = Counter(row["zip"] for row in patients())
    paths = [row[::-1] for row in asked.hierarchy("zip").rows() if row[0] in places]

    def node(under: list[Any], depth: int) -> dict[str, Any]:
        below = dict.fromkeys(path[depth + 1] for path in under if depth + 1 < len(path))
        children = [node([path for path in under if path[depth + 1] == one], depth + 1) for one in below]
        rows = sum(places[path[-1]] for path in under)
        return {"label": under[0][depth], "rows": rows, "leaves": len(under), "children": children}

    return tree(node(paths, 0), released, f"places: {words}")


def _bound() -> Picture:
    """Draw a search as it may go on: what is found gets cheaper, what is proven gets dearer."""
    steps = [
        (0.0, None, 2.0),
        (0.2, 9.0, 2.6),
        (0.6, 6.5, 3.4),
        (1.1, 5.6, 4.2),
        (1.7, 5.0, 4.7),
        (2.2, 5.0, 5.0),
    ]
    return gap([Moment(*step) for step in steps])


def _persons() -> Picture:
    """Draw a group of five rows that are of two persons."""
    inside = [element("rect", x=20, y=30, width=300, height=64, rx=6, class_="ring")]
    for i, person in enumerate((0, 0, 0, 1, 1)):
        inside.append(shape(person, 50 + i * 60, 62, 10, f"kind k{person}"))
        inside.append(label(("Ann", "Bob")[person], 50 + i * 60, 88, "tick", "middle"))
    inside.append(label("five rows look alike: k = 5 of rows", 20, 20, "name"))
    inside.append(label("and they are two persons: k = 2 of persons", 20, 116, "name"))
    title = "Rows are not persons"
    table = Table.of(
        title, ("row", "person"), [(str(i + 1), p) for i, p in enumerate(["Ann"] * 3 + ["Bob"] * 2)]
    )
    return Picture(drawing(WIDE, 126, title, inside), table)


def _attack() -> Picture:
    """Draw somebody who knows Ann's age and place, and the rows that may be hers."""
    inside = [
        label("known: Ann is 24 and lives in 101", 4, 62, "name"),
        line("guide", (226, 58), (286, 58)),
        label("20-29, 10*", 296, 20, "note"),
        element("rect", x=290, y=28, width=160, height=60, rx=6, class_="ring"),
    ]
    ills = ("flu", "cold", "flu", "gout")
    for i, ill in enumerate(ills):
        kind = ILLNESSES.index(ill)
        inside.append(shape(SHAPES[kind], 312 + i * 38, 52, 7, f"kind k{kind}"))
        inside.append(label(ill, 312 + i * 38, 78, "tick", "middle"))
    inside.append(
        label(
            "which row? one in four. flu? one in two; in the whole table: one in three", 4, 112, "note"
        )
    )
    title = "An attack: what is known leads to a group"
    table = Table.of(
        title, ("row of the group", "illness"), [(str(i + 1), ill) for i, ill in enumerate(ills)]
    )
    return Picture(drawing(WIDE, 122, title, inside), table)


if __name__ == "__main__":
    for found, drawn in pictures().items():
        (FOLDER / f"{found}.svg").write_text(drawn, encoding="utf-8")
