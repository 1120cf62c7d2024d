"""The libraries that `peers` runs beside Shoal; called in an environment that holds them, and not Shoal.

Each gets the table as it wants it, and what it releases is written down in one form: the group of every
row, and each group's labels with the leaves of the hierarchies that they cover. Where a library wants
numbers, a value is its own number (age), or else its place in the hierarchy file.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.timing import Stopwatch

Covers = Callable[[str, str, list[int]], list[int]]
"""The leaves (by place) that a label of an attribute covers in a group of these rows."""
ROW = "row"
"""A column that numbers the rows, which every contestant has to hand on as it is."""


@dataclass(frozen=True)
class Paths:
    """A hierarchy file: of every leaf the labels up to the root."""

    rows: list[list[str]]

    @cached_property
    def leaves(self) -> list[str]:
        return [row[0] for row in self.rows]

    @cached_property
    def numeric(self) -> bool:
        return all(leaf.isdigit() for leaf in self.leaves)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number that stands for each leaf: its own, or its place."""
        return {leaf: int(leaf) if self.numeric else place for place, leaf in enumerate(self.leaves)}

    def below(self, label: str) -> list[int]:
        """The leaves below a label, by place."""
        return [place for place, row in enumerate(self.rows) if label in row]

    def between(self, low: float, high: float) -> list[int]:
        """The leaves whose numbers lie from `low` to `high`, by place."""
        return [place for place, n in enumerate(self.numbers.values()) if low <= n <= high]


class Question:
    """The table, and the hierarchy of each of its quasi attributes."""

    def __init__(self, table: str, hierarchies: dict[str, str]) -> None:
        import pandas as pd

        self.quasi = list(hierarchies)
        self.paths = {name: read_paths(file) for name, file in hierarchies.items()}
        self.text = pd.read_csv(table, dtype=str)[self.quasi]

    def frame(self, numeric: Sequence[str], dtype: str) -> Any:
        """The table with numbers in the `numeric` columns, the others of a type, and numbered rows."""
        frame = self.text.copy()
        for name in self.quasi:
            if name in numeric:
                frame[name] = frame[name].map(self.paths[name].numbers).astype("int64")
            else:
                frame[name] = frame[name].astype(dtype)
        frame[ROW] = range(len(frame))
        return frame

    def numeric(self, codes: bool) -> list[str]:
        """The columns that a library gets as numbers: all of them, or those that are numbers."""
        return [name for name in self.quasi if codes or self.paths[name].numeric]

    def spelled(self, numeric: Sequence[str]) -> Covers:
        """What labels such as 17-34 and Divorced,Widowed cover."""

        def covers(name: str, label: str, _members: list[int]) -> list[int]:
            paths = self.paths[name]
            if name in numeric:
                low, _, high = label.partition("-")
                return paths.between(int(low), int(high or low))
            return sorted(paths.leaves.index(value) for value in label.split(","))

        return covers

    def averaged(self, numeric: Sequence[str]) -> Covers:
        """What means and labels of the hierarchies cover: a mean, the range of its group."""
        numbers = {name: self.text[name].map(self.paths[name].numbers).to_numpy() for name in numeric}

        def covers(name: str, label: str, members: list[int]) -> list[int]:
            if name in numeric:
                own = numbers[name][members]
                return self.paths[name].between(own.min(), own.max())
            return self.paths[name].below(label)

        return covers


def read_paths(file: str | Path) -> Paths:
    """Return the hierarchy of a file in the ARX form."""
    return Paths([line.split(";") for line in Path(file).read_text(encoding="utf-8").splitlines()])


def write_release(
    out: str | Path,
    quasi: Sequence[str],
    count: int,
    released: Iterable[Sequence[Any]],
    covers: Covers,
) -> None:
    """Write down the groups of released rows, each given as its number and its labels."""
    members: dict[tuple[str, ...], list[int]] = {}
    for row, *labels in released:
        members.setdefault(tuple(map(str, labels)), []).append(int(row))
    groups: list[int | None] = [None] * count
    for group, rows in enumerate(members.values()):
        for row in rows:
            groups[row] = group
    document = {
        "groups": groups,
        "labels": list(members),
        "covers": [
            [covers(name, label, rows) for name, label in zip(quasi, labels, strict=True)]
            for labels, rows in members.items()
        ],
    }
    Path(out).write_text(json.dumps(document), encoding="utf-8")


