"""The one JSON of what was measured: an entry for each benchmark, with its date, its load and its rows.

A benchmark that is run again replaces its own entry and no other, so that the entries of a whole run and of
single ones lie beside each other, each with its own date. Benchmarks that are run with `--full` have a second
entry, `NAME, full`.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.table import Result

ROOT = Path(__file__).parents[2]
MEASURED = ROOT / "benchmarks" / "measured.json"
PACKAGES = ("shoal", "numpy", "duckdb", "pyarrow")
FULL = ", full"
CALIBRATION = "calibration s"
BUSY = "cores busy with other programs"

Document = dict[str, dict[str, Any]]
"""Entries by the names of benchmarks."""


def read(file: Path) -> Document:
    """Return the entries of a file; none, if there is no such file."""
    return parsed(file.read_text(encoding="utf-8")) if file.is_file() else {}


def parsed(text: str) -> Document:
    """Return the entries of a document."""
    entries: Document = json.loads(text)["benchmarks"]
    return entries


def committed(file: Path = MEASURED) -> Document:
    """Return the entries of the last commit; without git, those of the file."""
    place = file.relative_to(ROOT).as_posix()
    shown = subprocess.run(
        ["git", "show", f"HEAD:{place}"], cwd=ROOT, capture_output=True, check=False, text=True
    )
    return parsed(shown.stdout) if shown.returncode == 0 else read(file)


def entry(
    result: Result,
    *,
    cpu: float,
    wall: float,
    others: float | None,
    calibration: Sequence[float | None],
) -> dict[str, Any]:
    """Return what is kept of a benchmark that has just run."""
    columns = list(result.rows[0])
    if any(list(row) != columns for row in result.rows):
        raise ValueError(f"rows of {result.title} differ in their columns")
    return {
        "title": result.title,
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
        "machine": f"{_cpu()}, {os.cpu_count()} cores, {platform.system()}",
        "versions": {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
        BUSY: _short(others),
        CALIBRATION: [_short(one) for one in calibration],
        "cpu s": _short(cpu),
        "wall s": _short(wall),
        "notes": [_anywhere(note) for note in result.notes],
        "columns": columns,
        "rows": [[_short(row[name]) for name in columns] for row in result.rows],
    }


def write(document: Document, file: Path) -> None:
    """Write the entries, sorted, a row of a table in a line, so that changes can be read.

    The old file stands until the new one is whole: it may hold the figures of half an hour.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    parts = [f" {_text(name)}: {_written(document[name])}" for name in sorted(document)]
    text = '{"format": 1, "benchmarks": {\n' + ",\n".join(parts) + "\n}}\n"
    new = file.with_name(f".{file.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(file)


def _written(one: dict[str, Any]) -> str:
    rows = ",\n".join(f"   {_text(row)}" for row in one["rows"])
    fields = [f"  {_text(name)}: {_text(value)}" for name, value in one.items() if name != "rows"]
    return "{\n" + ",\n".join([*fields, f'  "rows": [\n{rows}]']) + "}"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _short(value: Any) -> Any:
    """Six digits of a number, which is more than any measurement has."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _anywhere(note: str) -> str:
    """A note without the folders of this machine: of a path, its last two parts."""
    return re.sub(r"(?:/[\w.-]+)+/(?=[\w.-]+/[\w.-]+)", "", note)


def _cpu() -> str:
    """The processor's name."""
    known = Path("/proc/cpuinfo")
    if known.is_file():
        for line in known.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
