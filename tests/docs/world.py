"""The small world in which the documentation's commands run: studies and files of the names it uses."""

from __future__ import annotations

import random
from collections import Counter
from csv import DictReader
from io import StringIO
from pathlib import Path

from tests.commands import shoal

_STUDY = """\
table: {table}
{units}
attributes:
  record:    {{role: identifying}}
  patient:   {{role: identifying}}
  household: {{role: identifying}}
  weight:    {{role: undecided}}
  age:       {{role: quasi, hierarchy: {{intervals: {{widths: [10, 20, 40]}}}}}}
  sex:       {{role: quasi, hierarchy: {{"*": [f, m]}}}}
  zip:       {{role: quasi, hierarchy: {{mask: {{digits: 3}}}}}}
  admission: {{role: quasi, hierarchy: {{dates: [quarter, year]}}}}
  diagnosis: {{role: sensitive}}
  outcome:   {{role: class}}
"""
ILLNESSES = ("flu", "cold", "gout", "asthma", "HIV", "angina", "burn", "fracture")
POLICY = "k: 5\naverage_risk: 20%\nnever: [record, patient]\n"
ZIP = "101;1**;*\n102;1**;*\n203;2**;*\n"


def rows(count: int, seed: int) -> str:
    """Made-up rows; every third patient has two."""
    draw = random.Random(seed)
    lines = ["record,patient,household,weight,age,sex,zip,admission,diagnosis,outcome"]
    for number in range(count):
        patient = number - (number % 3 == 1)
        day = f"2024-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        who = f"{draw.randint(20, 79)},{draw.choice('fm')},{draw.choice(['101', '102', '203'])}"
        what = f"{draw.choice(ILLNESSES)},{draw.choice(['well', 'better'])}"
        lines.append(f"R{number},P{patient},H{patient // 2},{draw.randint(100, 150)},{who},{day},{what}")
    return "\n".join(lines) + "\n"


def counted(table: str) -> str:
    """What a warehouse counts of the study's columns, by tally.sql."""
    columns = ("age", "sex", "zip", "admission", "diagnosis", "outcome")
    cells = Counter(tuple(row[name] for name in columns) for row in DictReader(StringIO(table)))
    head = [f"C{i}" for i in range(len(columns))]
    return "\n".join(
        ",".join(map(str, line)) for line in [[*head, "N"], *([*c, n] for c, n in cells.items())]
    )


def make_world(folder: Path) -> None:
    """Write tables, studies, answers and releases."""
    for name, count, seed in (("patients", 600, 1), ("next-month", 240, 2)):
        (folder / f"{name}.csv").write_text(rows(count, seed))
    units = {
        "patients": "",
        "study": "",
        "visits": "persons: patient",
        "survey": "sample_weight: weight",
    }
    for name, said in units.items():
        place = folder / ("study.yaml" if name == "study" else f"{name}.study.yaml")
        place.write_text(_STUDY.format(table="patients.csv", units=said))
    (folder / "counted.csv").write_text(counted((folder / "patients.csv").read_text()))
    (folder / "policy.yaml").write_text(POLICY)
    (folder / "zip.csv").write_text(ZIP)
    (folder / "rates.sql").write_text("SELECT sex, count(*) AS people FROM data GROUP BY sex;\n")
    saved = ("frontier", "patients.study.yaml", "--suppress", "1%", "--save", "front.json")
    release = ("release", "patients.study.yaml", "--solution", "front.json", "--k", "10", "-o")
    for command in (saved, *((*release, f"{name}.csv") for name in ("out", "earlier", "last-year"))):
        done = shoal(*command, cwd=folder)
        assert done.returncode == 0, done.stderr
