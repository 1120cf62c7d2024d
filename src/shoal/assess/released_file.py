"""A released file with its papers, read for whoever holds the study that it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.answers.kept_groups import decision_in
from shoal.answers.recoding import Decision
from shoal.data.engine import Cells, Value
from shoal.data.opening import opened, settle
from shoal.describe.promise import Promise
from shoal.describe.table_reading import AS_WRITTEN
from shoal.documents import certificate_path, read_certificate, record_in, undamaged
from shoal.errors import InputError, show
from shoal.questions.material import Material
from shoal.verification.bucket_check import second_path


@dataclass(frozen=True)
class ReleasedFile:
    """The released rows over the quasi columns, the others and the last: the sensitive ones, or the buckets.

    `hidden` columns have no counterpart in the study's table: shifted dates, pseudonyms, buckets. A release
    by Anatomy has a `second` table of buckets, values and counts.
    """

    decision: Decision
    promise: Promise
    quasi: tuple[str, ...]
    others: tuple[str, ...]
    sensitive: tuple[str, ...]
    hidden: frozenset[str]
    rows: Cells
    second: Cells | None = None


def read_released(material: Material, out: Path, why: str) -> ReleasedFile:
    """Return a released file with its certificate and record beside it; `why` says what needs the record."""
    settle(out)
    if not out.is_file():
        raise InputError("no such file; check the path", file=out)
    certificate = read_certificate(certificate_path(out))
    record = out.with_name(out.name + ".record.json")
    if not record.is_file():
        raise InputError(
            f"the record is not beside the release; {why} by it, so keep the two together", file=record
        )
    with undamaged(record):
        decision = decision_in(record_in(record)["decision"], record)
    quasi = tuple(certificate["quasi"])
    if set(quasi) != set(material.quasi):
        raise InputError(
            f"the release has the quasi columns {show(', '.join(quasi))}, and the study others; name the "
            "study that it was made from",
            file=out,
        )
    split = certificate.get("buckets")
    bucket = None if split is None else str(split["columns"][0])
    hidden = {*certificate.get("shifted", ()), (certificate.get("persons") or {}).get("column"), bucket}
    sensitive = tuple(name for name in certificate["sensitive"] if name not in quasi)
    others = tuple(n for n in certificate["columns"] if n not in {*quasi, *sensitive, *hidden})
    last = sensitive if bucket is None else (bucket,)
    with opened(out, AS_WRITTEN) as engine:
        rows = engine.cells([*quasi, *others, *last])
    second = None
    if split is not None:
        with opened(second_path(out), AS_WRITTEN) as engine:
            second = engine.cells(split["columns"])
    promise = Promise.from_dict(certificate["promise"])
    known = frozenset(name for name in hidden if name is not None)
    return ReleasedFile(decision, promise, quasi, others, sensitive, known, rows, second)


def together(one: Sequence[Value], other: Sequence[Value]) -> tuple[Value, ...]:
    """Return the values of both, each once."""
    return tuple(dict.fromkeys([*one, *other]))
