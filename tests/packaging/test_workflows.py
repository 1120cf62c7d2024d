"""The workflows of a public forge, and the container: they name what exists, and publish what was tested."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORDS = {
    "workflow": {"name", "on", "permissions", "concurrency", "jobs"},
    "job": {
        "concurrency",
        "environment",
        "if",
        "needs",
        "permissions",
        "runs-on",
        "steps",
        "strategy",
        "timeout-minutes",
        "uses",
    },
    "step": {"id", "name", "run", "uses", "with"},
}
"""The words that a forge knows and that these workflows need; others are slips."""


def read(path: Path) -> dict[str, Any]:
    """Return a workflow; YAML takes `on` for a truth."""
    found = yaml.safe_load(path.read_text())
    return {"on" if key is True else key: value for key, value in found.items()}


def steps(workflow: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the steps of all jobs."""
    for job in workflow["jobs"].values():
        yield from job.get("steps", ())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_the_words_of_workflows_and_no_others(path: Path) -> None:
    workflow = read(path)
    assert set(workflow) <= WORDS["workflow"]
    for job in workflow["jobs"].values():
        assert set(job) <= WORDS["job"]
        assert ("runs-on" in job) == ("steps" in job) != ("uses" in job)
        needed = job.get("needs", [])
        assert set([needed] if isinstance(needed, str) else needed) <= set(workflow["jobs"])
    for step in steps(workflow):
        assert set(step) <= WORDS["step"]
        assert ("uses" in step) != ("run" in step)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_names_what_exists(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    workflow = read(path)
    for job in workflow["jobs"].values():
        if "uses" in job:
            assert "workflow_call" in read(ROOT / job["uses"])["on"]
    for step in steps(workflow):
        run = step.get("run", "")
        for script in re.findall(r"\.ci/\w+", run):
            assert (ROOT / script).is_file()
        for asked in re.findall(r"^make (.*)", run.replace("&& ", "\n"), re.MULTILINE):
            for target in asked.partition(" LONG=")[0].split():
                assert f"\n{target}:" in makefile


def test_nothing_is_published_that_was_not_tested() -> None:
    jobs = read(ROOT / ".github" / "workflows" / "wheels.yml")["jobs"]
    publishing = [job for job in jobs.values() if "publish" in str(job.get("steps"))]
    assert [sorted(job["needs"]) for job in publishing] == [["sdist", "tests", "wheels"]]
    assert jobs["tests"]["uses"] == "./.github/workflows/tests.yml"
    assert jobs["tests"]["if"] == publishing[0]["if"]


def test_the_container_installs_extras_that_exist_and_is_not_root() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    _, built, run = (ROOT / "Dockerfile").read_text().split("\nFROM ")
    (asked,) = re.findall(r"/source\[(.*?)\]", built)
    assert set(asked.split(",")) <= set(extras)
    assert f"shoal[{asked}]" in run
    assert "USER curator" in run
