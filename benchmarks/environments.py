"""Environments of their own for peers whose packages do not go together with Shoal's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.runner import SkipError


def installed(folder: Path, packages: Sequence[str], what: str) -> Path:
    """The Python of an environment that holds the packages, installed on first use."""
    python = folder / "bin" / "python"
    stamp = folder / "packages"
    wanted = "\n".join(packages)
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    print(f"installing {what} into {folder}")
    options = ["--quiet", "--timeout", "20", "--retries", "1", "--only-binary", ":all:"]
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", *options, *packages],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            reason = (lines or done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise SkipError(f"{what} cannot be installed: {reason}")
    stamp.write_text(wanted, encoding="utf-8")
    return python
