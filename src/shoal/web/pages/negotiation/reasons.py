"""What a negotiation answers, and why it fails, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.answers.negotiation import Answer, Offer
from shoal.numbers import many, percent
from shoal.search.negotiation.request import LatticeShape
from shoal.web.pages.negotiation.wish import NegotiationWish, suppression_words

TITLES = {"suppression": "Suppress more", "height": "Go coarser", "privacy": "Ask for less privacy"}


def asked_words(wish: NegotiationWish) -> str:
    """Return what is asked for: k, l or both.

    >>> asked_words(NegotiationWish(5, 3, {}, 0))
    'k = 5 and l = 3'
    """
    asked = [f"k = {wish.k:,}"] if wish.k else []
    return " and ".join([*asked, f"l = {wish.l:,}"] if wish.l else asked)


def verdict(answer: Answer, wish: NegotiationWish, shape: LatticeShape) -> tuple[str, str]:
    """Return a title and a sentence for an answer."""
    if answer.exact is not None:
        found = answer.exact
        fine = sum(level == lo for level, lo in zip(found.node.values(), shape.bottom, strict=True))
        stays = "stays as it is" if fine == 1 else "stay as they are"
        kept = f"{fine} of {len(shape.names)} columns {stays}"
        lost = f"{percent(found.share or 0.0)} of the detail is lost"
        return (
            f"Yes: {asked_words(wish)} {'hold' if wish.k and wish.l else 'holds'}",
            f"With every column at one level, {lost}, with "
            f"{rows_suppressed(found.suppressed, shape.rows)}; {kept}.",
        )
    offers = [] if answer.suggestions is None else [offer for _, offer in answer.suggestions if offer]
    if not offers:
        reason = first_upper(answer.reason or "nothing would help")
        return f"No: {asked_words(wish)} cannot be had", reason
    ways = {1: "One change", 2: "Either of two changes", 3: "Any of three changes"}[len(offers)]
    words = f"Not within these limits. {ways} would do; choose one to take it."
    if answer.reason:
        words += f" {first_upper(answer.reason)}."
    verb = "do" if wish.k and wish.l else "does"
    return f"Not quite: {asked_words(wish)} {verb} not hold", words


def loss_words(offer: Offer, answer: Answer) -> str:
    """Return what an answer loses, and how sure that is the least.

    >>> loss_words(Offer({}, 3, 5, None, 0, 7.0, 0.35), Answer(None, None, 1, 0.1))
    'It loses 35% of the detail, measured by LM: of the levels you allow, none lose less.'
    """
    lost = f"It loses {percent(offer.share or 0.0)} of the detail, measured by {answer.metric}"
    if answer.prefer != "loss":
        return f"{lost}: it is the answer of the least height, {offer.height}."
    if offer.proven:
        return f"{lost}: of the levels you allow, none lose less."
    least = (offer.lower_bound or 0.0) / offer.loss * (offer.share or 0.0) if offer.loss else 0.0
    return f"{lost}, the least that was found in time; nothing loses less than {percent(least)}."


def offer_words(kind: str, offer: Offer, wish: NegotiationWish, shape: LatticeShape) -> str:
    """Return what taking a suggestion would change."""
    if kind == "suppression":
        now = suppression_words(wish.suppressed, shape.rows)
        return f"{rows_suppressed(offer.suppressed, shape.rows)} instead of {now}"
    if kind == "height":
        changes = ", ".join(
            f"{name} {'up' if level > wish.heights[name] else 'down'} to level {level}"
            for name, level in offer.node.items()
            if level != wish.heights[name]
        )
        return f"{changes}; {rows_suppressed(offer.suppressed, shape.rows)}"
    alone = ", which protects nobody" if offer.k == 1 else ""
    parts = [f"k = {offer.k:,} instead of {wish.k:,}{alone}"] if wish.k and offer.k != wish.k else []
    if wish.l and offer.l != wish.l:
        parts.append(f"l = {offer.l} instead of {wish.l}")
    return f"{' and '.join(parts)}; {rows_suppressed(offer.suppressed, shape.rows)}"


def rows_suppressed(suppressed: int, rows: int) -> str:
    """Return how many rows are suppressed.

    >>> rows_suppressed(0, 10), rows_suppressed(1, 1000)
    ('no row suppressed', '1 row suppressed (0.1%)')
    """
    if not suppressed:
        return "no row suppressed"
    return f"{many(suppressed, 'row')} suppressed ({percent(suppressed / rows)})"


def why(explanation: Mapping[str, Any], wish: NegotiationWish) -> list[str]:
    """Return why a request fails, or how near to failing it is, in sentences."""
    suppressed, limit = explanation["suppressed"], explanation["limit"]
    small = [f"fewer than {wish.k:,} rows"] if wish.k > 1 else []
    small += [f"fewer than {wish.l} sensitive values"] if wish.l else []
    groups = f"groups of {' or '.join(small)}"
    if not suppressed:
        return [f"At the coarsest levels allowed, no row is in {groups}, so nothing is in the way."]
    verb = "which the limit of" if explanation["holds"] else "more than the"
    tail = f"{limit:,} allows" if explanation["holds"] else f"{limit:,} allowed"
    told = [
        f"At the coarsest levels allowed, {suppressed:,} rows are in {explanation['blocked']:,} {groups}, "
        f"{verb} {tail}."
    ]
    if explanation["values"]:
        named = [
            f"{value['attribute']} {_label(value['label'])} ({value['suppressed']:,} of {value['rows']:,})"
            for value in explanation["values"][:3]
        ]
        told.append(f"Most of them have {', '.join(named)}.")
    better = [step for step in explanation["steps"] if step["change"] < 0]
    if better and not explanation["holds"]:
        best = min(better, key=lambda step: step["suppressed"])
        told.append(
            f"The single step that helps most: {best['attribute']} to level {best['level']}, "
            f"which leaves {best['suppressed']:,}."
        )
    elif not better and not explanation["holds"]:
        told.append("No single step to a coarser level would help.")
    return told


def _label(label: str | None) -> str:
    return "(missing)" if label is None else f"“{label}”"


def first_upper(words: str) -> str:
    """Return words that begin a sentence."""
    return words[:1].upper() + words[1:]
