"""Each command's help ends with two examples and the path of a page that is on this machine."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.cli.app import COMMANDS
from shoal.cli.help_examples import EXAMPLES, pages
from tests.commands import shoal

ROOT = Path(__file__).parents[2]


def run_together(text: str) -> str:
    """A text without spaces and the ends of lines, which depend on how wide a terminal is."""
    return "".join(text.split())


def test_every_command_has_examples() -> None:
    assert {command.__name__ for command in COMMANDS} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_ends_with_two_examples_and_a_page(name: str) -> None:
    page, (first, second) = EXAMPLES[name]
    assert first != second
    said = run_together(shoal(name.replace("_", "-"), "--help").stdout)
    assert said.endswith(run_together(f"Examples: {first} {second} More: {pages() / page}"))
    assert (pages() / page).is_file()


def test_the_help_of_all_commands_ends_with_a_page() -> None:
    assert run_together(shoal("--help").stdout).endswith(f"More:{pages() / 'start.md'}")


def test_an_installed_wheel_has_the_pages_that_help_names(tmp_path: Path) -> None:
    """The rule that puts them there is carried out alone, without what is compiled."""
    beside = Path(sys.executable).with_name("cmake")
    cmake = str(beside) if beside.is_file() else shutil.which("cmake")
    if cmake is None:
        pytest.skip("no cmake on this machine")
    (rule,) = re.findall(
        r"^install\(DIRECTORY docs/ [^)]*\)$", (ROOT / "CMakeLists.txt").read_text(), re.M
    )
    source = tmp_path / "source"
    shutil.copytree(ROOT / "docs", source / "docs")
    (source / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.18)\nproject(pages LANGUAGES NONE)\n{rule}\n"
    )
    wheel = tmp_path / "a [new] folder"
    for words in (("-S", source, "-B", tmp_path / "build"), ("--install", tmp_path / "build")):
        prefix = ("--prefix", wheel) if words[0] == "--install" else ()
        subprocess.run([cmake, *map(str, (*words, *prefix))], check=True, capture_output=True)

    (wheel / "shoal" / "cli").mkdir()
    shutil.copy(ROOT / "src/shoal/cli/help_examples.py", wheel / "shoal/cli/help_examples.py")
    found = importlib.util.spec_from_file_location(
        "installed", wheel / "shoal" / "cli" / "help_examples.py"
    )
    assert found is not None
    assert found.loader is not None
    installed = importlib.util.module_from_spec(found)
    found.loader.exec_module(installed)
    for page, _ in EXAMPLES.values():
        assert (wheel / "shoal" / "docs" / page).is_file()
        assert installed.more(page)[1] == str(wheel / "shoal/docs" / page).replace("[", "\\[")
