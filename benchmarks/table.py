"""What a benchmark found, as a table for people."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table


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
