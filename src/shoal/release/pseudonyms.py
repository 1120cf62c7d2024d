"""The random names of persons in a release, and the secret that they are made from.

Fresh names have a secret of their own in every release, so that nobody can tell from the names that two
releases are about the same person. Stable names are the same in all releases under one secret. Only the
record keeps a secret, so that a release can be made again.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.documents import RECORD, read_json
from shoal.errors import InputError
from shoal.questions.releases import FRESH, STABLE

COLUMN = "person"
"""What the column of names is called, unless the table has a column of that name."""
_BYTES = 32
_SECRET = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, repr=False)
class Pseudonyms:
    """Whether names are fresh or stable, and their secret."""

    kind: str
    secret: str

    @classmethod
    def asked(cls, kind: str | None, secret: str | Path | None = None) -> Pseudonyms | None:
        """Return what is asked for; `secret` is a file with that of stable names, such as a record."""
        if kind != STABLE and secret is not None:
            raise InputError("a secret is for stable pseudonyms; ask for these, or leave the secret out")
        if kind is None:
            return None
        if kind not in (FRESH, STABLE):
            raise InputError(f"pseudonyms are {FRESH} or {STABLE}, not {kind}")
        return cls(kind, new_secret() if secret is None else _read(Path(secret)))

    @classmethod
    def from_dict(cls, given: Mapping[str, Any] | None) -> Pseudonyms | None:
        """Return the pseudonyms of a record; None if it has none."""
        return None if given is None else cls(str(given["kind"]), str(given["secret"]))

    def in_another(self) -> Pseudonyms:
        """Return the pseudonyms of another release of this kind: stable ones have the same secret."""
        return self if self.kind == STABLE else Pseudonyms(self.kind, new_secret())

    def to_dict(self, column: str) -> dict[str, Any]:
        """Return the pseudonyms as the record keeps them."""
        return {"kind": self.kind, "column": column, "secret": self.secret}


def new_secret() -> str:
    """Return a secret that nobody can guess."""
    return secrets.token_hex(_BYTES)


def column_name(taken: Collection[str]) -> str:
    """Return a name for the column of names that no column has, whatever the case of its letters.

    >>> column_name(["age"]), column_name(["Person", "person_1"])
    ('person', 'person_2')
    """
    here, number, found = {name.lower() for name in taken}, 0, COLUMN
    while found in here:
        number += 1
        found = f"{COLUMN}_{number}"
    return found


def _read(path: Path) -> str:
    """Return the secret in a file: 64 hexadecimal digits alone, or those of a record with stable names."""
    refusal = (
        "holds no secret of stable pseudonyms: give the record of a release with such, or a file with 64 "
        "hexadecimal digits"
    )
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise InputError("the secret cannot be read; check the path", file=path) from None
    if _SECRET.fullmatch(text):
        return text
    document = read_json(path) if text.startswith("{") else None
    if not isinstance(document, dict) or document.get("kind") != RECORD:
        raise InputError(refusal, file=path)
    given = document.get("pseudonyms")
    if not isinstance(given, dict) or given.get("kind") != STABLE:
        raise InputError(refusal, file=path)
    if not _SECRET.fullmatch(str(given.get("secret"))):
        raise InputError(refusal, file=path)
    return str(given["secret"])
