"""The house: every room is named and explained once, and the rule about layers knows it."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "src" / "shoal"
SAME_OF_EACH = {"engine.py", "connection.py", "outlet.py", "dialect.py"}
"""What every engine has, in a room of its own."""


def at_the_top() -> set[str]:
    """Return the rooms and modules at the top level."""
    rooms = {path.parent.name for path in HOUSE.glob("*/__init__.py")}
    return rooms | {path.stem for path in HOUSE.glob("*.py") if path.stem != "__init__"}


def layers() -> list[str]:
    """Return the rooms in the order of the rule about imports, the lowest first."""
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    lines = next(rule["layers"] for rule in rules["contracts"] if rule["type"] == "layers")
    return [room.strip() for line in reversed(lines) for room in line.split("|")]


def test_the_guide_explains_every_room_in_the_order_of_the_layers() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page[page.index("| room |") : page.index("## The rules")]
    rows = [
        re.findall(r"`([a-z]+)(?:/|\.py)`", row.split("|")[1]) for row in table.splitlines()[2:] if row
    ]
    told = [room for row in rows for room in row]
    assert sorted(told) == sorted(at_the_top())
    place = {room: i for i, room in enumerate(layers())}
    assert told == sorted(told, key=place.__getitem__)


def test_every_room_says_in_one_line_what_it_is_for() -> None:
    for init in HOUSE.rglob("__init__.py"):
        said = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8")))
        assert said, init
        assert said.splitlines()[0].endswith((".", ":")), init


def test_no_two_files_of_one_name_mean_different_things() -> None:
    names = Counter(
        path.name
        for path in HOUSE.rglob("*.py")
        # The files of the commands are named as the commands are, and those as what they are about.
        if path.name not in {"__init__.py", *SAME_OF_EACH} and path.parent.name != "cli"
    )
    assert [name for name, times in names.items() if times > 1] == []


def test_no_two_classes_have_one_name() -> None:
    names = Counter(
        node.name
        for path in HOUSE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, times in names.items() if times > 1] == []
