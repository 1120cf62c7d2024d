"""`shoal optimize`: the provably best full-subtree recoding for l+-diversity and k-anonymity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import output, terminal, wanted
from shoal.errors import InputError
from shoal.numbers import amount, large_number, percent, seconds

if TYPE_CHECKING:
    from shoal.answers.solution import CutSolution


def optimize(
    study: wanted.StudyFile,
    l: Annotated[  # noqa: E741  the literature's name
        str | None,
        typer.Option("--l", help="No sensitive value has a share above 1 / L.", show_default=False),
    ] = None,
    theta: Annotated[
        list[str] | None,
        typer.Option(
            help="The largest share, 0.25 or 1/4; or VALUE=SHARE for one value (repeat it).",
            show_default=False,
        ),
    ] = None,
    theta_by_frequency: Annotated[
        str | None,
        typer.Option(help="This share for rare values, more for frequent ones.", show_default=False),
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", help="Every group has at least K rows.", show_default=False)
    ] = None,
    scheme: Annotated[str, typer.Option(help="NoSupp, allRec, vioRec, allSA or vioSA.")] = "allRec",
    metric: Annotated[str, typer.Option(help="The cost: LM, DM, CM, NCP or Entropy.")] = "LM",
    sensitive: Annotated[
        list[str] | None,
        typer.Option(help="Limit this sensitive column (repeat it).", show_default="all of them"),
    ] = None,
    top: Annotated[int, typer.Option(help="Keep the best H cuts and pick one at random.")] = 1,
    seed: Annotated[
        int | None, typer.Option(help="Makes chance repeatable.", show_default=False)
    ] = None,
    time_limit: wanted.TimeLimit = None,
    gap: Annotated[float, typer.Option(help="Stop when the cost is proven within this share.")] = 0.0,
    tally: wanted.Tally = None,
    threads: wanted.Threads = None,
    tally_memory: wanted.TallyMemory = None,
    min_level: wanted.MinLevel = None,
    save: wanted.Save = None,
    force: wanted.ForceSave = False,
    as_json: wanted.AsJson = False,
) -> None:
    """Find the provably best full-subtree recoding for limited shares, for k, or both."""
    from shoal.study import Study

    if save is not None:
        output.check_free(save, force)
    uniform, values = _limits(theta or [])
    with (
        output.progress("optimize", time_limit) as progress,
        Study.open(
            study, threads=threads, tally=tally, tally_memory=tally_memory, min_levels=min_level
        ) as opened,
    ):
        unlisted = opened.unlisted
        best = opened.optimize(
            l=l,
            theta=uniform,
            limits=values,
            theta_by_frequency=theta_by_frequency,
            k=k,
            sensitive=sensitive or (),
            scheme=scheme,
            metric=metric,
            top=top,
            seed=seed,
            time_limit=time_limit,
            gap=gap,
            progress=progress,
        )
    if save is not None:
        output.write_whole(save, best.to_json() + "\n", force)
    output.tell_unlisted(study, unlisted)
    if as_json:
        print(best.to_json())
    else:
        show(best)
        if save is not None:
            output.notice(f"kept in {save}")


def _limits(given: list[str]) -> tuple[str | None, dict[str, str]]:
    """Return the uniform limit and those by value; a value may itself contain an equals sign."""
    uniform: str | None = None
    values: dict[str, str] = {}
    for word in given:
        value, sign, limit = word.rpartition("=")
        if not sign:
            if uniform is not None:
                raise InputError(
                    f"two uniform limits, {uniform} and {word}; give one, or write VALUE={word}"
                )
            uniform = word
        elif value in values:
            raise InputError(f"two limits for {value}, {values[value]} and {limit}; give one")
        else:
            values[value] = limit
    return uniform, values


def show(best: CutSolution) -> None:
    """Print the cut for people: what each attribute is released as, what it costs, what is proven."""
    from rich.table import Table
    from rich.text import Text

    console = terminal.console()
    table = Table(header_style="bold")
    table.add_column("attribute", no_wrap=True)
    table.add_column("released as")
    for name, labels in best.cut.items():
        shown = "   ".join("(missing)" if label is None else _line(label) for label in labels)
        table.add_row(Text(_line(name)), Text(shown))
    console.print(table)
    bound = f"no cut costs less than {amount(best.lower_bound)} (gap {percent(best.gap)})"
    if best.solutions:
        many = f"{len(best.solutions):,}"
        proof = f"Picked at random from the {many} best: {bound}."
        if not best.complete:
            proof = f"Picked at random from {many} good ones, not proven to be the best: {bound}."
    elif best.optimal:
        proof = "Optimal: no cut costs less."
    else:
        proof = f"Not proven optimal: {bound}."
    console.print(
        f"{best.metric} cost {amount(best.cost)} with {best.scheme.value} on {best.rows:,} rows. {proof}\n"
        f"Suppressed: {best.suppressed_records:,} records, {best.suppressed_values:,} sensitive values.\n"
        f"{best.examined:,} of {large_number(best.space)} cuts examined ({seconds(best.seconds)}).",
        highlight=False,
    )


def _line(text: str) -> str:
    """Return text in one line in which a terminal finds nothing to obey."""
    return text.replace("\n", "\\n")
