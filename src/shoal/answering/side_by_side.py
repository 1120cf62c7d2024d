"""All algorithms on one question, side by side: each run, released in memory, verified and measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.answering.named import pose, run
from shoal.answers.anonymization import Anonymization
from shoal.answers.solution import loss_and_share
from shoal.assess.utility.measuring import in_short
from shoal.assess.utility.utility_report import Headline
from shoal.errors import ShoalError
from shoal.numbers import percent
from shoal.questions.execution import Timed
from shoal.questions.material import Material
from shoal.questions.searches import CompareQuestion
from shoal.release.bucket_release import release_of
from shoal.running import stopping
from shoal.running.clock import Clock
from shoal.running.ctrl_c import ended_by_ctrl_c
from shoal.search.algorithms import ALGORITHMS, algorithm_named
from shoal.search.lattice.promised_frontier import promised_frontier
from shoal.search.task import Algorithm, Task
from shoal.tabular import AnswerColumn, AnswerTable, Tabular

if TYPE_CHECKING:
    import matplotlib.axes

    from shoal.present.charts.svg import Picture


@dataclass(frozen=True)
class Entry:
    """One algorithm's answer, with what was measured on its released rows; or why there is none.

    `least` gives, for each sensitive column, the fewest distinct values in a released group, and `use` what
    the released rows are still good for (docs/utility.md).
    """

    algorithm: Algorithm
    answer: Anonymization | None
    failure: str | None
    least: dict[str, int]
    use: Headline | None = None

    @property
    def name(self) -> str:
        """The algorithm's name."""
        return self.algorithm.name

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as the document shows it."""
        document: dict[str, Any] = {
            "algorithm": self.name,
            "title": self.algorithm.title,
            "recodes": self.algorithm.recodes,
            "guarantees": [] if self.answer is None else list(self.answer.guarantees),
            "verified": self.answer is not None,
            "failure": self.failure,
        }
        if self.answer is not None:
            document |= {
                "k": self.answer.k,
                "l": self.least,
                "groups": self.answer.groups,
                "suppressed": self.answer.suppressed,
                **loss_and_share(self.answer.loss, self.answer.share),
                "losses": dict(self.answer.losses),
                "shares": dict(self.answer.shares),
                "use": None if self.use is None else self.use.to_dict(),
                "optimal": self.answer.optimal,
                "seconds": self.answer.seconds,
            }
        return document


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """The entries of all algorithms for one question, and the exact frontier that they are held against.

    `frontier` has the Pareto-optimal (k, loss, share) of all nodes that keep what else was asked, over every
    amount of suppression up to the same limit.
    """

    asked: dict[str, Any]
    metric: str
    rows: int
    suppression_limit: int
    entries: tuple[Entry, ...]
    frontier: tuple[tuple[int, float, float], ...]
    certified: bool

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def answers(self) -> list[Entry]:
        """The entries that have an answer, the least loss first, those that break the promise last."""
        found = [
            (self.breaks(entry), entry.answer.loss, i)
            for i, entry in enumerate(self.entries)
            if entry.answer is not None
        ]
        return [self.entries[i] for *_, i in sorted(found)]

    def breaks(self, entry: Entry) -> bool:
        """Whether an answer has a smaller k than was asked for, as mu-Argus may."""
        return entry.answer is not None and entry.answer.k < self.asked.get("k", 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal compare --json` prints."""
        return {
            "asked": self.asked,
            "metric": self.metric,
            "rows": self.rows,
            "suppression_limit": self.suppression_limit,
            "results": [entry.to_dict() for entry in self.entries],
            "frontier": [{"k": k, "loss": loss, "share": share} for k, loss, share in self.frontier],
            "certified": self.certified,
        }

    def to_json(self) -> str:
        """Return the document as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Draw where each answer lies against the exact frontier, with matplotlib."""
        from shoal.present.charts.comparison import comparison_series
        from shoal.present.charts.matplotlib_figures import draw_comparison

        return draw_comparison(*comparison_series(self.to_dict()), ax)

    def picture(self) -> Picture:
        """Return the comparison as SVG, with the answers as a table."""
        from shoal.present.charts.comparison import comparison_picture

        return comparison_picture(self.to_dict())

    def as_table(self) -> AnswerTable:
        """Return the entries as a table: the answers, the least loss first, then those without one."""
        answered = self.answers
        entries = [*answered, *(entry for entry in self.entries if entry.answer is None)]
        answers = [entry.answer for entry in entries]
        names = list(dict.fromkeys(name for answer in answers if answer for name in answer.losses))
        columns = [
            AnswerColumn("algorithm", str, [entry.name for entry in entries]),
            AnswerColumn("k", int, [answer and answer.k for answer in answers]),
            AnswerColumn("suppressed", int, [answer and answer.suppressed for answer in answers]),
        ]
        for name in names:
            shares = [answer and answer.shares.get(name) for answer in answers]
            columns.append(AnswerColumn(f"{name} share", float, shares, _share, title=f"lost ({name})"))
        uses = [entry.use for entry in entries]
        columns += [
            AnswerColumn("moved", float, [use and use.distance for use in uses], _share),
            AnswerColumn("pMSE", float, [use and use.propensity for use in uses]),
        ]
        columns.append(AnswerColumn("seconds", float, [answer and answer.seconds for answer in answers]))
        columns.append(AnswerColumn("no answer", str, [entry.failure for entry in entries]))
        asked = ", ".join(f"{name} {value}" for name, value in self.asked.items())
        return AnswerTable(
            f"{len(answered)} of {len(self)} algorithms have an answer for {asked}", tuple(columns)
        )

    def _repr_html_(self) -> str:
        """Return the picture and the table for notebooks."""
        from shoal.present.notebook import kit

        return kit.page(kit.picture(self.picture()), kit.table(self.as_table()))


