"""What the offers of a negotiation lose: LM, with the rows suppressed that they suppress."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from threading import Lock

from shoal.answers.negotiation import Answer, Offer, Suggestions
from shoal.criteria import criteria_of
from shoal.data.tally import Tally
from shoal.data.tally.problem import Problem
from shoal.describe.promise import Promise
from shoal.metrics import LM
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.node_judge import Judge


class Prices:
    """The losses of the nodes of a problem; what was counted for one offer serves the next.

    Several threads may ask.
    """

    def __init__(self, problem: Problem, tally: Tally, sensitive: tuple[str, ...]) -> None:
        self.problem, self.tally, self.sensitive = problem, tally, sensitive
        self.metric = LM(problem)
        self._evaluator = Evaluator(problem, self.metric, max(problem.rows - 1, 0))
        self._turn = Lock()

    def of(self, answer: Answer) -> Answer:
        """Return an answer whose offers say what they lose."""
        suggestions = answer.suggestions
        with self._turn:
            if suggestions is not None:
                suggestions = Suggestions(*(self._told(offer) for _, offer in suggestions))
            return replace(answer, exact=self._told(answer.exact), suggestions=suggestions)

    def _told(self, offer: Offer | None) -> Offer | None:
        if offer is None:
            return None
        node = tuple(offer.node[name] for name in self.problem.names)
        if offer.l is None:
            found = self._evaluator.measure(node)
            loss = found.loss0 + found.excess[bisect_left(found.sizes, offer.k or 1)]
        else:
            criteria = criteria_of(Promise(offer.k, offer.l), self.tally, self.sensitive)
            limit = self.problem.rows - 1
            judge = Judge(self.problem, self.tally, criteria, limit, self.metric, self.sensitive)
            loss = judge.judge(node).loss
        told = self.metric.told(loss)
        return replace(offer, loss=float(told.loss), share=float(told.share))
