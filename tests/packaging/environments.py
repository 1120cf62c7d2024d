"""Environments that hold a wheel, what it asks for, and nothing else; made without network."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def run(*command: str | Path, **more: object) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def asked_for(
    requirements: Iterable[str], extras: Iterable[str] = ()
) -> dict[str, metadata.Distribution]:
    """Return what the requirements of something ask for, and what that asks for in turn, by name.

    It is found among what is installed here; `extras` are those of the something.
    """
    found: dict[str, metadata.Distribution] = {}
    seen: set[tuple[str, str]] = set()
    todo = [(Requirement(line), extra) for line in requirements for extra in ("", *extras)]
    while todo:
        wanted, extra = todo.pop()
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(wanted.name)
        for more in {"", *wanted.extras}:
            if (name, more) not in seen:
                seen.add((name, more))
                found[name] = metadata.distribution(name)
                todo += [(Requirement(line), more) for line in found[name].requires or ()]
    return found


def made_for(wheel: Path, folder: Path, *extras: str) -> Path:
    """Make an environment for a wheel with extras, install it there, and return the folder of its programs.

    It has no pip: that of the tests installs the wheel, and finds what it depends on in place or fails.
    """
    run(sys._base_executable, "-m", "venv", "--without-pip", folder)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    (papers,) = [one for one in zipfile.Path(wheel).iterdir() if one.name.endswith(".dist-info")]
    for distribution in asked_for(metadata.PathDistribution(papers).requires or (), extras).values():
        _link(distribution, packages)
    programs = Path(sysconfig.get_path("scripts", "venv", {"base": str(folder)}))
    pip = (sys.executable, "-m", "pip", "--python", programs / "python")
    wanted = f"{wheel}[{','.join(extras)}]" if extras else wheel
    run(*pip, "install", "--quiet", "--no-index", "--no-compile", wanted)
    return programs


def _link(distribution: metadata.Distribution, packages: Path) -> None:
    """Link the files of a distribution, by its own list of them, with their compiled twins; no programs."""
    assert distribution.files is not None, distribution.name
    for file in distribution.files:
        if ".." in file.parts or "__pycache__" in file.parts:
            continue
        there, here = Path(file.locate()), packages / file
        here.parent.mkdir(parents=True, exist_ok=True)
        here.symlink_to(there)
        if here.suffix == ".py":
            compiled = Path(importlib.util.cache_from_source(str(there)))
            if compiled.is_file():
                beside = Path(importlib.util.cache_from_source(str(here)))
                beside.parent.mkdir(exist_ok=True)
                beside.symlink_to(compiled)
