"""The only way to the terminal: whatever a command prints, the terminal obeys nothing in users' data.

All output and errors of commands are cleaned, so that none can forget it; tables and bars go through
`console`, which cleans their text and then adds its own colours.
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
    """A text stream that shows control characters as escapes, and is otherwise the original stream."""

    def __init__(self, stream: Any) -> None:
        self.plain = stream

    def write(self, text: str) -> int:
        """Write a text without anything that a terminal would obey."""
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
    """Clean what the block prints."""
    with redirect_stdout(_cleaned(sys.stdout)), redirect_stderr(_cleaned(sys.stderr)):
        yield


def _cleaned(stream: Any) -> Any:
    """Return the stream, cleaned; None, which stands for a closed output, stays None."""
    return None if stream is None else Cleaned(plain(stream))


def spoken(command: Callable[P, R]) -> Callable[P, R]:
    """Return a command whose output is cleaned."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with cleaned():
            return command(*args, **kwargs)

    return run


def console(stream: Any = None) -> Console:
    """Return a console on a stream, by default standard output; it reads no markup in texts."""
    from rich.console import Console
    from rich.segment import Segment

    class Clean(Console):
        def render(self, *args: Any, **kwargs: Any) -> Iterator[Segment]:
            for segment in super().render(*args, **kwargs):
                yield segment if segment.control else Segment(printable(segment.text), segment.style)

    file = plain(sys.stdout if stream is None else stream)
    return Clean(file=file, width=None if file.isatty() else 200, markup=False, emoji=False)


def table(*words: str, numbers: Iterable[str] = (), **style: Any) -> Table:
    """Return an empty table: columns of words, then right-aligned columns of numbers."""
    from rich.table import Table
    from rich.text import Text

    found = Table(header_style="bold")
    for title in words:
        found.add_column(Text(title), **style)
    for title in numbers:
        found.add_column(Text(title), justify="right", **style)
    return found
