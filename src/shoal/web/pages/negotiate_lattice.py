"""The lattice beside the negotiation: where the answer lies, and what was looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.negotiate.answer import Answer
from shoal.negotiate.histograms import IndexedHistograms
from shoal.web.pages import parts
from shoal.web.pages.figures import Figure
from shoal.web.pages.negotiate_wish import Wish
from shoal.web.pictures.lattice import Shape, View, lattice
from shoal.web.pictures.lattice_legend import legend

if TYPE_CHECKING:
    from shoal.web.pages.negotiate import Negotiation


class LatticePanel:
    """Draws the lattice with every answer; one too large to be counted is not drawn."""

    def __init__(self, talk: Negotiation) -> None:
        self.talk = talk
        shape = talk.shape
        self.figure: Figure | None = None
        self.view: View | None = None
        with parts.panel():
            parts.label("Where the answer lies", "h2")
            if not isinstance(talk.negotiator.histograms, IndexedHistograms):
                parts.text(
                    f"This lattice has {shape.nodes:,} nodes, too many to count all of them while you ask. "
                    "The answers are exact all the same. Allow fewer levels in Hierarchies to see it."
                ).classes("note")
                return
            with parts.row():
                parts.term("lattice", f"The lattice, {shape.nodes:,} nodes")
            self.shape = Shape(shape.names, shape.bottom, shape.top)
            nothing = np.zeros(shape.nodes, dtype=np.int64)
            first = View(self.shape, shape.rows, nothing, shape.top, 0)
            self.figure = Figure(lattice(first), self.chosen, legend(small=self.shape.small))

    def show(self, found: Answer, wish: Wish) -> None:
        """Draw an answer."""
        if self.figure is None:
            return
        shape = self.talk.shape
        offers = {"answer": found.exact} if found.exact else dict(found.suggestions or ())
        self.view = View(
            self.shape,
            shape.rows,
            self.talk.negotiator.map(wish.k or None, wish.l or None).reshape(-1),
            shape.node(wish.heights),
            wish.suppressed,
            {kind: shape.node(offer.node) for kind, offer in offers.items() if offer is not None},
            found.seen,
        )
        self.figure.show(lattice(self.view), table=False)

    def tell(self) -> None:
        """Let the table say what the picture shows."""
        if self.figure is not None and self.view is not None:
            self.figure.tell(lattice(self.view).table)

    async def chosen(self, levels: str) -> None:
        """Ask for the node that was pointed at."""
        node = dict(zip(self.talk.shape.names, map(int, levels.split(",")), strict=True))
        self.talk.shape.node(node)
        await self.talk.go_to(node)
