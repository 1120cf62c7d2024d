"""Shared by the commands that search: ask a study, then save, draw and print its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shoal.cli import output
from shoal.cli.options import Drawn, Saved
from shoal.questions.execution import Execution
from shoal.questions.fields import fields_of
from shoal.questions.tables import PopulationOf, StudyOpened, StudyOrTally
from shoal.running.stop_signals import answer_done, answering


def answered(
    command: str,
    question: Any,
    given: StudyOpened,
    execution: Execution,
    saved: Saved,
    show: Callable[[Any], None],
    *,
    population: PopulationOf | None = None,
    title: str = "",
    kept: bool = True,
) -> Any:
    """Ask a study by the method named like the command; save, draw, print and return its answer.

    `kept` says that a search keeps what it has when its time is up; `title` is shown while it runs.
    """
    from shoal.study import Study

    plot = saved.plot if isinstance(saved, Drawn) else None
    for path in (saved.save, plot):
        if path is not None:
            output.check_free(path, saved.force)
    if plot is not None:
        output.check_picture(plot)
    tally = given.tally if isinstance(given, StudyOrTally) else None
    other = None if population is None else population.population
    options: dict[str, Any] = {
        "population": other,
        "tally": tally,
        "min_levels": given.min_levels,
        "persons": given.persons,
    }
    asked = {one.name: getattr(question, one.name) for one in fields_of(type(question))}
    with (
        output.running(title or command, execution, kept=kept) as progress,
        Study.open(given.study, **options, **execution.engines) as study,
    ):
        held_back, notes = (study.unlisted, study.undecided), study.notes
        found = getattr(study, command)(**asked | {"progress": progress})
    with answering():
        if saved.save is not None:
            output.save(saved.save, found, saved.force)
        if plot is not None:
            output.draw(plot, found, saved.force)
    for note in notes:
        output.notice(note)
    output.tell_unlisted(given.study, *held_back)
    if saved.as_json:
        output.print_answer(found)
        answer_done()
        return found
    show(found)
    answer_done()
    for path, done in ((saved.save, "saved"), (plot, "drawn")):
        if path is not None:
            output.notice(f"{done} to {path}")
    return found
