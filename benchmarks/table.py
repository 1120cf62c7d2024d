"""What a benchmark found, as a table for people and as JSON."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

PACKAGES = ("shoal", "numpy", "duckdb", "pyarrow")


@dataclass(frozen=True)
class Result:
    """Rows with the same columns: figures as they were measured, and what a reader has to know."""

    title: str
    rows: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)


def show(result: Result, others: float | None) -> None:
    """Print the table; `others` are the cores that other programs kept busy meanwhile."""
    console = Console() if sys.stdout.isatty() else Console(width=200)
    table = Table(title=result.title, header_style="bold", title_justify="left")
    for name, value in result.rows[0].items():
        table.add_column(name, justify="left" if isinstance(value, str) else "right")
    for row in result.rows:
        table.add_row(*(_text(name, value) for name, value in row.items()))
    console.print(table)
    for note in result.notes:
        console.print(note, highlight=False, markup=False)
    if others is not None and others > 0.1:
        console.print(f"Not a quiet machine: other programs kept {others:.1f} cores busy meanwhile.")


def write(result: Result, name: str, folder: Path, others: float | None) -> Path:
    """Write the figures with the date, the machine and the versions, and return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.json"
    document = {
        "benchmark": name,
        "title": result.title,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "cpu": _cpu(),
            "cores": os.cpu_count(),
            "cores busy with other programs": others,
            "system": platform.platform(),
        },
        "versions": {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
        "notes": result.notes,
        "rows": result.rows,
    }
    file.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return file


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.1f}" if "%" in name else _figures(value)
    return str(value)


def _figures(value: float) -> str:
    """Three figures, without an exponent where that can be."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _cpu() -> str:
    """The processor's name."""
    known = Path("/proc/cpuinfo")
    if known.is_file():
        for line in known.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
