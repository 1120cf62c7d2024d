"""Commands whose options are the fields of questions, so that each is said once, in `shoal.questions`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from shoal.errors import InputError
from shoal.questions.fields import Asked, Question, asked, fields_of, question
from shoal.questions.kinds import File, Flag, Pairs, Real, Several, Shares, Whole, Word
from shoal.questions.tables import Leveled


@question
class Printed(Question):
    """How an answer is told."""

    as_json: bool = asked("Print one JSON document.", Flag(), default=False, options=("--json",))


@question
class Saved(Printed):
    """Where an answer is kept."""

    save: Path | None = asked("Keep the answer in this file.", File(), default=None)
    force: bool = asked("Replace what is there.", Flag(), default=False)


@question
class Drawn(Saved):
    """Where an answer is kept and drawn."""

    plot: Path | None = asked("Draw it into this file: SVG, PNG or PDF.", File(), default=None)


@question
class Replacing(Printed):
    """Whether what is written takes the place of something."""

    force: bool = asked("Replace what is there.", Flag(), default=False)


@question
class WrittenFile(Replacing):
    """Where a table is written."""

    out: Path = asked("The table to write.", File(), options=("--out", "-o"))


@question
class ReleaseSource(Leveled):
    """What is released: a solution of a study, or the release of a record again."""

    study: Path | None = asked(
        "The study file (YAML).", File(), default=None, argument=True, kw_only=False
    )
    solution: Path | None = asked("A solution kept with --save.", File(), default=None)
    from_record: Path | None = asked(
        "Make the release of a record again.", File(), default=None, options=("--from",)
    )


@question
class Session(Question):
    """How a negotiation begins, and what is kept of it."""

    choose: str | None = asked(
        "What --save keeps if there is no exact answer: suppression, height or privacy.",
        Word(("suppression", "height", "privacy")),
        default=None,
    )
    index: bool = asked(
        "Keep the histograms beside the study, in STUDY.index, for the next start.", Flag(), default=True
    )


LIMIT = "theta"
"""The field that some commands take several times, for single values; the others refuse that."""
_options: dict[str, str] = {}
"""The options of all commands, by their fields' names."""


def option_named(field: str) -> str:
    """Return the option of a field, as errors call it."""
    return _options.get(field, field)


def command(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that takes the fields of the questions which a function takes.

    A field that several of them have is one option; the first says what it means.
    """
    hints = get_type_hints(function)
    groups = {name: hints[name] for name in inspect.signature(function).parameters}

    @functools.wraps(function)
    def run(**given: Any) -> Any:
        return function(**{name: made(group, given) for name, group in groups.items()})

    parameters: dict[str, inspect.Parameter] = {}
    for group in groups.values():
        for one in fields_of(group):
            if not one.in_python_only and not isinstance(one.kind, Shares):
                # It stands where it is said last: with the options that every command has.
                if not one.argument:
                    _options.setdefault(one.name, one.option)
                said = parameters.pop(one.name, None) or _parameter(one, _has_shares(group, one))
                parameters[one.name] = said
    run.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
    run.__annotations__ = {}
    run.__dict__["questions"] = tuple(groups.values())
    return run


def made(group: Any, given: dict[str, Any]) -> Any:
    """Return a question of what was typed; what was not typed is as the question has it."""
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
    """Return the limit of all shares; several are refused, for none of them may go unheard."""
    if len(given) > 1 or "=" in given[0]:
        raise InputError(
            "one limit holds for every sensitive value here; shoal optimize limits values by name"
        )
    return given[0]


def _has_shares(group: Any, one: Asked) -> bool:
    """Whether the texts of an option are also those of shares by value."""
    return any(
        isinstance(each.kind, Shares) and each.kind.among == one.name for each in fields_of(group)
    )


def _parameter(one: Asked, with_shares: bool) -> inspect.Parameter:
    kind, default, meaning = _typed(one, with_shares)
    shown: bool | str = one.shown or (one.default not in {None, False, ()})
    if one.argument:
        info = typer.Argument(help=meaning, show_default=shown)
    else:
        name = one.option
        if isinstance(one.kind, Flag) and one.default:
            name = f"{name}/--no-{name[2:]}"
        short = [other for other in one.options if other != one.option]
        info = typer.Option(name, *short, help=meaning, show_default=shown)
    optional = kind | None if default is None and not one.required else kind
    return inspect.Parameter(
        one.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if one.required else default,
        annotation=Annotated[optional, info],
    )


def _typed(one: Asked, with_shares: bool) -> tuple[Any, Any, str]:
    """Return what the command line reads, its default, and what it means there."""
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
