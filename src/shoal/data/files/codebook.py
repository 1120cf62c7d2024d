"""What a file says about its columns besides their values: labels, codes for missing values, formats."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

Code = float | str
"""A value as the file stores it."""


class Kind(Enum):
    """What the values of a column are."""

    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    MOMENT = "moment"
    TIME = "time"


@dataclass(frozen=True)
class Variable:
    """One column: its label, the labels of its values by their text, and its codes for missing values.

    `missing` are ranges with both ends; a single code is a range of one. `format` and `measure` are in
    the words of the file's own program.
    """

    name: str
    kind: Kind = Kind.TEXT
    label: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[tuple[Code, Code], ...] = ()
    format: str | None = None
    measure: str | None = None

    def shown(self, value: str) -> str:
        """Return a value as people read it.

        >>> Variable("sex", values={"1": "Male"}).shown("1")
        '1 (Male)'
        """
        label = self.values.get(value)
        return value if label is None or label == value else f"{value} ({label})"

    def only(self, values: Collection[str | None]) -> Variable:
        """Return what may be said about a column if only these values of it are released.

        A label of another value would reveal that a suppressed row had it. A missing code that equals a
        released value, as the label of a recoding may, is no longer a missing code.
        """
        labels = {code: label for code, label in self.values.items() if code in values}
        hit = any(self.is_missing(value) for value in values if value is not None)
        return replace(self, values=labels, missing=() if hit else self.missing)

    def is_missing(self, value: str) -> bool:
        """Return whether a value's text is one of the codes for missing values."""
        return any(_between(value, low, high) for low, high in self.missing)

    @property
    def missing_texts(self) -> tuple[str, ...]:
        """The codes for missing values as people read them.

        >>> Variable("age", missing=((-9.0, -9.0), (90.0, 99.0))).missing_texts
        ('-9', '90 to 99')
        """
        ends = ((code_text(low), code_text(high)) for low, high in self.missing)
        return tuple(low if low == high else f"{low} to {high}" for low, high in ends)


@dataclass(frozen=True)
class Codebook:
    """The variables of a table, in its order; empty for a table that says nothing about its columns."""

    variables: tuple[Variable, ...] = ()

    def of(self, column: str) -> Variable:
        """Return what is known about a column: at least its name."""
        return next((one for one in self.variables if one.name == column), Variable(column))

    def shown(self, column: str, values: Iterable[str]) -> list[str]:
        """Return values of a column as people read them."""
        variable = self.of(column)
        return [variable.shown(value) for value in values]


NOTHING_TOLD = Codebook()


def code_text(code: Code) -> str:
    """Return a stored value as Shoal sees it: whole numbers without decimals.

    >>> code_text(1.0), code_text(1.5), code_text("A")
    ('1', '1.5', 'A')
    """
    if isinstance(code, str):
        return code
    return str(int(code)) if abs(code) < 1e18 and code == int(code) else str(float(code))


def _between(value: str, low: Code, high: Code) -> bool:
    if isinstance(low, str) or isinstance(high, str):
        return value in (low, high)
    try:
        return low <= float(value) <= high
    except ValueError:
        return False
