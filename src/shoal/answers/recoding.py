"""How a table is to be recoded: levels, a cut or groups; what is suppressed; what is promised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from shoal.answers.group_recoding import Group, GroupRecoding
from shoal.describe.hierarchies import Label
from shoal.describe.promise import Promise
from shoal.documents.json_files import Streamed
from shoal.errors import InputError, did_you_mean, show
from shoal.tabular import Shown


class Scheme(StrEnum):
    """What is suppressed in a group that breaks the promise, by the names of the l+ paper."""

    NO_SUPP = "NoSupp"
    ALL_REC = "allRec"
    VIO_REC = "vioRec"
    ALL_SA = "allSA"
    VIO_SA = "vioSA"

    @classmethod
    def of(cls, word: str) -> Scheme:
        """Return the scheme of a name, or refuse it."""
        for scheme in cls:
            if scheme.value.lower() == word.lower():
                return scheme
        raise InputError(f"unknown scheme {show(word)}; {did_you_mean(word, [s.value for s in cls])}")


@dataclass(frozen=True)
class NodeRecoding:
    """Full-domain generalization: every value of an attribute goes to the same level."""

    levels: Mapping[str, int]

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that are recoded."""
        return tuple(self.levels)


@dataclass(frozen=True)
class BucketRecoding(NodeRecoding):
    """Anatomy: quasi values stay as they are, and one sensitive column goes to a table of its own.

    All levels are 0. The rows are dealt into groups in which no value of `sensitive` has a share above
    1 / `l`; which row goes where follows from the counts of the values and the seed of the release, so
    nothing else is kept here.
    """

    sensitive: str
    l: int  # noqa: E741  the literature's name


