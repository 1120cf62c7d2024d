"""Claim: `shoal` starts at once, and answers for Adult in well under a second, from start to finish.

Processor seconds of whole processes, beside a Python that does nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.data import SUPPRESS, Adult, adult
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import rounds, timed

QUICK = ("python -c pass", "shoal --version", "shoal frontier (exact)")


def run(options: Options) -> Result:
    data = adult()
    shoal = str(Path(sysconfig.get_path("scripts")) / "shoal")
    with TemporaryDirectory() as folder:
        study = str(_study_file(data, Path(folder), 4 if options.quick else len(data.hierarchies)))
        question = ["frontier", study, "--suppress", str(SUPPRESS), "--json"]
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "python -c 'import numpy, duckdb'": [sys.executable, "-c", "import numpy, duckdb"],
            "shoal --version": [shoal, "--version"],
            "shoal --help": [shoal, "--help"],
            "shoal frontier (exact)": [shoal, *question],
            "shoal frontier (exhaustive)": [shoal, *question, "--method", "exhaustive"],
        }
        if options.quick:
            commands = {name: commands[name] for name in QUICK}
        answer = json.loads(_call(commands["shoal frontier (exact)"]))  # and the files are in the cache
        contestants = {name: timed(partial(_call, command)) for name, command in commands.items()}
        seconds = rounds(contestants, 1 if options.quick else 15 if options.full else 4)
    bare = min(seconds["python -c pass"])
    rows = [
        {
            "command": name,
            "best s": min(measured),
            "median s": median(measured),
            "times python": min(measured) / bare,
        }
        for name, measured in seconds.items()
    ]
    search = f"of shoal frontier (exact), the search itself took {answer['seconds']:.3f} s in one run"
    return Result("From start to finish", rows, [search, data.source])


def _call(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    if done.returncode:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def _study_file(data: Adult, folder: Path, count: int) -> Path:
    """A study file with the first of Adult's attributes; JSON is YAML."""
    attributes = {
        name: {"role": "quasi", "hierarchy": str(given) if isinstance(given, Path) else given}
        for name, given in islice(data.hierarchies.items(), count)
    }
    file = folder / "study.yaml"
    file.write_text(json.dumps({"table": str(data.table), "attributes": attributes}), encoding="utf-8")
    return file


if __name__ == "__main__":
    alone(__file__)
