"""Groups in a file of their own: Parquet beside the document that they belong to, named and digested there.

The file has one row for each combination of values: its `group`, and for each attribute `value.NAME` and
`label.NAME`. Further rows, without a group, say what labels stand for that no hierarchy has: the attribute
(`of`), the `label`, and its `values`, or for an interval the `first` and the `last` of the attribute's values
in their `order`, and beside these the one value that has no place in the order, if it belongs to the label.
Rows lie together by group, so that labels take next to no room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.answers.group_recoding import Codes, GroupColumns, GroupRecoding, Meanings, Stretch
from shoal.answers.recoding import Decision
from shoal.documents.digests import digest
from shoal.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIX = ".groups.parquet"
"""What the file's name adds to that of the table or solution it belongs to."""
LISTED = 250_000
"""The most values and labels that documents list themselves: a few megabytes of JSON."""
_BATCH = 100_000


def kept_apart(decision: Decision) -> GroupRecoding | None:
    """Return the groups of a decision if they are too many for a document, else None."""
    recoding = decision.recoding
    return recoding if isinstance(recoding, GroupRecoding) and recoding.cells > LISTED else None


def groups_beside(recoding: GroupRecoding, path: Path, file: str | None = None) -> dict[str, Any]:
    """Write groups to a file beside a path, and return what the document at that path says of them.

    The file is named like the path, with `SUFFIX`, or as is said.
    """
    made = path.with_name(file or path.name + SUFFIX)
    write_groups(recoding, made)
    count = {"groups": len(recoding), "combinations": len(recoding.columns.of)}
    told = {"file": made.name, "sha256": digest(made), **count}
    return {"attributes": list(recoding.attributes), "groups_file": told}


def decision_in(document: Mapping[str, Any], path: Path) -> Decision:
    """Return the decision of a document that lies at a path, with groups from the file beside it if any."""
    told = document.get("groups_file")
    if told is None:
        return Decision.from_dict(document)
    return Decision.from_dict(document, read_groups(file_of(told, path), document["attributes"]))


def file_of(told: Mapping[str, Any], path: Path) -> Path:
    """Return the file of groups that a document at a path tells of, or refuse another one."""
    file = path.with_name(str(told["file"]))
    if not file.is_file():
        raise InputError(
            f"the groups of {path.name} are in this file, which does not exist; keep the two together",
            file=file,
        )
    if digest(file) != told["sha256"]:
        raise InputError(f"these are not the groups of {path.name}: the digest differs", file=file)
    return file


def write_groups(recoding: GroupRecoding, path: Path) -> None:
    """Write the groups of a recoding to a Parquet file."""
    with _writer(path, _schema(recoding.attributes)) as write:
        for rows in _tables(recoding):
            write(rows)


def write_points(recodings: Iterator[GroupRecoding], path: Path) -> None:
    """Write the groups of several recodings of the same attributes to one Parquet file, numbered from 0."""
    import pyarrow as pa

    first = next(recodings)
    schema = _schema(first.attributes).append(_point())
    with _writer(path, schema) as write:
        for number, recoding in enumerate(chain([first], recodings)):
            for rows in _tables(recoding):
                numbers = pa.array(np.full(len(rows), number, dtype=np.int32))
                write(rows.append_column(schema.field("point"), numbers))


@contextmanager
def _writer(path: Path, schema: pa.Schema) -> Iterator[Callable[[pa.Table], None]]:
    import pyarrow.parquet as pq

    options: dict[str, Any] = {"compression": "zstd", "use_dictionary": True}
    with pq.ParquetWriter(path, schema, **options) as writer:
        yield writer.write_table


def _tables(recoding: GroupRecoding) -> Iterator[pa.Table]:
    """Yield the rows of a recoding: of its combinations, then of what its labels stand for."""
    schema = _schema(recoding.attributes)
    yield _combinations(recoding, schema)
    for rows in _batches(_meant(recoding.meanings)):
        yield _filled(rows, schema)


