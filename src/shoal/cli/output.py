"""What commands print and write: results, notices, progress, and files that are whole or not there."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.cli.terminal import console
from shoal.errors import InputError

if TYPE_CHECKING:
    import matplotlib.axes

    from shoal.audit import AuditWarning

PICTURES = (".svg", ".png", ".pdf")


def notice(text: str) -> None:
    """Say something that is not the result, in one line."""
    print("shoal: " + " ".join(text.split()), file=sys.stderr)


def tell_unlisted(study: Path, unlisted: Iterable[str]) -> None:
    """Say once which columns a study does not name; after all else, so that a refusal is a single line."""
    if names := ", ".join(unlisted):
        notice(f"not listed in {study}, so never released: {names}")


@contextmanager
def progress(
    title: str, time_limit: float | None = None
) -> Iterator[Callable[[float, str], None] | None]:
    """Give a function that moves a bar on standard error, or None where nobody watches.

    Engines move it too, say there what they wait for, and stop when the time is over.
    """
    from shoal.engines.watching import watched

    if not sys.stderr.isatty():
        with watched(time_limit, say=notice):
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

        with watched(time_limit, show, notice):
            yield show


def check_free(path: Path, force: bool, *, advice: str = "choose another name, or use --force") -> None:
    """Refuse a place that is taken or cannot be written, before any work is done."""
    with _told(path):
        if path.exists() and not force:
            raise InputError(f"is there already; {advice}", file=path)
        if path.exists() and not path.is_file():
            raise InputError("is no file, so it is not replaced; choose another name", file=path)
        if not path.parent.is_dir():
            raise InputError("its folder is not there; make it first", file=path)


def write_whole(path: Path, text: str, force: bool) -> None:
    """Write a text file beside its place and move it in when it is complete."""
    with beside(path, force) as place:
        place.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def beside(path: Path, force: bool) -> Iterator[Path]:
    """Give a place beside a path, of the same ending, to write to; move it in when that is complete."""
    check_free(path, force)
    with _told(path):
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    os.close(handle)
    place = Path(made)
    try:
        yield place
        umask = os.umask(0)
        os.umask(umask)
        place.chmod(0o666 & ~umask)
        place.replace(path)
    except OSError as problem:
        place.unlink(missing_ok=True)
        raise InputError(f"cannot be written: {problem.strerror}", file=path) from None
    except BaseException:
        place.unlink(missing_ok=True)
        raise


def check_picture(path: Path) -> None:
    """Refuse a picture of a kind that is not drawn, or without the means to draw, before any work is done."""
    from importlib.util import find_spec

    from shoal.errors import MissingExtraError

    if path.suffix.lower() not in PICTURES:
        raise InputError(f"is no picture; end its name with {', '.join(PICTURES)}", file=path)
    if find_spec("matplotlib") is None:
        raise MissingExtraError("plots", "matplotlib", "plot")


def draw(path: Path, ax: matplotlib.axes.Axes, force: bool) -> None:
    """Keep a drawing in an SVG, PNG or PDF file."""
    figure = ax.get_figure(root=True)
    with beside(path, force) as place:
        if figure is not None:
            figure.savefig(place, dpi=150)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Tell in one line what the system has against a path."""
    try:
        yield
    except OSError as problem:
        raise InputError(f"cannot be written: {problem.strerror}", file=path) from None
    except ValueError as problem:  # a NUL in the path
        raise InputError(f"cannot be written: {problem}", file=path) from None


def show_warnings(warnings: Iterable[AuditWarning]) -> None:
    """Print what a curator should know, one plain sentence each."""
    for warning in warnings:
        print(f"{warning.level}: {warning.sentence}")
