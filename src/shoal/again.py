"""Releases that follow an earlier one: the same again, and new rows recoded as before."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shoal.answers.group_recoding import GroupRecoding
from shoal.answers.kept_groups import decision_in
from shoal.answers.recoding import BucketRecoding, Recoding
from shoal.assess.composition import ReleaseComparison, compare_releases
from shoal.assess.composition.mappings import Pairs, read_mappings
from shoal.documents import undamaged
from shoal.errors import InputError, show
from shoal.numbers import count
from shoal.present.charts.svg import Table
from shoal.questions.execution import Execution
from shoal.questions.fields import answers, asked, question
from shoal.questions.kinds import File, Flag, Place
from shoal.questions.releases import ApplyQuestion, Landing
from shoal.release.papers import documents as papers
from shoal.release.papers.publish import Published
from shoal.release.pseudonyms import Pseudonyms
from shoal.release.reuse import NewValues, adapt, extend
from shoal.release.study_release import StudyRelease
from shoal.running.clock import while_writing
from shoal.study import Study


@question
class RemakeAsked(Execution, Landing):
    """What `remake` takes."""

    record: Place = asked("The record of a release.", File(), argument=True, kw_only=False)
    out: Place = asked("The table to write.", File(), argument=True, kw_only=False)


@answers(RemakeAsked)
def remake(question: RemakeAsked) -> Published:
    """Make the release of a record again, row for row; with `into` as a new table.

    One whose dates were shifted cannot be made again: nobody knows by how many days.
    Records of earlier versions have no key for the order of the rows: there the seed alone decides.
    """
    record = Path(question.record)
    document = papers.read_record(record)
    with undamaged(record):
        table = papers.recorded_table(document, record)
        specification = papers.specification_of(document, table, record)
        decision, seed = decision_in(document["decision"], record), int(document["seed"])
        order_key = str(document.get("order_key", seed))
        safe = bool(document["spreadsheet_safe"])
        names = Pseudonyms.from_dict(document.get("pseudonyms"))
        household_k = (document.get("households") or {}).get("k")
    if specification.shifts:
        raise InputError(
            f"the dates of {show(next(iter(specification.shifts)))} were shifted by a secret that is kept "
            "nowhere, so the same release cannot be made again; release the study anew",
            file=record,
        )
    # Only the same tally gives the same figures, and the same fingerprint for the same rows.
    coarse = any(given.min_level for given in specification.attributes.values())
    with question.within(), Study.of(specification, question, coarse=coarse) as study:
        again = study.carry_out(
            decision,
            seed=seed,
            order_key=order_key,
            spreadsheet_safe=safe,
            pseudonyms=names,
            household_k=household_k,
            accept_attack=tuple(document.get("accepted_attacks", ())),
        )
        papers.check_unchanged(document, again.tally, record)
        return again.write(
            question.out,
            into=question.into,
            force=question.force,
            sign=question.sign,
            progress=while_writing(question.progress),
        )


@dataclass(frozen=True)
class Reused:
    """New rows recoded as before: where they are, and what happened to values never seen before."""

    published: Published
    new_values: tuple[NewValues, ...]
    together: ReleaseComparison | None
    """What the new and the earlier release reveal together; None if the earlier one no longer exists."""

    def _repr_html_(self) -> str:
        """Return for notebooks what was written, which values are new, and what both releases reveal."""
        from shoal.present.notebook import html_of, kit

        told = Table.of(
            "Values that the earlier release did not have",
            ("column", "recoded as others", "only as the root, or suppressed"),
            [
                (new.attribute, count(len(new.placed)), count(len(new.refused)))
                for new in self.new_values
            ],
            (1, 2),
        )
        news = kit.table(told) if self.new_values else ""
        together = "" if self.together is None else html_of(self.together)
        return kit.page(self.published._repr_html_(), news, together)


@question
class ApplyAsked(Execution, ApplyQuestion):
    """What `apply` takes."""

    out: Place = asked("The table to write.", File(), argument=True, kw_only=False)
    force: bool = asked("Replace existing files.", Flag(), default=False)


@answers(ApplyAsked)
def apply(question: ApplyAsked) -> Reused:
    """Recode new rows as the release of a record did, with its promise, and write them.

    Pseudonyms are fresh ones again, or stable ones under the record's secret, as they were.
    """
    record = Path(question.record)
    document = papers.read_record(record)
    with undamaged(record):
        specification = papers.specification_of(document, question.table, record)
        decision, safe = decision_in(document["decision"], record), bool(document["spreadsheet_safe"])
        household_k = (document.get("households") or {}).get("k")
        earlier = record.parent / str(document["release"]["file"])
        names = Pseudonyms.from_dict(document.get("pseudonyms"))
    if isinstance(decision.recoding, BucketRecoding):
        raise InputError(
            "Anatomy recodes no values, so there is nothing to apply to new rows; anonymize them separately",
            file=record,
        )
    with question.within(), Study.of(specification, question) as study:
        hierarchies, news = {}, []
        for name in study.quasi:
            description = specification.attributes[name].described
            hierarchies[name], new = extend(
                study.hierarchy(name), description, study.tally().domain(name), name
            )
            if new.placed or new.refused:
                news.append(new)
        unknown = {new.attribute: {*new.refused} for new in news}
        # The proofs were about the earlier rows.
        never_missing = _never_missing(decision.recoding, earlier, study.quasi)
        decision, settled = adapt(decision.unproven(), study.tally(), hierarchies, news, never_missing)
        made = StudyRelease(
            study.material(hierarchies),
            decision,
            seed=question.seed,
            spreadsheet_safe=safe,
            pseudonyms=None if names is None else names.in_another(),
            household_k=household_k,
            reused=True,
            # A value in no hierarchy has no label but the root, if the whole attribute is released as it.
            refused={
                new.attribute: frozenset(unknown[new.attribute] | {*new.refused}) for new in settled
            },
        )
        progress = while_writing(question.progress)
        published = made.write(question.out, force=question.force, progress=progress)
    together = compare_releases(earlier, published.path) if earlier.is_file() else None
    return Reused(published, settled, together)


def _never_missing(recoding: Recoding, earlier: Path, quasi: Sequence[str]) -> set[str]:
    """Return the attributes of which the table of an earlier release is known to have had every value.

    Groups tell which values they have; of other recodings the mappings beside the release do, if they are
    still there.
    """
    if isinstance(recoding, GroupRecoding):
        known = zip(recoding.attributes, recoding.columns.domains, strict=True)
        return {name for name, domain in known if None not in domain}
    mappings: dict[str, Pairs] = {}
    with suppress(InputError):
        mappings = read_mappings(earlier, quasi)
    return {
        name for name, pairs in mappings.items() if all(original is not None for original, _ in pairs)
    }
