"""`shoal anonymize`: one named algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.cli import output, terminal
from shoal.cli.answered import answered
from shoal.cli.options import Saved, command
from shoal.cli.robust import show_defence
from shoal.numbers import figure, many, percent, seconds
from shoal.questions.execution import Execution
from shoal.questions.searches import AnonymizeQuestion
from shoal.questions.tables import PopulationOf, StudyOrTally

if TYPE_CHECKING:
    from shoal.answers.anonymization import Anonymization
    from shoal.describe.promise import Known


@command
def anonymize(
    question: AnonymizeQuestion,
    study: StudyOrTally,
    population: PopulationOf,
    execution: Execution,
    saved: Saved,
) -> None:
    """Anonymize with one named algorithm."""
    more: dict[str, Any] = {"population": population, "title": question.algorithm}
    answered("anonymize", question, study, execution, saved, show, **more)


def show(found: Anonymization) -> None:
    """Print the figures for people."""
    from shoal.answers.group_recoding import GroupRecoding  # with numpy
    from shoal.present.words import how_near, shares_apart

    console = terminal.console()
    table = terminal.table(numbers=("metric", "lost"))
    for name, share in found.shares.items():
        table.add_row(name, percent(share))
    console.print(table)
    where = found.to_dict().get("node")
    if where is not None:
        console.print("Levels: " + ", ".join(f"{a} {v}" for a, v in where.items()), highlight=False)
    console.print(
        f"{found.algorithm}: k = {found.k:,} in {found.groups:,} groups, "
        f"{found.suppressed:,} of {found.rows:,} rows suppressed ({seconds(found.seconds)}).\n"
        + "".join(f"Guaranteed: {sentence}.\n" for sentence in found.guarantees),
        highlight=False,
    )
    show_defence(found.details)
    if "blanked_cells" in found.details:
        console.print(_blanked(found), highlight=False)
    elif found.loss and not found.optimal and "robust" not in found.details:
        groups = isinstance(found.decision().recoding, GroupRecoding)
        near = {**found.details, "kind": "groups" if groups else None}
        bounded = found.share and near.get("lower_bound")
        lost = f"Measured by {found.metric}, it loses {shares_apart(near)[0]} of all detail."
        console.print(*([lost] if bounded else []), *how_near(near), highlight=False)
    if "ended_early" in found.details:
        console.print("The search was ended early, by its time limit or by Ctrl-C.", highlight=False)
    known = found.decision().promise.known
    if known is not None:
        output.notice(
            "the promise is about some columns, or by a weaker reading of blanks: " + _known(known)
        )
    elif found.k < found.asked.get("k", 1):
        output.notice(f"the smallest group has {found.k:,} rows, fewer than the k you asked for")


def _blanked(found: Anonymization) -> str:
    """Return how many cells of which columns are blanked, and how many fewer could be."""
    details = found.details
    columns = ", ".join(f"{name} {cells:,}" for name, cells in details["blanked"].items())
    said = f"Blanked: {many(details['blanked_cells'], 'cell')}" + (f" ({columns})" if columns else "")
    by_need = ", if no row is blanked beyond its own need" if "bound_by_need" in details else ""
    if details["proven"]:
        return f"{said}; proven: no other choice costs less{by_need}."
    bound = details.get("lower_bound", details.get("bound_by_need"))
    return f"{said}; they weigh {figure(details['cost'])}, and any choice at least {figure(bound)}{by_need}."


def _known(known: Known) -> str:
    from shoal.describe.promise import WILDCARD

    sets = "; ".join(", ".join(one) for one in known.combinations[:3])
    more = f" and {len(known.combinations) - 3:,} more" if len(known.combinations) > 3 else ""
    like = "like any value" if known.missing == WILDCARD else "a value of its own"
    values = (
        "" if known.l is None else f", with {many(known.l, 'value')} of {' and '.join(known.about)},"
    )
    return f"a row is like {known.k:,}{values} in {sets}{more}; a blanked cell is {like}"
