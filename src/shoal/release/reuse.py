"""Recodes new rows as an earlier release did: the same mapping, the same promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from shoal.answers.group_recoding import GroupRecoding
from shoal.answers.recoding import CutRecoding, Decision, Recoding
from shoal.answers.released_classes import NEVER_SEEN, whole
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Hierarchy, Label, build_hierarchy
from shoal.errors import InputError


@dataclass(frozen=True)
class NewValues:
    """Values of an attribute that the first release did not have.

    `placed` values have a label: by the hierarchy's description, or because the whole attribute is released
    as its root. `refused` values have none, so the `rows` with such a value are suppressed.
    """

    attribute: str
    placed: tuple[Label, ...]
    refused: tuple[Label, ...]
    rows: int = 0

    def listed(self) -> NewValues:
        """Return these without the missing value."""
        placed, refused = (
            tuple(value for value in values if value is not None)
            for values in (self.placed, self.refused)
        )
        return replace(self, placed=placed, refused=refused)

    def to_dict(self) -> dict[str, Any]:
        """Return the values as documents show them."""
        return {
            "attribute": self.attribute,
            "placed": list(self.placed),
            "suppressed": list(self.refused),
            "suppressed_rows": self.rows,
        }


def extend(
    hierarchy: Hierarchy, description: Mapping[str, Any] | None, domain: Sequence[Label], name: str
) -> tuple[Hierarchy, NewValues]:
    """Return a hierarchy that also contains a column's new values, and which were placed or refused."""
    known = set(hierarchy.leaves)
    new = tuple(value for value in domain if value not in known)
    listed = tuple(value for value in new if value is not None)
    if not listed:  # in every hierarchy a missing value stays itself up to the root
        return hierarchy, NewValues(name, new, ())
    if description is not None:
        described = _described(hierarchy, description, listed, name)
        if described is not None:
            return described, NewValues(name, new, ())
    placed = tuple(value for value in new if value is None)
    return hierarchy, NewValues(name, placed, listed)


def _described(
    hierarchy: Hierarchy, description: Mapping[str, Any], values: Sequence[Label], name: str
) -> Hierarchy | None:
    """Return the description's hierarchy over all values, if it maps the old ones as before."""
    try:
        found = build_hierarchy(description, [*hierarchy.leaves, *values], f"the hierarchy of {name}")
    except InputError:
        return None
    if not set(values) <= set(found.leaves):
        return None
    old = dict(zip(hierarchy.leaves, hierarchy.rows(), strict=True))
    new = dict(zip(found.leaves, found.rows(), strict=True))
    return found if all(new.get(leaf) == row for leaf, row in old.items() if leaf is not None) else None


def adapt(
    decision: Decision,
    tally: Tally,
    hierarchies: Mapping[str, Hierarchy],
    news: Sequence[NewValues],
    never_missing: Set[str],
) -> tuple[Decision, tuple[NewValues, ...]]:
    """Return the decision for new rows, and what happens to values that the first release did not have.

    Cuts get a place for missing values, and groups one for unknown combinations. Values of `news` without a
    label in the cut or the groups are added to those without a place in the hierarchy. A missing value is in
    no hierarchy, so it is told as new only of attributes that were `never_missing` before.
    """
    recoding = decision.recoding
    if isinstance(recoding, GroupRecoding):
        recoding = _with_unseen(recoding, tally)
    elif isinstance(recoding, CutRecoding):
        missing = {new.attribute for new in news if None in new.placed}
        labels = {
            # A cut with one label is the root, or the only value.
            name: (*cut, None) if name in missing and None not in cut and len(cut) > 1 else cut
            for name, cut in recoding.labels.items()
        }
        recoding = CutRecoding(labels)
    told = [new if new.attribute in never_missing else new.listed() for new in news]
    settled = tuple(
        _settle(new, recoding, tally, hierarchies[new.attribute])
        for new in told
        if new.placed or new.refused
    )
    return replace(decision, recoding=recoding), settled


def _settle(new: NewValues, recoding: Recoding, tally: Tally, hierarchy: Hierarchy) -> NewValues:
    """Return which new values of an attribute are released, and how many rows have the others."""
    name, all_new = new.attribute, (*new.placed, *new.refused)
    if isinstance(recoding, GroupRecoding):
        refused = set(all_new)
    elif whole(name, recoding, hierarchy):
        refused = set()
    elif isinstance(recoding, CutRecoding):
        cut = set(recoding.labels[name])
        covered = {row[0] for row in hierarchy.with_missing().rows() if cut.intersection(row)}
        refused = set(all_new) - covered
    else:
        refused = set(new.refused)
    totals = dict(zip(tally.domain(name), tally.totals(name).tolist(), strict=True))
    return NewValues(
        name,
        tuple(value for value in all_new if value not in refused),
        tuple(value for value in all_new if value in refused),
        sum(totals[value] for value in refused),
    )


def _with_unseen(recoding: GroupRecoding, tally: Tally) -> GroupRecoding:
    """Return groups plus one that is never released, for combinations in no group."""
    unseen = recoding.group_of(tally) < 0
    return recoding.with_group(NEVER_SEEN, tally, unseen) if unseen.any() else recoding
