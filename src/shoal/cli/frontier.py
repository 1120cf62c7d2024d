"""`shoal frontier`: every Pareto-optimal (k, loss) generalization, or that of other objectives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli import terminal
from shoal.cli.answered import answered
from shoal.cli.options import Drawn, command
from shoal.numbers import figure, large_number, many, percent, rounded, seconds
from shoal.questions.execution import Execution
from shoal.questions.searches import FrontierQuestion
from shoal.questions.tables import StudyOrTally

if TYPE_CHECKING:
    from shoal.answers.privacy_costs import PrivacyCosts
    from shoal.answers.solution import Frontier, NodeSolution

SHOWN = 60
"""A frontier of three objectives shows at most so many points."""


@command
def frontier(
    question: FrontierQuestion, study: StudyOrTally, execution: Execution, drawn: Drawn
) -> None:
    """Show every Pareto-optimal way to trade information for privacy."""
    answered("frontier", question, study, execution, drawn, show)


def show(front: Frontier) -> None:
    """Print the frontier with its knee marked, and the notable steps in suppressed rows and loss."""
    from rich.text import Text

    from shoal.answers.privacy_costs import PrivacyCosts
    from shoal.answers.solution import KNEE
    from shoal.answers.steps import notable

    if isinstance(front, PrivacyCosts):
        show_costs(front)
        return
    console = terminal.console()
    names = list(front.points[0].detail) if front.points else []
    what = "Values left" if front.recoding == "cuts" else "Levels"
    numbered = front.objectives != ("k", "loss")
    fields = ["k", *(name for name in ("l", "t", "theta") if name in front.objectives)]
    wide = 45 + 10 * (len(fields) + numbered) + sum(len(name) + 3 for name in names) <= console.width
    steps = front.steps()
    told = notable(steps)
    titles = [*fields, f"lost ({front.metric})", "suppressed", *(["step"] if steps else [])]
    titles = [*(["point"] if numbered else []), *titles, *(names if wide else [what.lower()])]
    table = terminal.table(numbers=titles, no_wrap=True)
    best, shown = front.knee, _shown(front)
    for i, point in enumerate(front.points):
        if i not in shown:
            continue
        knee = point is best
        levels = [str(point.detail[name]) for name in names]
        cells = [_text(point, name) for name in fields]
        cells += [percent(point.share), f"{point.suppressed:,}"]
        if steps:
            step = steps[i - 1] if i else None
            mark = "▼ " if step in told else ""
            cells.append("" if step is None else mark + step.words)
        cells = [str(i + 1), *cells] if numbered else cells
        cells[0] = ("knee ▶ " if knee else "") + cells[0]
        style = "bold yellow" if knee else None
        table.add_row(*cells, *(levels if wide else [" ".join(levels)]), style=style)
    console.print(table)
    if not wide or front.recoding == "cuts":
        console.print(Text(f"{what} of: " + ", ".join(names)))
    if len(shown) < len(front):
        console.print(f"{len(shown)} of {len(front):,} points are shown; --json gives all.")
    for step in told:
        console.print(f"▼ {step.sentence}", highlight=False)
    console.print(_summary(front), highlight=False)
    if front.objectives == ("k", "loss"):
        console.print(KNEE, highlight=False)


def show_costs(costs: PrivacyCosts) -> None:
    """Print what each kind of recoding loses at each k, and what each means for who uses the data."""
    from shoal.answers.privacy_costs import BOUND

    console, shown = terminal.console(), costs.as_table()
    table = terminal.table(numbers=[column.title or column.name for column in shown.columns])
    for i in range(len(costs.ks)):
        table.add_row(*(column.cell(i) for column in shown.columns))
    console.print(table)
    for curve in costs.curves:
        console.print(curve.sentence, highlight=False)
    without = f"{costs.metric} has no bound on all recodings."
    console.print(BOUND if costs.lower_bound else without, highlight=False)
    console.print(costs.proofs, highlight=False)
    console.print(
        f"Shares of {costs.metric} lost, {costs.rows:,} rows, at most {costs.suppression_limit:,} suppressed "
        f"({seconds(costs.seconds)}).",
        highlight=False,
    )


def _shown(front: Frontier) -> set[int]:
    """Return the places of the points to show: all, or an even choice with both ends and the knee."""
    count = len(front)
    if len(front.objectives) == 2 or count <= SHOWN:
        return set(range(count))
    knee = next(i for i, point in enumerate(front.points) if point is front.knee)
    return {knee, *(round(i * (count - 1) / (SHOWN - 2)) for i in range(SHOWN - 1))}


def _text(point: NodeSolution, field: str) -> str:
    if field in ("t", "theta"):
        return rounded(point.cost(field), 4)
    return f"{getattr(point, field):,}"


def _summary(front: Frontier) -> str:
    kind = "pair" if len(front.objectives) == 2 else "point"
    proof = f"Complete: no Pareto-optimal {kind} is missing."
    if not front.certified:
        proof = "Not proven complete: better points may exist."
        if front.proven_to is not None:
            name = front.objectives[0]
            way = "down" if name == "theta" else "up"
            end = f"{way} to {name} = {figure(front.proven_to)}"
            proof = f"Not proven complete: no point is missing {end}, beyond it better ones may exist."
    about, unit = "", "row"
    if front.persons is not None:
        about, unit = f" about {many(front.persons, 'person')}", "person"
    kept = "" if front.required_k is None else f", classes of at least {many(front.required_k, unit)}"
    looked = f"{front.evaluated:,} of {front.nodes:,} nodes evaluated"
    if front.recoding == "cuts":
        looked = (
            f"{front.evaluated:,} cuts examined by all searches together, of {large_number(front.nodes)}"
        )
    return (
        f"{many(len(front), 'point')} from {many(front.rows, 'row')}{about}, {front.amounts}{kept}. {proof}\n"
        f"{looked} ({front.method}, {seconds(front.seconds)})."
    )
