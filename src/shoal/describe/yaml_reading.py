"""Reads YAML with line numbers, so that errors can point at them, and so that hostile files do no harm."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from shoal.describe.hierarchies.files import read_text
from shoal.describe.quantities import shift_days, weight
from shoal.errors import InputError, did_you_mean, show

NULL = "tag:yaml.org,2002:null"
_MOST_DEPTH = 100
_MOST_REPEATED = 2_000_000
"""How many values and characters aliases may add to the text itself."""


class YamlReader:
    """Reads YAML nodes of one file. All scalars stay text: `NO` is Norway, and 007 keeps its zeros."""

    def __init__(self, path: Path, problems: list[InputError] | None = None) -> None:
        """Read a file; what is wrong is collected where a list is given, and raised otherwise."""
        self.path = path
        self.problems = [] if problems is None else problems
        self._collects = problems is not None

    def wrong(self, problem: InputError) -> None:
        """Raise a problem, or collect it and go on."""
        if not self._collects:
            raise problem
        self.problems.append(problem)

    def compose(self) -> yaml.Node | None:
        """Return the root node of the file: not nested too deeply, and not too large with all its aliases."""
        text = read_text(self.path)
        try:
            root: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as problem:
            mark = problem.problem_mark or problem.context_mark
            line = mark.line + 1 if mark else None
            what = ", ".join(part for part in (problem.context, problem.problem) if part)
            raise InputError(f"not YAML: {what}", file=self.path, line=line) from None
        except yaml.reader.ReaderError as problem:
            what = str(problem).splitlines()[0]
            line = text.count("\n", 0, problem.position) + 1
            raise InputError(f"not YAML: {what}", file=self.path, line=line) from None
        except RecursionError:
            raise InputError("nested too deeply; flatten it", file=self.path) from None
        # Without aliases there are at most as many values as characters, so at most twice the text in all.
        self._measure(root, 0, 2 * len(text) + _MOST_REPEATED, {})
        return root

    def _measure(
        self, node: yaml.Node | None, depth: int, most: int, known: dict[int, tuple[int, int]]
    ) -> tuple[int, int]:
        """Return how many values and characters a node expands to, and how deep it is.

        Aliases of aliases multiply, and a node can even contain itself. Each node is visited once, so this
        takes no longer than reading the file.
        """
        if node is None:
            return 0, 0
        size, height = known.get(id(node), (0, 0))
        if not size:
            if depth > _MOST_DEPTH:
                raise self.refuse("nested too deeply; is it part of itself?", node)
            parts = node.value
            if isinstance(node, yaml.MappingNode):
                parts = [part for pair in parts for part in pair]
            if isinstance(parts, str):
                size = 1 + len(parts)
            else:
                found = [self._measure(part, depth + 1, most, known) for part in parts]
                size = 1 + sum(part[0] for part in found)
                height = 1 + max((part[1] for part in found), default=0)
            if size > most:
                raise self.refuse("too large with all its aliases; put the hierarchy into a file", node)
            known[id(node)] = size, height
        if depth + height > _MOST_DEPTH:
            raise self.refuse("nested too deeply; flatten it", node)
        return size, height

    def refuse(self, what: str, node: yaml.Node | None = None) -> InputError:
        """Return the error that points at a node."""
        return InputError(what, file=self.path, line=self.line(node) if node else None)

    def line(self, node: yaml.Node) -> int:
        """Return the line on which a node begins."""
        return int(node.start_mark.line) + 1

    def lines(self, node: yaml.Node) -> dict[str, int]:
        """Return the line of every entry of a mapping."""
        return {str(key.value): self.line(key) for key, _ in node.value}

    def mapping(
        self,
        node: yaml.Node | None,
        what: str,
        known: tuple[str, ...] | None = None,
        rare: tuple[str, ...] = (),
        shape: str = "one entry per column",
    ) -> dict[str, yaml.Node]:
        """Return the entries of a mapping; refuse duplicates and names that are neither known nor `rare`.

        `shape` says what any names stand for.
        """
        if not isinstance(node, yaml.MappingNode):
            shape = " and ".join(known) if known else shape
            raise self.refuse(f"{what} is a mapping with {shape}", node)
        entries: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self.refuse("a name is plain text, not a list or a mapping", key)
            name = str(key.value)
            if known is not None and name not in (*known, *rare):
                hint = did_you_mean(name, (*known, *rare))
                self.wrong(self.refuse(f"unknown entry {show(name)} of {what}; {hint}", key))
            elif name in entries:
                self.wrong(self.refuse(f"the entry {show(name)} appears twice; keep one", key))
            else:
                entries[name] = value
        return entries

    def plain(self, node: yaml.Node) -> Any:
        """Return a node as text, lists and dictionaries, None if nothing is written."""
        if isinstance(node, yaml.MappingNode):
            return {key: self.plain(value) for key, value in self.mapping(node, "this").items()}
        if isinstance(node, yaml.SequenceNode):
            return [self.plain(value) for value in node.value]
        return None if node.tag == NULL and node.value == "" else node.value

    def level(self, node: yaml.Node) -> int:
        """Return a level: a whole number that is not negative."""
        text = self.plain(node)
        if not (isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 10):
            written = show(None if text is None else str(text))
            raise self.refuse(f"a level is a whole number from 0 on, not {written}", node)
        return int(text)

    def shift(self, node: yaml.Node) -> int | None:
        """Return by how many days dates are shifted at most."""
        try:
            return shift_days(self.plain(node) or "")
        except InputError as problem:
            raise self.refuse(str(problem), node) from None

    def weight(self, node: yaml.Node) -> Fraction:
        """Return a weight: a number that is not negative."""
        try:
            return weight(str(self.plain(node) or ""))
        except InputError as problem:
            raise self.refuse(str(problem), node) from None
