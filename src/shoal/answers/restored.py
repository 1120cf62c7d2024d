"""Answers from the documents that they were saved as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.answers.anonymization import Anonymization
from shoal.answers.negotiation import Offer
from shoal.answers.recoding import Decision, Scheme
from shoal.answers.solution import CutSolution
from shoal.describe.promise import Promise

Restored = Anonymization | CutSolution | Offer | Decision


def restored(given: Mapping[str, Any]) -> Restored:
    """Return the answer of a document: as it was given, or the decision of one that has no other kind.

    That of a negotiation is its exact offer.
    """
    if "algorithm" in given:
        return _anonymization(given)
    if "cost" in given and "cut" in given:
        return _cut(given)
    if given.get("exact"):
        return _offer({"metric": given.get("metric", "LM")} | given["exact"])
    if given.get("method") == "negotiation" and "height" in given:
        return _offer(given)
    return Decision.from_dict(given)


def _anonymization(given: Mapping[str, Any]) -> Anonymization:
    return Anonymization(
        algorithm=given["algorithm"],
        decision_made=Decision.from_dict(given),
        rows=given["rows"],
        k=given["k"],
        groups=given["released_groups"],
        suppressed=given["suppressed"],
        losses=dict(given["losses"]),
        metric=given["metric"],
        optimal=given["optimal"],
        guarantees=tuple(given["guarantees"]),
        asked=dict(given["asked"]),
        suppression_limit=given["suppression_limit"],
        seconds=given["seconds"],
        shares=dict(given["shares"]),
        persons=given.get("persons"),
        suppressed_persons=given.get("suppressed_persons"),
    )


_NEAR = ("within", "best_proven", "met", "robust")
"""What a document tells of cuts that are nearly the best."""


def _cut(given: Mapping[str, Any]) -> CutSolution:
    return CutSolution(
        metric=given["metric"],
        scheme=Scheme.of(given["scheme"]),
        rows=given["rows"],
        space=given["space"],
        examined=given["examined"],
        cost=given["cost"],
        lower_bound=given["lower_bound"],
        gap=given["gap"],
        optimal=given["optimal"],
        seconds=given["seconds"],
        cut={name: tuple(labels) for name, labels in given["cut"].items()},
        suppressed_records=given["suppressed_records"],
        suppressed_values=given["suppressed_values"],
        promise=Promise.from_dict(given["promise"]),
        seed=given.get("seed"),
        solutions=tuple(given.get("solutions", ())),
        complete=given.get("complete", True),
        found_on=given.get("found_on"),
        losses=dict(given["losses"]),
        shares=dict(given["shares"]),
        suppression_limit=given.get("suppression_limit"),
        blank_limit=given.get("blank_limit"),
        persons=given.get("persons"),
        suppressed_persons=given.get("suppressed_persons"),
        near={name: given[name] for name in _NEAR if name in given},
    )


def _offer(given: Mapping[str, Any]) -> Offer:
    return Offer(
        node=dict(given["node"]),
        height=given["height"],
        k=given.get("k"),
        l=given.get("l"),
        suppressed=given["suppressed"],
        loss=given.get("loss"),
        share=given.get("share"),
        proven=given.get("certified", True),
        lower_bound=given.get("lower_bound"),
        lowest_height=given.get("lowest_height"),
        metric=given.get("metric", "LM"),
        suppressed_persons=given.get("suppressed_persons"),
    )
