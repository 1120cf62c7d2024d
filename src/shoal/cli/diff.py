"""`shoal diff`: what two releases of the same table reveal together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli import output, terminal
from shoal.cli.options import Printed, command
from shoal.questions.execution import Execution
from shoal.questions.releases import DiffQuestion

if TYPE_CHECKING:
    from shoal.assess.composition import ReleaseComparison


@command
def diff(question: DiffQuestion, execution: Execution, printed: Printed) -> None:
    """Show what two releases of the same table reveal together."""
    from shoal.assess.composition import compare_releases

    with output.running("diff", execution):
        found = compare_releases(question.one, question.other, k=question.k)
    if printed.as_json:
        output.print_json(found.to_dict())
    else:
        show(found)


def show(found: ReleaseComparison) -> None:
    """Print the comparison for people: what was found, then the figures behind it."""
    console = terminal.console()
    for sentence in found.sentences():
        console.print("• " + sentence, highlight=False)
    figures = terminal.table("", numbers=("first", "second"))
    unknown = "not known"
    for title, one, other in (
        ("file", found.one.file, found.other.file),
        ("rows", found.one.rows, found.other.rows),
        ("groups", found.one.groups, found.other.groups),
        (
            "rows that match no row of the other release",
            found.one.unmatched,
            found.other.unmatched,
        ),
        ("persons missing in the other, at least", found.one.missing_there, found.other.missing_there),
        ("rows that match one row of the other", found.one.linked_once, found.other.linked_once),
        (
            f"rows that match fewer than {found.k:,}",
            found.one.below_k_candidates,
            found.other.below_k_candidates,
        ),
        (f"rows exposed (pairs of groups below {found.k:,})", found.one.exposed, found.other.exposed),
    ):
        cells = (x if isinstance(x, str) else unknown if x is None else f"{x:,}" for x in (one, other))
        figures.add_row(title, *cells)
    console.print(figures)
    columns = terminal.table("column", "released")
    for column, relation in found.columns.items():
        columns.add_row(column, relation)
    console.print(columns)
    if found.examples and not found.same_rows:
        groups = ("group in the first", "group in the second")
        examples = terminal.table(*groups, numbers=("persons at most",))
        for example in found.examples:
            labels = (
                ", ".join("(missing)" if label is None else label for label in side.values())
                for side in (example.one, example.other)
            )
            examples.add_row(*labels, f"{example.at_most:,}")
        console.print(examples)
