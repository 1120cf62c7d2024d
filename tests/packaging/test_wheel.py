"""The wheel and the sdist: built from this checkout, and used where there is no compiler and no checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, **more: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without network from what is compiled already."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", folder)
    run(sys.executable, "-m", "pip", "wheel", *options, ROOT)
    (built,) = folder.glob("shoal-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a machine that has the wheel, and what it depends on, and no compiler."""
    target = tmp_path_factory.mktemp("installed")
    run(
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
        target,
        wheel,
    )
    # Folders of PYTHONPATH bring no .pth files, so the checkout that is installed for the tests is not seen.
    return {
        "PATH": str(target / "bin"),
        "PYTHONPATH": os.pathsep.join([str(target), sysconfig.get_path("purelib")]),
        "HOME": str(target),
    }


def test_the_wheel_has_the_compiled_core_and_no_sources(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert (
        sum(name.startswith("shoal/kernels/_core.") and name.endswith((".so", ".pyd")) for name in names)
        == 1
    )
    assert "shoal/py.typed" in names
    assert not [name for name in names if name.endswith((".cpp", ".hpp")) or name.startswith("tests")]


def test_a_machine_without_a_compiler_runs_the_demo(installed: dict[str, str], tmp_path: Path) -> None:
    where = "import shoal; print(shoal.__file__)"
    python = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    found = run(python, "-c", where, env=installed, cwd=tmp_path).stdout.strip()
    assert found.startswith(installed["PYTHONPATH"].split(os.pathsep)[0])
    code = "from shoal.cli import main; main()"
    run(python, "-c", code, "demo", tmp_path / "demo", "--rows", "500", env=installed, cwd=tmp_path)
    checked = run(
        python, "-c", code, "verify", tmp_path / "demo/release.csv", env=installed, cwd=tmp_path
    )
    assert "Every promise holds." in checked.stdout


def test_the_papers_of_the_wheel_are_what_an_index_accepts(wheel: Path) -> None:
    pytest.importorskip("twine", reason="twine is not installed (requirements-test.txt)")
    said = run(sys.executable, "-m", "twine", "check", "--strict", wheel).stdout
    assert "PASSED" in said


def test_the_sdist_has_all_that_a_build_needs_and_no_more(tmp_path: Path) -> None:
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", code, tmp_path, cwd=ROOT)
    (built,) = tmp_path.glob("shoal-*.tar.gz")
    with tarfile.open(built) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    for needed in ("CMakeLists.txt", "pyproject.toml", "LICENSE", "src/shoal/kernels/module.cpp"):
        assert needed in names
    assert not [name for name in names if name.startswith((".venv", "build/", ".git/", ".ci/"))]


def test_workflows_are_yaml_that_names_what_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for path in sorted((ROOT / ".github").rglob("*.yml")):
        document = yaml.safe_load(path.read_text())
        assert isinstance(document, dict), path
        for job in document.get("jobs", {}).values():
            assert job["runs-on"], path
            for step in job["steps"]:
                assert ("uses" in step) != ("run" in step), (path, step)
                for word in step.get("run", "").split():
                    if word.startswith(".ci/"):
                        assert (ROOT / word).is_file(), (path, word)
                if step.get("run", "").startswith("make "):
                    for part in step["run"].split("&&"):
                        for target in part.partition(" LONG=")[0].split()[1:]:
                            assert f"\n{target}:" in makefile, (path, target)


def test_the_container_installs_extras_that_exist() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    asked = (ROOT / "Dockerfile").read_text().split("/source[", 1)[1].split("]", 1)[0].split(",")
    assert set(asked) <= set(extras)
    assert "USER curator" in (ROOT / "Dockerfile").read_text()
