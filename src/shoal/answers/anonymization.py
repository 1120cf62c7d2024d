"""What a named algorithm returns: a recoding, what it keeps and costs, and what is guaranteed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.answers.group_recoding import GroupRecoding
from shoal.answers.recoding import Decision, streamed_groups
from shoal.answers.solution import loss_and_share, told_persons
from shoal.documents.json_files import json_pieces
from shoal.numbers import many, percent
from shoal.tabular import AnswerColumn, AnswerTable, Tabular


@dataclass(frozen=True, repr=False)
class Anonymization(Tabular):
    """The answer of one algorithm to one question, ready to be released.

    `asked` is the promise that was asked for; the `decision` promises what is kept. `k` is the size of
    the smallest released group, `losses` are those of every metric over all rows, `shares` the same as
    parts of the most that can be lost. `guarantees` say in sentences what the algorithm promises of
    every answer; `optimal` says that nothing of its kind costs less by `metric`.
    """

    algorithm: str
    decision_made: Decision
    rows: int
    k: int
    groups: int
    suppressed: int
    losses: Mapping[str, float]
    metric: str
    optimal: bool
    guarantees: tuple[str, ...]
    asked: Mapping[str, Any]
    suppression_limit: int | None
    """How many rows could be suppressed; None where the algorithm follows a rule of its own."""
    seconds: float
    shares: Mapping[str, float] = field(default_factory=dict)
    persons: int | None = None
    """How many persons the rows are about, if some have several; `k` then counts persons."""
    suppressed_persons: int | None = None
    """How many of them have no released row."""

    def decision(self) -> Decision:
        """Return what a release of it carries out."""
        return self.decision_made

    @property
    def details(self) -> Mapping[str, Any]:
        """What else the algorithm says about its answer."""
        return self.decision_made.details

    @property
    def loss(self) -> float:
        """The loss by the metric that was asked for."""
        return self.losses[self.metric]

    @property
    def share(self) -> float | None:
        """The share of all detail that is lost, by the metric that was asked for."""
        return self.shares.get(self.metric)

    def to_dict(self, groups: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the document that `shoal anonymize --json` prints.

        `groups` stands in the place of groups that are kept in a file of their own.
        """
        return {
            "algorithm": self.algorithm,
            "metric": self.metric,
            "rows": self.rows,
            **told_persons(persons=self.persons),
            "asked": dict(self.asked),
            "suppression_limit": self.suppression_limit,
            "k": self.k,
            "suppressed": self.suppressed,
            **told_persons(suppressed_persons=self.suppressed_persons),
            "released_groups": self.groups,
            **loss_and_share(self.loss, self.share),
            "losses": dict(self.losses),
            "shares": dict(self.shares),
            "optimal": self.optimal,
            "guarantees": list(self.guarantees),
            "seconds": self.seconds,
        } | self.decision_made.to_dict(groups)

    def to_json(self) -> str:
        """Return the document as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def pieces(self) -> Iterator[str]:
        """Yield the document as text, piece by piece: large groups would take much memory at once."""
        recoding = self.decision_made.recoding
        groups = streamed_groups(recoding) if isinstance(recoding, GroupRecoding) else None
        yield from json_pieces(self.to_dict(groups))

    def as_table(self) -> AnswerTable:
        """Return what is lost as a table, one row for each metric."""
        lost = ""
        if self.persons is not None:
            lost = f", no row left of {self.suppressed_persons or 0:,} of {many(self.persons, 'person')}"
        return AnswerTable(
            f"{self.algorithm}: k = {self.k:,}, {many(self.groups, 'group')}, "
            f"{many(self.suppressed, 'row')} suppressed{lost}; {'; '.join(self.guarantees)}",
            (
                AnswerColumn("metric", str, list(self.losses)),
                AnswerColumn("loss", float, list(self.losses.values()), framed=True),
                AnswerColumn(
                    "share",
                    float,
                    [self.shares.get(name) for name in self.losses],
                    percent,
                    title="lost",
                ),
            ),
        )
