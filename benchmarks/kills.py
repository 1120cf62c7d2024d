"""Claim: killed at any instant, a command leaves the old output whole or the new one, and no leftovers.

Commands are started and ended by SIGKILL after a random part of the time that they take. A third of these
times count from the start, a third from the moment at which the output is claimed, and a third, shorter ones,
from that at which its files begin to be moved in. The umask is 0, so that what is not private is found out.
After each kill one ordinary command is run on the output; then all of its files must be those that stood
before, or all those of an undisturbed run, byte for byte but for how long the search took, and for the name
and the moment of the run.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import apart

BY_THE_WALL = True
KILLS = 27
"""For each of the commands; there are eight."""
MOVING = 0.004
"""In how many seconds, about, the files of a release are moved in once its journal is written."""
PATIENCE = 120.0
WORKERS = 4
"""How many commands are tried at a time: a kill waits more than it works."""
NEEDED = (
    *("shoal.cli.app", "shoal.cli.output", "shoal.again", "shoal.data.tally.keeping"),
    *("shoal.present.report.html", "shoal.search.negotiation.starting", "shoal.release.papers.publish"),
    *("duckdb", "sqlglot", "pyarrow.parquet", "rich.table"),
)
"""What commands load; it is loaded once, before they are forked, so that a kill meets their work."""
FOUND = ("old stands", "new stands", "found unfinished")
FAULTS = ("half-written", "left over", "readable by others", "next command failed")


def run(options: Options) -> Result:
    kills = 1 if options.quick else KILLS if options.full else KILLS // 3
    rows = 60 if options.quick else 300
    seed, start = random.randrange(10**9), time.perf_counter()

    def apart_from_others(number: int) -> dict[str, Any]:
        name = "benchmarks.kills:kill"
        return apart(name, number=number, kills=kills, rows=rows, seed=seed + number)

    with ThreadPoolExecutor(WORKERS) as workers:
        tried = (1,) if options.quick else range(len(CASES))
        found = list(workers.map(apart_from_others, tried))
    table = [{name: row[name] for name in ("command", "kills", *FOUND, *FAULTS)} for row in found]
    total = sum(row["kills"] for row in table)
    faults = sum(row[name] for row in table for name in FAULTS)
    notes = [
        f"{total:,} kills in {time.perf_counter() - start:,.0f} s, {faults:,} faults; drawn with seed {seed}",
        "found unfinished: the new files were complete and not yet all in place; the next command moved them",
    ]
    return Result("Killed at a random instant", table, notes)


@dataclass(frozen=True)
class Case:
    """A command that writes an output, one that has made an older output, and one that is then run on it."""

    command: str
    out: str
    then: str
    older: str | None = None

    @property
    def release(self) -> bool:
        """Whether the output is several files, which the next command may have to finish."""
        return self.out.startswith("out.")

    def sign(self, step: int) -> str:
        """Return the file that shows that the output is claimed (1), or that it is about to be moved in."""
        if step == 1:
            return f".{self.out}.shoal-lock"
        return f".{self.out}.shoal-new/.journal" if self.release else f".{self.out}.shoal-new"

    @property
    def private(self) -> list[str]:
        """The files that are their owner's alone."""
        if not self.release:
            return [self.out]
        return [self.out + suffix for suffix in (".record.json", ".report.html", ".mappings")]


_FILE = "release study.yaml --solution f.json -o out.csv"
_TABLE = "release base.yaml --solution f.json -o out.yaml --into safe"
_SAVE = "anonymize study.yaml --algorithm mondrian --save s.json"
_USE = "release study.yaml --solution s.json -o x.csv --force"
_COUNTED = "frontier study.yaml --tally a.tally"
CASES = (
    Case(f"{_FILE} --seed 2", "out.csv", "verify out.csv"),
    Case(f"{_FILE} --seed 2 --force", "out.csv", "verify out.csv", f"{_FILE} --k 3 --seed 1"),
    Case(f"{_TABLE} --seed 2 --force", "out.yaml", "verify out.yaml", f"{_TABLE} --k 3 --seed 1"),
    Case("tally study.yaml -o a.tally", "a.tally", _COUNTED),
    Case("tally study.yaml -o a.tally --force", "a.tally", _COUNTED, "tally other.yaml -o a.tally"),
    Case(f"{_SAVE} --k 5", "s.json", _USE),
    Case(f"{_SAVE} --k 5 --force", "s.json", _USE, f"{_SAVE} --k 9"),
    Case("negotiate study.yaml --k 5", "study.yaml.index", "negotiate study.yaml --k 5"),
)


def kill(number: int, kills: int, rows: int, seed: int) -> dict[str, Any]:
    """Kill a command so many times; in a process of its own, which forks and holds nothing."""
    for needed in NEEDED:
        import_module(needed)
    with TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        _prepare(home, rows)
        return _case(CASES[number], home, kills, random.Random(seed))


