"""What a negotiation returns: an exact answer, or what relaxing one constraint would give."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.answers.solution import loss_and_share
from shoal.errors import InputError, NoSolutionError, did_you_mean, show
from shoal.numbers import percent

if TYPE_CHECKING:
    from shoal.answers.recoding import Decision

CHOICES = ("suppression", "height", "privacy")


@dataclass(frozen=True)
class Offer:
    """A node with the privacy it gives and the rows it suppresses for that; it can be released.

    `loss` is its LM with these rows suppressed and `share` that as a part of the most that can be lost; they
    are not there where only the histograms were looked at.
    """

    node: dict[str, int]
    height: int
    k: int | None
    l: int | None
    suppressed: int
    loss: float | None = None
    share: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the offer as documents show it; of k and l what was asked for."""
        privacy = {"k": self.k, "l": self.l}
        return {
            "node": self.node,
            "height": self.height,
            **{name: value for name, value in privacy.items() if value is not None},
            "suppressed": self.suppressed,
            **({} if self.loss is None else loss_and_share(self.loss, self.share)),
        }

    def solution(self) -> dict[str, Any]:
        """Return the solution document that `shoal release` reads."""
        return self.to_dict() | {"method": "negotiation", "certified": True}

    def decision(self) -> Decision:
        """Return what a release carries out: the levels, and k and l promised."""
        from shoal.answers.recoding import Decision

        return Decision.from_dict(self.solution())


@dataclass(frozen=True)
class Suggestions:
    """What relaxing one constraint as little as possible gives; None where that is impossible."""

    suppression: Offer | None
    height: Offer | None
    privacy: Offer | None

    def __iter__(self) -> Iterator[tuple[str, Offer | None]]:
        return iter([(name, getattr(self, name)) for name in CHOICES])

    def to_dict(self) -> dict[str, Any]:
        """Return the suggestions as documents show them."""
        return {name: None if offer is None else offer.to_dict() for name, offer in self}


@dataclass(frozen=True)
class Answer:
    """The exact answer to a request, or else the suggestions; `reason` says why a part is impossible.

    `visited` counts the nodes whose histograms were looked at; `seen` are these where that was asked for.
    """

    exact: Offer | None
    suggestions: Suggestions | None
    visited: int
    milliseconds: float
    reason: str | None = None
    seen: tuple[tuple[int, ...], ...] = ()

    def choose(self, choice: str | None = None) -> Offer:
        """Return the exact answer, or the suggestion of a name."""
        if choice is not None and choice not in CHOICES:
            raise InputError(f"no suggestion is called {show(choice)}; {did_you_mean(choice, CHOICES)}")
        if self.exact is not None:
            return self.exact
        if choice is None:
            raise InputError(
                f"there is no exact answer, only suggestions; choose one of {', '.join(CHOICES)}"
            )
        offer: Offer | None = getattr(self.suggestions, choice)
        if offer is None:
            raise NoSolutionError(f"there is no suggestion for {choice}: {self.reason}")
        return offer

    def decision(self, choice: str | None = None) -> Decision:
        """Return what a release of the exact answer, or of the suggestion of a name, carries out."""
        return self.choose(choice).decision()

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal negotiate --json` prints."""
        document = {
            "exact": None if self.exact is None else self.exact.to_dict(),
            "suggestions": None if self.suggestions is None else self.suggestions.to_dict(),
            "visited": self.visited,
            "milliseconds": self.milliseconds,
        }
        return document if self.reason is None else document | {"reason": self.reason}

    def to_json(self) -> str:
        """Return the document as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def rows(self) -> list[tuple[str, Offer]]:
        """Return all offers with their names, the exact one alone where there is one."""
        if self.exact is not None:
            return [("exact", self.exact)]
        return [(name, offer) for name, offer in self.suggestions or () if offer is not None]

    def _repr_html_(self) -> str:
        """Return the offers as a table for notebooks."""
        shown = self.rows()
        names = list(shown[0][1].node) if shown else []
        privacy = [name for name in ("k", "l") if shown and getattr(shown[0][1], name) is not None]
        titles = ["", *privacy, "suppressed", "lost (LM)", "height", *names]
        head = "".join(f"<th>{html.escape(title)}</th>" for title in titles)
        rows = []
        for title, offer in shown:
            cells = [title, *(f"{getattr(offer, name):,}" for name in privacy)]
            cells += [f"{offer.suppressed:,}", percent(offer.share), str(offer.height)]
            cells += [str(offer.node[name]) for name in names]
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        title = "The exact answer" if self.exact is not None else "No exact answer; what comes nearest"
        if self.reason is not None:
            title += f" ({html.escape(self.reason)})"
        return f"<table><caption>{title}</caption><tr>{head}</tr>{''.join(rows)}</table>"
