"""The answer of the negotiation: exact, or three suggestions to take, and why."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from shoal.answers.negotiation import CHOICES, Answer, Offer
from shoal.errors import ShoalError
from shoal.numbers import many, milliseconds, percent
from shoal.web.pages import parts
from shoal.web.pages.choosing import choices
from shoal.web.pages.frame import upper_first
from shoal.web.pages.negotiation.reasons import (
    TITLES,
    asked_words,
    loss_words,
    offer_words,
    verdict,
    why,
)
from shoal.web.pages.negotiation.ways_list import WaysList
from shoal.web.pages.negotiation.wish import NegotiationWish
from shoal.web.server.sentences import sentence
from shoal.web.workspace.candidates import CHOSEN, Candidate
from shoal.web.workspace.ways import LEVELS

if TYPE_CHECKING:
    from shoal.web.pages.negotiation.negotiate_step import NegotiationTalk


class AnswerPanel:
    """Says what comes of a request; only what changes is sent."""

    def __init__(self, talk: NegotiationTalk) -> None:
        self.talk = talk
        self.found: Answer | None = None
        self.turn = 0
        # On a small screen the answer is below the sliders; its title stays in sight.
        self.strip = ui.html("", sanitize=False).classes("strip").props("aria-hidden=true")
        with ui.element("section").classes("panel answer-panel"):
            self.verdict = ui.html("", sanitize=False).classes("outcome")
            self.verdict.props("role=status aria-live=polite")
            with ui.element("div").classes("offers"):
                self.offers = {kind: self._offer(kind) for kind in CHOICES}
            self.ways = WaysList(talk)
            with parts.details(
                "Every column at one level: its levels, and how sure that is"
            ) as self.more:
                self.levels = ui.html("", sanitize=False).classes("levels")
                self.cost = parts.text("").classes("note cost")
                self.effort = parts.text("").classes("note effort")
                self.actions = choices(talk.frame, talk.work, self._solution)
            with parts.details("Why?"):
                self.reasons = ui.html("", sanitize=False).classes("reasons")

    def _offer(self, kind: str) -> tuple[ui.element, ui.html]:
        button = ui.element("button").props("type=button").classes("offer")
        button.on("click", partial(self.take, kind), [])
        with button:
            parts.label(kind[0].upper()).classes("offer-mark").props("aria-hidden=true")
            with ui.element("span"):
                parts.label(TITLES[kind], "strong")
                words = ui.html("", sanitize=False, tag="span")
        return button, words

    def show(self, found: Answer, wish: NegotiationWish) -> None:
        """Show an answer."""
        self.found = found
        title, words = verdict(found, wish, self.talk.shape)
        effort = f"{many(found.visited, 'node')} looked at in {milliseconds(found.milliseconds)}"
        if not found.certified:
            effort += "; the time was over before this was proven to be the best"
        self._say("yes" if found.exact else "no", title, words)
        self.effort.set_content(escape(effort))
        self.levels.set_content(self._levels(found.exact, wish) if found.exact else "")
        self.cost.set_content(loss_words(found.exact, found) if found.exact else "")
        self.cost.set_visibility(found.exact is not None)
        self.actions.set_visibility(found.exact is not None)
        self.more.set_visibility(found.exact is not None)
        self.ways.show(found, wish)
        for kind, (button, shown) in self.offers.items():
            offer = getattr(found.suggestions, kind) if found.suggestions is not None else None
            button.set_visibility(offer is not None)
            if offer is not None:
                words = offer_words(kind, offer, wish, self.talk.shape)
                shown.set_content(escape(f"{words}; {percent(offer.share or 0.0)} lost"))

    def _say(self, kind: str, title: str, words: str) -> None:
        self.turn += 1
        sign = {"yes": "✓", "no": "≈", "asking": "…"}.get(kind, "–")
        head = f'<span class="sign" aria-hidden="true">{sign}</span> {escape(title)}'
        self.strip.set_content(f'<span class="{kind}">{head}</span>')
        self.verdict.set_content(
            f'<h2 class="{kind}" data-turn="{self.turn}">{head}</h2><p>{escape(words)}</p>'
        )

    def asking(self, wish: NegotiationWish) -> None:
        """Say that the answer is being looked for, in place of one that answers something else."""
        self._empty(
            f"Looking for {asked_words(wish)} …",
            "There are too many combinations of levels to answer at once; this takes some seconds at most.",
            "asking",
        )
        self.ways.show(None, wish)

    def _levels(self, offer: Offer, wish: NegotiationWish) -> str:
        lowest = dict(zip(self.talk.shape.names, self.talk.shape.bottom, strict=True))
        words = {
            name: self.talk.ground.levels[name][level - lowest[name]].partition(": ")[2]
            for name, level in offer.node.items()
        }
        items = "".join(
            f'<li><span title="{escape(name)}">{escape(name)}</span><b>{level}</b>'
            f'<span class="note">of {wish.heights[name]}, as in {escape(words[name])}</span></li>'
            for name, level in offer.node.items()
        )
        return (
            '<h3>Levels it releases, of those you allow</h3><ul class="node-levels" '
            f'aria-label="Levels of the answer">{items}</ul>'
        )

    def nothing(self) -> None:
        """Say that nothing is asked for."""
        self._empty("Nothing is asked for", "Move k or l to ask for privacy.")
        self.ways.show(None, self.talk.wish)

    def refused(self, problem: ShoalError) -> None:
        """Say why a request cannot be asked."""
        self._empty("This cannot be asked", upper_first(sentence(problem)))

    def _empty(self, title: str, words: str, kind: str = "none") -> None:
        self.found = None
        self._say(kind, title, words)
        self.more.set_visibility(False)
        self.levels.set_content("")
        self.cost.set_content("")
        self.reasons.set_content("")
        self.actions.set_visibility(False)
        for button, _ in self.offers.values():
            button.set_visibility(False)

    def explain(self, explanation: Mapping[str, Any], wish: NegotiationWish) -> None:
        """Say in words why the request fails, or how near it is to that."""
        told = "".join(f"<p>{escape(words)}</p>" for words in why(explanation, wish))
        self.reasons.set_content(told)

    async def take(self, kind: str) -> None:
        """Take a suggestion."""
        if self.found is None or self.found.suggestions is None:
            return
        offer = getattr(self.found.suggestions, kind)
        if offer is not None:
            await self.talk.take(self.talk.wish.taking(kind, offer))
            self.talk.frame.say(f"Taken: {TITLES[kind].lower()}.")

    def _solution(self) -> Candidate | None:
        if self.found is None or self.found.exact is None:
            return None
        wish = self.talk.wish
        asked = {"question": "negotiate", **wish.asked()}
        title = f"{LEVELS.title}, {asked_words(wish)}"
        made_for = self.talk.ground.state.recoding_key
        return Candidate(CHOSEN, title, self.found.exact.solution(), asked, made_for)