def _schema(attributes: Sequence[str]) -> pa.Schema:
    import pyarrow as pa

    word, many = pa.string(), pa.list_(pa.string())
    coded = pa.dictionary(pa.int32(), word)
    columns = [f"{what}.{name}" for what in ("value", "label") for name in attributes]
    return pa.schema(
        [
            ("group", pa.int32()),
            *((column, coded) for column in columns),
            *((name, word) for name in ("of", "label", "first", "last")),
            ("values", many),
            ("order", many),
        ]
    )


def _point() -> pa.Field:
    import pyarrow as pa

    return pa.field("point", pa.int32())


def _combinations(recoding: GroupRecoding, schema: pa.Schema) -> pa.Table:
    """Return the rows of combinations, those of a group together."""
    import pyarrow as pa

    columns = recoding.columns
    order = np.argsort(columns.of, kind="stable")
    of = columns.of[order]
    found: dict[str, Any] = {"group": pa.array(of.astype(np.int32))}
    for a, name in enumerate(recoding.attributes):
        found[f"value.{name}"] = _coded(columns.codes[order, a], columns.domains[a])
        found[f"label.{name}"] = _coded(columns.labels[of, a], columns.texts[a])
    nothing = {one.name: pa.nulls(len(of), one.type) for one in schema if one.name not in found}
    return pa.table({one.name: (found | nothing)[one.name] for one in schema}, schema=schema)


def _coded(codes: Codes, texts: Sequence[str | None]) -> pa.DictionaryArray:
    """Return a column of texts by their codes; Parquet wants no missing text in a dictionary."""
    import pyarrow as pa

    gone = np.array([text is None for text in texts], dtype=np.bool_)
    words = pa.array([text or "" for text in texts], pa.string())
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, mask=gone[codes]) if gone.any() else pa.array(codes), words
    )


def _meant(meanings: Meanings) -> Iterator[dict[str, Any]]:
    """Yield what labels stand for, a row each; before an attribute's intervals the order of its values."""
    for name, labels in meanings.items():
        line: tuple[str | None, ...] | None = None
        for label, values in labels.items():
            if not isinstance(values, Stretch) or values.end == values.begin:
                yield {"of": name, "label": label, "values": list(values)}
                continue
            if line is None:
                line = values.line
                yield {"of": name, "order": list(line)}
            ends = {"first": line[values.begin], "last": line[values.end - 1]}
            yield {"of": name, "label": label, **ends, "values": [values.other] * values.missing}


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _filled(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    import pyarrow as pa

    given = {name for row in rows for name in row}
    return pa.table(
        {
            one.name: pa.array([row.get(one.name) for row in rows], one.type)
            if one.name in given
            else pa.nulls(len(rows), one.type)
            for one in schema
        },
        schema=schema,
    )


def read_groups(path: Path, attributes: Sequence[str], point: int | None = None) -> GroupRecoding:
    """Return the recoding whose groups are in a Parquet file, or refuse another file.

    If the file has several, they have numbers, and the one of a `point` is read.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    try:
        schema = _schema(attributes)
        lacking = [name for name in schema.names if name not in pq.read_schema(path).names]
        if lacking:
            raise ValueError(f"it has no column {lacking[0]}")
        if point is None:
            table = pq.read_table(path, schema=schema)
        else:
            numbered, only = schema.append(_point()), [("point", "=", point)]
            table = pq.read_table(path, schema=numbered, filters=only).drop_columns(["point"])
        inside = pc.is_valid(table["group"])
        combinations, others = table.filter(inside), table.filter(pc.invert(inside))
    except (pa.ArrowException, OSError, ValueError) as problem:
        raise InputError(f"this is not a file of groups: {str(problem)[:200]}", file=path) from None
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
    columns = GroupColumns(
        tuple(domains),
        np.stack(codes, axis=1) if width else np.zeros((len(of), 0), dtype=np.int32),
        of,
        tuple(texts),
        np.stack(labels, axis=1) if width else np.zeros((count, 0), dtype=np.int32),
    )
    return GroupRecoding(attributes, columns, _meanings(others))


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
