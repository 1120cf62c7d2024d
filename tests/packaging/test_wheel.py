"""The wheel and the sdist: built from this checkout, and used where there is no compiler and no checkout."""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tests.docs.pages import ROOT, blocks
from tests.docs.world import ZIP, rows
from tests.packaging.environments import asked_for, made_for, run

FRONT, START = ROOT / "README.md", ROOT / "docs" / "start.md"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without network from what is compiled already; `.ci/sdist` names another one."""
    if "SHOAL_WHEEL" in os.environ:
        return Path(os.environ["SHOAL_WHEEL"])
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", folder)
    run(sys.executable, "-m", "pip", "wheel", *options, ROOT)
    (built,) = folder.glob("shoal-*.whl")
    return built


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist of this checkout."""
    folder = tmp_path_factory.mktemp("sdist")
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", code, folder, cwd=ROOT)
    (built,) = folder.glob("shoal-*.tar.gz")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel, and what the wheel asks for."""
    return made_for(wheel, tmp_path_factory.mktemp("installed") / "environment")


def alone(programs: Path) -> dict[str, str]:
    """The surroundings of a program that finds those of its environment, and no others."""
    return {"PATH": str(programs), "HOME": str(programs.parent)}


def test_the_wheel_has_the_whole_package_with_its_compiled_core_and_no_sources_of_it(
    wheel: Path,
) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    core = [name for name in names if name.startswith("shoal/kernels/_core.")]
    assert len([name for name in core if name.endswith((".so", ".pyd"))]) == 1
    assert "shoal/py.typed" in names
    here = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src/shoal").rglob("*.*")}
    compiled = (".cpp", ".hpp", ".pyc", ".so", ".pyd")
    assert {name for name in here if not name.endswith(compiled)} <= names
    assert not [name for name in names if name.endswith((".cpp", ".hpp")) or name.startswith("tests")]


def test_the_environment_has_what_the_wheel_asks_for_and_nothing_else(programs: Path) -> None:
    code = "from importlib.metadata import distributions as all; print(*(one.name for one in all()))"
    there = run(programs / "python", "-c", code, env=alone(programs)).stdout.split()
    assert {canonicalize_name(name) for name in there} == set(asked_for(["shoal"]))
    where = run(
        programs / "python", "-c", "import shoal; print(shoal.__file__)", env=alone(programs)
    ).stdout
    assert Path(where.strip()).is_relative_to(programs.parent)
    assert not [
        name for name in ("c++", "g++", "clang++", "cc") if shutil.which(name, path=str(programs))
    ]


def test_a_machine_without_a_compiler_runs_the_demo_and_the_page_that_newcomers_read_first(
    programs: Path, tmp_path: Path
) -> None:
    lines = "".join(block.text for block in blocks(START) if block.text.startswith("$ ")).splitlines()
    script = "\n".join(line.removeprefix("$ ") for line in lines)
    for word in ("demo", "init", "frontier", "release", "verify", "attack"):
        assert f"shoal {word}" in script
    there = {"env": alone(programs), "cwd": tmp_path}
    assert "Every promise holds." in run("/bin/sh", "-e", "-c", script, **there).stdout
    checked = run(programs / "shoal", "verify", "shoal-demo/release.csv", **there)
    assert "Every promise holds." in checked.stdout


def test_the_python_of_the_front_page_runs_with_the_extra_that_draws(
    wheel: Path, tmp_path: Path
) -> None:
    programs = made_for(wheel, tmp_path / "environment", "plot")
    (tmp_path / "patients.csv").write_text(rows(600, 1))
    (tmp_path / "zip.csv").write_text(ZIP)
    (code,) = [block.text for block in blocks(FRONT) if block.language == "python"]
    run(programs / "python", "-c", code, env=alone(programs), cwd=tmp_path)
    assert (tmp_path / "out.csv").is_file()


def test_the_papers_of_wheel_and_sdist_are_what_an_index_accepts(wheel: Path, sdist: Path) -> None:
    pytest.importorskip("twine", reason="twine is not installed (requirements-test.txt)")
    said = run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist).stdout
    assert said.count("PASSED") == 2


def test_the_sdist_has_all_that_a_build_needs_and_no_more(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    for needed in ("CMakeLists.txt", "pyproject.toml", "LICENSE", "src/shoal/kernels/module.cpp"):
        assert needed in names
    assert not [name for name in names if name.startswith((".venv", "build/", ".git/", ".ci/"))]
