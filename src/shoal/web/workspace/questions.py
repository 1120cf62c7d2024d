"""The questions to a workspace; each answer is the document that the command line prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from shoal.answering.risk_of_table import risk_of_counts
from shoal.answers.negotiation import Answer
from shoal.assess.risk.suda import SpecialUniques
from shoal.data.tally import Tally
from shoal.search.negotiation.negotiator import Negotiator
from shoal.web.workspace.bench import Bench
from shoal.web.workspace.shared_study import SharedStudy

Document = dict[str, Any]

RISKIEST = 10
"""Rows that are shown at once."""


class Questions:
    """Questions to the study as decided now."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._negotiator: tuple[SharedStudy, Negotiator] | None = None
        self._kept_risk: tuple[SharedStudy, Document, list[Document]] | None = None
        self._kept_curves: tuple[SharedStudy, tuple[str, int], Document] | None = None

    def negotiator(self) -> Negotiator:
        """Return the prepared negotiation; prepare it if this study has none yet."""
        study = self._bench.study()
        kept = self._negotiator
        if kept is not None and kept[0] is study:
            return kept[1]
        with study.lock:
            kept = self._negotiator
            if kept is None or kept[0] is not study:
                kept = self._negotiator = (study, study.negotiator(index=False))
        return kept[1]

    def at_hand(self, metric: str) -> Negotiator | None:
        """Return the prepared negotiation if it can answer at once: all histograms and losses are there.

        This never waits, so the event loop may call it.
        """
        kept, study = self._negotiator, self._bench.opened()
        if kept is None or kept[0] is not study:
            return None
        return kept[1] if kept[1].at_once(metric) else None

    def negotiate(self, **request: Any) -> Answer:
        """Return an exact answer or the nearest relaxations; see `Negotiator.ask`."""
        return self.negotiator().ask(**request)

    def explain(self, **request: Any) -> Document:
        """Return why a request fails, or how close it is to failing."""
        return self.negotiator().explain(**request).to_dict()

    def risk(self) -> Document:
        """Return the risk of the original table."""
        return self._risk()[1]

    def riskiest(self, *, values: bool = False) -> list[Document]:
        """Return the rows that stand out the most; their values only if these are asked for.

        Rows in the smallest classes come first, and among them those that need the fewest columns.
        """
        return [row if values else row | {"values": None} for row in self._risk()[2]]

    def _risk(self) -> tuple[SharedStudy, Document, list[Document]]:
        study, kept = self._bench.study(), self._kept_risk
        if kept is None or kept[0] is not study:
            units = study.specification.units
            others = [name for name in (units.sample_weight, units.households) if name is not None]
            tally = study.tally(*others)
            tally.check_fine("the risk of the table as it is")
            found = risk_of_counts(self._bench.state.title, tally, units, threads=study.threads)
            kept = self._kept_risk = (study, found.to_dict(), _riskiest(tally, found.suda))
        return kept

    def frontier(self, **asked: Any) -> Document:
        """Return the Pareto frontier; see `Study.frontier`."""
        return self._bench.study().frontier(**asked).to_dict()

    def curves(
        self, metric: str, limit: int, seconds: float, progress: Callable[[float, str], bool]
    ) -> Document:
        """Return what privacy costs by every kind of recoding; the last answer of a study is kept."""
        study = self._bench.study()
        kept = self._kept_curves
        if kept is not None and kept[0] is study and kept[1] == (metric, limit):
            return kept[2]
        front = study.frontier(
            recoding="all", metric=metric, suppress=str(limit), time_limit=seconds, progress=progress
        )
        found = front.to_dict()
        if not progress(1.0, "all"):  # one that was stopped lacks curves
            self._kept_curves = (study, (metric, limit), found)
        return found

    def optimize(self, **asked: Any) -> Document:
        """Return the cheapest cut; see `Study.optimize`."""
        return self._bench.study().optimize(**asked).to_dict()

    def anonymize(self, algorithm: str, *, population: Bench | None = None, **asked: Any) -> Document:
        """Return the answer of one named algorithm; see `Study.anonymize`.

        Another workspace's table may be the population.
        """
        table = None if population is None else population.table()
        with self._bench.own_study(table) as study:
            return study.anonymize(algorithm, **asked).to_dict()

    def limits_by_frequency(self, column: str, theta: str) -> Mapping[str, str]:
        """Return the paper's limits for a sensitive column's values: the more frequent, the higher."""
        from shoal.describe.promise import ShareLimits, share

        counts = {value: n for value, n in self._bench.values(column).items() if value is not None}
        limits = ShareLimits.by_frequency(share(theta), counts)
        return {value: str(limits.of(value)) for value in counts}


def _riskiest(tally: Tally, suda: SpecialUniques | None) -> list[Document]:
    """Return some rows, the riskiest first, with the columns that most of their scores come from."""
    scores = np.zeros(len(tally)) if suda is None else suda.scores
    sizes = tally.people_in(np.arange(len(tally)), len(tally))
    rows: list[Document] = []
    for i in np.lexsort((-scores, sizes))[:RISKIEST].tolist():
        chance, by = 0.0, []
        if suda is not None and scores[i]:
            chance, shares = float(suda.dis[i]), suda.parts[i] / scores[i]
            order = np.argsort(-shares, kind="stable").tolist()
            by = [tally.attributes[a] for a in order if shares[a] >= 0.5]
        values = [tally.domains[a][code] for a, code in enumerate(tally.codes[i].tolist())]
        shown = {"group_size": int(sizes[i]), "dis_score": chance}
        rows.append(shown | {"stands_out_by": by, "values": values})
    return rows