def _share(share: float | None) -> str:
    return "" if share is None else percent(share)


def compare(material: Material, question: CompareQuestion) -> Comparison:
    """Return the answers of some algorithms, or of all, to one question.

    Every answer is released in memory and verified from the released rows. `time_limit` holds for
    each algorithm. One that fails, or has no answer, says why; the others go on. Ctrl-C ends the one that
    runs with its best so far, and those that have not begun stay out.
    """
    named = (algorithm_named(name) for name in question.algorithms)
    chosen = list({one.name: one for one in named}.values()) or ALGORITHMS
    posed, progress, each = (
        pose(material, question),
        question.progress,
        Timed(time_limit=question.time_limit),
    )
    entries = []
    with ended_by_ctrl_c():
        for i, algorithm in enumerate(chosen):
            if progress is not None:
                progress(i / (len(chosen) + 1), algorithm.name)
            if stopping.asked():
                entries.append(Entry(algorithm, None, "not run, since the comparison was ended", {}))
            else:
                entries.append(_entry(material, posed, algorithm, each))
        if progress is not None:
            progress(len(chosen) / (len(chosen) + 1), "exact frontier")
        line = promised_frontier(posed, clock=Clock(each.time_limit))
    losses = [(point.k, posed.metric.told(point.loss)) for point in line.points]
    return Comparison(
        posed.promise.to_dict(),
        posed.metric.name,
        posed.rows,
        posed.limit,
        tuple(entries),
        tuple((k, float(told.loss), float(told.share)) for k, told in losses),
        line.certified,
    )


def _entry(material: Material, question: Task, algorithm: Algorithm, timed: Timed) -> Entry:
    try:
        answer = run(material, question, algorithm, timed)
        # The rows are not published, so their order needs no key.
        release = release_of(material, answer.decision(), seed=question.seed, order_key="")
        _, verdict = release.verified_table()
        counted = verdict.measured.persons or verdict.measured
        least = {column: spread.l for column, spread in counted.sensitive.items()}
        if counted.k != answer.k:
            return Entry(algorithm, None, f"k is {counted.k}, not {answer.k}", {})
        decision = answer.decision().on_quasi()
        kept = in_short(material, decision, release.treatment, release.tally)
        return Entry(algorithm, answer, None, least, None if kept is None else kept.headline)
    except ShoalError as problem:
        return Entry(algorithm, None, str(problem), {})
    except Exception as problem:  # a defect in one algorithm must not cost the others' answers
        return Entry(algorithm, None, f"failed: {type(problem).__name__}: {problem}", {})
