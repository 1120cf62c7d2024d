"""Finds the columns of a pandas frame whose values have several types, which no table can hold."""

from __future__ import annotations

from typing import Any


def mixed_columns(frame: Any) -> dict[str, str]:
    """Return, by name, what the columns that Arrow cannot read hold: two values of different types.

    >>> import pandas as pd
    >>> mixed_columns(pd.DataFrame({"a": [1, "x"], "b": ["x", None]}))
    {'a': "values of several types (row 0 has 1, of type int; row 1 has 'x', of type str)"}
    """
    import pyarrow as pa

    found = {}
    for name in frame.columns:
        if frame[name].dtype != object:
            continue
        try:
            pa.array(frame[name], from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            if told := _two(frame[name]):
                found[name] = told
    return found


def _two(values: Any) -> str | None:
    """Return a sentence about two values of different types, with their rows."""
    first: tuple[Any, Any] | None = None
    for row, value, missing in zip(values.index, values, values.isna(), strict=True):
        if missing is True or value is None:
            continue
        if first is None:
            first = row, value
        elif type(value) is not type(first[1]):
            one, other = (
                f"row {row!r} has {_short(value)}, of type {type(value).__name__}"
                for row, value in (first, (row, value))
            )
            return f"values of several types ({one}; {other})"
    return None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
