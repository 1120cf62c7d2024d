"""Releases that follow an earlier one: the same again, and new rows recoded as before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.answers.recoding import BucketRecoding
from shoal.assess.composition import ReleaseComparison, compare_releases
from shoal.documents import undamaged
from shoal.errors import InputError
from shoal.release.papers import documents as papers
from shoal.release.papers.publish import Published
from shoal.release.reuse import NewValues, adapt, extend
from shoal.release.study_release import StudyRelease
from shoal.study import Study


def remake(
    record: str | Path,
    out: str | Path,
    *,
    into: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | Path | None = None,
    tally_memory: int | str | None = None,
    force: bool = False,
    sign: str | Path | None = None,
    progress: Callable[[float], None] | None = None,
) -> Published:
    """Make the release of a record again, row for row; with `into` as a new table.

    Records of earlier versions have no key for the order of the rows: the seed alone drew it.
    """
    record = Path(record)
    document = papers.read_record(record)
    with undamaged(record):
        specification = papers.specification_of(
            document, papers.recorded_table(document, record), record
        )
        decision, seed = papers.decision_of(document), int(document["seed"])
        order_key = str(document.get("order_key", seed))
        safe = bool(document["spreadsheet_safe"])
    # The same tally gives the same figures, and the fingerprint of the same rows.
    coarse = any(given.min_level for given in specification.attributes.values())
    with Study.of(
        specification,
        threads=threads,
        memory_limit=memory_limit,
        temp_directory=temp_directory,
        tally_memory=tally_memory,
        coarse=coarse,
    ) as study:
        again = study.carry_out(decision, seed=seed, order_key=order_key, spreadsheet_safe=safe)
        papers.check_unchanged(document, again.tally, record)
        return again.write(out, into=into, force=force, sign=sign, progress=progress)


@dataclass(frozen=True)
class Reused:
    """New rows recoded as before: where they lie, and what became of values never seen before."""

    published: Published
    new_values: tuple[NewValues, ...]
    together: ReleaseComparison | None
    """What the new and the earlier release reveal together; None where the earlier one is not there."""


def apply(
    record: str | Path,
    table: Any,
    out: str | Path,
    *,
    seed: int | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | Path | None = None,
    tally_memory: int | str | None = None,
    force: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Reused:
    """Recode new rows as the release of a record did, with its promise, and write them."""
    record = Path(record)
    document = papers.read_record(record)
    with undamaged(record):
        specification = papers.specification_of(document, table, record)
        descriptions = {name: given["description"] for name, given in document["attributes"].items()}
        decision, safe = papers.decision_of(document), bool(document["spreadsheet_safe"])
        earlier = record.parent / str(document["release"]["file"])
    if isinstance(decision.recoding, BucketRecoding):
        raise InputError(
            "Anatomy recodes no values, so there is nothing to apply to new rows; anonymize them themselves",
            file=record,
        )
    with Study.of(
        specification,
        threads=threads,
        memory_limit=memory_limit,
        temp_directory=temp_directory,
        tally_memory=tally_memory,
    ) as study:
        hierarchies, news = {}, []
        for name in study.quasi:
            hierarchies[name], new = extend(
                study.hierarchy(name), descriptions[name], study.tally().domain(name), name
            )
            if new.placed or new.refused:
                news.append(new)
        unknown = {new.attribute: {*new.refused} for new in news}
        # What was proven was so of the rows before.
        decision, settled = adapt(decision.unproven(), study.tally(), hierarchies, news)
        made = StudyRelease(
            study.material(hierarchies),
            decision,
            seed=seed,
            spreadsheet_safe=safe,
            reused=True,
            # What no hierarchy knows needs its label said, the root where all are.
            refused={
                new.attribute: frozenset(unknown[new.attribute] | {*new.refused}) for new in settled
            },
        )
        published = made.write(out, force=force, progress=progress)
    together = compare_releases(earlier, published.path) if earlier.is_file() else None
    return Reused(published, settled, together)
