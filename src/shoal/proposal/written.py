"""Writes a proposed study as YAML: grouped by role, aligned, each guess with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from shoal.describe import Role
from shoal.describe.study_schema import NAME
from shoal.describe.table_reading import Reading
from shoal.proposal.file_layout import Layout
from shoal.proposal.proposal import Proposal, ProposedColumn
from shoal.proposal.suggested import Suggestion

_ROLES = {
    Role.UNDECIDED: "Undecided: not released until you decide. Nothing says whether others know them or who "
    "could be\n  # harmed. Make each quasi, sensitive, identifying or, to release it as it is, insensitive.",
    Role.IDENTIFYING: "Identifying: these point at a person, or are better kept back. Never released.",
    Role.QUASI: "Quasi: others may know these, and together they can single a person out. "
    "Made coarser\n  # along their hierarchies, step by step, up to the root.",
    Role.SENSITIVE: "Sensitive: what nobody should learn about a person.",
    Role.CLASS: "Class: what the released table should still predict well. Released unchanged.",
}
_WIDEST_NAME = 32
"""Longer names do not widen the column for all others."""
_WIDEST_ENTRY = 110
"""Reasons are not aligned after longer entries, where nobody would see them."""
_LONGEST_KEY = 1000
"""YAML needs a question mark before a longer key."""


def study_text(proposal: Proposal, layout: Layout) -> str:
    """Return the study as commented YAML."""
    lines = [
        f"# yaml-language-server: $schema={NAME}",
        f"# A study of {_comment(layout.table)} ({proposal.rows:,} rows), proposed by shoal init.",
        "# The roles and hierarchies are guesses: read them, correct them, then ask shoal frontier.",
        "# Paths are relative to this file. A hierarchy is a description or a file to edit: one line per",
        "# value, from the value on the left to the root on the right.",
        "",
        f"table: {scalar(layout.table)}",
        *_stand_for(proposal),
        *_read_as(proposal.reading),
        "",
        "attributes:",
    ]
    keys = [_key(column) for column in proposal.columns]
    width = max((len(key) for key in keys if len(key) <= _WIDEST_NAME), default=0)
    for role, title in _ROLES.items():
        columns = proposal.having(role)
        if columns:
            lines += [f"  # {title}", *_section(columns, layout, width, proposal.reading), ""]
    return "\n".join(lines[:-1]) + "\n"


def _stand_for(proposal: Proposal) -> Iterator[str]:
    """Yield the entries that say whom the rows stand for."""
    if (key := proposal.persons) is not None:
        yield "# Rows with the same value are about one person, and every criterion counts persons:"
        counts = f"{key.distinct:,} persons have {proposal.rows:,} rows"
        yield f"persons: {scalar(key.name)}  # {counts}; remove it if rows are what counts"
    if (home := proposal.households) is not None:
        yield f"households: {scalar(home.name)}  # {home.distinct:,} households, for their risk"
    if (weight := proposal.sample_weight) is not None:
        yield f"sample_weight: {scalar(weight.name)}  # how many people a row stands for"


def _read_as(reading: Reading) -> Iterator[str]:
    """Yield the entries that say how the table is read, where that is not plain."""
    if reading.encoding is not None:
        yield f"encoding: {scalar(reading.encoding)}  # as found; correct it if letters look wrong"
    if reading.decimal is not None:
        yield f"decimal: {scalar(reading.decimal)}  # as found; remove it if these are no numbers"
    if codes := reading.missing:
        yield f"missing: {flow(list(codes))}  # these stand for missing values, and are released as such"


def _section(
    columns: Sequence[ProposedColumn], layout: Layout, name_width: int, reading: Reading
) -> Iterator[str]:
    """Yield the lines of one role's columns, with names, entries and reasons aligned."""
    keys = [_key(column) for column in columns]
    both = [
        f"{key:<{name_width}} {_entry(column, layout, reading)}"
        if len(key) <= _LONGEST_KEY
        else f"? {key.removesuffix(':')}\n  : {_entry(column, layout, reading)}"
        for key, column in zip(keys, columns, strict=True)
    ]
    width = max(map(len, both))
    if width > _WIDEST_ENTRY:
        width = 0
    for column, text in zip(columns, both, strict=True):
        if isinstance(column.hierarchy, Suggestion) and column.hierarchy.note:
            yield f"  # {column.hierarchy.note}:"
        yield f"  {text:<{width}}  # {_comment(column.reason)}"


def _key(column: ProposedColumn) -> str:
    return scalar(column.name) + ":"


def _entry(column: ProposedColumn, layout: Layout, reading: Reading) -> str:
    fields: dict[str, Any] = {"role": column.role.value}
    if column.name in layout.hierarchies:
        fields["hierarchy"] = layout.hierarchies[column.name]
    if column.name in reading.missing_in:
        fields["missing"] = list(reading.missing_in[column.name])
    return flow(fields)


def flow(value: Any) -> str:
    """Return a value as YAML on one line.

    >>> flow({"intervals": {"origin": 0, "widths": [5, 10]}})
    '{intervals: {origin: 0, widths: [5, 10]}}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(key)}: {flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return str(value) if isinstance(value, (int, float)) else scalar(value)


_PLAIN = re.compile(r"[./]*[^\W\d_][\w./-]*(?: [\w./-]+)*")
_WORDS = frozenset({"y", "n"})
"""Booleans to some YAML readers, though not to ours."""


def scalar(text: str) -> str:
    r"""Return a text as a YAML scalar, in quotes where a reader could take it for something else.

    >>> print(scalar("native-country"), scalar("no"), scalar("a: b"), scalar("1\n"))
    native-country "no" "a: b" "1\n"
    """
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS and yaml.safe_load(text) == text:
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(mark: str) -> str:
    if mark in '"\\':
        return "\\" + mark
    if mark.isprintable():
        return mark
    if mark in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[mark]
    code = ord(mark)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _comment(text: str) -> str:
    """Return a text that cannot end its comment and has no characters that YAML refuses."""
    return "".join(mark if mark.isprintable() else _escaped(mark) for mark in text)
