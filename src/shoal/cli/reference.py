"""Makes the docs' reference from the commands and their questions.

python -m shoal.cli.reference > docs/reference.md
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from shoal.cli.help_examples import EXAMPLES
from shoal.questions.execution import Execution
from shoal.questions.fields import Asked, fields_of
from shoal.questions.kinds import Flag, Pairs, Several, Shares

HEAD = """# Reference

The options of every command, with their names in Python. `python -m shoal.cli.reference` makes this page
from the questions in `src/shoal/questions/`. [The web API](web.md) takes the same fields for `frontier`,
`optimize`, `negotiate` and `anonymize` as JSON.
"""

WORDS = """## The words that options take

From `src/shoal/questions/option_words.py`, as `--help` of each command shows them.
"""


def reference() -> str:
    """Return the page."""
    from shoal.cli.app import COMMANDS

    parts = [HEAD, section("Every command that touches a table", "", [Execution])]
    sections = [of_command(command, _examples(command)) for command in COMMANDS]
    return "\n".join([*parts, *sections, words_of(COMMANDS)])


def words_of(commands: Iterable[Callable[..., Any]]) -> str:
    """Return what the words mean that options take, each list once."""
    lists: list[tuple[Asked, list[str]]] = []
    for command in commands:
        for question in command.__dict__["questions"]:
            for one in fields_of(question):
                said = f"`{command.__name__.replace('_', '-')}`"
                known = next((of for other, of in lists if _alike(one, other)), None)
                if known is not None and said not in known:
                    known.append(said)
                elif known is None and one.words:
                    lists.append((one, [said]))
    parts = [WORDS]
    for one, of in lists:
        rows = [f"| `{word}` | {meaning} |" for word, meaning in one.words.items()]
        title = f"### {one.option} of {', '.join(of)}"
        head = [title, "", one.meaning, "", "| word | means |", "| --- | --- |"]
        parts.append("\n".join([*head, *rows, ""]))
    return "\n".join(parts)


def _alike(one: Asked, other: Asked) -> bool:
    return (one.option, one.words) == (other.option, other.words)


def of_command(command: Callable[..., Any], examples: str = "") -> str:
    """Return the section of a command: its own fields, without those that every command has."""
    questions = command.__dict__["questions"]
    doc = (command.__doc__ or "").split("\n\n")[0]
    told = "\n\n".join(text for text in (doc, examples) if text)
    return section(f"shoal {command.__name__.replace('_', '-')}", told, questions, fields_of(Execution))


def _examples(command: Callable[..., Any]) -> str:
    page, examples = EXAMPLES[command.__name__]
    return f"For example {' and '.join(f'`{one}`' for one in examples)}; [more]({page})."


def section(title: str, meaning: str, questions: Iterable[Any], but: Iterable[Asked] = ()) -> str:
    """Return the fields of some questions as a table."""
    rows: dict[str, str] = {}
    shared = {one.meaning for one in but}
    for question in questions:
        in_python = not question.__module__.startswith("shoal.cli")
        for one in fields_of(question):
            if one.meaning not in shared:
                rows.setdefault(one.name, _row(one, in_python))
    lines = [f"## {title}", "", *([meaning, ""] if meaning else [])]
    lines += ["| option | Python | default | meaning |", "| --- | --- | --- | --- |", *rows.values(), ""]
    return "\n".join(lines)


def _row(one: Asked, in_python: bool) -> str:
    cells = [_option(one), f"`{one.name}`" if in_python else "", _default(one), one.told]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _option(one: Asked) -> str:
    if one.in_python_only:
        return "(Python only)"
    if one.argument:
        return f"`{one.name.upper()}`"
    names = [name for name in one.options if name != one.option]
    shown = ", ".join(f"`{name}`" for name in (one.option, *names))
    if isinstance(one.kind, Shares):
        return f"{shown} `VALUE=SHARE`"
    if isinstance(one.kind, Pairs):
        return f"{shown} `NAME=VALUE`"
    return shown


def _default(one: Asked) -> str:
    if one.required:
        return "must be given"
    if one.shown is not None:
        return one.shown
    if one.default is None or one.default == ():
        return ""
    if isinstance(one.kind, Flag):
        return "yes" if one.default else "no"
    shown = ",".join(one.default) if isinstance(one.kind, Several) else one.default
    return f"`{shown}`"


if __name__ == "__main__":
    print(reference(), end="")
