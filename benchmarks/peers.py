"""What Shoal's algorithms and the Python libraries of its kind lose on one question, and how long they take.

Adult, the eight attributes of `arx-12960` without occupation, k = 5, no row suppressed. Every contestant
runs in a process of its own and hands over the released label of every cell; all are then verified by the
same code and measured by the same metric: NCP, the mean over cells of (values covered - 1) / (values - 1),
of the values that occur in the table, and LM, the same of all leaves of the hierarchies.
The libraries are installed into an environment of their own, in the folder of the results.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.data import ARX_ATTRIBUTES, arx
from benchmarks.environments import installed
from benchmarks.jury import Jury, text_columns
from benchmarks.peer_libraries import ROW, Paths, read_paths, write_release
from benchmarks.runner import RESULTS, Options, SkipError, alone
from benchmarks.table import Result
from benchmarks.timing import Stopwatch, apart_with
from shoal import Study
from shoal.answers.recoding import GroupRecoding
from shoal.errors import ShoalError
from shoal.search.algorithms import ALGORITHMS

K = 5
QUASI = tuple(name for name in ARX_ATTRIBUTES if name != "occupation")
QUICK_QUASI, QUICK_ROWS = QUASI[3:6], 3_000
REFERENCE = "shoal mondrian"
"""The contestant that the others' seconds are compared with, where it is there."""
SEARCH_LIMIT = 60.0
PROCESS_LIMIT = 1_200.0
REPEATS = 3
"""Runs of each of Shoal's algorithms; that of least CPU time counts. The peers run once."""
LONG = 10.0
"""Seconds: an algorithm that takes more runs once, too."""

PACKAGES = ("anonypy==0.2.1", "anonypyx==0.2.11", "anjana==0.2.2", "project-lighthouse-anonymize==1.0.0")
UNDER_THEM = ("numpy==1.26.4", "pandas==2.1.4")
ENVIRONMENT = RESULTS / "peers-environment"


@dataclass(frozen=True)
class Contestant:
    """A library's algorithm: how it recodes, what its labels are, and how it is called."""

    name: str
    peer: str
    recodes: str
    labels: str
    options: Mapping[str, Any] = field(default_factory=dict)


CONTESTANTS = (
    Contestant("anonypy, categories", "anonypy", "groups", "intervals, sets", {"codes": False}),
    Contestant("anonypy, codes", "anonypy", "groups", "intervals", {"codes": True}),
    Contestant("anonypyx, categories", "anonypyx", "groups", "intervals, sets", {"codes": False}),
    Contestant("anonypyx, codes", "anonypyx", "groups", "intervals", {"codes": True}),
    Contestant("anjana", "anjana", "node", "hierarchy"),
    Contestant(
        "lighthouse, trees",
        "project-lighthouse-anonymize",
        "groups",
        "means, hierarchy",
        {"codes": False},
    ),
    Contestant("lighthouse, codes", "project-lighthouse-anonymize", "groups", "means", {"codes": True}),
    Contestant(
        "lighthouse original, codes",
        "project-lighthouse-anonymize",
        "groups",
        "means",
        {"codes": True, "original": True},
    ),
)


def run(options: Options) -> Result:
    if not options.quick and not options.full:
        raise SkipError("the libraries take some ten minutes; --full runs them")
    data = arx(QUICK_QUASI if options.quick else QUASI)
    hierarchies = {name: str(file) for name, file in data.hierarchies.items()}
    python = None if options.quick else installed(ENVIRONMENT, (*PACKAGES, *UNDER_THEM), "the peers")
    notes: list[str] = []
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        lines = data.table.read_text(encoding="utf-8").splitlines(keepends=True)
        table.write_text("".join(lines[: QUICK_ROWS + 1] if options.quick else lines), encoding="utf-8")
        asked = {
            "table": str(table),
            "hierarchies": hierarchies,
            "k": K,
            "out": str(Path(folder) / "release.json"),
        }
        errors = Path(folder) / "errors.txt"
        jury = Jury(asked)
        for algorithm in ALGORITHMS:
            name = f"shoal {algorithm.name}"
            found = _best_of_shoal(algorithm.name, asked, errors if python else None)
            if "failure" in found:
                notes.append(f"{name} has no answer: {found['failure']}")
                continue
            rows.append(jury.row(name, algorithm.recodes, found))
        if python is None:
            notes.append("the peers are left out: a quick run installs nothing")
        else:
            for contestant in CONTESTANTS:
                own = {"peer": contestant.peer, **asked, **contestant.options}
                found = _apart(str(python), errors, "benchmarks.peer_libraries:answer", own)
                if "failure" in found:
                    notes.append(f"{contestant.name} has no answer: {found['failure']}")
                    continue
                rows.append(jury.row(contestant.name, contestant.recodes, found, contestant.labels))
            notes += PEER_NOTES
    reference = next((row["CPU s"] for row in rows if row["contestant"] == REFERENCE), None)
    for row in rows:
        row["whose"] = "Shoal" if row["contestant"].startswith("shoal ") else "library"
        row["times mondrian's CPU"] = None if reference is None else row["CPU s"] / reference
    rows.sort(key=lambda row: row["NCP"])
    title = (
        f"k = {K} without suppression: {len(jury.values):,} rows of Adult, {len(hierarchies)} attributes"
    )
    return Result(title, rows, [*NOTES, *jury.failures, *notes, data.source])


