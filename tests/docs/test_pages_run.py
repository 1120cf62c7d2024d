"""Every command and every block of code in the documentation is tried, so that what people copy works."""

from __future__ import annotations

import importlib
import json
import shlex
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import shoal as shoal_package
from shoal.cli.help_examples import EXAMPLES
from shoal.describe.policy_file import ENTRIES, read_policy
from shoal.describe.specification import Role
from shoal.describe.study_file import read_study_file
from shoal.describe.study_schema import study_schema
from shoal.study import Study
from tests.commands import shoal
from tests.docs.pages import PAGES, ROOT, Block, blocks, named
from tests.docs.world import make_world
from tests.proposal.test_arx_project import write_project

SERVERS = "serve"
"""A command that does not end; tests/web starts it, tests/web/test_nginx.py as docs/team.md shows it."""
NEEDS = {
    "docs/engines.md": "a database; tests/engines/test_quick_start.py runs these commands on one",
    "docs/signing.md": "openssl; test_shell_blocks.py runs these commands",
}
"""Pages whose commands need more than this folder."""
ELSEWHERE = {
    "docs/engines.md": "a catalog of Iceberg; tests/engines/test_lakes.py runs it with one",
    "docs/engines-spark.md": "Spark; tests/engines/spark/test_page.py runs it with one",
    "docs/team.md": "a server behind a proxy; tests/web/test_nginx.py runs it with one",
    "docs/web.md": "a server; tests/web/test_journey.py runs it with one",
}
"""Pages whose Python needs more than this folder."""
EXTRAS = {"docs/notebooks.md": "nicegui"}
"""Pages whose Python needs what an extra brings."""
DIALOGUE = ["shoal", "negotiate", "patients.study.yaml"]
"""A command that asks back; tests/cli/test_terminal.py answers."""
AGE = {"role": "quasi", "hierarchy": {"intervals": {"widths": [10]}}}
FEW = "500"
"""Rows of demos."""


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


def those(language: str) -> list[Block]:
    """The blocks of a language."""
    return [block for page in PAGES for block in blocks(page) if block.language == language]


def placed(block: Block) -> str:
    """Where a block is."""
    return f"{named(block.page)}:{block.line}"


def hurried(words: list[str]) -> list[str]:
    """A command in less time: a second for searches with a limit or of cells, and few rows for demos."""
    least = {"--time-limit": "1", "--rows": FEW}
    limited = [least.get(before, word) for before, word in pairwise(["", *words])]
    if words[0] == "demo" and "--rows" not in words:
        limited += ["--rows", FEW]
    return [*limited, "--time-limit", "1"] if "local-suppression" in words else limited


def commands(page: Path) -> list[tuple[list[str], str]]:
    """The commands of a page that are tried here, and what each prints if the page says it."""
    found = [command for block in blocks(page) for command in block.commands()]
    return [(words, said) for words, said in found if SERVERS not in words[:2] and words != DIALOGUE]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if commands(page) and named(page) not in NEEDS], ids=named
)
def test_every_command_of_a_page_works(page: Path, world: Path, tmp_path: Path) -> None:
    shutil.copytree(world, tmp_path, dirs_exist_ok=True)
    for block in blocks(page):
        if block.file is not None and block.language:
            (tmp_path / block.file).write_text(block.text)
    here = tmp_path
    for words, printed in commands(page):
        if words[0] == "cd":
            here /= words[1]
            continue
        written = {"-o", "--save", "--plot", "--report", "--junit", "--records", "init"} & set(words)
        again = ["--force"] if written and "--force" not in words else []
        done = shoal(*hurried(words[1:]), *again, cwd=here)
        told = f"{named(page)}: {shlex.join(words)}\n{done.stdout}{done.stderr}"
        assert done.returncode == (1 if "NOT MET" in printed else 0), told
        if printed:
            assert done.stdout == printed, told


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
    if (extra := EXTRAS.get(named(page))) is not None:
        pytest.importorskip(extra)
    shutil.copytree(world, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    with Study.open("patients.study.yaml") as study:
        names = {"shoal": shoal_package, "study": study}
        for block in blocks(page):
            if block.language == "python":
                clear_away(tmp_path)
                code = "\n" * block.line + block.text
                exec(compile(code, named(page), "exec"), names)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != SERVERS])
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
        done = shoal(*hurried(words), *(["--force"] if forced else []), cwd=tmp_path)
        assert done.returncode == 0, f"{example}\n{done.stderr}"


