"""`shoal risk`: the re-identification risk of a table, before or after a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.cli import output, terminal
from shoal.cli.options import Replacing, command
from shoal.numbers import count, many, percent, rounded, share_of
from shoal.questions.execution import Execution
from shoal.questions.fields import Question, asked, question
from shoal.questions.kinds import Flag
from shoal.questions.tables import RiskQuestion

if TYPE_CHECKING:
    from shoal.assess.risk import Combinations, Risk, SampleRisk
    from shoal.assess.risk.households import HouseholdRisk
    from shoal.assess.risk.suda import SpecialUniques


@question
class ByList(Question):
    """What else is looked for in a table."""

    safe_harbor: bool = asked(
        "Look for the 18 identifiers of HIPAA's Safe Harbor instead, by names and values.",
        Flag(),
        default=False,
    )


@command
def risk(question: RiskQuestion, by_list: ByList, execution: Execution, replacing: Replacing) -> None:
    """Show how easily persons can be found: three attackers, and the columns that make people unique."""
    if by_list.safe_harbor:
        look_for_identifiers(question.table, execution, replacing.as_json)
        return
    from shoal.answering.risk_of_table import risk_of
    from shoal.assess.risk.records import write_records

    if question.records is not None:
        output.check_free(question.records, replacing.force)  # again below; here before any work is done
    with output.running("risk", execution):
        found = risk_of(question, execution.tally_memory, execution.threads)
        if question.records is not None:
            with output.beside(question.records, replacing.force, private=True) as place:
                write_records(found.records, question.records, place)
    for text in found.notices:
        output.notice(text)
    if replacing.as_json:
        output.print_json(found.to_dict())
    else:
        show(found.measured, found.combinations, found.persons)
        if found.sample is not None:
            show_sample(found.sample, found.measured.rows, found.persons)
        if found.suda is not None:
            show_suda(found.suda)
        if found.households is not None:
            show_households(found.households, "rows" if found.persons is None else "persons")
    if question.records is not None:
        output.notice(f"{question.records} has the risk of every row; only you may read it")


def look_for_identifiers(given: Any, execution: Execution, as_json: bool) -> None:
    """Print which of the 18 identifiers a table has."""
    from shoal.proposal.safe_harbor import IDENTIFIERS, safe_harbor

    with output.running("risk", execution):
        found = safe_harbor(given)
    if as_json:
        output.print_json(found.to_dict())
        return
    table = terminal.table("", "identifier", "found", overflow="fold")
    for letter, name in IDENTIFIERS.items():
        table.add_row(letter, name, "; ".join(found.found.get(letter, ())) or "-")
    console = terminal.console()
    console.print(table)
    count = len(found.found)
    print(f"{len(found.columns)} columns of {found.table}: {count} of the 18 identifiers may be there.")
    print(
        "Names and values were looked at. Safe Harbor also asks that you know of no way to identify "
        "anybody (docs/legal.md); ZIP areas are those of the 2000 and 2020 census."
    )


def show(measured: Risk, combinations: Combinations, persons: int | None = None) -> None:
    """Print the risk for people: the attackers, the class sizes, the worst combinations."""
    console = terminal.console()
    people = f"{measured.uniques:,} rows ({share_of(measured.uniques, measured.rows)}) are unique"
    about, smallest = "", f"{measured.k:,}"
    if persons is not None:
        people = f"{measured.uniques:,} of these hold the rows of one person alone"
        about, smallest = f" about {persons:,} persons", many(measured.k, "person")
    console.print(
        f"{measured.rows:,} rows{about} in {measured.classes:,} classes; {people}; the smallest class has "
        f"{smallest}.",
        highlight=False,
    )
    sizes = [above.size for above in measured.prosecutor.above]
    risks = ("highest", "average", *(f"rows above 1/{size}" for size in sizes))
    attackers = terminal.table("attacker", "knows", numbers=risks)
    knows = "the population" if measured.population is not None else "(no population given)"
    for name, what, attack in (
        ("prosecutor", "who is in the table", measured.prosecutor),
        ("journalist", knows, measured.journalist),
    ):
        shares = [percent(above.share) for above in attack.above]
        attackers.add_row(name, what, percent(attack.highest), percent(attack.average), *shares)
    attackers.add_row("marketer", "as many as possible", "", percent(measured.marketer))
    console.print(attackers)
    size = "class size" if persons is None else "persons in class"
    histogram = terminal.table(numbers=(size, "classes", "rows", "share of rows"))
    for bin_ in measured.sizes:
        share = share_of(bin_.rows, measured.rows)
        histogram.add_row(bin_.label, f"{bin_.classes:,}", f"{bin_.rows:,}", share)
    console.print(histogram)
    unique = f"unique {combinations.counted}"
    worst = terminal.table("the worst columns", numbers=(unique, "share", "smallest class"))
    for width in (1, 2, 3):
        for found in combinations.worst(width):
            columns = " + ".join(found.columns)
            worst.add_row(columns, f"{found.uniques:,}", percent(found.share), f"{found.smallest:,}")
    console.print(worst)


DRAWN = {
    "sample_weight": "the weights",
    "population_size": "the size of the population",
    "sampling_fraction": "the sampling fraction",
}


def show_sample(sample: SampleRisk, rows: int, persons: int | None = None) -> None:
    """Print the risk for one who knows the population, but not who was drawn from it."""
    console, unique = terminal.console(), sample.unique
    who, what = f"{rows:,} rows", "rows"
    if persons is not None:
        who, what = f"{persons:,} persons", "persons by class"
    console.print(
        f"By {DRAWN[sample.drawn]}, these {who} stand for {count(sample.population)} persons. One "
        f"who does not know who was drawn and links every row is right about {rounded(sample.expected, 2)} "
        f"times ({percent(sample.average)} of the {what}), and for a single row with a chance of at most "
        f"{percent(sample.highest)}.",
        highlight=False,
    )
    above = terminal.table(numbers=("risk above", what, f"share of {what}", "share of the population"))
    for one in sample.above:
        above.add_row(
            percent(one.threshold), f"{one.rows:,}", percent(one.share), percent(one.of_population)
        )
    console.print(above)
    estimates = terminal.table("unique in the population", numbers=("share of the population",))
    for name, share in (("Zayatz", unique.zayatz), ("Pitman", unique.pitman), ("SNB", unique.snb)):
        chosen = ", which Dankar's rule takes" if unique.chosen == name.lower() else ""
        estimates.add_row(name + chosen, "no estimate" if share is None else percent(share))
    console.print(estimates)


VALUES_SHOWN = 5


def show_suda(suda: SpecialUniques) -> None:
    """Print which columns and values make rows stand out by few columns."""
    console = terminal.console()
    one = "by a single column" if suda.size == 1 else f"by at most {suda.size} columns"
    console.print(
        f"{suda.who} unique {one} (SUDA); a match with one of them is correct with a chance of "
        f"up to {percent(float(suda.dis.max(initial=0.0)))}.",
        highlight=False,
    )
    if not suda.rows:
        return
    columns = terminal.table("stands out by", numbers=("share of the scores",))
    for part in suda.columns:
        columns.add_row(part.column, percent(part.share))
    for value in suda.values[:VALUES_SHOWN]:
        columns.add_row(f"{value.column} = {value.value}", percent(value.share))
    console.print(columns)


def show_households(found: HouseholdRisk, members: str) -> None:
    """Print the risk of households beside that of their members, and what others know of them."""
    console = terminal.console()
    console.print(
        f"{found.rows:,} {members} live in {found.households:,} households of up to {found.largest:,}.",
        highlight=False,
    )
    from shoal.assess.risk.households import KNOWN

    names = ("members", "with their households", "households", "highest")
    expected = terminal.table("expected to be found by", numbers=names)
    for who, each in (("the prosecutor", found.prosecutor), ("who knows the population", found.sample)):
        if each is not None:
            counts = (each.members, each.persons, each.households)
            expected.add_row(who, *(rounded(one, 2) for one in counts), percent(each.highest))
    console.print(expected)
    unique = terminal.table("an attacker knows of a person", numbers=("unique persons", "share"))
    for known, single in zip(KNOWN, found.uniques, strict=True):
        unique.add_row(known, f"{single:,}", share_of(single, found.rows))
    console.print(unique)
