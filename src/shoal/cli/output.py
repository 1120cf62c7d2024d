"""What commands print and write: results, notices, progress, and files that are complete or absent."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from shoal.cli.terminal import console
from shoal.documents.whole.file import WholeFile
from shoal.errors import InputError

if TYPE_CHECKING:
    import matplotlib.axes

    from shoal.assess.audit import AuditWarning
    from shoal.present.charts.svg import Picture
    from shoal.questions.execution import Execution

PICTURES = (".svg", ".png", ".pdf")
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


class Drawable(Protocol):
    """An answer that can be drawn."""

    def picture(self) -> Picture:
        """Return it as SVG."""

    def plot(self) -> matplotlib.axes.Axes:
        """Draw it with matplotlib."""


class Keepable(Protocol):
    """An answer that can be kept as JSON."""

    def to_json(self) -> str:
        """Return its document as text."""


def notice(text: str) -> None:
    """Print one line that is not part of the result."""
    print("shoal: " + " ".join(text.split()), file=sys.stderr)


def print_json(document: Any) -> None:
    """Print the one JSON document of a command."""
    print(json.dumps(document, ensure_ascii=False))


def tell_unlisted(study: Path, unlisted: Iterable[str], undecided: Iterable[str] = ()) -> None:
    """Say which columns a study leaves out of a release without saying that they identify.

    Call it last, so that an error stays a single line.
    """
    if names := ", ".join(unlisted):
        notice(f"not listed in {study}, so never released: {names}")
    if names := ", ".join(undecided):
        notice(f"undecided in {study}, so not released until somebody decides: {names}")


@contextmanager
def progress(
    title: str, time_limit: float | None = None, *, kept: bool = False
) -> Iterator[Callable[[float, str], None] | None]:
    """Give a function that moves a bar on standard error, or None if nobody watches.

    Engines move it too, say there what they wait for, and stop when the time is up.
    """
    from shoal.running.watching import watched

    if not sys.stderr.isatty():
        with watched(time_limit, say=notice, kept=kept):
            yield None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[words]}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console(sys.stderr), transient=True) as bar:
        task = bar.add_task(title, total=1.0, words="")

        def show(share: float, words: str) -> None:
            bar.update(task, completed=share, words=words)

        with watched(time_limit, show, notice, kept=kept):
            yield show


@contextmanager
def running(
    title: str, execution: Execution, *, kept: bool = False
) -> Iterator[Callable[[float, str], None] | None]:
    """Give what `progress` gives, and hold the work in the block to its limits.

    If `kept`, the work keeps what it has when its time is up; otherwise it ends without an answer.
    """
    with progress(title, execution.time_limit, kept=kept) as show, execution.kept():
        yield show


_claims: dict[Path, WholeFile] = {}
"""The files that the command will write, claimed before any work is done."""


def check_free(path: Path, force: bool, *, advice: str = "choose another name, or use `force`") -> None:
    """Claim a path before any work is done; refuse one that exists or cannot be written."""
    if path not in _claims:
        _claims[path] = WholeFile(path, force=force, advice=advice)


def give_back() -> None:
    """Give up all claims that were not used."""
    while _claims:
        _claims.popitem()[1].close()


def write_whole(path: Path, text: str, force: bool, *, private: bool = True) -> None:
    """Write a text file next to its place and move it in when it is complete; private by default.

    A saved answer tells how a release is made, and may contain every combination of the table.
    """
    with beside(path, force, private=private) as place:
        place.write_text(text, encoding="utf-8", newline="\n")


def save(path: Path, found: Keepable, force: bool) -> None:
    """Keep an answer for `shoal release`: as JSON, and large groups in a Parquet file beside it.

    The groups of curves are always in such a file, those of all points.
    """
    from shoal.answers.kept_groups import SUFFIX

    check_free(path, force)
    apart = _kept_apart(found)
    if apart is None and not os.path.lexists(path.with_name(path.name + SUFFIX)):
        write_whole(path, found.to_json() + "\n", force)
        return
    with (
        closing(_claims.pop(path)) as file,
        file.making_with(SUFFIX, wanted=apart is not None) as folder,
    ):
        made = folder / path.name
        text = found.to_json() if apart is None else json.dumps(apart(made), ensure_ascii=False)
        made.write_text(text + "\n", "utf-8", newline="\n")


def _kept_apart(found: Keepable) -> Callable[[Path], dict[str, Any]] | None:
    """Return what writes an answer's groups beside a path and gives its document; None if it has few."""
    from shoal.answers.anonymization import Anonymization
    from shoal.answers.kept_curves import curves_beside, has_groups
    from shoal.answers.kept_groups import groups_beside, kept_apart
    from shoal.answers.privacy_costs import PrivacyCosts

    if isinstance(found, PrivacyCosts) and has_groups(found):
        return lambda made: curves_beside(found, made)
    groups = kept_apart(found.decision()) if isinstance(found, Anonymization) else None
    if groups is None or not isinstance(found, Anonymization):
        return None
    return lambda made: found.to_dict(groups_beside(groups, made))


def print_answer(found: Keepable) -> None:
    """Print the JSON document of an answer; groups one after the other, since they may be many."""
    from shoal.answers.anonymization import Anonymization

    if isinstance(found, Anonymization):
        for piece in found.pieces():
            sys.stdout.write(piece)
        print()
    else:
        print(found.to_json())


@contextmanager
def beside(path: Path, force: bool, *, private: bool) -> Iterator[Path]:
    """Give a file next to a path to write to, and move it in when it is complete."""
    check_free(path, force)
    with closing(_claims.pop(path)) as file, file.making(private=private) as place:
        yield place


def check_picture(path: Path) -> None:
    """Refuse a picture of a wrong kind, or without the library to draw it, before any work is done."""
    from importlib.util import find_spec

    from shoal.errors import MissingExtraError

    if path.suffix.lower() not in PICTURES:
        raise InputError(f"the picture's name must end with {', '.join(PICTURES)}", file=path)
    if path.suffix.lower() != ".svg" and find_spec("matplotlib") is None:
        raise MissingExtraError("PNG and PDF pictures", "matplotlib", "plot")


def draw(path: Path, answer: Drawable, force: bool) -> None:
    """Write a picture of an answer to a file: SVG from our own charts, PNG and PDF through matplotlib."""
    with beside(path, force, private=False) as place:
        if path.suffix.lower() == ".svg":
            from shoal.present.charts.svg import alone

            place.write_text(f"{XML}{alone(answer.picture())}\n", encoding="utf-8", newline="\n")
        elif (figure := answer.plot().get_figure(root=True)) is not None:
            figure.savefig(place, dpi=150, format=path.suffix[1:].lower())


def show_warnings(warnings: Iterable[AuditWarning]) -> None:
    """Print what a curator should know, one plain sentence each."""
    for warning in warnings:
        print(f"{warning.level}: {warning.sentence}")
