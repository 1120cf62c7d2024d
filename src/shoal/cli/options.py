"""Makes commands whose options are the fields of questions, so that each is defined once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from shoal.errors import InputError
from shoal.questions.execution import Execution
from shoal.questions.fields import Asked, Question, asked, fields_of, question
from shoal.questions.kinds import File, Flag, NewFile, Pairs, Real, Several, Shares, Whole, Word
from shoal.questions.option_words import OFFERS
from shoal.questions.tables import StudyChanged


@question
class Printed(Question):
    """How an answer is printed."""

    as_json: bool = asked("Print one JSON document.", Flag(), default=False, options=("--json",))


@question
class Replacing(Printed):
    """Whether an existing file is replaced."""

    force: bool = asked("Replace existing files.", Flag(), default=False)


@question
class Saved(Replacing):
    """Where an answer is saved."""

    save: Path | None = asked("Save the answer to this file.", NewFile(), default=None)


@question
class Drawn(Saved):
    """Where an answer is saved and drawn."""

    plot: Path | None = asked("Draw it to this file: SVG, PNG or PDF.", NewFile(), default=None)


@question
class WrittenFile(Replacing):
    """Where a table is written."""

    out: Path = asked("The table to write.", NewFile(), options=("--out", "-o"))


@question
class ReleaseSource(StudyChanged):
    """What to release: a solution of a study, or what a record describes."""

    study: Path | None = asked(
        "The study file (YAML).", File(), default=None, argument=True, kw_only=False
    )
    solution: Path | None = asked("A solution saved with --save.", File(), default=None)
    from_record: Path | None = asked(
        "Repeat the release that this record describes.", File(), default=None, options=("--from",)
    )


@question
class Session(Question):
    """How a negotiation starts, and what it saves."""

    choose: str | None = asked(
        "What --save writes if there is no exact answer.",
        Word(OFFERS),
        default=None,
    )
    index: bool = asked(
        "Keep the histograms next to the study, in STUDY.index, for the next start.",
        Flag(),
        default=True,
    )


PANELS = {
    "Limits": {one.name for one in fields_of(Execution)},
    "Output": {one.name for kind in (Drawn, WrittenFile) for one in fields_of(kind)},
}
"""The options that many commands have, by the heading under which help shows them."""
LIMIT = "theta"
"""The field that some commands take several times, for single values; others refuse that."""
_options: dict[str, str] = {}
"""The options of all commands by the names of their fields."""


def option_named(field: str) -> str:
    """Return the option of a field, for errors."""
    return _options.get(field, field)


def command(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turn a function of questions into a command whose options are their fields.

    A field of several questions is one option, with the meaning that the first gives it.
    """
    hints = get_type_hints(function)
    groups = {name: hints[name] for name in inspect.signature(function).parameters}

    @functools.wraps(function)
    def run(**given: Any) -> Any:
        questions = {name: made(group, given) for name, group in groups.items()}
        if any(isinstance(one.kind, NewFile) and given.get(one.name) for one in shown):
            from shoal.cli.collisions import check_outputs

            check_outputs(questions.values())
        return function(**questions)

    shown = [one for group in groups.values() for one in fields_of(group)]
    parameters: dict[str, inspect.Parameter] = {}
    for group in groups.values():
        for one in fields_of(group):
            if not one.in_python_only and not isinstance(one.kind, Shares):
                # A shared field moves to its last place: among the options of every command.
                if not one.argument:
                    _options.setdefault(one.name, one.option)
                said = parameters.pop(one.name, None) or _parameter(one, _has_shares(group, one))
                parameters[one.name] = said
    run.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
    run.__annotations__ = {}
    run.__dict__["questions"] = tuple(groups.values())
    return run


def made(group: Any, given: dict[str, Any]) -> Any:
    """Return the question that was typed, with its defaults for everything else."""
    kept = {one.name: given[one.name] for one in fields_of(group) if given.get(one.name) is not None}
    for one in fields_of(group):
        if isinstance(one.kind, Shares) and one.kind.among in kept:
            uniform, values = one.kind.split(kept.pop(one.kind.among))
            kept |= {one.kind.among: uniform, one.name: values}
    if isinstance(limits := kept.get(LIMIT), list):
        kept[LIMIT] = _one_limit(limits)
    try:
        return group(**kept)
    except InputError as problem:
        for one in fields_of(group):
            if one.name == problem.field and not one.argument and problem.what.startswith(one.name):
                raise InputError(one.option + problem.what.removeprefix(one.name)) from None
        raise


def _one_limit(given: list[str]) -> str:
    """Return the limit of all shares; refuse several, because only one could be used."""
    if len(given) > 1 or "=" in given[0]:
        raise InputError(
            "one limit applies to every sensitive value here; shoal optimize limits values by name"
        )
    return given[0]


def _has_shares(group: Any, one: Asked) -> bool:
    """Whether an option also takes shares by value."""
    return any(
        isinstance(each.kind, Shares) and each.kind.among == one.name for each in fields_of(group)
    )


def _parameter(one: Asked, with_shares: bool) -> inspect.Parameter:
    kind, default, meaning = _typed(one, with_shares)
    # An empty line between them keeps each word on a line of its own.
    meaning = "\n\n".join([meaning, *(f"{word}: {said}" for word, said in one.words.items())])
    shown: bool | str = one.shown or (one.default not in {None, False, ()})
    if one.argument:
        info = typer.Argument(help=meaning, show_default=shown)
    else:
        name = one.option
        if isinstance(one.kind, Flag) and one.default:
            name = f"{name}/--no-{name[2:]}"
        short = [other for other in one.options if other != one.option]
        panel = next((panel for panel, names in PANELS.items() if one.name in names), None)
        info = typer.Option(name, *short, help=meaning, show_default=shown, rich_help_panel=panel)
    optional = kind | None if default is None and not one.required else kind
    return inspect.Parameter(
        one.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if one.required else default,
        annotation=Annotated[optional, info],
    )


def _typed(one: Asked, with_shares: bool) -> tuple[Any, Any, str]:
    """Return the type that the command line reads, its default, and its help."""
    kind, default, meaning = one.kind, one.default, one.meaning.removesuffix(".")
    if with_shares:
        return list[str], None, f"{meaning}; or VALUE=SHARE for one value (repeat it)."
    if one.name == LIMIT:
        return list[str], None, one.meaning
    if isinstance(kind, Pairs):
        return list[str], None, f"{meaning}: NAME=VALUE (repeat it)."
    if isinstance(kind, Several):
        if not kind.commas:
            return list[str], None, f"{meaning} (repeat it)."
        return str, ",".join(default) if default else None, one.meaning
    read: Any = str
    for of, what in ((Flag, bool), (Whole, int), (Real, float), (File, Path)):
        if isinstance(kind, of):
            read = what
    return read, str(default) if read is str and default is not None else default, one.meaning
