"""`shoal verify`: rechecks a release from the released file alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.cli import output
from shoal.cli.options import Printed, command
from shoal.numbers import many, rounded
from shoal.questions.execution import Execution
from shoal.questions.releases import VerifyQuestion

if TYPE_CHECKING:
    from shoal.documents import Signed
    from shoal.verification.verdict import Verdict


@command
def verify(question: VerifyQuestion, execution: Execution, printed: Printed) -> int:
    """Recheck a release from its rows and its certificate; exit with 1 if a promise does not hold."""
    from shoal.answering.checking import verdict_of
    from shoal.present.verdicts import told

    with output.running("verify", execution):
        verdict = verdict_of(question)
    if printed.as_json:
        output.print_json(told(verdict))
    else:
        show(question.table, verdict)
    return 0 if verdict.holds else 1


def show(table: Path, verdict: Verdict) -> None:
    """Print the verdict for people."""
    from shoal.present.verdicts import promised

    measured, persons = verdict.measured, verdict.measured.persons
    least = f"{measured.k:,}"
    if persons is not None:
        least = f"{many(persons.k, 'person')}; the rows are about {many(persons.count, 'person')}"
    print(f"{table}: {measured.rows:,} rows, {measured.groups:,} groups, the smallest of {least}")
    if verdict.alike is not None:
        print(
            f"  at least {many(verdict.alike, 'row')} like a row, if a missing value is like any other"
        )
    if measured.buckets is not None:
        split = measured.buckets
        sizes = f"{split.smallest:,} to {split.largest:,} rows"
        if persons is not None and persons.buckets is not None:
            sizes = f"{persons.buckets.smallest:,} to {persons.buckets.largest:,} persons"
        print(f"  dealt into {split.groups:,} groups of {sizes}")
    counted, of = (measured, "rows") if persons is None else (persons, "persons")
    if measured.buckets is not None and verdict.persons is None:
        of = "values"  # what the second table counts, as far as it is known
    for column, spread in counted.sensitive.items():
        fewest = f"has {many(spread.l, 'distinct value')} or more"
        said = f"every group {fewest}, none above {spread.share} of its {of}"
        if not spread.l:
            said = f"no value is above {spread.share} of the {of} of a group"
        if measured.buckets is None or verdict.persons == ():
            said += f"; entropy l = {rounded(spread.entropy, 3)}, t = {rounded(spread.t, 4)}"
        print(f"  {column}: {said}")
    if counted.population is not None:
        crowds = counted.population
        chance = f", a chance of {crowds.lowest} to {crowds.highest} to be in the table"
        print(
            f"  population: at least {crowds.smallest:,} rows a group"
            + (chance if crowds.lowest is not None else "")
        )
    print("Promised:")
    for sentence in promised(verdict):
        print(f"  {sentence}")
    for failure in verdict.failures:
        print(f"  BROKEN {failure}")
    if verdict.signed is not None:
        print(_signature(verdict.signed))
    holds = "Every promise holds." if verdict.persons is not None else "What the file lets check holds."
    print(holds if verdict.holds else "A promise does not hold.")


def _signature(signed: Signed) -> str:
    """Return who signed it, and whether that was checked."""
    whose = signed.key or "an unknown key"
    if signed.fits is None:
        return f"Signed with the key {whose}, as it claims; not checked. Check it with --key PUBLIC-KEY."
    return f"Signed with the key {whose}." if signed.fits else f"Not signed with the key {whose}."
