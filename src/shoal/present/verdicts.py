"""What verification found, as `shoal verify --json` and the web show it."""

from __future__ import annotations

from typing import Any

from shoal.numbers import count
from shoal.present.promises import promises
from shoal.present.report.facts import clean
from shoal.present.words import listing
from shoal.verification.verdict import Verdict

NOT_RECOUNTED = (
    "Persons were counted by the publisher and cannot be recounted from the file: it is checked that every "
    "group has as many rows as persons are promised, and as many different values; shares, distances and "
    "chances are not."
)
NOT_RECOUNTED_IN_BUCKETS = (
    "Persons were counted by the publisher and cannot be recounted from the files: it is checked that no "
    "value is of more persons than promised, if groups have as many as their rows and values allow; they may "
    "have fewer."
)


def promised(verdict: Verdict) -> list[str]:
    """Return the promise in plain words: first what a group is, then one sentence for each part."""
    columns = clean(list(verdict.quasi))
    by_publisher = verdict.persons is None
    groups = f"A group is all rows with the same values in {listing(columns, len(columns))}."
    if verdict.measured.buckets is not None:
        groups = "A group is all rows that the second table counts together (Anatomy)."
        if verdict.persons != ():
            groups = (
                "A group is all rows of some persons, and the second table counts the persons who have each "
                "value (Anatomy)."
            )
    document = verdict.promise.to_dict()
    facts = clean(
        {
            "promise": document,
            "columns": [*verdict.quasi, *verdict.sensitive],
            "roles": {name: ["sensitive"] for name in verdict.sensitive},
            **({} if verdict.persons == () else {"persons": {}}),
        }
    )
    said = [groups, *(line.promise for line in promises(facts))]
    if by_publisher:
        in_buckets = verdict.measured.buckets is not None
        said.append(NOT_RECOUNTED_IN_BUCKETS if in_buckets else NOT_RECOUNTED)
    if verdict.promise.population is not None:
        crowd = verdict.promise.population
        said.append(f"The population is {clean(crowd.file)}, of {count(crowd.rows)} rows.")
    return said


def told(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as a document."""
    return {
        "holds": verdict.holds,
        "failures": list(verdict.failures),
        "measured": verdict.measured.to_dict(),
        **({} if verdict.persons == () else {"persons": {"recounted": verdict.persons is not None}}),
        **({} if verdict.alike is None else {"wildcard": {"k": verdict.alike}}),
        "promised": {
            "quasi": list(verdict.quasi),
            "sensitive": list(verdict.sensitive),
            "words": promised(verdict),
        },
        "signature": None if verdict.signed is None else verdict.signed.to_dict(),
    }
