"""Reads the files of groups of version 0.1.0: a row for each combination of values, in words.

A row has the `group` of a combination, and for each attribute `value.NAME` and `label.NAME`. Further rows,
without a group, say what labels stand for that no hierarchy has: the attribute (`of`), the `label`, and its
`values`, or for an interval the `first` and the `last` of the attribute's values in their `order`, and beside
these the one value that has no place in the order, if it belongs to the label. With several recodings in one
file, each row has the number of its `point`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shoal.answers.group_recoding import Codes, GroupColumns, GroupRecoding, Stretch

if TYPE_CHECKING:
    import pyarrow as pa


def read_rows(path: Path, attributes: Sequence[str], point: int | None = None) -> GroupRecoding:
    """Return the recoding of such a file, or that of one of its points."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    word, many = pa.string(), pa.list_(pa.string())
    coded = pa.dictionary(pa.int32(), word)
    columns = [f"{what}.{name}" for what in ("value", "label") for name in attributes]
    schema = pa.schema(
        [
            ("group", pa.int32()),
            *((column, coded) for column in columns),
            *((name, word) for name in ("of", "label", "first", "last")),
            ("values", many),
            ("order", many),
        ]
    )
    lacking = [name for name in schema.names if name not in pq.read_schema(path).names]
    if lacking:
        raise ValueError(f"it has no column {lacking[0]}")
    if point is None:
        table = pq.read_table(path, schema=schema)
    else:
        numbered, only = schema.append(pa.field("point", pa.int32())), [("point", "=", point)]
        table = pq.read_table(path, schema=numbered, filters=only).drop_columns(["point"])
    inside = pc.is_valid(table["group"])
    combinations, others = table.filter(inside), table.filter(pc.invert(inside))
    of = combinations["group"].to_numpy().astype(np.int64)
    count = int(of.max(initial=-1)) + 1
    first = np.zeros(count, dtype=np.int64)
    first[of] = np.arange(len(of))
    domains, codes, texts, labels = [], [], [], []
    for name in attributes:
        domain, values = _texts(combinations[f"value.{name}"])
        shown, released = _texts(combinations[f"label.{name}"])
        domains.append(domain)
        codes.append(values)
        texts.append(shown)
        labels.append(released[first])
    width = len(attributes)
    recoded = GroupColumns(
        tuple(domains),
        np.stack(codes, axis=1) if width else np.zeros((len(of), 0), dtype=np.int32),
        of,
        tuple(texts),
        np.stack(labels, axis=1) if width else np.zeros((count, 0), dtype=np.int32),
    )
    return GroupRecoding(attributes, recoded, _meanings(others))


def _texts(column: pa.ChunkedArray) -> tuple[tuple[str | None, ...], Codes]:
    """Return the distinct texts of a column, and which one every row has."""
    import pyarrow.compute as pc

    coded = column.unify_dictionaries().combine_chunks()
    texts: tuple[str | None, ...] = tuple(coded.dictionary.to_pylist())
    codes = pc.fill_null(coded.indices, len(texts)).to_numpy(zero_copy_only=False).astype(np.int32)
    return ((*texts, None) if coded.null_count else texts), codes


def _meanings(rows: pa.Table) -> dict[str, dict[str | None, Sequence[str | None]]]:
    found: dict[str, dict[str | None, Sequence[str | None]]] = {}
    lines: dict[str, tuple[str | None, ...]] = {}
    places: dict[str, dict[str | None, int]] = {}
    columns = ("of", "label", "first", "last", "values", "order")
    for name, label, first, last, values, order in zip(
        *(rows[column].to_pylist() for column in columns), strict=True
    ):
        if order is not None:
            lines[name] = tuple(order)
            places[name] = {value: place for place, value in enumerate(order)}
            continue
        meaning: Sequence[str | None] = tuple(values or ())
        if first is not None:
            place = places[name]
            meaning = Stretch(lines[name], place[first], place[last] + 1, bool(meaning), *meaning)
        found.setdefault(name, {})[label] = meaning
    return found
