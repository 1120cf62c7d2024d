"""The histogram index in a file beside the study, for the next start.

The file has a mark, the length of a header, the header (JSON), the histograms, and the SHA-256 of all that.
The header has a key: the digest of everything the histograms were computed from. An index is used only if
mark, digest and key are right, the header agrees with the study, and every histogram adds up to the table's
rows; otherwise it is rebuilt. So is an index of the first format, which holds no costs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shoal.describe import Attribute, Role, Specification
from shoal.describe.hierarchies import Hierarchy
from shoal.documents.digests import digest
from shoal.documents.readers import index_head, index_text
from shoal.documents.whole.file import whole_file
from shoal.documents.whole.journal import settle
from shoal.errors import InputError, TakenError
from shoal.kernels import HistogramIndex
from shoal.search.negotiation.request import LatticeShape, sensitive_columns
from shoal.version import VERSION

Notice = Callable[[str], None]

_NAME = b"shoal histogram index "
_MARK = _NAME + b"2\n"
_WITHOUT_COSTS = _NAME + b"1\n"
_CHECK = hashlib.sha256().digest_size


@dataclass(frozen=True)
class SavedIndex:
    """An index and the lattice that it is about; `columns` are all columns of the table.

    `lm` are the unit of LM and what a suppressed row costs; None if its losses do not fit into an index.
    `persons` is how many persons have rows, None if every row is a person.
    """

    shape: LatticeShape
    columns: tuple[str, ...]
    index: HistogramIndex
    lm: tuple[int, int] | None
    persons: int | None = None


def place(specification: Specification) -> Path | None:
    """Return the path of a study's index; None if the study or its table exists only in memory."""
    if specification.file is None or not isinstance(specification.table, (str, Path)):
        return None
    return specification.file.with_name(specification.file.name + ".index")


def key_of(specification: Specification) -> str | None:
    """Return the digest of all that the histograms depend on; None if a file cannot be read."""
    table = Path(specification.table)
    sensitive = specification.having(Role.SENSITIVE)
    try:
        given = {
            "shoal": VERSION,
            "table": [digest(table), table.suffixes],
            "quasi": [
                [name, _hierarchy(attribute), attribute.min_level, attribute.max_level]
                for name, attribute in specification.attributes.items()
                if Role.QUASI in attribute.roles
            ],
            "sensitive": list(sensitive),
            **({"persons": list(specification.units.persons)} if specification.units.persons else {}),
            **specification.reading.to_dict(),
        }
    except OSError:
        return None
    return hashlib.sha256(json.dumps(given).encode()).hexdigest()


def _hierarchy(attribute: Attribute) -> Any:
    given = attribute.hierarchy
    if isinstance(given, Hierarchy):
        return given.rows()
    if isinstance(given, Mapping):
        return [given]
    return digest(Path(str(given)))


def load(path: Path, key: str, specification: Specification, notice: Notice) -> SavedIndex | None:
    """Return the index in a file if it is complete and fits key and study; give notice if it is damaged."""
    try:
        settle(path)
        content = path.read_bytes()
    except OSError:
        return None
    if not _ours(content):
        return None
    body, check = content[:-_CHECK], content[-_CHECK:]
    if content.startswith(_WITHOUT_COSTS) and hashlib.sha256(body).digest() == check:
        notice(f"{path}: the saved index is of an earlier version and tells no losses; it is rebuilt")
        return None
    if not content.startswith(_MARK) or hashlib.sha256(body).digest() != check:
        notice(f"{path}: the saved index is damaged or of another version; it is rebuilt")
        return None
    try:
        start = len(_MARK) + 4
        end = start + int.from_bytes(body[len(_MARK) : start], "little")
        header = index_head(body[start:end], path)
        if header["key"] != key:
            return None
        names, bottom, top, sensitive, doubled, columns = (
            tuple(header[of]) for of in ("names", "bottom", "top", "sensitive", "doubled", "columns")
        )
        shape = LatticeShape(names, bottom, top, header["rows"], sensitive, doubled)
        _check_study(shape, columns, specification)
        lm = header["lm"] and (header["lm"]["unit"], header["lm"]["row"])
        persons = header.get("persons")
        if persons is not None and not (specification.units.persons and 0 < persons < shape.rows):
            raise ValueError("this is the index of another study")
        lattice = (shape.bottom, shape.top, bool(shape.sensitive) or persons is not None, shape.rows)
        index = HistogramIndex.load(*lattice, body[end:], lm and lm[1])
        return SavedIndex(shape, columns, index, lm, persons)
    except (InputError, ValueError, TypeError, IndexError, RecursionError):
        notice(f"{path}: the saved index is damaged; it is rebuilt")
        return None


def _check_study(shape: LatticeShape, columns: tuple[str, ...], specification: Specification) -> None:
    """Refuse an index that differs from the study; without a max_level the histograms must fit."""
    names = specification.having(Role.QUASI)
    given = [specification.attributes[name] for name in names]
    tops = zip(shape.top, given, strict=True)
    if (
        shape.names != names
        or shape.bottom != tuple(attribute.min_level for attribute in given)
        or any(attribute.max_level not in {None, top} for top, attribute in tops)
        or (shape.sensitive, shape.doubled) != sensitive_columns(specification)
        or not {*names, *shape.sensitive} <= set(columns)
    ):
        raise ValueError("this is the index of another study")


def save(path: Path, key: str, saved: SavedIndex, notice: Notice) -> None:
    """Write the index beside its place and move it in; give notice if that fails.

    A file that is not an index of Shoal, or cannot be read, is not replaced. Only the curator may read the
    file.
    """
    try:
        with path.open("rb") as file:
            taken = not _ours(file.read(len(_NAME)))
    except FileNotFoundError:
        taken = path.is_symlink()  # a dangling link belongs to somebody, too
    except OSError as problem:
        notice(
            f"{path} cannot be read ({problem.strerror}) and is not replaced; make it readable, move it, "
            "or work without an index"
        )
        return
    if taken:
        notice(f"{path} is not an index of Shoal and is not replaced; move it, or work without an index")
        return
    lm = None if saved.lm is None else {"unit": saved.lm[0], "row": saved.lm[1]}
    told = {} if saved.persons is None else {"persons": saved.persons}
    header = index_text(key=key, columns=saved.columns, lm=lm, **asdict(saved.shape), **told)
    body = _MARK + len(header).to_bytes(4, "little") + header + saved.index.dump()
    try:
        with whole_file(path, force=True, private=True) as place:
            place.write_bytes(body + hashlib.sha256(body).digest())
    except TakenError:  # another session of the same study saves the same index
        return
    except InputError as problem:
        why = problem.what.removeprefix("cannot be written: ")
        notice(f"{path}: the index cannot be saved ({why}); the next start rebuilds it")


def _ours(content: bytes) -> bool:
    """Return whether a file is an index, even a damaged one; an empty file may be anybody's."""
    return content != b"" and content[: len(_NAME)] == _NAME[: len(content)]
