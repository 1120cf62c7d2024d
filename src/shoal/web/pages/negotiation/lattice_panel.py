"""The lattice beside the negotiation: where the answer lies, and what was looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.answers.negotiation import Answer
from shoal.present.charts.lattice_chart import Shape, View, lattice
from shoal.present.charts.lattice_legend import legend
from shoal.present.charts.svg import Picture
from shoal.web.pages import parts
from shoal.web.pages.figures import ShownPicture
from shoal.web.pages.negotiation.around_panel import AroundPanel
from shoal.web.pages.negotiation.wish import NegotiationWish

if TYPE_CHECKING:
    from shoal.web.pages.negotiation.negotiate_step import NegotiationTalk


class LatticePanel:
    """Draws what lies around the answer and, where it can be counted, the whole lattice."""

    def __init__(self, talk: NegotiationTalk) -> None:
        self.talk = talk
        shape = talk.shape
        self.figure: ShownPicture | None = None
        self.last: Picture | None = None
        self.around: AroundPanel | None = None
        self.shape = Shape(shape.names, shape.bottom, shape.top)
        with parts.panel("Where the answer lies"):
            with parts.row():
                parts.term("lattice", f"{shape.nodes:,} combinations of levels")
            if not (talk.ground.at_once and self.shape.small):
                self.around = AroundPanel(talk)
            if not talk.ground.at_once:
                parts.note(
                    "There are too many to count all of them; the answers are exact all the same."
                )
            elif self.shape.small:
                self._whole()
            else:
                with parts.details("All of them by height"):
                    self._whole()

    def _whole(self) -> None:
        """Draw the whole lattice."""
        shape = self.talk.shape
        nothing = np.zeros(shape.nodes, dtype=np.int64)
        first = View(self.shape, shape.rows, nothing, shape.top, 0)
        self.figure = ShownPicture(lattice(first), self.chosen, legend(small=self.shape.small))

    async def rest(self, found: Answer | None, wish: NegotiationWish) -> None:
        """Show what lies around an answer, once nothing moves."""
        if self.around is not None and found is not None:
            await self.around.show(found, wish)

    def picture(self, found: Answer, wish: NegotiationWish) -> Picture | None:
        """Return the lattice with an answer, or nothing where it is not drawn."""
        if self.figure is None:
            return None
        shape = self.talk.shape
        offers = {"answer": found.exact} if found.exact else dict(found.suggestions or ())
        view = View(
            self.shape,
            shape.rows,
            self.talk.negotiator.map(wish.k or None, wish.l or None).reshape(-1),
            shape.node(wish.heights),
            wish.suppressed,
            {kind: shape.node(offer.node) for kind, offer in offers.items() if offer is not None},
            found.seen,
        )
        return lattice(view)

    def show(self, picture: Picture | None) -> None:
        """Show a picture; its table follows when nothing moves."""
        if self.figure is not None and picture is not None:
            self.last = picture
            self.figure.show(picture, table=False)

    def tell(self) -> None:
        """Let the table say what the picture shows."""
        if self.figure is not None and self.last is not None:
            self.figure.tell(self.last.table)

    async def chosen(self, levels: str) -> None:
        """Ask for the node that was pointed at."""
        node = dict(zip(self.talk.shape.names, map(int, levels.split(",")), strict=True))
        self.talk.shape.node(node)
        await self.talk.go_to(node)