@dataclass(frozen=True)
class CutRecoding:
    """Full-subtree generalization: every value goes to its ancestor (or itself) in the cut."""

    labels: Mapping[str, tuple[Label, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that are recoded."""
        return tuple(self.labels)


Recoding = NodeRecoding | CutRecoding | GroupRecoding


@dataclass(frozen=True)
class Decision(Shown):
    """All that a release carries out: the recoding, the promise, and the suppression that keeps it.

    `metric` matters where rows can be chosen: under CM, vioRec suppresses minority rows first. `deleted`
    are the labels of groups that are suppressed although they keep the promise.
    """

    recoding: Recoding
    promise: Promise
    scheme: Scheme = Scheme.ALL_REC
    metric: str = "LM"
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else is known about it (loss, bound, gap, ...), for the record."""
    deleted: tuple[tuple[Label, ...], ...] = ()
    found_on: Mapping[str, Any] = field(default_factory=dict)
    """The counts it was found on (`shoal.answers.found_on`), or what old documents say of them."""

    @property
    def proven(self) -> bool:
        """Whether it is said to be proven, which holds only on the counts it was found on."""
        return bool(self.details.get("certified") or self.details.get("optimal"))

    def unproven(self) -> Decision:
        """Return the same recoding without what is known of it on other counts: proof, loss and bounds."""
        kept = {name: self.details[name] for name in _LASTING if name in self.details}
        return replace(self, details=kept | {"again": True}, found_on={})

    def on_quasi(self) -> Decision:
        """Return what is done to groups of equal quasi values; buckets promise nothing about these."""
        if isinstance(self.recoding, BucketRecoding):
            return replace(self, promise=Promise())
        return self

    def to_dict(self, groups: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the decision as the record keeps it.

        `groups` stands in the place of groups that are kept in a file of their own (`groups_file`).
        """
        document: dict[str, Any] = {
            "promise": self.promise.to_dict(),
            "scheme": self.scheme.value,
            "metric": self.metric,
        }
        recoding = self.recoding
        if isinstance(recoding, NodeRecoding):
            document["node"] = dict(recoding.levels)
            if isinstance(recoding, BucketRecoding):
                document["buckets"] = {"sensitive": recoding.sensitive, "l": recoding.l}
        elif isinstance(recoding, CutRecoding):
            document["cut"] = {name: list(labels) for name, labels in recoding.labels.items()}
        else:
            document |= _listed(recoding) if groups is None else groups
        if self.deleted:
            document["deleted"] = [list(labels) for labels in self.deleted]
        if self.found_on:
            document["found_on"] = dict(self.found_on)
        return document | {"details": dict(self.details)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], groups: GroupRecoding | None = None) -> Decision:
        """Return the decision of a solution document: one that has a node, a cut or groups.

        Groups that the document keeps in a file of their own are given (`kept_groups` reads them).
        """
        recoding: Recoding
        if groups is not None:
            recoding = groups
        elif "buckets" in given:
            buckets = given["buckets"]
            recoding = BucketRecoding(dict(given["node"]), buckets["sensitive"], buckets["l"])
        elif "node" in given:
            recoding = NodeRecoding(dict(given["node"]))
        elif "cut" in given:
            recoding = CutRecoding({name: tuple(labels) for name, labels in given["cut"].items()})
        elif "groups" in given:
            recoding = GroupRecoding(
                tuple(given["attributes"]),
                (Group(group["labels"], group["combinations"]) for group in given["groups"]),
                _meanings(given.get("meanings", ())),
            )
        elif "groups_file" in given:
            raise InputError(
                f"its groups are in the file {show(given['groups_file']['file'])}; read the solution from "
                "its own file, beside that one"
            )
        else:
            raise InputError("this document holds no node, cut or groups; save a solution first")
        if "promise" in given:
            promise = Promise.from_dict(given["promise"])
        else:
            promise = Promise(given.get("k"), given.get("l"))
        return cls(
            recoding,
            promise,
            Scheme.of(given.get("scheme", Scheme.ALL_REC.value)),
            given.get("metric", "LM"),
            given.get("details")
            or {name: given[name] for name in _DETAILS if given.get(name) is not None},
            tuple(tuple(labels) for labels in given.get("deleted", ())),
            _found_on(given),
        )


def _listed(recoding: GroupRecoding) -> dict[str, Any]:
    """Return groups as documents list them."""
    return {
        name: list(part) if isinstance(part, Streamed) else part
        for name, part in streamed_groups(recoding).items()
    }


def streamed_groups(recoding: GroupRecoding) -> dict[str, Any]:
    """Return groups as documents list them, one after the other."""
    document: dict[str, Any] = {
        "attributes": list(recoding.attributes),
        "groups": Streamed(
            {"labels": dict(group.labels), "combinations": [list(c) for c in group.combinations]}
            for group in recoding.each()
        ),
    }
    if recoding.meanings:
        document["meanings"] = Streamed(
            [name, label, list(values)]
            for name, labels in recoding.meanings.items()
            for label, values in labels.items()
        )
    return document


def _meanings(
    given: Iterable[tuple[str, Label, list[Label]]],
) -> dict[str, dict[Label, tuple[Label, ...]]]:
    found: dict[str, dict[Label, tuple[Label, ...]]] = {}
    for name, label, values in given:
        found.setdefault(name, {})[label] = tuple(values)
    return found


def _found_on(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the mark of a document; without one, what the document says of its counts."""
    found = given.get("found_on")
    if not found:
        suppressed = given.get("suppressed", given.get("suppressed_records"))
        stated = {"rows": given.get("rows"), "suppressed": suppressed}
        return {name: value for name, value in stated.items() if value is not None}
    whole = isinstance(found, Mapping) and (
        "counts" not in found
        or (
            isinstance(found.get("rows"), int)
            and all(isinstance(found.get(of), Mapping) for of in ("columns", "levels", "hierarchies"))
        )
    )
    if not whole:
        raise InputError("what the solution was found on is damaged; search again")
    return dict(found)


_LASTING = ("method", "objectives", "suppression_limit")
"""What is true of a decision on any counts."""
_DETAILS = (
    "method",
    "loss",
    "share",
    "measure",
    "cost",
    "lower_bound",
    "gap",
    "optimal",
    "certified",
    "seed",
    "top",
    "suppression_limit",
    "within",
    "best_proven",
    "met",
    "robust",
)
