"""The pages of the documentation, and what can be tried of them: commands, Python, YAML, JSON."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = tuple(sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]))
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def script(self) -> bool:
        """Whether only the whole of it works, by a shell (`test_shell_blocks.py`)."""
        return self.text.startswith("set -e\n")

    def commands(self) -> Iterator[list[str]]:
        """Yield the words of each command of Shoal, as a shell would; lines that end in \\ go on."""
        if self.script:
            return
        for line in self.text.replace("\\\n", " ").splitlines():
            if line.startswith(("$ shoal ", "shoal ")):
                yield shlex.split(line.removeprefix("$ "), comments=True)[1:]


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page, in their order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, match.start()) + 1, match[1], match[2])
        for match in _FENCE.finditer(text)
    ]


def named(page: Path) -> str:
    """Return how tests call a page."""
    return page.relative_to(ROOT).as_posix()