def _prepare(home: Path, rows: int) -> None:
    draw = random.Random(rows)
    lines = [
        f"{draw.randrange(21300, 21340)},{draw.randrange(20, 60)},{draw.choice(['flu', 'cold', 'gout'])}\n"
        for _ in range(rows)
    ]
    for name, count in (("people", rows), ("others", rows // 2)):
        (home / f"{name}.csv").write_text("zip,age,illness\n" + "".join(lines[:count]))
    place = "{engine: duckdb, url: base.duckdb, table: people}"
    for name, table in (("study", "people.csv"), ("other", "others.csv"), ("base", place)):
        (home / f"{name}.yaml").write_text(_STUDY.format(table=table))
    assert _wait(_fork(partial(_import, home))) == 0
    assert _shoal(home, "frontier study.yaml --suppress 2% --save f.json") == 0


_STUDY = """table: {table}
attributes:
  zip: {{role: quasi, hierarchy: {{mask: {{digits: 5}}}}}}
  age: {{role: quasi, hierarchy: {{intervals: {{widths: [5, 10, 20]}}}}}}
  illness: {{role: sensitive}}
"""


def _import(home: Path) -> int:
    import duckdb

    with duckdb.connect(str(home / "base.duckdb")) as connection:
        rows = "read_csv(?, all_varchar=true)"
        connection.execute(f"CREATE TABLE people AS FROM {rows}", [str(home / "people.csv")])
    return 0


def _case(case: Case, home: Path, kills: int, draw: random.Random) -> dict[str, Any]:
    old = _afresh(case, home)
    start = time.perf_counter()
    assert _shoal(home, case.command) == 0, case.command
    takes, new = time.perf_counter() - start, _state(case, home)
    assert old != new
    counts: Counter[str] = Counter()
    for attempt in range(20 * kills):
        if counts["kills"] == kills:
            break
        _afresh(case, home)
        child = _fork(partial(_command, home, case.command))
        if attempt % 3:
            _until(partial(_begun, home / case.sign(attempt % 3), child))
        time.sleep(draw.random() * (MOVING if attempt % 3 == 2 else takes))
        os.kill(child, signal.SIGKILL)
        if _wait(child) != -signal.SIGKILL:
            continue  # it was done before
        counts["kills"] += 1
        mine = [path for path in home.iterdir() if path.name[0] == "." or path.name in case.private]
        counts["readable by others"] += any(path.lstat().st_mode & 0o077 for path in mine)
        counts["found unfinished"] += (home / f".{case.out}.shoal-done").exists()
        state = _state(case, home)
        status = _shoal(home, case.then)
        if case.release:
            state = _state(case, home)
        # Where nothing was there before and nothing was made, there is nothing to read.
        right = 0 if state or case.out.endswith(".index") else 2
        counts["next command failed"] += status != right
        counts["old stands"] += state == old
        counts["new stands"] += state == new
        counts["half-written"] += state not in (old, new)
        hidden = [path for path in home.iterdir() if path.name[0] == "."]
        counts["left over"] += bool(hidden)
        for path in hidden:
            _remove(path)
    return {"command": case.command, **{name: counts[name] for name in ("kills", *FOUND, *FAULTS)}}


def _begun(sign: Path, child: int) -> bool:
    ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return ended or sign.exists()


def _afresh(case: Case, home: Path) -> dict[str, str]:
    """Put the older output in its place, or nothing, and return what it is."""
    # What DuckDB had not yet put into its file when it was killed belongs to no older file.
    for path in [*home.glob(f"{case.out}*"), *home.glob("base.duckdb.wal")]:
        _remove(path)
    if case.older is not None:
        kept = home.parent / f"older {CASES.index(case)}"
        if not kept.exists():
            assert _shoal(home, case.older) == 0, case.older
            kept.mkdir()
            _copy([*home.glob(f"{case.out}*"), home / "base.duckdb"], kept)
        _copy(kept.iterdir(), home)
    return _state(case, home)


def _copy(paths: Iterable[Path], folder: Path) -> None:
    for path in paths:
        if path.is_dir():
            shutil.copytree(path, folder / path.name, dirs_exist_ok=True)
        else:
            shutil.copy2(path, folder / path.name)


_OWN = re.compile(rb'"(milli)?seconds": *[0-9.e+-]+|"(runId|eventTime)": *"[^"]*"')
"""What no two runs have in common."""


def _state(case: Case, home: Path) -> dict[str, str]:
    """The digests of all files of an output, and of the rows in its table."""
    files = {
        path.relative_to(home).as_posix(): hashlib.sha256(_OWN.sub(b"", path.read_bytes())).hexdigest()
        for given in home.glob(f"{case.out}*")
        for path in (given.rglob("*") if given.is_dir() else [given])
    }
    if case.out == "out.yaml" and files:
        rows = home.parent / "rows.csv"
        assert _wait(_fork(partial(_export, home / "base.duckdb", rows))) == 0
        files["rows"] = hashlib.sha256(rows.read_bytes()).hexdigest()
    return files


def _export(database: Path, rows: Path) -> int:
    import duckdb

    with duckdb.connect(str(database), read_only=True) as connection:
        connection.execute(f"COPY (FROM safe ORDER BY ALL) TO '{rows}'")
    return 0


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _shoal(home: Path, command: str) -> int:
    return _wait(_fork(partial(_command, home, command)))


def _command(home: Path, command: str) -> int:
    from shoal.cli import main

    os.chdir(home)
    sys.argv = ["shoal", *command.split()]
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def _fork(work: Callable[[], int]) -> int:
    """Do the work in another process, silently, with files that anyone may read unless told otherwise."""
    child = os.fork()
    if child:
        return child
    try:
        os.umask(0)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        status = work()
    except BaseException:
        status = 99
    os._exit(status)


def _wait(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not done() and time.monotonic() < deadline:
        time.sleep(0.0005)


if __name__ == "__main__":
    alone(__file__)
