"""What a negotiation returns: an exact answer, or what relaxing one constraint would give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.answers.solution import loss_and_share, told_persons
from shoal.errors import InputError, NoSolutionError, did_you_mean, show
from shoal.numbers import many, percent
from shoal.tabular import AnswerColumn, AnswerTable, Shown, Tabular

if TYPE_CHECKING:
    from shoal.answers.recoding import Decision

CHOICES = ("suppression", "height", "privacy")


@dataclass(frozen=True)
class Offer(Shown):
    """A node with the privacy it gives and the rows it suppresses for that; it can be released.

    `loss`, by the `metric`, counts these rows as suppressed, and `share` is that as a part of the most that
    can be lost. An offer that is not `proven` is the best that was found in time: no allowed node loses
    less than `lower_bound`, or, where the least height is preferred, none is lower than `lowest_height`.
    """

    node: dict[str, int]
    height: int
    k: int | None
    l: int | None
    suppressed: int
    loss: float | None = None
    share: float | None = None
    proven: bool = True
    lower_bound: float | None = None
    lowest_height: int | None = None
    metric: str = "LM"
    suppressed_persons: int | None = None
    """How many persons have no released row, if some have several; `k` and `l` then count persons."""

    def to_dict(self) -> dict[str, Any]:
        """Return the offer as documents show it, with k or l only if it was asked for."""
        privacy = {"k": self.k, "l": self.l}
        bounds = {"lower_bound": self.lower_bound, "lowest_height": self.lowest_height}
        return {
            "node": self.node,
            "height": self.height,
            **{name: value for name, value in privacy.items() if value is not None},
            "suppressed": self.suppressed,
            **told_persons(suppressed_persons=self.suppressed_persons),
            **({} if self.loss is None else loss_and_share(self.loss, self.share)),
            **({} if self.proven else {"certified": False}),
            **{name: value for name, value in bounds.items() if value is not None},
        }

    def solution(self) -> dict[str, Any]:
        """Return the solution document that `shoal release` reads."""
        return self.to_dict() | {
            "method": "negotiation",
            "metric": self.metric,
            "certified": self.proven,
        }

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


@dataclass(frozen=True, repr=False)
class Answer(Tabular):
    """The exact answer to a request, or else the suggestions; `reason` says why a part is impossible.

    `prefer` says which of several nodes is offered: the one with the least `loss` by the `metric`, or
    with the least `height`. `visited` counts the nodes whose classes were looked at; `seen` lists them
    if asked to.
    """

    exact: Offer | None
    suggestions: Suggestions | None
    visited: int
    milliseconds: float
    reason: str | None = None
    seen: tuple[tuple[int, ...], ...] = ()
    prefer: str = "loss"
    metric: str = "LM"
    persons: int | None = None
    """How many persons the rows are about, if some have several."""

    @property
    def certified(self) -> bool:
        """Whether every offer is proven to be the best: no time limit ended the search early."""
        return all(offer.proven for _, offer in self.rows())

    def choose(self, choice: str | None = None) -> Offer:
        """Return the exact answer, or the suggestion with this name."""
        if choice is not None and choice not in CHOICES:
            raise InputError(f"no suggestion is called {show(choice)}; {did_you_mean(choice, CHOICES)}")
        if self.exact is not None:
            return self.exact
        if choice is None:
            there = ", ".join(name for name, _ in self.rows())
            raise InputError(f"there is no exact answer, only suggestions; choose one of {there}")
        offer: Offer | None = getattr(self.suggestions, choice)
        if offer is None:
            raise NoSolutionError(f"there is no suggestion for {choice}: {self.reason}")
        return offer

    def decision(self, choice: str | None = None) -> Decision:
        """Return what a release of the exact answer, or of the suggestion with this name, does."""
        return self.choose(choice).decision()

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal negotiate --json` prints."""
        document = {
            "exact": None if self.exact is None else self.exact.to_dict(),
            "suggestions": None if self.suggestions is None else self.suggestions.to_dict(),
            "prefer": self.prefer,
            "metric": self.metric,
            "certified": self.certified,
            "visited": self.visited,
            "milliseconds": self.milliseconds,
            **told_persons(persons=self.persons),
        }
        return document if self.reason is None else document | {"reason": self.reason}

    def to_json(self) -> str:
        """Return the document as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def rows(self) -> list[tuple[str, Offer]]:
        """Return all offers with their names; only the exact one if there is one."""
        if self.exact is not None:
            return [("exact", self.exact)]
        return [(name, offer) for name, offer in self.suggestions or () if offer is not None]

    def as_table(self) -> AnswerTable:
        """Return the offers as a table: the exact answer, or what comes nearest."""
        offers = [offer for _, offer in self.rows()]
        columns = [AnswerColumn("offer", str, [name for name, _ in self.rows()])]
        columns += [
            AnswerColumn(name, int, [getattr(offer, name) for offer in offers])
            for name in ("k", "l")
            if offers and getattr(offers[0], name) is not None
        ]
        columns += [
            AnswerColumn("suppressed", int, [offer.suppressed for offer in offers]),
            *(
                ()
                if self.persons is None
                else (
                    AnswerColumn(
                        "suppressed_persons",
                        int,
                        [offer.suppressed_persons for offer in offers],
                        title="persons suppressed",
                    ),
                )
            ),
            AnswerColumn("loss", float, [offer.loss for offer in offers], framed=True),
            AnswerColumn(
                "share", float, [offer.share for offer in offers], percent, title=f"lost ({self.metric})"
            ),
            AnswerColumn("height", int, [offer.height for offer in offers]),
        ]
        levels = offers[0].node if offers else {}
        columns += [AnswerColumn(name, int, [offer.node[name] for offer in offers]) for name in levels]
        caption = "The exact answer" if self.exact is not None else "No exact answer; what comes nearest"
        caption += "" if self.persons is None else f", by {many(self.persons, 'person')}"
        caption += "" if self.certified else ", found in time and not proven"
        return AnswerTable(caption + (f" ({self.reason})" if self.reason else ""), tuple(columns))
