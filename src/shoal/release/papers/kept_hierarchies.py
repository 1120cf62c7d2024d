"""Hierarchies of many values in a file of their own, beside the record that they belong to.

The file is Parquet with one row for each level of each hierarchy, from the leaves to the root: the
`attribute`, the `labels` of that level, and which of them each leaf has (`codes`, by their places from 0).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.answers.groups_file import WAY_OUT
from shoal.answers.kept_groups import file_of
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.documents.digests import digest
from shoal.errors import InputError

SUFFIX = ".hierarchies.parquet"
"""What the file's name adds to that of the table it belongs to."""
LISTED = 1_000
"""The most labels that records list themselves, over all leaves and levels, so that people can read them."""

Rows = Mapping[str, list[list[Label]]]


def too_many(hierarchies: Mapping[str, Hierarchy]) -> bool:
    """Return whether hierarchies have too many values for a record."""
    return sum(len(one.leaves) * len(one.labels) for one in hierarchies.values()) > LISTED


def listed(hierarchies: Mapping[str, Hierarchy]) -> dict[str, Any]:
    """Return what a record says of its hierarchies if it lists them itself."""
    return {
        "hierarchies": {name: [list(row) for row in one.rows()] for name, one in hierarchies.items()}
    }


def hierarchies_beside(hierarchies: Mapping[str, Hierarchy], made: Path, file: str) -> dict[str, Any]:
    """Write hierarchies, and return what the record says of them: in which file they will be."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        {"attribute": name, "labels": list(labels), "codes": codes}
        for name, one in hierarchies.items()
        for labels, codes in zip(one.labels, one.codes, strict=True)
    ]
    encodings = {"labels.list.element": "DELTA_BYTE_ARRAY", "codes.list.element": "BYTE_STREAM_SPLIT"}
    pq.write_table(
        pa.Table.from_pylist(rows, schema=_schema()),
        made,
        compression="zstd",
        compression_level=9,
        use_dictionary=False,
        column_encoding=encodings,
        write_statistics=False,
        store_schema=False,
    )
    values = {name: len(one.leaves) for name, one in hierarchies.items()}
    return {
        "hierarchies": {},
        "hierarchies_file": {"file": file, "sha256": digest(made), "values": values},
    }


def hierarchies_in(document: Mapping[str, Any], path: Path) -> Rows:
    """Return the rows of each hierarchy of the record at a path, from the file beside it if any."""
    given: Rows = document["hierarchies"]
    told = document.get("hierarchies_file")
    return given if told is None else {**given, **read(file_of(told, path, "hierarchies"))}


def _schema() -> Any:
    import pyarrow as pa

    texts, places = pa.list_(pa.string()), pa.list_(pa.int32())
    return pa.schema([("attribute", pa.string()), ("labels", texts), ("codes", places)])


def read(file: Path) -> Rows:
    """Return the rows of each hierarchy in a file, or refuse another file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    levels: dict[str, list[list[Label]]] = {}
    try:
        names = pq.read_schema(file).names
        lacking = [name for name in _schema().names if name not in names]
        if lacking:
            raise _refused(file, f"it has no column {lacking[0]}")
        for row in pq.read_table(file, columns=_schema().names).to_pylist():
            labels, codes = row["labels"], row["codes"]
            if min(codes) < 0:
                raise ValueError("a label is missing")
            levels.setdefault(row["attribute"], []).append([labels[code] for code in codes])
        return {
            name: [list(row) for row in zip(*columns, strict=True)] for name, columns in levels.items()
        }
    except (pa.ArrowException, OSError):
        raise _refused(file, "it is no Parquet, or damaged") from None
    except (ValueError, TypeError, IndexError, KeyError):
        raise _refused(file, "its labels and places do not fit together") from None


def _refused(file: Path, why: str) -> InputError:
    return InputError(f"this is not a file of hierarchies: {why}; {WAY_OUT}", file=file)
