"""Writes files of SPSS, Stata and SAS with their labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.files.codebook import Codebook, Kind, Variable
from shoal.data.files.sources import ending_of
from shoal.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import pyarrow as pa

_SHORT = 8
"""SPSS keeps labels and missing codes only for texts of at most this many bytes."""


def write_statistics(rows: pa.Table, codebook: Codebook, path: Path) -> None:
    """Write rows that `restored` made, with as much of their codebook as the format can hold."""
    import pyarrow as pa

    ending = ending_of(path)
    try:
        import polars as pl
        import pyreadstat
    except ImportError as problem:
        raise MissingExtraError("files of SPSS, Stata and SAS", str(problem.name), "stat") from None
    told = [codebook.of(name) for name in rows.column_names]
    # These programs have no booleans: they become texts, as Shoal reads them.
    columns = [
        column.cast(pa.string()) if pa.types.is_boolean(column.type) else column
        for column in rows.columns
    ]
    frame = pl.from_arrow(pa.table(columns, names=rows.column_names))
    said: dict[str, Any] = {
        "column_labels": {one.name: one.label for one in told if one.label},
        "variable_format": {one.name: one.format for one in told if _keeps_format(one, ending)},
    }
    try:
        if ending in (".sav", ".zsav"):
            said["variable_value_labels"] = _labels(told, whole=False)
            said["missing_ranges"] = {one.name: _ranges(one) for one in told if one.missing}
            said["variable_measure"] = {one.name: one.measure for one in told if one.measure}
            pyreadstat.write_sav(frame, path, compress=ending == ".zsav", **said)
        elif ending == ".dta":
            said["variable_value_labels"] = _labels(told, whole=True)
            pyreadstat.write_dta(frame, path, **said)
        else:
            pyreadstat.write_xport(frame, path, **said)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as problem:
        raise InputError(
            f"these rows cannot be written as {ending} ({str(problem).strip()}); release as CSV or Parquet",
            file=path,
        ) from None


def _keeps_format(variable: Variable, ending: str) -> bool:
    """Return whether a column keeps its format: texts do not, nor do formats of another program."""
    if variable.format is None or variable.kind is Kind.TEXT:
        return False
    return variable.format.startswith("%") == (ending == ".dta")


def _labels(variables: list[Variable], *, whole: bool) -> dict[str, dict[Any, str]]:
    """Return the labels by value: Stata has them for whole numbers, SPSS for numbers and short texts."""
    found: dict[str, dict[Any, str]] = {}
    for one in variables:
        codes: dict[Any, str] = {}
        for code, label in one.values.items():
            if one.kind is Kind.NUMBER and (not whole or float(code).is_integer()):
                codes[int(code) if whole else float(code)] = label
            elif one.kind is Kind.TEXT and not whole and len(code.encode()) <= _SHORT:
                codes[code] = label
        if codes:
            found[one.name] = codes
    return found


def _ranges(variable: Variable) -> list[Any]:
    return [low if low == high else {"lo": low, "hi": high} for low, high in variable.missing]
