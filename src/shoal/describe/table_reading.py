"""How a table is to be read: which codes stand for missing values, and what a text file needs said of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.errors import InputError, show


@dataclass(frozen=True)
class Reading:
    """The codes in `missing` stand for missing values in every column, those in `missing_in` in one.

    A column's own codes count besides the others; an empty list says that the column has no codes at all. Of
    text files, `encoding` says how bytes become text, if it is not to be found out, and `decimal` which mark
    stands before decimals, a point or a comma; the other one is then a thousands mark.
    """

    missing: tuple[str, ...] = ()
    missing_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    encoding: str | None = None
    decimal: str | None = None
    as_written: bool = False
    """Whether a text file is one of ours: UTF-8, and everything in it means what it is."""

    @classmethod
    def said(cls, missing: Any = (), encoding: str | None = None, decimal: str | None = None) -> Reading:
        """Return what Python says: codes for all columns, or codes by column.

        >>> Reading.said(["?", -9.0]).missing, Reading.said({"age": 99}).codes("age")
        (('?', '-9'), ('99',))
        """
        if decimal not in (None, ".", ","):
            raise InputError(f"a decimal mark is a point or a comma, not {show(decimal)}")
        if isinstance(missing, Mapping):
            own = {name: codes_of(given) for name, given in missing.items()}
            return cls((), own, encoding, decimal)
        return cls(codes_of(missing), {}, encoding, decimal)

    def codes(self, column: str) -> tuple[str, ...]:
        """Return the codes of a column."""
        own = self.missing_in.get(column, self.missing)
        return tuple(dict.fromkeys((*self.missing, *own))) if own else ()

    def blanked(self, columns: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the columns of a table that have codes, with them."""
        return {name: found for name in columns if (found := self.codes(name))}

    def to_dict(self) -> dict[str, Any]:
        """Return it as records keep it; empty if nothing is said."""
        own = {name: list(codes) for name, codes in self.missing_in.items()}
        given = {
            "missing": list(self.missing),
            "missing_in": own,
            "encoding": self.encoding,
            "decimal": self.decimal,
        }
        return {name: value for name, value in given.items() if value}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Reading:
        """Return what a record keeps."""
        own = {name: tuple(codes) for name, codes in document.get("missing_in", {}).items()}
        codes = tuple(document.get("missing", ()))
        return cls(codes, own, document.get("encoding"), document.get("decimal"))


def codes_of(given: Any) -> tuple[str, ...]:
    """Return codes as texts, each once, of a list or of a single one; numbers as tables show them.

    >>> codes_of("NA"), codes_of(["?", -9, 99.0, "?"])
    (('NA',), ('?', '-9', '99'))
    """
    listed = [given] if isinstance(given, (str, int, float)) else list(given)
    found = []
    for code in listed:
        if isinstance(code, bool) or not isinstance(code, (str, int, float)):
            raise InputError(f"a code for missing values is text or a number, not {show(str(code))}")
        whole = isinstance(code, float) and code.is_integer()
        found.append(str(int(code) if whole else code).strip())
    return tuple(dict.fromkeys(code for code in found if code))


AS_IT_IS = Reading()
"""Nothing is said: only an empty field is missing."""
AS_WRITTEN = Reading(encoding="utf-8", as_written=True)
"""How a release is read: nothing is taken for odd, so that what is verified is what everybody gets."""
