"""Writes and reads a file of groups: Parquet, one row for the groups and then one for each attribute.

The first row has the `sizes` of the groups: how many combinations of values each has. The row of an attribute
has its `values` and its `labels`, sorted; which value each combination has (`codes`, group after group) and
which label each group (`shown`), by their places from 0. What labels stand for that no hierarchy has is told
label by label: for an interval the `first` and the `last` of the values that belong to it, which lie in their
order at the beginning of `values`, and all others in `members`. A file of several recodings has such rows for
each, with the number of its `point`.

Every value and label is written once, and sorted texts share their beginnings; places take the bytes that
they need, since zstd sees the high ones beside each other. So the file is small beside the released table
(`benchmarks/group_files.py`), and has few columns, however many the table has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.answers.earlier_groups_file import read_rows
from shoal.answers.group_recoding import Codes, GroupColumns, GroupRecoding, Ints, Stretch
from shoal.describe.hierarchies import Label
from shoal.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

_TOGETHER = 4_000_000
"""How many values, labels and places are written at once."""
_ENCODINGS = {
    **dict.fromkeys(("values", "labels"), "DELTA_BYTE_ARRAY"),
    **dict.fromkeys(("sizes", "codes", "shown", "first", "last"), "BYTE_STREAM_SPLIT"),
}

WAY_OUT = "take the one that was written together with its document, or make both anew"
"""What helps if a file beside a document cannot be read."""

Row = dict[str, Any]


def write_groups(recoding: GroupRecoding, path: Path) -> None:
    """Write the groups of a recoding to a Parquet file."""
    with _writer(path, _schema()) as write:
        for rows in _together(_rows(recoding)):
            write(rows)


def write_points(recodings: Iterator[GroupRecoding], path: Path) -> None:
    """Write the groups of several recodings to one Parquet file, numbered from 0."""
    with _writer(path, _schema(points=True)) as write:
        for number, recoding in enumerate(recodings):
            for rows in _together(_rows(recoding)):
                write([{"point": number} | row for row in rows])


def read_groups(path: Path, attributes: Sequence[str], point: int | None = None) -> GroupRecoding:
    """Return the recoding whose groups are in a Parquet file, or refuse another file.

    If the file has several, they have numbers, and the one of a `point` is read. Files of version 0.1.0 are
    read too.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(path).names
        if "group" in names:
            return read_rows(path, attributes, point)
        schema = _schema(points=point is not None)
        lacking = [name for name in schema.names if name not in names]
        if lacking:
            raise ValueError(f"it has no column {lacking[0]}")
        return _recoding(_read(path, schema, point), attributes)
    except (pa.ArrowException, OSError):  # first: some of Arrow's are ValueErrors, too
        said = "it is no Parquet, or damaged"
    except ValueError as problem:
        said = str(problem)[:200]
    raise InputError(f"this is not a file of groups: {said}; {WAY_OUT}", file=path)


