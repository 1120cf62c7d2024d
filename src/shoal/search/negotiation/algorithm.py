"""The negotiation of the paper: the exact answer below the top acceptable node, or three suggestions.

A row is suppressed at a node for k and l if its class has fewer than k rows, or fewer than l distinct values
of some sensitive column. When a node is generalized every class becomes part of a larger one, with at least
its rows and at least its distinct values. So a row that is not suppressed stays so, for k, for l and for
both, and suppressed(node, k, l) never rises; nor does it fall when k or l rises. (The shares of theta,
entropy l-diversity and t-closeness have no such property under suppression: a class that keeps its promise
may be merged with one that breaks it, and its rows are then suppressed too. They are not negotiated here.)

It follows, with v the top acceptable node and s the suppression limit:

- There is an exact answer if and only if v suppresses at most s. The acceptable nodes form an up-set of v's
  sublattice, so all of them are reached from v by steps down through acceptable ones, and the best is
  among them.
- Suppression: no node below v suppresses fewer than v, so suppressed(v) is the fewest there can be, and the
  best node that has it is the exact answer to the request with s = suppressed(v).
- Height: if a height has an acceptable node, the next has one too (any node above it), so the lowest height
  can be found by bisection; v itself is not acceptable, but another node of its height may be.
- Privacy: any k or l that holds at a node below v holds at v, so the largest is v's, and the best node that
  has it is the exact answer to the request with that k or l. With both, l goes first: the largest l up to the
  one asked for, and with it the largest k up to the one asked for. l distinct values are l rows, so a k up to
  that l costs nothing.

Which of several such nodes is the answer is a preference: the lowest, as in the paper, or the one that
loses least by a metric. What a suggestion relaxes comes before either: it is the preferred one of the
nodes that suppress fewest, or of the lowest height that has an acceptable node, or of the largest k or
l. A loss counts the suppressed rows, and may fall when a node is generalized, so the cheapest node need
not be a minimal one; the searches for it (kernels/negotiation/node_losses.hpp, cheapest_in_boxes.py)
have proofs of their own.

A node at which every row is suppressed releases nothing and answers nothing: s is at most rows - 1.
"""

from __future__ import annotations

from time import perf_counter

from shoal.answers.negotiation import Answer, Offer, Suggestions
from shoal.numbers import many
from shoal.running.clock import Clock
from shoal.search.negotiation.histograms import FoundNode, Histograms, Inquiry
from shoal.search.negotiation.index_losses import Losses
from shoal.search.negotiation.request import LatticeShape, Request


def negotiate(
    histograms: Histograms,
    losses: Losses,
    shape: LatticeShape,
    request: Request,
    *,
    prefer: str,
    clock: Clock,
    trace: bool = False,
) -> Answer:
    """Return the exact answer to a request, or the three suggestions; with `trace` the nodes visited too."""
    start = perf_counter()
    search = _RequestSearch(histograms, losses, shape, request, prefer, clock)
    exact = search.exact()
    suggestions = None if exact is not None else search.suggestions()
    return Answer(
        exact,
        suggestions,
        search.inquiry.visited,
        1000 * (perf_counter() - start),
        None if suggestions is None else search.reason(suggestions),
        search.inquiry.seen() if trace else (),
        prefer,
        losses.name,
        histograms.persons,
    )


class _RequestSearch:
    def __init__(
        self,
        histograms: Histograms,
        losses: Losses,
        shape: LatticeShape,
        request: Request,
        prefer: str,
        clock: Clock,
    ) -> None:
        self.histograms, self.losses, self.shape, self.request = histograms, losses, shape, request
        self.by_loss = prefer == "loss"
        self.inquiry: Inquiry = (losses if self.by_loss else histograms).inquiry(clock)
        # A k or l beyond the table's rows makes no difference.
        self.k = min(request.k or 1, shape.rows + 1)
        self.l = min(request.l or 0, shape.rows + 1)
        self.limit = min(request.limit, shape.rows - 1)

    def exact(self) -> Offer | None:
        return self._offer(self.inquiry.best(self.request.top, self.k, self.l, self.limit))

    def suggestions(self) -> Suggestions:
        return Suggestions(self._suppression(), self._height(), self._privacy())

    def _suppression(self) -> Offer | None:
        top = self.request.top
        fewest = self.inquiry.suppressed(top, self.k, self.l)
        if fewest == self.shape.rows:
            return None
        return self._offer(self.inquiry.best(top, self.k, self.l, fewest))

    def _height(self) -> Offer | None:
        height = sum(self.request.top)
        return self._offer(self.inquiry.best_from(height, self.k, self.l, self.limit))

    def _privacy(self) -> Offer | None:
        top, limit = self.request.top, self.limit
        k, l = self.k, self.l
        if self.request.l is not None:
            l = self.histograms.largest_l(top, limit, l)
            if l == 0:
                return None
        if self.request.k is not None:
            k = self.histograms.largest_k(top, l, limit, k)
        found = self.inquiry.best(top, k, l, limit)
        asked = (self.request.k and k, self.request.l and l)
        return self._offer(found, *asked)

    def _offer(
        self, found: FoundNode | None, k: int | None = None, l: int | None = None
    ) -> Offer | None:
        """Return the offer of a node, with the privacy asked for if no other is given."""
        if found is None:
            return None
        if k is None and l is None:
            k, l = self.request.k, self.request.l
        loss, told = found.loss, self.losses.told
        if loss is None:
            loss = self.losses.of(found.node, min(k or 1, self.k), min(l or 0, self.l))
        bound = found.bound
        return Offer(
            self.shape.named(found.node),
            sum(found.node),
            k,
            l,
            found.suppressed,
            *told(loss),
            found.proven,
            told(bound)[0] if self.by_loss and bound is not None else None,
            None if self.by_loss else bound,
            self.losses.name,
            self.histograms.lost(found.node, min(k or 1, self.k), min(l or 0, self.l)),
        )

    def reason(self, suggestions: Suggestions) -> str | None:
        """Return why some suggestion is impossible, None if all are possible."""
        if all(offer is not None for _, offer in suggestions):
            return None
        rows, reasons = self.shape.rows, []
        least = self.inquiry.suppressed(self.shape.top, self.k, self.l)
        persons = self.histograms.persons
        most = rows if persons is None else persons
        if self.request.k is not None and self.request.k > most:
            crowd = many(most, "row" if persons is None else "person")
            reasons.append(f"k of {self.request.k:,} is more than the table's {crowd}")
        elif self.request.l is not None and self.l > (values := self._most_values()):
            reasons.append(
                f"l of {self.request.l:,}: no class of any node has more than {values:,} values"
            )
        elif suggestions.height is None:
            reasons.append(
                f"even the most general node suppresses {least:,} of {rows:,} rows, "
                f"more than the {self.limit:,} allowed"
            )
        if suggestions.suppression is None and least < rows:
            reasons.append("within these heights every row would be suppressed")
        if suggestions.privacy is None:
            reasons.append("within these heights and this suppression not even an l of 1 holds")
        return "; ".join(reasons)

    def _most_values(self) -> int:
        return self.histograms.largest_l(self.shape.top, self.shape.rows - 1, self.shape.rows)
