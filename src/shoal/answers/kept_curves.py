"""Curves with the groups of their points: all in one Parquet file beside the document, found by number.

The file has the rows of `groups_file` for each, with the number of the `point`; each point's rows lie
together, so that one is read without the others. What else a release of it carries out (what is promised,
what was measured) is in the document, under `kept`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.answers.group_recoding import GroupRecoding
from shoal.answers.groups_file import read_groups, write_points
from shoal.answers.kept_groups import SUFFIX, file_of
from shoal.answers.privacy_costs import CostPoint, PrivacyCosts
from shoal.answers.recoding import Decision
from shoal.documents.digests import digest

KEPT = "kept"


def has_groups(costs: PrivacyCosts) -> bool:
    """Return whether some points are groups that can be kept."""
    return any(point.decide is not None for curve in costs.curves for point in curve.points)


def curves_beside(costs: PrivacyCosts, path: Path) -> dict[str, Any]:
    """Write the groups of all points to a file beside a path, and return the document for that path."""
    document, made = costs.to_dict(), path.with_name(path.name + SUFFIX)
    told: list[dict[str, Any]] = []

    def recodings() -> Iterator[GroupRecoding]:
        for curve in costs.curves:
            listed = document["curves"][curve.name]
            for point, shown in zip(curve.points, listed, strict=True):
                if point.decide is None:
                    continue
                decision = point.decide()
                assert isinstance(decision.recoding, GroupRecoding)
                attributes = {"attributes": list(decision.recoding.attributes)}
                shown[KEPT] = {"point": len(told)} | decision.to_dict(attributes)
                told.append(shown)
                yield decision.recoding

    write_points(recodings(), made)
    return document | {"groups_file": {"file": made.name, "sha256": digest(made), "points": len(told)}}


def costs_in(document: Mapping[str, Any], path: Path | None = None) -> PrivacyCosts:
    """Return the curves of a document; the groups of their points are read when they are asked for.

    They can be read if the document's path is known, and its file of groups lies beside it.
    """
    costs, told = PrivacyCosts.from_dict(document), document.get("groups_file")
    if told is None or path is None:
        return costs
    curves = []
    for curve in costs.curves:
        points = zip(curve.points, document["curves"][curve.name], strict=True)
        curves.append(
            replace(curve, points=tuple(_read(one, shown, told, path) for one, shown in points))
        )
    return replace(costs, curves=tuple(curves))


def _read(point: CostPoint, shown: Mapping[str, Any], told: Mapping[str, Any], path: Path) -> CostPoint:
    return replace(point, decide=_decide(shown[KEPT], told, path)) if KEPT in shown else point


def _decide(kept: Mapping[str, Any], told: Mapping[str, Any], path: Path) -> Callable[[], Decision]:
    def decide() -> Decision:
        file = file_of(told, path)
        return Decision.from_dict(kept, read_groups(file, kept["attributes"], kept["point"]))

    return decide
