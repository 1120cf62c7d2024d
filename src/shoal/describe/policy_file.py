"""The policy file: what every release of a house must keep, whoever made it, in YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import yaml

from shoal.describe.quantities import exactly
from shoal.describe.yaml_reading import YamlReader
from shoal.errors import show

LEAST = ("k", "l", "entropy_l")
"""Entries that say what is wanted at least."""
MOST = ("theta", "t", "highest_risk", "average_risk")
"""Entries that say what is allowed at most."""
ENTRIES = (*LEAST, *MOST, "never", "only", "quasi", "sensitive", "persons", "key", "attacks")

LARGEST = 10**15
"""No table has more rows."""


@dataclass(frozen=True)
class Policy:
    """What is demanded of a release; `limits` has its numbers by name, `attacks` the most that each may find.

    `quasi`, `sensitive` and `persons` describe a table of any tool; without them, the certificate does.
    """

    path: Path
    limits: Mapping[str, Fraction] = field(default_factory=dict)
    attacks: Mapping[str, Fraction] = field(default_factory=dict)
    never: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    quasi: tuple[str, ...] | None = None
    sensitive: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    key: Path | None = None
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line of every entry, for reports that point at it."""


def read_policy(path: str | Path) -> Policy:
    """Return what a policy file says, or refuse it with the line and the way out."""
    reader = YamlReader(Path(path))
    root = reader.compose()
    top = reader.mapping(root, "a policy", ENTRIES)
    limits = {name: _number(reader, name, top[name]) for name in (*LEAST, *MOST) if name in top}
    attacks, lines = {}, {} if root is None else reader.lines(root)
    if "attacks" in top:
        given = reader.mapping(
            top["attacks"], "attacks", shape="one entry per attack, such as linkage: 5%"
        )
        attacks = {name: _share(reader, f"the attack {name}", node) for name, node in given.items()}
        lines |= {attack_entry(name): line for name, line in reader.lines(top["attacks"]).items()}
    names = {
        word: _names(reader, word, top[word])
        for word in ("never", "sensitive", "persons")
        if word in top
    }
    only, quasi = (
        _names(reader, word, top[word]) if word in top else None for word in ("only", "quasi")
    )
    key = _file(reader, "key", top["key"]) if "key" in top else None
    if quasi is None and (names.get("sensitive") or names.get("persons")):
        raise reader.refuse(
            "sensitive and persons describe a table without certificate: name quasi too", root
        )
    if quasi is not None and key is not None:
        raise reader.refuse("a key is about a certificate, and quasi about a table without one", root)
    if not (limits or attacks or names.get("never") or only is not None or key is not None):
        raise reader.refuse("the policy demands nothing; write for example k: 5", root)
    return Policy(reader.path, limits, attacks, only=only, quasi=quasi, key=key, lines=lines, **names)


def attack_entry(name: str) -> str:
    """Return the name of what is demanded about an attack."""
    return f"attack {name}"


def _number(reader: YamlReader, name: str, node: yaml.Node) -> Fraction:
    if name in MOST:
        return _share(reader, name, node)
    text = str(reader.plain(node) or "")
    try:
        value = exactly(text)
    except ValueError:
        value = Fraction(0)
    if not 1 <= value <= LARGEST or (name != "entropy_l" and value.denominator > 1):
        raise reader.refuse(f"{name} is a number from 1 on, not {show(text)}", node)
    return value


def _share(reader: YamlReader, name: str, node: yaml.Node) -> Fraction:
    text = str(reader.plain(node) or "")
    try:
        value = exactly(text[:-1]) / 100 if text.endswith("%") else exactly(text)
    except ValueError:
        value = Fraction(-1)
    if not 0 <= value <= 1:
        raise reader.refuse(f"{name} is a share such as 0.2, 1/5 or 20%, not {show(text)}", node)
    return value


def _file(reader: YamlReader, name: str, node: yaml.Node) -> Path:
    given = reader.plain(node)
    if not isinstance(given, str):
        raise reader.refuse(f"{name} is the path of a file", node)
    return reader.path.parent / given


def _names(reader: YamlReader, name: str, node: yaml.Node) -> tuple[str, ...]:
    given = reader.plain(node)
    listed = given if isinstance(given, list) else [given]
    if not all(isinstance(one, str) and one for one in listed):
        raise reader.refuse(f"{name} is a list of columns", node)
    return tuple(listed)
