"""The same verification and the same metric for whatever tool made a release."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peer_libraries import Paths, read_paths
from shoal.describe.promise import Promise
from shoal.verification.table_check import verify_table


class Jury:
    """Judges releases of one table, as `peer_libraries.write_release` writes them down."""

    def __init__(self, asked: Mapping[str, Any]) -> None:
        self.out = Path(asked["out"])
        self.k: int = asked["k"]
        self.paths: dict[str, Paths] = {n: read_paths(f) for n, f in asked["hierarchies"].items()}
        columns = text_columns(asked["table"], list(self.paths)).to_pydict()
        places = {name: {v: i for i, v in enumerate(p.leaves)} for name, p in self.paths.items()}
        self.values: list[tuple[int, ...]] = list(
            zip(*([places[n][v] for v in columns[n]] for n in self.paths), strict=True)
        )
        self.seen = [set(column) for column in zip(*self.values, strict=True)]
        self.failures: list[str] = []

    def row(
        self, name: str, recodes: str, found: Mapping[str, Any], labels: str | None = None
    ) -> dict[str, Any]:
        """A row of the table: what was measured of a contestant, and what its release is found to be."""
        verdict = self.judge(json.loads(self.out.read_text(encoding="utf-8")))
        if verdict["failures"]:
            self.failures.append(f"{name} fails: {'; '.join(verdict['failures'][:2])}")
        return {
            "contestant": name,
            "recodes": recodes,
            "labels": labels or found["labels"],
            "k": verdict["k"],
            "verified": verdict["verified"],
            "suppressed": verdict["suppressed"],
            "groups": verdict["groups"],
            "NCP": verdict["NCP"],
            "LM": verdict["LM"],
            "CPU s": found["cpu"],
            "wall s": found["wall"],
            "search s": found.get("search"),
            "peak MB": found.get("peak MB"),
        }

    def judge(self, release: Mapping[str, Any]) -> dict[str, Any]:
        """What is measured on a release: k, whether it and the labels are true, and what is lost."""
        import pyarrow as pa

        names = list(self.paths)
        groups, labels, covers = release["groups"], release["labels"], release["covers"]
        shown = [labels[group] for group in groups if group is not None]
        table = pa.table(
            {n: pa.array([row[i] for row in shown], pa.string()) for i, n in enumerate(names)}
        )
        verdict = verify_table(table, Promise(k=self.k), names)
        failures = list(verdict.failures)
        sets = [[frozenset(cell) for cell in group] for group in covers]
        for values, group in zip(self.values, groups, strict=True):
            if group is not None:
                failures += [
                    f"{name}: the label {labels[group][i]} does not cover {self.paths[name].leaves[value]}"
                    for i, (name, value) in enumerate(zip(names, values, strict=True))
                    if value not in sets[group][i]
                ]
        suppressed = len(groups) - len(shown)
        return {
            "k": verdict.measured.k,
            "verified": not failures,
            "failures": failures,
            "suppressed": suppressed,
            "groups": verdict.measured.groups,
            "NCP": self._lost(groups, sets, self.seen),
            "LM": self._lost(groups, sets, [set(range(len(p.rows))) for p in self.paths.values()]),
        }

    @staticmethod
    def _lost(
        groups: Sequence[int | None],
        covers: Sequence[Sequence[frozenset[int]]],
        domains: Sequence[set[int]],
    ) -> float:
        """The mean over cells of (values covered - 1) / (values of the domain - 1)."""
        costs = [
            sum(
                (len(cell & domain) - 1) / max(len(domain) - 1, 1)
                for cell, domain in zip(group, domains, strict=True)
            )
            for group in covers
        ]
        total = sum(len(domains) if group is None else costs[group] for group in groups)
        return total / (len(groups) * len(domains))


def text_columns(table: str, names: list[str]) -> Any:
    """Columns of a CSV file as text."""
    import pyarrow as pa
    from pyarrow import csv

    convert = csv.ConvertOptions(
        include_columns=names, column_types={name: pa.string() for name in names}
    )
    return csv.read_csv(table, convert_options=convert)
