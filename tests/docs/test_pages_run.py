"""Every command and every block of code in the documentation is tried, so that what people copy works."""

from __future__ import annotations

import json
import shlex
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

import shoal as shoal_package
from shoal.cli.help_examples import EXAMPLES
from shoal.study import Study
from tests.commands import shoal
from tests.docs.pages import PAGES, ROOT, Block, blocks, named
from tests.docs.world import make_world
from tests.proposal.test_arx_project import write_project

NOT_HERE = {
    "serve": "a server that does not end; tests/web starts it",
    "demo": "tests/cli/test_demo.py runs it",
}
"""Commands that are tried elsewhere."""
NEEDS = {
    "docs/engines.md": "a database; tests/engines runs these commands on one",
    "docs/signing.md": "openssl; tests/release/test_signing.py runs these commands",
}
"""Pages whose commands need more than this folder."""
ELSEWHERE = {
    "docs/engines.md": "a catalog of Iceberg; tests/engines/test_lakes.py runs it with one",
    "docs/engines-spark.md": "Spark; tests/engines/spark does the same",
    "docs/team.md": "a server behind a proxy; tests/web/test_nginx.py has one",
    "docs/web.md": "a server; tests/web asks it the same",
    "docs/notebooks.md": "a server; tests/web/test_exploring.py starts it",
}
"""Pages whose Python needs more than this folder."""
DIALOGUE = ["negotiate", "patients.study.yaml"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    return folder


def clear_away(folder: Path) -> None:
    """Remove the release that a block is about to write."""
    shutil.rmtree(folder / "out.csv.mappings", ignore_errors=True)
    for paper in list(folder.glob("out.csv*")):
        paper.unlink()


def those(language: str | None) -> list[object]:
    """Blocks of a language, with their places as names."""
    found = [block for page in PAGES for block in blocks(page) if language in (None, block.language)]
    return [pytest.param(block, id=f"{named(block.page)}:{block.line}") for block in found]


def hurried(command: list[str]) -> list[str]:
    """A command that has a second to search: where it has a limit of time, and where cells are blanked."""
    limited = ["1" if before == "--time-limit" else word for before, word in pairwise(["", *command])]
    return [*limited, "--time-limit", "1"] if "local-suppression" in command else limited


def commands(page: Path) -> list[list[str]]:
    """The commands of a page that are tried here."""
    found = [command for block in blocks(page) for command in block.commands()]
    return [one for one in found if one[0] not in NOT_HERE and one != DIALOGUE]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if commands(page) and named(page) not in NEEDS], ids=named
)
def test_every_command_of_a_page_works(page: Path, world: Path, tmp_path: Path) -> None:
    shutil.copytree(world, tmp_path, dirs_exist_ok=True)
    for command in commands(page):
        written = {"-o", "--save", "--plot", "--report", "--junit", "--records", "init"} & set(command)
        again = ["--force"] if written and "--force" not in command else []
        done = shoal(*hurried(command), *again, cwd=tmp_path)
        assert done.returncode == 0, f"{named(page)}: shoal {' '.join(command)}\n{done.stderr}"


@pytest.mark.parametrize(
    "page",
    [
        page
        for page in PAGES
        if any(one.language == "python" for one in blocks(page)) and named(page) not in ELSEWHERE
    ],
    ids=named,
)
def test_the_python_of_a_page_works(page: Path, world: Path, tmp_path: Path, monkeypatch) -> None:
    shutil.copytree(world, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    with Study.open("patients.study.yaml") as study:
        names = {"shoal": shoal_package, "study": study}
        for block in blocks(page):
            if block.language == "python":
                clear_away(tmp_path)
                code = "\n" * block.line + block.text
                exec(compile(code, named(page), "exec"), names)


ON_A_PAGE = {"compare": "docs/methods.md has the same, and it tries every method"}


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in {*NOT_HERE, *ON_A_PAGE}])
def test_the_examples_of_a_command_s_help_work(name: str, world: Path, tmp_path: Path) -> None:
    shutil.copytree(world, tmp_path, dirs_exist_ok=True)
    page, examples = EXAMPLES[name]
    assert (ROOT / "docs" / page).is_file()
    for example in examples:
        words = shlex.split(example)[1:]
        assert words[0].replace("-", "_") == name
        if name == "import_arx":
            write_project(tmp_path / "project.deid")
        forced = "--force" in helped(name) and "--update" not in words
        done = shoal(*words, *(["--force"] if forced else []), cwd=tmp_path)
        assert done.returncode == 0, f"{example}\n{done.stderr}"


def helped(name: str) -> str:
    """The help of a command, on one line."""
    return " ".join(shoal(name.replace("_", "-"), "--help").stdout.split())


@pytest.mark.parametrize("block", those("yaml"))
def test_yaml_is_yaml(block: Block) -> None:
    assert yaml.safe_load(block.text) is not None


@pytest.mark.parametrize("block", those("json"))
def test_json_is_json(block: Block) -> None:
    for line in block.text.strip().split("\n\n"):
        json.loads(line)
