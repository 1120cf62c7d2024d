"""Draws the rooms of the house and what each imports; a test compares the picture with the imports.

python docs/rooms_picture.py > docs/screenshots/rooms.svg
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from pathlib import Path
from xml.sax.saxutils import escape

import grimp

ROOT = Path(__file__).parents[1]
HEIGHT, LEFT, WIDE = 30, 190, 760


def layers() -> list[list[str]]:
    """Return the rooms of every layer, the highest first, as the rule about imports has them."""
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    lines = next(rule["layers"] for rule in rules["contracts"] if rule["type"] == "layers")
    return [[room.strip() for room in line.split("|")] for line in lines]


def imports() -> Counter[tuple[str, str]]:
    """Return how many imports lead from one room to another."""
    graph = grimp.build_graph("shoal", cache_dir=None)
    found: Counter[tuple[str, str]] = Counter()
    for module in graph.modules:
        here = _room(module)
        for other in graph.find_modules_directly_imported_by(module):
            if here and _room(other) and here != _room(other):
                found[here, _room(other)] += 1
    return found


def picture() -> str:
    """Return the rooms as boxes one above the other, and the imports as arcs, thicker for more of them.

    There are three thicknesses, so that the picture mostly stays as it is when an import comes or goes.
    """
    rows = layers()
    place = {room: i for i, row in enumerate(rows) for room in row}
    height = len(rows) * HEIGHT + 65
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {height}" font-family="sans-serif" '
        'font-size="12" role="img">',
        "<title>The rooms of Shoal, and what each imports</title>",
        f'<rect width="{WIDE}" height="{height}" fill="#fff"/>',
    ]
    upward = 0
    for (here, there), times in sorted(imports().items()):
        up = place[here] > place[there]
        upward += times * up
        start, end = (20 + place[room] * HEIGHT + HEIGHT / 2 for room in (here, there))
        bulge = LEFT + 25 + abs(end - start) * 0.75
        colour = (
            'stroke="#b3261e" stroke-dasharray="4 3"' if up else 'stroke="#0b6b8a" stroke-opacity=".3"'
        )
        parts.append(
            f'<path d="M{LEFT} {start} C{bulge:.0f} {start} {bulge:.0f} {end} {LEFT} {end}" fill="none" '
            f'{colour} stroke-width="{0.6 + (times >= 4) + 2 * (times >= 16):.1f}"/>'
        )
    for i, row in enumerate(rows):
        y = 20 + i * HEIGHT
        parts.append(
            f'<rect x="10" y="{y + 3}" width="{LEFT - 10}" height="{HEIGHT - 6}" rx="4" fill="#e3eef2"/>'
        )
        parts.append(f'<text x="20" y="{y + 19}" fill="#12313c">{escape(", ".join(row))}</text>')
    for y, said in (
        (25, "An arc: the upper room imports from the lower one; thicker for more imports."),
        (
            10,
            f"Dashed: the {upward} that go up, made when somebody asks, or for types only (pyproject.toml).",
        ),
    ):
        parts.append(f'<text x="10" y="{height - y}" fill="#444">{said}</text>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


if __name__ == "__main__":
    sys.stdout.write(picture())
