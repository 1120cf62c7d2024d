"""The small world in which the documentation's commands run: studies and files of the names it uses."""

from __future__ import annotations

import importlib.util
import shutil
from collections import Counter
from csv import DictReader
from io import StringIO
from pathlib import Path
from typing import Any

from tests.commands import shoal
from tests.docs.pages import ROOT

POLICY = "k: 5\naverage_risk: 20%\nnever: [record, patient]\n"
ZIP = "101;1**;*\n102;1**;*\n203;2**;*\n"


def example(name: str) -> Any:
    """Return a script of the examples as a module."""
    found = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


patients = example("patients")
rows = patients.rows


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
    patients.write(folder)
    (folder / "next-month.csv").write_text(rows(240, 2))
    shutil.copy(folder / "patients.study.yaml", folder / "study.yaml")
    (folder / "counted.csv").write_text(counted((folder / "patients.csv").read_text()))
    (folder / "policy.yaml").write_text(POLICY)
    (folder / "zip.csv").write_text(ZIP)
    (folder / "rates.sql").write_text("SELECT sex, count(*) AS people FROM data GROUP BY sex;\n")
    saved = ("frontier", "patients.study.yaml", "--suppress", "1%", "--save", "front.json")
    release = ("release", "patients.study.yaml", "--solution", "front.json", "--k", "10", "-o")
    for command in (saved, *((*release, f"{name}.csv") for name in ("out", "earlier", "last-year"))):
        done = shoal(*command, cwd=folder)
        assert done.returncode == 0, done.stderr
