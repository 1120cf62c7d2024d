"""The one way to the terminal: whatever a command prints, no text of users' data is obeyed there.

Commands run with their output and errors cleaned, so none can forget it; tables and bars go through
`console`, which cleans what is to be read and adds its own colours after that.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from shoal.errors import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

P = ParamSpec("P")
R = TypeVar("R")


class Cleaned:
    """A stream of text that shows control characters as escapes; all else of it is the stream's own."""

    def __init__(self, stream: Any) -> None:
        self.plain = stream

    def write(self, text: str) -> int:
        """Write a text in which a terminal finds nothing to obey."""
        self.plain.write(printable(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write texts one after the other."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)


def plain(stream: Any) -> Any:
    """Return the stream below a cleaned one."""
    return stream.plain if isinstance(stream, Cleaned) else stream


@contextmanager
def cleaned() -> Iterator[None]:
    """Clean what is printed within the block."""
    with redirect_stdout(_cleaned(sys.stdout)), redirect_stderr(_cleaned(sys.stderr)):
        yield


def _cleaned(stream: Any) -> Any:
    """Return a stream that is cleaned; None stays None, which is what a closed output is."""
    return None if stream is None else Cleaned(plain(stream))


def spoken(command: Callable[P, R]) -> Callable[P, R]:
    """Return a command whose every print is cleaned."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with cleaned():
            return command(*args, **kwargs)

    return run


def console(stream: Any = None) -> Console:
    """Return a console on a stream, by default the standard output; texts that it prints are no markup."""
    from rich.console import Console
    from rich.segment import Segment

    class Clean(Console):
        def render(self, *args: Any, **kwargs: Any) -> Iterator[Segment]:
            for segment in super().render(*args, **kwargs):
                yield segment if segment.control else Segment(printable(segment.text), segment.style)

    file = plain(sys.stdout if stream is None else stream)
    return Clean(file=file, width=None if file.isatty() else 200, markup=False, emoji=False)


def table(*words: str, numbers: Iterable[str] = (), **style: Any) -> Table:
    """Return an empty table: columns of words, then columns of numbers, which are set right."""
    from rich.table import Table
    from rich.text import Text

    found = Table(header_style="bold")
    for title in words:
        found.add_column(Text(title), **style)
    for title in numbers:
        found.add_column(Text(title), justify="right", **style)
    return found