def helped(name: str) -> str:
    """The help of a command, on one line."""
    return " ".join(shoal(name.replace("_", "-"), "--help").stdout.split())


@pytest.mark.parametrize("block", those("yaml"), ids=placed)
def test_yaml_is_read_as_what_it_is(block: Block, tmp_path: Path) -> None:
    """A study, a part of one, a policy, or the tests of the dbt example."""
    given: dict[str, Any] = yaml.safe_load(block.text)
    if "models" in given:
        ours = yaml.safe_load((ROOT / "examples/dbt/models/released.yml").read_text())["models"]
        (shown,) = given["models"]
        assert shown["data_tests"] == next(m for m in ours if m["name"] == shown["name"])["data_tests"]
        return
    path = tmp_path / "read.yaml"
    if set(given) <= set(ENTRIES):
        path.write_text(block.text)
        policy = read_policy(path)
        assert set(policy.lines) - {f"attack {name}" for name in given.get("attacks", ())} == set(given)
        return
    if all(isinstance(one, dict) and "role" in one for one in given.values()):
        given = {"attributes": given}
    asked = {"table": "people.csv", "attributes": {"age": AGE}, **given}
    jsonschema.Draft202012Validator(study_schema()).validate(asked)  # descriptions of hierarchies, too
    path.write_text(yaml.safe_dump(asked, sort_keys=False))
    found = read_study_file(path)
    assert list(found.attributes) == list(asked["attributes"])
    for name, entry in asked["attributes"].items():
        roles = [entry["role"]] if isinstance(entry["role"], str) else entry["role"]
        assert found.attributes[name].roles == {Role(role) for role in roles}


@pytest.mark.parametrize("block", those("sql"), ids=placed)
def test_sql_is_what_shoal_runs_or_writes(block: Block, world: Path, tmp_path: Path) -> None:
    """Either somebody's own indicator, or the statement that counts a table of two columns."""
    shutil.copytree(world, tmp_path, dirs_exist_ok=True)
    if "FROM data" in block.text:
        (tmp_path / "shown.sql").write_text(block.text)
        asked = ("out.csv", "--source", "patients.study.yaml", "--indicator", "shown.sql", "--json")
        done = shoal("utility", *asked, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        (indicator,) = json.loads(done.stdout)["indicators"]
        assert block.text.startswith(f"-- {indicator['name']}\n")
        return
    study = {"table": "t.csv", "attributes": {"age": AGE, "diagnosis": {"role": "sensitive"}}}
    (tmp_path / "two.study.yaml").write_text(yaml.safe_dump(study, sort_keys=False))
    asked = ("two.study.yaml", "--dialect", "bigquery", "--table", "ward.visits", "-o", "there")
    done = shoal("statements", *asked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "there" / "tally.sql").read_text()
    lines = [line for line in written.splitlines() if not line.startswith("--")]
    assert "\n".join(lines).strip().rstrip(";") == block.text.strip()


def test_no_block_is_of_a_language_that_nothing_tries() -> None:
    """JSON and nginx, and sh that is no script: `tests/web`, by docs/team.md."""
    tried = {"", "python", "yaml", "sql", "sh", "json", "nginx"}
    assert {block.language for page in PAGES for block in blocks(page)} == tried
    here = {named(block.page) for kind in ("json", "nginx") for block in those(kind)}
    shells = {named(block.page) for block in those("sh") if not block.script}
    assert here | shells == {"docs/team.md"}


def test_targets_of_make_and_benchmarks_exist() -> None:
    """What people are told to run that is not Shoal itself."""
    makefile = (ROOT / "Makefile").read_text()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        parser = importlib.import_module("benchmarks.runner")._parser()
        known = importlib.import_module("benchmarks.runner").NAMES
    tried = 0
    for page in PAGES:
        lines = [
            line for block in blocks(page) if not block.language for line in block.text.splitlines()
        ]
        for line in lines:
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words[:1] == ["make"]:
                assert all(f"\n{target}:" in makefile for target in words[1:]), line
                tried += 1
            elif words[1:3] == ["-m", "benchmarks"]:
                assert set(parser.parse_args(words[3:]).names) <= set(known), line
                tried += 1
    assert tried >= 8
