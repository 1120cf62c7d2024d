"""`shoal init`: looks at a table and writes a study to edit."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from shoal.cli import output, terminal
from shoal.cli.options import Replacing, command
from shoal.questions.execution import Execution
from shoal.questions.tables import InitQuestion

if TYPE_CHECKING:
    from shoal.proposal import Layout, Proposal


@command
def init(question: InitQuestion, execution: Execution, replacing: Replacing) -> None:
    """Look at a table, guess roles and hierarchies, and write a commented study to edit."""
    from shoal.proposal import lay_out, propose, study_text
    from shoal.proposal.decimal_commas import opened_as_found
    from shoal.proposal.file_layout import default_study

    table, force = question.table, replacing.force
    study = question.out or default_study(table)
    output.check_free(study, force)  # again below; here before any work is done
    with output.running("init", execution), opened_as_found(table) as engine:
        proposal = propose(engine, question.hierarchies)
    for text in proposal.notices:
        output.notice(text)
    layout = lay_out(proposal, table, study)
    _write(layout, study_text(proposal, layout), force)
    if replacing.as_json:
        output.print_json(document(proposal, layout))
    else:
        show(proposal, layout)


def _write(layout: Layout, text: str, force: bool) -> None:
    """Write all files of a study or none."""
    from shoal.proposal.file_layout import write_study

    output.check_free(layout.study, force)
    for path in layout.files:
        if path.exists():
            output.check_free(path, force)
    write_study(layout, text, lambda path, rows: output.write_whole(path, rows, force, private=False))


def document(proposal: Proposal, layout: Layout) -> dict[str, Any]:
    """Return the proposal as the JSON document of the contract."""
    return {
        "study": str(layout.study),
        "rows": proposal.rows,
        "persons": None if proposal.persons is None else proposal.persons.name,
        "columns": [
            {
                "name": column.name,
                "role": column.role.value,
                "reason": column.reason,
                "distinct": column.distinct,
                "missing": column.missing,
                "hierarchy": layout.hierarchies.get(column.name),
            }
            for column in proposal.columns
        ],
    }


def show(proposal: Proposal, layout: Layout) -> None:
    """Print the proposal as a table for people, and what to do next."""
    from rich.text import Text

    from shoal.proposal.written import flow

    colours = {
        "identifying": "red",
        "quasi": "yellow",
        "sensitive": "magenta",
        "class": "cyan",
        "undecided": "bold",
    }
    console = terminal.console()
    table = terminal.table("column", "role", "why", "hierarchy", overflow="fold")
    # What waits for a decision comes first.
    for column in sorted(proposal.columns, key=lambda one: one.role != "undecided"):
        role = column.role.value
        given = layout.hierarchies.get(column.name)
        table.add_row(
            Text(_line(column.name)),
            Text(role, style=colours.get(role, "")),
            Text(_line(column.reason)),
            Text("" if given is None else flow(given)),
        )
    console.print(table)
    if (key := proposal.persons) is not None:
        whose = (
            f"Rows that agree in {_line(key.name)} are taken for one person: {key.distinct:,} persons."
        )
        console.print(
            Text(f"{whose} Remove `persons` from the study if rows are what counts."), soft_wrap=True
        )
    study = shlex.quote(str(layout.study))
    next_step = f"{proposal.rows:,} rows. Now edit {study}, then: shoal frontier {study}"
    console.print(Text(next_step), soft_wrap=True)


def _line(text: str) -> str:
    """Return a text on one line, whatever a column is called."""
    return text if text.isprintable() else repr(text)