NOTES = [
    "CPU s and wall s: from the table in memory to the groups (Shoal: Study.anonymize with the tally and "
    f"the losses of every metric, the best of {REPEATS} runs; search s: its search alone)",
    "verified: from the released rows every group has k rows, and every label covers the value it stands for",
    "NCP: mean over cells of (values covered - 1) / (values - 1), of the values that occur in the table; LM: "
    "the same of all leaves of the hierarchies; the cells of a suppressed row count 1",
]
PEER_NOTES = [
    f"peers: {', '.join(PACKAGES)}, with {', '.join(UNDER_THEM)}; one run each, one process each",
    "categories: age is a number, the others are pandas categories; codes: a value is its place in the "
    "hierarchy file, and the interval of codes a-b covers the values from place a to b",
    "lighthouse releases means of numbers: they cover, for NCP, the range of their group, which a reader of "
    "the release does not see, so that of means only k is verified; it is asked to suppress nothing, and its "
    "quality metrics are not timed",
    "MDAV-generic of anonypyx is left out: its matrix of distances alone takes 8 bytes for every pair of "
    "rows, 7.3 GB, and more while it is made",
]


def _best_of_shoal(algorithm: str, asked: Mapping[str, Any], errors: Path | None) -> dict[str, Any]:
    """The run of least CPU time of one of Shoal's algorithms; all runs release the same."""
    if errors is None:
        return answer(algorithm, **asked, limit=1.0)
    own = {"algorithm": algorithm, "limit": SEARCH_LIMIT, **asked}
    runs: list[dict[str, Any]] = []
    while len(runs) < REPEATS and not (runs and ("failure" in runs[-1] or runs[-1]["wall"] > LONG)):
        runs.append(_apart(sys.executable, errors, "benchmarks.peers:answer", own))
    return min(runs, key=lambda found: found.get("cpu", 0.0))


def _apart(python: str, errors: Path, function: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """What a contestant measured of itself in its own process, or why it has no answer."""
    try:
        return apart_with(python, PROCESS_LIMIT, errors, function, **own)
    except subprocess.TimeoutExpired:
        return {"failure": f"not within {PROCESS_LIMIT:,.0f} s"}
    except subprocess.CalledProcessError:
        said = errors.read_text(encoding="utf-8").strip().splitlines()
        return {"failure": said[-1] if said else "it ended without a word"}


def answer(
    algorithm: str, table: str, hierarchies: dict[str, str], k: int, out: str, limit: float
) -> dict[str, Any]:
    """Let one of Shoal's algorithms answer, as `peer_libraries.answer` does for the peers."""
    import pyarrow as pa

    names = list(hierarchies)
    frame = text_columns(table, names)
    frame = frame.append_column(ROW, pa.array(range(frame.num_rows)))
    with Study(frame, quasi={n: Path(f) for n, f in hierarchies.items()}, insensitive=ROW) as study:
        try:
            with Stopwatch() as watch:
                found = study.anonymize(algorithm, k=k, time_limit=limit)
            released = study.release(found, seed=0).table()
        except ShoalError as problem:
            return {"failure": str(problem)}
        recoding = found.decision().recoding
        meanings = recoding.meanings if isinstance(recoding, GroupRecoding) else {}
        covers = _meaning({n: read_paths(f) for n, f in hierarchies.items()}, meanings)
        rows = zip(*(released[name].to_pylist() for name in (ROW, *names)), strict=True)
        write_release(out, names, frame.num_rows, rows, covers)
    return {
        "cpu": watch.cpu,
        "wall": watch.wall,
        "search": found.seconds,
        "LM": found.losses["LM"] / (frame.num_rows * len(names)),
        "labels": "intervals, sets" if meanings else "hierarchy",
    }


def _meaning(
    paths: Mapping[str, Paths], meanings: Mapping[str, Mapping[Any, tuple[Any, ...]]]
) -> Callable[[str, str, list[int]], list[int]]:
    """What labels cover that are the hierarchies' or that a recoding explains."""
    known: dict[tuple[str, str], list[int]] = {}

    def covers(name: str, label: str, _members: list[int]) -> list[int]:
        if (name, label) not in known:
            explained = meanings.get(name, {}).get(label)
            places = paths[name].leaves
            known[name, label] = (
                paths[name].below(label)
                if explained is None
                else sorted(places.index(value) for value in explained)
            )
        return known[name, label]

    return covers


if __name__ == "__main__":
    alone(__file__)
