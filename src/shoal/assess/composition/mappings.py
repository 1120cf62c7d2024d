"""What the labels of a release stand for, if its mappings or its record are beside it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from shoal.answers.group_recoding import GroupRecoding
from shoal.answers.kept_groups import decision_in
from shoal.data.engine import Value
from shoal.documents import record_in, undamaged
from shoal.errors import InputError

Pairs = tuple[tuple[Value, Value], ...]
"""Originals and their released labels; in a group-wise recoding an original may have several."""


def read_mappings(path: Path, quasi: Sequence[str]) -> dict[str, Pairs]:
    """Return what is known about each quasi column's labels; unknown columns are absent.

    It comes from `OUT.mappings/`, one CSV per attribute, or else, for group-wise recodings, from
    `OUT.record.json` and the file of groups beside it. Nothing is known if one of them is lost.
    """
    folder = path.with_name(path.name + ".mappings")
    if folder.is_dir():
        files = zip(quasi, mapping_files(quasi), strict=True)
        return {name: _read(folder / file) for name, file in files if (folder / file).is_file()}
    record = path.with_name(path.name + ".record.json")
    if not record.is_file():
        return {}
    with undamaged(record):
        document = record_in(record)["decision"]
        if "groups_file" in document and not record.with_name(document["groups_file"]["file"]).exists():
            return {}  # as without the record
        recoding = decision_in(document, record).recoding
    if not isinstance(recoding, GroupRecoding):
        return {}
    columns, found = recoding.columns, {}
    for a, name in enumerate(recoding.attributes):
        pairs = np.stack([columns.codes[:, a], columns.labels[columns.of, a]], axis=1)
        found[name] = tuple(
            (columns.domains[a][value], columns.texts[a][label])
            for value, label in np.unique(pairs, axis=0).tolist()
        )
    return found


def mapping_files(quasi: Sequence[str]) -> list[str]:
    """Return the names of the attributes' files in `OUT.mappings/`.

    A column's name may not be a valid file name; a number keeps two files apart.

    >>> mapping_files(["age", "a/b", "a_b"])
    ['age.csv', 'a_b.csv', 'a_b.2.csv']
    """
    files: list[str] = []
    for i, name in enumerate(quasi):
        safe = "".join(c if c.isalnum() or c in "-_ ." else "_" for c in name).strip(". ") or "column"
        files.append(f"{safe}.csv" if f"{safe}.csv" not in files else f"{safe}.{i}.csv")
    return files


def _read(file: Path) -> Pairs:
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            rows = list(csv.reader(opened))
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise InputError(f"cannot be read: {problem}", file=file) from None
    if not rows or rows[0] != ["original", "released"] or any(len(row) != 2 for row in rows):
        raise InputError("this is not a mapping, which has the columns original and released", file=file)
    return tuple((original or None, released or None) for original, released in rows[1:])


def functional(pairs: Iterable[tuple[Value, Value]]) -> dict[Value, Value] | None:
    """Return the label of each original, or None if one has several.

    >>> functional([("34", "30-39"), ("35", "30-39")])
    {'34': '30-39', '35': '30-39'}
    """
    labels: dict[Value, Value] = {}
    for original, released in pairs:
        if labels.setdefault(original, released) != released:
            return None
    return labels
