"""`shoal risk`: the re-identification risk of a table, before or after a release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import output, terminal, wanted
from shoal.numbers import percent, share_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from shoal.assess.risk import Combinations, Risk
    from shoal.data.engine import Cells


def risk(
    table: Annotated[
        Path, typer.Argument(metavar="TABLE-or-STUDY", help="A table, or a study.", show_default=False)
    ],
    quasi: Annotated[
        str | None,
        typer.Option(help="The quasi columns of a table, by commas.", show_default="its certificate's"),
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(help="A table of the population, for the journalist's risk.", show_default=False),
    ] = None,
    tally_memory: wanted.TallyMemory = None,
    time_limit: wanted.EngineTimeLimit = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Show how easily persons are found: three attackers, and the columns that make people unique."""
    from shoal.assess.risk import measure_risk, worst_combinations
    from shoal.data.budget import budgeted

    with output.progress("risk", time_limit), budgeted(tally_memory):
        cells = _cells(table, quasi, tally_memory)
        persons = None if population is None else _population(cells, population, table)
    measured = measure_risk(cells.counts, persons)
    combinations = worst_combinations(cells)
    if combinations.left_out:
        output.notice("too many columns to combine, so without: " + ", ".join(combinations.left_out))
    if measured.outside:
        output.notice(
            f"{measured.outside:,} of {measured.rows:,} rows have fewer like them in {population} than "
            f"in {table}; they count as if the population were the table"
        )
    if as_json:
        document = {
            "table": str(table),
            "quasi": list(cells.columns),
            **measured.to_dict(),
            "combinations": combinations.to_dict(),
        }
        print(json.dumps(document, ensure_ascii=False))
    else:
        show(measured, combinations)


def _cells(table: Path, quasi: str | None, tally_memory: str | None) -> Cells:
    """Return the classes of a study's table, or of a table by its quasi columns."""
    from shoal.data.engine import Cells
    from shoal.data.landed import settle
    from shoal.data.opening import opened
    from shoal.describe.places import holds_a_place, names_a_table
    from shoal.documents import certificate_path, read_certificate
    from shoal.errors import InputError
    from shoal.study import Study

    settle(table)
    if names_a_table(table) and not holds_a_place(table):
        if quasi is not None:
            raise InputError("--quasi is for tables; a study says itself what is quasi", file=table)
        with Study.open(table, tally_memory=tally_memory) as study:
            tally = study.tally()
            tally.check_fine("the risk of the table as it is")
            return Cells(tally.attributes, tally.domains, tally.codes, tally.counts)
    certificate = certificate_path(table)
    if quasi is not None:
        columns = list(dict.fromkeys(name.strip() for name in quasi.split(",") if name.strip()))
    elif certificate.is_file():
        columns = list(read_certificate(certificate)["quasi"])
    else:
        columns = []
    with opened(table) as engine:
        if not columns:
            known = ", ".join(engine.columns)
            raise InputError(
                f"by which columns could a person be found? name them with --quasi a,b,c; it has {known}",
                file=table,
            )
        cells = engine.cells(columns)
    if not len(cells.counts):
        raise InputError("the table has no rows", file=table)
    return cells


def _population(cells: Cells, population: Path, table: Path) -> npt.NDArray[np.int64]:
    """Return how many of the population fall into each class, recoded as the table was."""
    from shoal.assess.composition import functional, read_mappings
    from shoal.assess.risk import population_sizes
    from shoal.data.opening import opened
    from shoal.documents import certificate_path, read_certificate
    from shoal.errors import InputError

    with opened(population) as engine:
        persons = engine.cells(cells.columns)
    maps = {}
    certificate = certificate_path(table)
    recoded = cells.columns
    if certificate.is_file():
        recoded = tuple(read_certificate(certificate)["quasi"])
    for column, pairs in read_mappings(table, recoded).items():
        labels = functional(pairs)
        if labels is None:
            raise InputError(
                f"{column} was recoded group by group, so a population cannot be recoded alike",
                file=table,
            )
        maps[column] = labels
    return population_sizes(cells, persons, maps)


def show(measured: Risk, combinations: Combinations) -> None:
    """Print the risk for people: the attackers, the class sizes, the worst combinations."""
    from rich.table import Table

    console = terminal.console()
    people = f"{measured.uniques:,} rows ({share_of(measured.uniques, measured.rows)}) are unique"
    console.print(
        f"{measured.rows:,} rows in {measured.classes:,} classes; {people}; the smallest class has "
        f"{measured.k:,}.",
        highlight=False,
    )
    attackers = Table(header_style="bold")
    attackers.add_column("attacker")
    attackers.add_column("knows")
    sizes = [above.size for above in measured.prosecutor.above]
    for title in ("highest", "average", *(f"rows above 1/{size}" for size in sizes)):
        attackers.add_column(title, justify="right")
    knows = "the population" if measured.population is not None else "(no population given)"
    for name, what, attack in (
        ("prosecutor", "who is in the table", measured.prosecutor),
        ("journalist", knows, measured.journalist),
    ):
        shares = [percent(above.share) for above in attack.above]
        attackers.add_row(name, what, percent(attack.highest), percent(attack.average), *shares)
    attackers.add_row("marketer", "as many as possible", "", percent(measured.marketer))
    console.print(attackers)
    histogram = Table(header_style="bold")
    for title in ("class size", "classes", "rows", "share of rows"):
        histogram.add_column(title, justify="right")
    for bin_ in measured.sizes:
        share = share_of(bin_.rows, measured.rows)
        histogram.add_row(bin_.label, f"{bin_.classes:,}", f"{bin_.rows:,}", share)
    console.print(histogram)
    worst = Table(header_style="bold")
    worst.add_column("the worst columns")
    for title in ("unique rows", "share", "smallest class"):
        worst.add_column(title, justify="right")
    for width in (1, 2, 3):
        for found in combinations.worst(width):
            columns = " + ".join(found.columns)
            worst.add_row(columns, f"{found.uniques:,}", percent(found.share), f"{found.smallest:,}")
    console.print(worst)