@contextmanager
def _writer(path: Path, schema: pa.Schema) -> Iterator[Callable[[list[Row]], None]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    options: dict[str, Any] = {
        "compression": "zstd",
        "compression_level": 9,
        "use_dictionary": False,
        "column_encoding": {f"{name}.list.element": how for name, how in _ENCODINGS.items()},
        "write_statistics": ["point"] if "point" in schema.names else False,
        "store_schema": False,
    }
    with pq.ParquetWriter(path, schema, **options) as writer:
        yield lambda rows: writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _schema(*, points: bool = False) -> pa.Schema:
    import pyarrow as pa

    texts, places = pa.list_(pa.string()), pa.list_(pa.int32())
    return pa.schema(
        [
            *([("point", pa.int32())] if points else []),
            ("attribute", pa.string()),
            ("sizes", places),
            ("values", texts),
            ("codes", places),
            ("labels", texts),
            ("shown", places),
            ("first", places),
            ("last", places),
            ("members", pa.list_(places)),
        ]
    )


def _together(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Yield rows in parts, so that neither a part nor the end of the file becomes large."""
    part: list[Row] = []
    for row in rows:
        part.append(row)
        if sum(len(one) for row in part for one in row.values()) >= _TOGETHER:
            yield part
            part = []
    if part:
        yield part


def _rows(recoding: GroupRecoding) -> Iterator[Row]:
    columns = recoding.columns
    order = np.argsort(columns.of, kind="stable")
    yield {"sizes": np.bincount(columns.of, minlength=len(recoding)).astype(np.int32)}
    for a, name in enumerate(recoding.attributes):
        meant = recoding.meanings.get(name, {})
        line, intervals = _intervals(meant)
        members = {
            label: [one.other] * one.missing if (one := intervals.get(label)) else list(values)
            for label, values in meant.items()
        }
        others = {*columns.domains[a], *chain.from_iterable(members.values())}.difference(line)
        values = [*line, *sorted(others, key=_by_text)]
        place = {value: at for at, value in enumerate(values)}
        ends = {label: (one.begin, one.end - 1) for label, one in intervals.items()}
        labels = sorted({*columns.texts[a], *meant}, key=_in_order(ends))
        text = {label: at for at, label in enumerate(labels)}
        row = {
            "attribute": name,
            "values": values,
            "codes": _placed(columns.domains[a], place)[columns.codes[order, a]],
            "labels": labels,
            "shown": _placed(columns.texts[a], text)[columns.labels[:, a]],
        }
        if meant:
            row["first"] = [ends[label][0] if label in ends else None for label in labels]
            row["last"] = [ends[label][1] if label in ends else None for label in labels]
            row["members"] = [
                [place[value] for value in members[label]] if label in meant else None
                for label in labels
            ]
        yield row


def _intervals(meant: Mapping[Label, Sequence[Label]]) -> tuple[tuple[Label, ...], dict[Label, Stretch]]:
    """Return the line of an attribute's values, and the labels that two places on it tell."""
    found = {
        label: values
        for label, values in meant.items()
        if isinstance(values, Stretch) and values.begin < values.end
    }
    line = next((one.line for one in found.values()), ())
    return line, {label: one for label, one in found.items() if one.line is line or one.line == line}


def _in_order(ends: Mapping[Label, tuple[int, int]]) -> Callable[[Label], Any]:
    return lambda label: (ends.get(label, (-1, -1)), _by_text(label))


def _by_text(text: Label) -> tuple[bool, str]:
    return text is not None, text or ""


def _placed(texts: Sequence[Label], places: Mapping[Label, int]) -> Codes:
    return np.array([places[text] for text in texts], dtype=np.int32)


def _read(path: Path, schema: pa.Schema, point: int | None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file, or those of a point, one by one: each may be large."""
    import pyarrow.parquet as pq

    if point is not None:
        yield from pq.read_table(path, schema=schema, filters=[("point", "=", point)]).to_batches(1)
        return
    with pq.ParquetFile(path) as file:
        yield from file.iter_batches(1, columns=schema.names)


def _recoding(rows: Iterator[pa.RecordBatch], attributes: Sequence[str]) -> GroupRecoding:
    head = next(rows, None)
    if head is None:
        raise ValueError("it has no groups")
    sizes = _places(head, "sizes", None)
    of: Ints = np.repeat(np.arange(len(sizes)), sizes)
    codes = np.empty((len(of), len(attributes)), dtype=np.int32)
    shown = np.empty((len(sizes), len(attributes)), dtype=np.int32)
    domains: dict[str, tuple[Label, ...]] = {}
    texts: dict[str, tuple[Label, ...]] = {}
    meanings: dict[str, dict[Label, Sequence[Label]]] = {}
    for row in rows:
        name = row["attribute"][0].as_py()
        if name not in attributes:
            raise ValueError(f"it has an attribute {name} too many")
        a = attributes.index(name)
        values, labels = (tuple(row[what][0].as_py() or ()) for what in ("values", "labels"))
        codes[:, a] = _places(row, "codes", len(values))
        shown[:, a] = _places(row, "shown", len(labels))
        domains[name], texts[name] = values, labels
        meanings[name] = _meanings(row, values, labels)
    lacking = [name for name in attributes if name not in domains]
    if lacking:
        raise ValueError(f"it has no attribute {lacking[0]}")
    columns = GroupColumns(
        tuple(domains[name] for name in attributes),
        codes,
        of,
        tuple(texts[name] for name in attributes),
        shown,
    )
    return GroupRecoding(attributes, columns, {name: meant for name, meant in meanings.items() if meant})


def _places(row: pa.RecordBatch, name: str, count: int | None) -> Codes:
    """Return the places in a row's list; refuse a list with a gap, and places outside of so many."""
    found = row[name][0].values
    if found is None or found.null_count:
        raise ValueError(f"its column {name} has gaps")
    places: Codes = found.to_numpy()
    if len(places) and (places.min() < 0 or (count is not None and places.max() >= count)):
        raise ValueError(f"its column {name} points to nothing")
    return places


def _meanings(
    row: pa.RecordBatch, values: tuple[Label, ...], labels: tuple[Label, ...]
) -> dict[Label, Sequence[Label]]:
    """Return what is told of labels; the line ends with the last value of any interval."""
    first, last, members = (row[name][0].as_py() for name in ("first", "last", "members"))
    if members is None:
        return {}
    line = values[: 1 + max((end for end in last or () if end is not None), default=-1)]
    found: dict[Label, Sequence[Label]] = {}
    for label, begin, end, inside in zip(labels, first or (), last or (), members, strict=True):
        if inside is None:
            continue
        if not all(0 <= at < len(values) for at in inside):
            raise ValueError("its column members points to nothing")
        others = [values[at] for at in inside]
        if begin is None:
            found[label] = tuple(others)
        elif end is None or not 0 <= begin <= end < len(values):
            raise ValueError("its column first or last points to nothing")
        else:
            found[label] = Stretch(line, begin, end + 1, bool(others), *others[:1])
    return found
