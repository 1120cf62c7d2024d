"""What lies around the answer: combinations of levels one or two steps away, at any size of the lattice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from nicegui import ui

from shoal.answers.negotiation import Answer
from shoal.numbers import many
from shoal.present.charts.around import Near, around_picture
from shoal.running import stopping
from shoal.web.pages import parts
from shoal.web.pages.figures import ShownPicture
from shoal.web.pages.negotiation.wish import NegotiationWish

if TYPE_CHECKING:
    from shoal.web.pages.negotiation.negotiate_step import NegotiationTalk

Node = tuple[int, ...]
STEPS = {"1": "one step away", "2": "up to two steps away"}


class AroundPanel:
    """A map of the combinations around one, which a click makes the middle of another map."""

    def __init__(self, talk: NegotiationTalk) -> None:
        self.talk = talk
        self.steps, self.only = 1, False
        self.answer: Node | None = None
        self.middle: Node | None = None
        self.drawn: list[tuple[Node, Near]] = []
        with ui.element("div").classes("around"):
            parts.note(
                "The diamond is the answer with every column at one level. Each dot makes one column finer "
                "or coarser; filled ones are within what you allow. Choose one to look around from there."
            )
            with parts.actions():
                parts.select("Show", STEPS, "1", self._far)
                self.filter = ui.checkbox("only what you allow", on_change=self._filter)
            empty = around_picture([Near("searching …", "", 0.0, 0.0, True)], 0.0, "Around the answer")
            self.figure = ShownPicture(empty, self._choose)
            self.told = parts.note("Searching …").props("role=status")
            with parts.actions():
                self.back = parts.button("Return to the answer", self._back, icon="undo", kind="quiet")
                self.ask = parts.button("Ask for these levels at most", self._ask, kind="quiet")

    async def show(self, found: Answer, wish: NegotiationWish) -> None:
        """Show what lies around an answer, or around the coarsest levels allowed where there is none."""
        shape = self.talk.shape
        node = shape.node(found.exact.node if found.exact is not None else wish.heights)
        self.answer = self.middle = node
        await self.draw()

    async def draw(self) -> None:
        """Measure the combinations around the middle, and draw them."""
        middle, wish = self.middle, self.talk.wish
        if middle is None or not wish.asks:
            return
        drawn = await self.talk.frame.attempt(self._measured, middle, wish, at=self.figure.box)
        if (
            drawn is None
            or self.figure.box.is_deleted
            or (middle, wish) != (self.middle, self.talk.wish)
        ):
            return
        self.drawn = [each for each in drawn if not self.only or each[1].meets or each[1].steps == 0]
        rows = self.talk.shape.rows
        title = f"Around {'the answer' if middle == self.answer else 'the chosen levels'}"
        picture = around_picture([near for _, near in self.drawn], wish.suppressed / rows, title)
        self.figure.show(picture)
        total = many(self.talk.shape.nodes, "combination")
        self.told.set_content(f"{len(self.drawn)} of {total} of levels are drawn.")
        self.back.set_enabled(middle != self.answer)

    def _measured(self, middle: Node, wish: NegotiationWish) -> list[tuple[Node, Near]]:
        """Return the combinations around one, it first, with what each costs."""
        shape, found = self.talk.shape, []
        for node, steps in self._around(middle).items():
            stopping.look()
            suppressed, share = self.talk.negotiator.cost_of(
                shape.named(node), k=wish.k or None, l=wish.l or None, metric=wish.metric
            )
            inside = all(
                level <= wish.heights[name] for name, level in zip(shape.names, node, strict=True)
            )
            allowed = inside and suppressed <= min(wish.suppressed, shape.rows - 1)
            words = self._change(middle, node) if steps else "here"
            if node == self.answer:
                words = "the answer" if allowed else "what you allow"
            found.append(
                (node, Near(words, self._levels(node), share, suppressed / shape.rows, allowed, steps))
            )
        return found

    def _around(self, middle: Node) -> Mapping[Node, int]:
        """Return the combinations up to some steps away, each with its steps; the nearest first."""
        shape = self.talk.shape
        found, edge = {middle: 0}, [middle]
        for step in range(1, self.steps + 1):
            fresh = []
            for node in edge:
                for a, (lo, hi) in enumerate(zip(shape.bottom, shape.top, strict=True)):
                    for level in (node[a] - 1, node[a] + 1):
                        other = (*node[:a], level, *node[a + 1 :])
                        if lo <= level <= hi and other not in found:
                            found[other] = step
                            fresh.append(other)
            edge = fresh
        return found

    def _change(self, middle: Node, node: Node) -> str:
        told = [
            f"{name} {'coarser' if level > before else 'finer'}"
            for name, before, level in zip(self.talk.shape.names, middle, node, strict=True)
            if level != before
        ]
        return ", ".join(told)

    def _levels(self, node: Node) -> str:
        return ", ".join(
            f"{name} {level}" for name, level in zip(self.talk.shape.names, node, strict=True)
        )

    async def _far(self, steps: str) -> None:
        self.steps = int(steps)
        await self.draw()

    async def _filter(self) -> None:
        self.only = bool(self.filter.value)
        await self.draw()

    async def _choose(self, place: str) -> None:
        self.middle = self.drawn[int(place)][0]
        await self.draw()

    async def _back(self) -> None:
        self.middle = self.answer
        await self.draw()

    async def _ask(self) -> None:
        """Allow the levels in the middle at most."""
        if self.middle is not None:
            heights = self.talk.shape.named(self.middle)
            await self.talk.take(replace(self.talk.wish, heights=heights))
