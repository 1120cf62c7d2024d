"""`shoal negotiate`: an exact answer to the constraints, or the three nearest relaxations."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.cli import output, terminal
from shoal.cli.options import Saved, Session, command
from shoal.numbers import milliseconds, percent
from shoal.questions.execution import Execution
from shoal.questions.searches import NegotiateQuestion
from shoal.questions.tables import StudyOrTally

if TYPE_CHECKING:
    from rich.console import Console

    from shoal.answers.negotiation import Answer, Offer
    from shoal.search.negotiation.negotiator import Negotiator

Mark = Callable[["Answer"], Mapping[str, Any]]
"""Returns the counts that an answer was found on."""

RELAXED = {"suppression": "suppress more", "height": "generalize more", "privacy": "promise less"}


@command
def negotiate(
    question: NegotiateQuestion,
    session: Session,
    study: StudyOrTally,
    execution: Execution,
    saved: Saved,
) -> None:
    """Answer constraints on privacy, heights and suppression, or say what comes nearest.

    On a terminal, without --k and --l, a dialogue is opened.
    """
    from shoal.errors import InputError, NoSolutionError
    from shoal.search.negotiation.request import limits_of

    save, choose = saved.save, session.choose
    if choose is not None and save is None:
        raise InputError("--choose says which suggestion is kept; add --save FILE")
    if save is not None:
        output.check_free(save, saved.force)
    if question.k is None and question.l is None:
        if saved.as_json or save is not None or not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise InputError("nothing is asked for; give --k, --l or both")
        from shoal.cli.dialogue import Dialogue

        with opened(study, session.index, execution) as (negotiator, unlisted, mark):
            dialogue = Dialogue(negotiator, sys.stdin, sys.stdout, question, mark)
            output.tell_unlisted(study.study, unlisted)
            dialogue.run()
        return
    with (
        output.running("negotiate", execution, kept=True) as progress,
        opened(study, session.index, execution) as (negotiator, unlisted, mark),
    ):
        answer = negotiator.answer(replace(question, progress=progress))
        if not answer.rows():
            raise NoSolutionError(answer.reason or "nothing comes near")
        if save is not None:
            _, limit = limits_of(negotiator.shape, question)
            keep(answer, choose, save, saved.force, mark(answer), limit)
    output.tell_unlisted(study.study, unlisted)
    if saved.as_json:
        print(answer.to_json())
        return
    show(answer, terminal.console())
    if save is not None:
        _tell_kept(answer, choose, save)


@contextmanager
def opened(
    given: StudyOrTally, index: bool, execution: Execution
) -> Iterator[tuple[Negotiator, tuple[str, ...], Mark]]:
    """Give the session of a study file, the columns that it does not list, and what marks its counts.

    Where the index beside the study serves, the table is neither opened nor read but for its digest.
    """
    from shoal.data.engines.saved_tally.engine import KeptTally
    from shoal.describe.specification import Role
    from shoal.describe.study_file import read_study_file

    specification = read_study_file(given.study).raised(given.min_levels).about(given.persons)
    if given.tally is not None:
        index, specification = False, replace(specification, table=KeptTally(Path(given.tally)))
    studies: list[Any] = []
    told: set[str] = set()

    def notice(text: str) -> None:
        if text not in told:  # an index is looked for here and by the study
            told.add(text)
            output.notice(text)

    def study() -> Any:
        from shoal.study import Study

        if not studies:
            studies.append(Study.of(specification, execution))
        return studies[0]

    def mark(answer: Answer) -> Mapping[str, Any]:
        with_l = any(offer.l is not None for _, offer in answer.rows())
        columns = specification.having(Role.SENSITIVE) if with_l else ()
        found: Mapping[str, Any] = study().found_on(*columns)
        return found

    try:
        found = None
        if index:
            from shoal.search.negotiation.starting import reopen_negotiator

            found = reopen_negotiator(specification, study, notice)
        if found is not None:
            negotiator, columns = found
        else:
            negotiator = study().negotiator(index=index, notice=notice)
            columns = study().columns
        yield (negotiator, tuple(name for name in columns if name not in specification.attributes), mark)
    finally:
        for each in studies:
            each.close()


def keep(
    answer: Answer, choice: str | None, path: Path, force: bool, found_on: Mapping[str, Any], limit: int
) -> None:
    """Write what `shoal release` reads: the whole answer, or the chosen suggestion alone.

    With it go the counts it was found on, and how many rows may be suppressed.
    """
    if answer.exact is None and choice is not None:
        offer = answer.choose(choice)
        document, limit = offer.solution(), max(limit, offer.suppressed)
    else:
        document = answer.to_dict()
    document |= {"suppression_limit": limit, "found_on": found_on}
    output.write_whole(path, json.dumps(document, ensure_ascii=False) + "\n", force)


def show(answer: Answer, console: Console) -> None:
    """Print the answer as a table for people."""
    from rich.text import Text

    shown = answer.rows()
    names = list(shown[0][1].node) if shown else []
    wide = 72 + sum(len(name) + 3 for name in names) <= console.width
    privacy = [name for name in ("k", "l") if shown and getattr(shown[0][1], name) is not None]
    titles = (
        *privacy,
        "suppressed",
        f"lost ({answer.metric})",
        "height",
        *(names if wide else ["levels"]),
    )
    table = terminal.table("", numbers=titles, no_wrap=True)
    for title, offer in shown:
        levels = [str(offer.node[name]) for name in names]
        table.add_row(
            f"{title}: {RELAXED[title]}" if title in RELAXED else title,
            *(f"{getattr(offer, name):,}" for name in privacy),
            f"{offer.suppressed:,}",
            percent(offer.share or 0.0),
            str(offer.height),
            *(levels if wide else [" ".join(levels)]),
        )
    if answer.exact is None:
        console.print("No exact answer. What comes nearest, one constraint relaxed at a time:")
    if shown:
        console.print(table)
    if shown and not wide:
        console.print(Text("Levels of: " + ", ".join(names)))
    privacy_kept = dict(answer.suggestions or ()).get("privacy")
    if privacy_kept is not None and max(privacy_kept.k or 1, privacy_kept.l or 1) == 1:
        console.print("What would promise less promises nothing: a group may be one row.")
    missing = [name for name, offer in answer.suggestions or () if offer is None]
    if missing:
        console.print(Text(f"No suggestion for {', '.join(missing)}: {answer.reason}."))
    for title, offer in shown:
        if not offer.proven:
            console.print(Text(f"{title}: {_bounds(offer, answer)}."))
    console.print(
        f"{answer.visited:,} nodes visited, {milliseconds(answer.milliseconds)}.", highlight=False
    )


def _bounds(offer: Offer, answer: Answer) -> str:
    """Return what is known of an offer that is not proven."""
    if offer.lower_bound is not None and offer.loss:
        least = percent(offer.lower_bound / offer.loss * (offer.share or 0.0))
        return f"the best found in time; no allowed node loses less than {least}"
    if offer.lowest_height is not None:
        return f"the best found in time; no allowed node is lower than height {offer.lowest_height}"
    return "the best found in time; a lower height may have one, too"


def _tell_kept(answer: Answer, choice: str | None, path: Path) -> None:
    if answer.exact is not None or choice is not None:
        output.notice(f"kept in {path}")
        return
    there = "|".join(name for name, offer in answer.suggestions or () if offer is not None)
    output.notice(f"kept in {path}; to release a suggestion, keep it with --choose {there}")
