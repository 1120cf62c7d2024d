"""What notebooks show of a release: before it is written, and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import ShoalError
from shoal.numbers import count, share_of
from shoal.present.charts.svg import Table
from shoal.present.notebook import kit
from shoal.present.notebook.displays import promises_of, recoding_table
from shoal.present.promises import promises
from shoal.present.report.facts import certified_facts, clean
from shoal.present.words import LEVELS

if TYPE_CHECKING:
    from shoal.release.papers.publish import Published
    from shoal.release.release import Release

KEPT = {True: "yes", False: "no", None: "not told by the figures"}


def release_html(release: Release) -> str:
    """Return what a release will promise, suppress and do to the columns."""
    try:
        treatment = release.treatment
    except ShoalError as problem:  # what it would suppress is too much, for example
        return kit.page(kit.words(f"This cannot be released: {problem}", strong=True))
    gone = treatment.suppressed_rows
    said = f"{count(gone)} of {count(treatment.rows)} rows are suppressed ({share_of(gone, treatment.rows)})."
    return kit.page(
        kit.words("A release that is not written yet; it is verified when it is.", strong=True),
        kit.sentences([*promises_of(release.decision), said]),
        kit.table(recoding_table(release.decision)),
    )


def published_html(published: Published) -> str:
    """Return where a release is, what it promises, what was measured on its rows, and the warnings."""
    facts = clean(certified_facts(published.certificate, ""))
    lines = [(one.promise, one.measured, KEPT[one.kept]) for one in promises(facts)]
    suppressed = published.record["suppressed"]
    told = {
        "table": str(published.path),
        "rows": count(published.verdict.measured.rows),
        "suppressed rows": count(suppressed["rows"]),
        "suppressed values": count(suppressed["values"]),
    }
    beside = sorted(one.name for one in published.path.parent.glob(f"{published.path.name}.*"))
    if beside:
        told["beside it"] = ", ".join(beside)
    verdict = (
        "Released, and every promise holds." if published.verdict.holds else "A promise does not hold."
    )
    return kit.page(
        kit.words(verdict, strong=True),
        kit.facts(told),
        kit.table(Table.of("Promised, and measured on the released rows", HEAD, lines)),
        kit.sentences([f"{LEVELS[one.level]}: {one.sentence}" for one in published.warnings]),
    )


HEAD = ("promised", "measured", "kept")
