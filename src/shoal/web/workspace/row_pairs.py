"""All rows before and after a solution, a page of them at a time, the riskiest or the coarsest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.assess.utility.by_class import lost_by_class
from shoal.errors import InputError, did_you_mean, show
from shoal.numbers import percent
from shoal.release.study_release import StudyRelease
from shoal.web.workspace.bench import Bench

Document = dict[str, Any]
Numbers = npt.NDArray[np.float64]
ORDERS = ("lost", "risk", "before", "group")
"""By detail lost, by the risk that is left, by the risk before, or group by group."""
MOST = 200
"""Rows in one answer."""


@dataclass(frozen=True)
class RowPairs:
    """The combinations of a table with what a solution makes of each; a row stands for each of its rows.

    A group of rows that look alike in the release is numbered by its place among all.
    """

    made: StudyRelease
    sizes: npt.NDArray[np.int64]
    """Rows in the group of each combination."""
    lost: Numbers
    gone: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, made: StudyRelease) -> RowPairs:
        """Return the rows of a release that is not written yet."""
        treatment, tally = made.treatment, made.tally
        groups = np.asarray(treatment.classes)
        rows = np.bincount(groups, weights=tally.counts, minlength=len(treatment.labels)).astype(
            np.int64
        )
        deleted = np.zeros(len(treatment.labels), dtype=bool)
        deleted[list(treatment.deleted)] = True
        share = lost_by_class(made.decision.recoding, treatment, tally, made.material.hierarchies)
        gone = deleted[groups]
        return cls(made, rows[groups], np.where(gone, 1.0, share[groups]), gone)

    def page(self, order: str, offset: int, limit: int) -> Document:
        """Return some rows in an order."""
        if order not in ORDERS:
            raise InputError(f"rows have no order {show(order)}; {did_you_mean(order, ORDERS)}")
        tally, treatment = self.made.tally, self.made.treatment
        groups = np.asarray(treatment.classes)
        risk = np.where(self.gone, 0.0, 1 / np.maximum(self.sizes, 1))
        key = {"lost": -self.lost, "risk": -risk, "before": tally.counts, "group": groups}[order]
        line = np.lexsort((groups, key))
        ends = np.cumsum(tally.counts[line])
        total = int(ends[-1]) if len(ends) else 0
        rows = []
        for place in range(max(offset, 0), min(max(offset, 0) + min(max(limit, 0), MOST), total)):
            i = int(line[int(np.searchsorted(ends, place, side="right"))])
            rows.append(
                {
                    "group": None if self.gone[i] else int(groups[i]) + 1,
                    "size": int(self.sizes[i]),
                    "risk_before": 1 / int(tally.counts[i]),
                    "risk": float(risk[i]),
                    "lost": float(self.lost[i]),
                    "said": {
                        "risk_before": percent(1 / int(tally.counts[i])),
                        "risk": percent(float(risk[i])),
                        "lost": percent(float(self.lost[i])),
                    },
                    "before": [tally.domains[a][code] for a, code in enumerate(tally.codes[i].tolist())],
                    "after": None if self.gone[i] else list(treatment.labels[int(groups[i])]),
                }
            )
        return {
            "columns": list(tally.attributes),
            "total": total,
            "offset": max(offset, 0),
            "rows": rows,
        }


class RowPages:
    """Pages of the rows of pinned solutions; the last solution asked for stays ready."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._kept: tuple[Any, Mapping[str, Any], RowPairs] | None = None

    def page(self, solution: Mapping[str, Any], order: str, offset: int, limit: int) -> Document:
        """Return some rows before and after a solution."""
        study, kept = self._bench.study(), self._kept
        if kept is None or kept[0] is not study or kept[1] is not solution:
            kept = self._kept = (study, solution, RowPairs.of(self._bench.release_of(solution)))
        return kept[2].page(order, offset, limit)