def answer(
    peer: str, table: str, hierarchies: dict[str, str], k: int, out: str, **options: Any
) -> dict[str, Any]:
    """Let one peer answer, write down what it releases, and return the seconds of its search."""
    question = Question(table, hierarchies)
    watch, released, covers = PEERS[peer](question, k, **options)
    rows = released[[ROW, *question.quasi]].itertuples(index=False, name=None)
    write_release(out, question.quasi, len(question.text), rows, covers)
    return {"cpu": watch.cpu, "wall": watch.wall}


Answer = tuple[Stopwatch, Any, Covers]


def anonypy(question: Question, k: int, codes: bool) -> Answer:
    """Mondrian of anonypy."""
    import pandas as pd
    from anonypy import Preserver
    from anonypy import anonymize as label

    numeric = question.numeric(codes)
    frame = question.frame(numeric, "category")
    with Stopwatch() as watch:
        partitions = Preserver(frame, question.quasi, ROW).modrian.partition(k)
    released = pd.DataFrame(label(frame, partitions, question.quasi, ROW))
    for name in question.quasi:
        released[name] = released[name].str[0]  # a label comes as a list of one
    return watch, released, question.spelled(numeric)


def anonypyx(question: Question, k: int, codes: bool) -> Answer:
    """Mondrian of anonypyx."""
    from anonypyx import Anonymiser
    from anonypyx.generalisation import HumanReadable

    numeric = question.numeric(codes)
    frame = question.frame(numeric, "category")
    anonymiser = Anonymiser(frame, feature_columns=question.quasi, k=k, algorithm="Mondrian")
    with Stopwatch() as watch:
        partitions = anonymiser.algorithm.partition(anonymiser.parameters)
    schema = HumanReadable.create_for_data(frame, question.quasi)
    return watch, schema.generalise(frame, partitions), question.spelled(numeric)


def anjana(question: Question, k: int) -> Answer:
    """Full-domain k-anonymity of anjana with the hierarchies, no row to be suppressed."""
    from anjana.anonymity import k_anonymity

    hierarchies = {
        name: dict(enumerate(map(list, zip(*paths.rows, strict=True))))
        for name, paths in question.paths.items()
    }
    with Stopwatch() as watch:
        released = k_anonymity(question.frame((), "object"), [], question.quasi, k, 0, hierarchies)
    return watch, released, question.averaged(())


def lighthouse(question: Question, k: int, codes: bool, original: bool = False) -> Answer:
    """Core Mondrian of project-lighthouse-anonymize with the hierarchies or with codes, or its original."""
    from project_lighthouse_anonymize.utils import AnonymizeCallbacks
    from project_lighthouse_anonymize.wrappers.k_anonymize import k_anonymize

    watch = Stopwatch()

    class Search(AnonymizeCallbacks):
        """Times the search, without the quality metrics that follow it."""

        def anonymize_bm(self) -> None:
            watch.__enter__()

        def anonymize_am(self) -> None:
            watch.__exit__()

    numeric = question.numeric(codes)
    trees = {name: _tree(question.paths[name]) for name in question.quasi if name not in numeric}
    released, _quality, _risk = k_anonymize(
        logging.getLogger("peers"),
        question.frame(numeric, "object"),
        question.quasi,
        k,
        trees,
        ROW,
        dq_metric_to_minimum_dq={"pct_non_suppressed": 1.0},
        parallelism=None,
        anonymize_callbacks=Search(),
        use_original_mondrian=original,
    )
    return watch, released, question.averaged(numeric)


def _tree(paths: Paths) -> Any:
    from project_lighthouse_anonymize.gtrees import GTree

    tree, nodes = GTree(), {}
    for row in paths.rows:
        parent = None
        for level in reversed(range(len(row))):
            place = tuple(row[level:])
            if place not in nodes:
                nodes[place] = tree.create_node(row[level], parent=parent)
            parent = nodes[place]
    tree.add_default_geometric_sizes()
    return tree


PEERS: dict[str, Callable[..., Answer]] = {
    "anonypy": anonypy,
    "anonypyx": anonypyx,
    "anjana": anjana,
    "project-lighthouse-anonymize": lighthouse,
}
