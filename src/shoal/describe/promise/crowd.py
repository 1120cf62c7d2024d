"""How many rows of a population fall into each released group: what k-map and delta-presence rest on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.describe.hierarchies import Label


@dataclass(frozen=True)
class PopulationCounts:
    """The population that a promise is about: its file, and its rows by the labels of released groups.

    The population is public knowledge by assumption, so the counts may be public too. They are counted when
    a release is made; before that `groups` is empty. `rows` are all of the population's, those in no
    released group included. Labels stand in the order of the quasi columns.
    """

    file: str
    sha256: str | None = None
    rows: int = 0
    groups: Mapping[tuple[Label, ...], int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as documents show them."""
        document: dict[str, Any] = {"file": self.file, "sha256": self.sha256, "rows": self.rows}
        if self.groups is not None:
            document["groups"] = [[list(labels), rows] for labels, rows in self.groups.items()]
        return document

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> PopulationCounts:
        """Return the counts of a document."""
        groups = given.get("groups")
        return cls(
            str(given["file"]),
            given.get("sha256"),
            int(given["rows"]),
            None if groups is None else {tuple(labels): int(rows) for labels, rows in groups},
        )
