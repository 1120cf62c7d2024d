"""The pages of the documentation, and what can be tried of them: commands, Python, YAML, JSON, SQL."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = tuple(
    sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])
)
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TOLD = ("$ shoal ", "shoal ", "$ cd ")


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    page: Path
    line: int
    language: str
    text: str
    before: str = ""
    """The line of text before it."""

    @property
    def script(self) -> bool:
        """Whether only the whole of it works, by a shell (`test_shell_blocks.py`)."""
        return self.text.startswith("set -e\n")

    @property
    def file(self) -> str | None:
        """The name of the file that it shows, if the line before names one last."""
        named = re.search(r"`([\w-]+\.[a-z]+)`[^`]*:$", self.before)
        return named and named[1]

    def commands(self) -> Iterator[tuple[list[str], str]]:
        """Yield the words of each command of Shoal, and what the page says that it prints.

        Lines that end in \\ go on, as in a shell; `cd` is a command too.
        """
        if self.script:
            return
        words: list[str] = []
        printed = ""
        for line in self.text.replace("\\\n", " ").splitlines():
            if line.startswith(_TOLD):
                if words:
                    yield words, printed
                words, printed = shlex.split(line.removeprefix("$ "), comments=True), ""
            elif words and not line.startswith("$ "):
                printed += line + "\n"
        if words:
            yield words, printed


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page, in their order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            page,
            text.count("\n", 0, match.start()) + 1,
            match[1],
            match[2],
            text[: match.start()].rstrip().rpartition("\n")[2],
        )
        for match in _FENCE.finditer(text)
    ]


def named(page: Path) -> str:
    """Return how tests call a page."""
    return page.relative_to(ROOT).as_posix()
