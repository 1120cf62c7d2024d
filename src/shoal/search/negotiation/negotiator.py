"""The session: answers many requests from a study's histograms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.answers.negotiation import Answer
from shoal.errors import InputError
from shoal.questions.kinds import Amount, Levels
from shoal.questions.searches import NegotiateQuestion
from shoal.running import stopping
from shoal.running.clock import Clock, Progress
from shoal.running.watching import watch, within
from shoal.search.negotiation.algorithm import negotiate
from shoal.search.negotiation.histograms import Histograms, IndexedHistograms
from shoal.search.negotiation.indexed_persons import IndexedPersons, PersonLosses
from shoal.search.negotiation.request import LatticeShape, Node, Request, check_privacy

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from shoal.data.tally import Tally
    from shoal.data.tally.problem import Problem
    from shoal.describe.hierarchies import Hierarchy
    from shoal.metrics import Metric
    from shoal.search.negotiation.explanation import Explanation, Neighbour, SuppressionCurve
    from shoal.search.negotiation.index_losses import Losses
MOST_MAPPED = 50_000_000
"""The most nodes of a map, which takes eight bytes per node."""


@dataclass(frozen=True)
class Rows:
    """What explanations and losses need of the study beyond the histograms."""

    tally: Tally
    hierarchies: Mapping[str, Hierarchy]
    problem: Problem
    threads: int = 1


class Negotiator:
    """Answers requests about one study; made by `study.negotiator()`.

    >>> import pyarrow as pa
    >>> from shoal import Study
    >>> table = pa.table({"zip": ["02138", "02139", "02141", "02142"]})
    >>> negotiator = Study(table, quasi={"zip": {"mask": {"digits": 5}}}).negotiator()
    >>> negotiator.ask(k=2).exact.node
    {'zip': 1}
    >>> negotiator.ask(k=3, heights={"zip": 1}).suggestions.height.node
    {'zip': 2}
    """

    def __init__(
        self,
        shape: LatticeShape,
        histograms: Histograms,
        rows: Callable[[type[Metric] | None], Rows],
        lm: Losses | None = None,
    ) -> None:
        self.shape = shape
        self.histograms = histograms
        self._rows = rows
        self._losses: dict[str, Losses] = {} if lm is None else {"LM": lm}

    def __repr__(self) -> str:
        return f"<Negotiator: {self.shape.rows:,} rows, {', '.join(self.shape.names)}>"

    def ask(
        self,
        *,
        k: int | None = None,
        l: int | None = None,
        heights: Levels | None = None,
        max_suppressed: Amount = 0,
        prefer: str = "loss",
        metric: str = "LM",
        time_limit: float | None = None,
        progress: Progress | None = None,
        trace: bool = False,
    ) -> Answer:
        """Return the exact answer, or the three suggestions.

        `k` and `l` are the rows and the distinct sensitive values of a class; at least one is given.
        `heights` are the highest levels that attributes may go to, by default their roots. `max_suppressed`
        is a number of rows or a share (0.01, "1%"). Of the allowed nodes the one that loses least by the
        `metric` is the answer, or, with `prefer="height"`, the lowest. With a `time_limit` it is the best
        that was found in time, and says what is proven. With `trace` the answer lists the nodes visited.
        """
        asked = NegotiateQuestion(
            k=k,
            l=l,
            heights=heights,
            max_suppressed=max_suppressed,
            prefer=prefer,
            metric=metric,
            time_limit=time_limit,
            progress=progress,
        )
        return self.answer(asked, trace=trace)

    def answer(self, question: NegotiateQuestion, *, trace: bool = False) -> Answer:
        """Return the exact answer to a question, or the three suggestions."""
        request = Request.of(self.shape, question)
        with within(question.time_limit):
            losses = self.losses(question.metric)
            left = watch().left
            clock = Clock(None if left == math.inf else max(left, 0.0), question.progress)
            with clock:
                return negotiate(
                    self.histograms,
                    losses,
                    self.shape,
                    request,
                    prefer=question.prefer,
                    clock=clock,
                    trace=trace,
                )

    def at_once(self, metric: str) -> bool:
        """Whether requests about a metric are answered in a moment: all that they look at is counted."""
        known = self._losses.get(metric)
        return known is not None and known.at_once

    def losses(self, metric: str) -> Losses:
        """Return what tells the losses of nodes by a metric; made when it is first asked for.

        The index tells LM if it holds costs. For all else the study is opened.
        """
        if (known := self._losses.get(metric)) is not None:
            return known
        from shoal.metrics import metric_named
        from shoal.search.negotiation.counted_losses import CountedLosses
        from shoal.search.negotiation.index_losses import losses_in

        kind = metric_named(metric)
        if kind.name not in self._losses:
            rows = self._rows(kind)
            made = kind(rows.problem)
            counted = CountedLosses(
                self.shape, self.histograms, rows.problem, rows.tally, made, rows.threads
            )
            found: Losses = counted
            if isinstance(self.histograms, (IndexedHistograms, IndexedPersons)):
                indexed = losses_in(self.histograms.index, made, self.shape.bottom, self.shape.top)
                if indexed is not None and isinstance(self.histograms, IndexedPersons):
                    found = PersonLosses(indexed, lambda: counted)
                elif indexed is not None:
                    found = indexed
            self._losses[kind.name] = found
        return self._losses[kind.name]

    def explain(
        self,
        *,
        k: int | None = None,
        l: int | None = None,
        heights: Levels | None = None,
        max_suppressed: Amount = 0,
        prefer: str = "loss",
        metric: str = "LM",
        time_limit: float | None = None,
        progress: Progress | None = None,
        most: int = 10,
    ) -> Explanation:
        """Return why a request fails: which classes and values block it, and the effect of single steps.

        At most `most` classes and values are listed. Preferences play no part in it.
        """
        from shoal.answers.recoding import Decision, NodeRecoding
        from shoal.answers.released_classes import classes_of
        from shoal.criteria import Groups
        from shoal.criteria.l_diversity import distinct_values
        from shoal.describe.promise import Promise
        from shoal.search.negotiation.explanation import Explanation, blocked

        asked = NegotiateQuestion(k=k, l=l, heights=heights, max_suppressed=max_suppressed)
        request = Request.of(self.shape, asked)
        least_k, least_l = request.k or 1, request.l or 0
        node, rows = self.shape.named(request.top), self._rows(None)
        tally = rows.tally
        decision = Decision(NodeRecoding(node), Promise(request.k, request.l))
        classes, labels = classes_of(decision, tally, rows.hierarchies, {})
        groups = Groups.of(tally, classes, len(labels), self.shape.sensitive)
        distinct = {
            column: distinct_values(groups, column, tally.domain(column))
            for column in self.shape.sensitive
        }
        suppressed = self._suppressed(request.top, least_k, least_l)
        return Explanation(
            suppressed <= min(request.limit, self.shape.rows - 1),
            node,
            suppressed,
            request.limit,
            *blocked(groups, labels, tally.attributes, distinct, least_k, least_l, most),
            self._steps(request.top, least_k, least_l),
        )

    def curve(self, node: Mapping[str, int], *, l: int | None = None) -> SuppressionCurve:
        """Return the suppressed rows of a node for every k, with or without l."""
        from shoal.search.negotiation.explanation import curve_of

        _, l = check_privacy(self.shape, None, l)
        place = self.shape.node(node)
        entries = self.histograms.entries(place)
        return curve_of(self.shape.named(place), self.shape.rows, entries, l or 0)

    def neighbours(
        self, node: Mapping[str, int], *, k: int | None = None, l: int | None = None
    ) -> tuple[Neighbour, ...]:
        """Return the nodes one step from a node, with the rows they suppress for k and l."""
        k, l = check_privacy(self.shape, k, l)
        return self._steps(self.shape.node(node), k or 1, l or 0)

    def cost_of(
        self,
        node: Mapping[str, int],
        *,
        k: int | None = None,
        l: int | None = None,
        metric: str = "LM",
    ) -> tuple[int, float]:
        """Return the rows that a node suppresses for k and l, and the share of all detail that it loses."""
        k, l = check_privacy(self.shape, k, l)
        most, place = self.shape.rows + 1, self.shape.node(node)
        least_k, least_l = min(k or 1, most), min(l or 0, most)
        losses = self.losses(metric)
        lost = losses.told(losses.of(place, least_k, least_l))[1]
        return self._suppressed(place, least_k, least_l), lost

    def map(self, k: int | None = None, l: int | None = None) -> npt.NDArray[np.int64]:
        """Return the suppressed rows of every node: one axis per attribute, lowest level first."""
        k, l = check_privacy(self.shape, k, l)
        if self.shape.nodes > MOST_MAPPED:
            raise InputError(
                f"a map of {self.shape.nodes:,} nodes is too large; allow fewer levels, for at most "
                f"{MOST_MAPPED:,} nodes"
            )
        spans = [hi - lo + 1 for lo, hi in zip(self.shape.bottom, self.shape.top, strict=True)]
        most = self.shape.rows + 1
        return self.histograms.map(min(k or 1, most), min(l or 0, most)).reshape(spans)

    def _suppressed(self, node: Node, k: int, l: int) -> int:
        most = self.shape.rows + 1
        return self.histograms.inquiry(Clock()).suppressed(node, min(k, most), min(l, most))

    def _steps(self, node: Node, k: int, l: int) -> tuple[Neighbour, ...]:
        from shoal.search.negotiation.explanation import Neighbour

        here = self._suppressed(node, k, l)
        steps = []
        for a, name in enumerate(self.shape.names):
            for level in (node[a] + 1, node[a] - 1):
                if not self.shape.bottom[a] <= level <= self.shape.top[a]:
                    continue
                stopping.look()
                other = (*node[:a], level, *node[a + 1 :])
                entries: Any = self.histograms.entries(other)
                suppressed = self._suppressed(other, k, l)
                steps.append(
                    Neighbour(
                        name,
                        level,
                        self.shape.named(other),
                        sum(other),
                        int(entries[0, 0]),
                        int(entries[:, 1].min()) if self.shape.sensitive else None,
                        suppressed,
                        suppressed - here,
                    )
                )
        return tuple(steps)
