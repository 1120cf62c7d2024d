"""`shoal release`: writes the anonymized table, its certificate and its record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.cli import output
from shoal.cli.options import Printed, ReleaseSource, command
from shoal.questions.execution import Execution
from shoal.questions.releases import ReleaseQuestion, Written
from shoal.questions.tables import PopulationOf

if TYPE_CHECKING:
    from shoal.release.papers.publish import Published


@command
def release(
    source: ReleaseSource,
    question: ReleaseQuestion,
    written: Written,
    population: PopulationOf,
    execution: Execution,
    printed: Printed,
) -> None:
    """Write the anonymized table with its certificate and record, verified on the written rows."""
    from shoal.again import remake
    from shoal.errors import InputError
    from shoal.release.solutions import read_solution
    from shoal.running.clock import while_writing
    from shoal.running.stop_signals import answering
    from shoal.study import Study

    out, into, sign = written.out, written.into, written.sign
    if out is None:
        raise InputError("say where to write the release: -o OUT")
    if source.from_record is not None and source.study is not None:
        raise InputError("name a study with --solution, or a record with --from, not both")
    with answering(), output.running("release", execution) as progress:
        to: dict[str, Any] = {"into": into, "force": written.force, "sign": sign}
        if source.from_record is not None:
            others = (source.solution, source.min_levels, source.persons, population.population)
            safe = question.spreadsheet_safe
            if any(others) or question != ReleaseQuestion(spreadsheet_safe=safe):
                raise InputError(
                    "--from RECORD repeats a release as it was; leave the other options out"
                )
            published = remake(source.from_record, out, **to, progress=progress, **execution.engines)
        else:
            if source.study is None or source.solution is None:
                raise InputError("name a study and a solution (STUDY --solution FILE), or --from RECORD")
            decision = read_solution(source.solution, question.k, question.point, question.recoding)
            with Study.open(
                source.study,
                population=population.population,
                min_levels=source.min_levels,
                persons=source.persons,
                **execution.engines,
            ) as opened:
                made = opened.release(
                    decision,
                    seed=question.seed,
                    spreadsheet_safe=question.spreadsheet_safe,
                    pseudonyms=question.pseudonyms,
                    secret=question.secret,
                    household_k=question.household_k,
                    accept_attack=question.accept_attack,
                    again=question.again,
                )
                published = made.write(out, **to, progress=while_writing(progress))
                output.tell_unlisted(source.study, (), opened.undecided)
    if printed.as_json:
        output.print_json(published.to_dict())
        return
    if source.solution is not None and question.k is None and question.point is None:
        _tell_knee(published.record["decision"]["details"], published.verdict.promise.k)
    _tell(published, into, signed=sign is not None)


def _tell_knee(details: Mapping[str, Any], k: int | None) -> None:
    """Say what was taken of a frontier of which nobody chose a point."""
    from shoal.numbers import count, percent

    if {"frontier", "objectives"}.isdisjoint(details):
        return
    share = details.get("share")  # documents of old may lack it
    lost = "" if share is None else f", {percent(share)} of all detail lost"
    print(
        f"Of the frontier its knee was taken: k = {count(k or 1)}{lost}; --k or --point takes another point."
    )


def _tell(published: Published, into: str | None, *, signed: bool) -> None:
    """Say what is released, who may see what, and what a curator should know of it."""
    from shoal.numbers import many, much_suppressed

    measured, split = published.verdict.measured, published.verdict.measured.buckets
    said = f"{measured.groups:,} groups of {measured.smallest:,} or more"
    if measured.persons is not None:
        said = f"{said} persons; they are about {many(measured.persons.count, 'person')}"
    if split is not None:
        least = f"{split.smallest:,} or more"
        if measured.persons is not None and measured.persons.buckets is not None:
            least = (
                f"{measured.persons.buckets.smallest:,} or more of {measured.persons.count:,} persons"
            )
        said = f"{split.groups:,} buckets of {least}, their quasi values as they were"
    gone = published.record["suppressed"]["rows"]
    if much := much_suppressed(gone, gone + measured.rows):
        print(much.strip())
    where = published.path if into is None else f"The table {into}"
    print(f"{where}: {measured.rows:,} rows in {said}.")
    print("Verified on the written rows.")
    _tell_suppressed(published.record)
    output.show_warnings(published.warnings)
    name = published.path.name
    second = "" if split is None else f"{published.certificate['buckets']['file']}, "
    signature = "" if not signed else f"{name}.certificate.json.sig, "
    certificate = f"{name}.certificate.json, {signature}{name}.public.html"
    print(f"For the public: {name}, {second}{certificate}, {name}.codebook.md, {name}.codebook.json.")
    decision, mappings = published.record["decision"], f", {name}.mappings/"
    if split is not None or "groups" in decision:
        mappings = ""
    elif "groups_file" in decision:
        mappings = f", {decision['groups_file']['file']}"
    if (apart := published.record.get("hierarchies_file")) is not None:
        mappings += f", {apart['file']}"
    print(f"For you alone:  {name}.record.json, {name}.report.html{mappings}.")


def _tell_suppressed(record: Mapping[str, Any]) -> None:
    """Say how many persons and households have no released row, where these count."""
    from shoal.numbers import many

    if (gone := record["suppressed"].get("persons")) is not None:
        print(
            f"No row is released of {many(gone, 'person')}."
            if gone
            else "Every person has a released row."
        )
    if (homes := record.get("households")) is not None:
        few, like = many(homes["suppressed"], "household"), many(homes["k"] - 1, "other")
        print(f"Every household looks like at least {like}; {few} suppressed whole.")
