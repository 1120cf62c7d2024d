"""Writes the made-up table of the tutorials and its three studies into this folder, or the one that you name.

python examples/patients.py [FOLDER]
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

ILLNESSES = ("flu", "cold", "gout", "asthma", "HIV", "angina", "burn", "fracture")
STUDY = """\
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
UNITS = {"patients": "", "visits": "persons: patient", "survey": "sample_weight: weight"}
"""By study: whom its rows are about."""


def rows(count: int, seed: int) -> str:
    """Return a made-up table; every second patient has two rows."""
    draw = random.Random(seed)
    lines = ["record,patient,household,weight,age,sex,zip,admission,diagnosis,outcome"]
    patient, who = 0, ""
    for number in range(count):
        if number % 3 != 1:
            patient = number
            who = f"{draw.randint(20, 79)},{draw.choice('fm')},{draw.choice(['101', '102', '203'])}"
        day = f"2024-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        what = f"{draw.choice(ILLNESSES)},{draw.choice(['well', 'better'])}"
        lines.append(f"R{number},P{patient},H{patient // 2},{draw.randint(100, 150)},{who},{day},{what}")
    return "\n".join(lines) + "\n"


def write(folder: Path) -> None:
    """Write the table and its studies."""
    (folder / "patients.csv").write_text(rows(600, 1))
    for name, units in UNITS.items():
        (folder / f"{name}.study.yaml").write_text(STUDY.format(table="patients.csv", units=units))


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
