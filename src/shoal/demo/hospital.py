"""The hospital table, in memory or on disk with its hierarchies and its study file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.demo.study_texts import hierarchy_texts, study_text
from shoal.documents.whole.file import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa


def hospital(rows: int = 10_000, seed: int = 7) -> pa.Table:
    """A made-up table of hospital stays, the same one for the same rows and seed.

    A larger table of the same seed begins with the rows of a smaller one. Text columns with
    few values are dictionary-encoded; dates are ISO text, `age` is an integer. About 0.3% of
    `sex`, 0.5% of `zip` and 1% of `occupation` is null, nothing else. A row takes about 40
    bytes of memory; `write_hospital` writes tables that are too large for it.

    >>> stays = hospital(rows=3)
    >>> stays["record-number"].to_pylist()
    ['R00000001', 'R00000002', 'R00000003']
    >>> stays.column_names[3:8]
    ['age', 'sex', 'zip', 'occupation', 'admission-date']
    """
    check_size(rows, seed)
    # Imported here so that `import shoal.demo` needs neither numpy nor pyarrow.
    import pyarrow as pa

    from shoal.demo.chunk import SCHEMA, chunks

    return pa.Table.from_batches(chunks(rows, seed), schema=SCHEMA)


def check_size(rows: int, seed: int) -> None:
    """Raise a ValueError if a table of this size and seed cannot be made."""
    if rows < 1:
        raise ValueError(f"A table needs at least 1 row; rows is {rows}.")
    if seed < 0:
        raise ValueError(f"A seed is a whole number from 0 up; seed is {seed}.")


FORMATS = ("csv", "parquet")


def write_hospital(
    directory: Path,
    rows: int = 10_000,
    seed: int = 7,
    *,
    format: str = "csv",  # noqa: A002 - the word a caller expects
    progress: Callable[[int], None] | None = None,
    force: bool = False,
) -> Path:
    """The path of a new study file, written beside its table and hierarchies.

    The table is the one that `hospital(rows, seed)` returns, written a chunk at a time, so memory does not
    grow with it. `progress` is called after each chunk with the number of rows written so far. An existing
    file raises a FileExistsError, and nothing is written, unless `force` is true. Each file appears only when
    it is complete, study.yaml last.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     study = write_hospital(Path(folder), rows=100)
    ...     print(study.name, *sorted(path.name for path in study.parent.rglob("*.csv")))
    study.yaml diagnosis.csv hospital.csv occupation.csv sex.csv
    """
    check_size(rows, seed)
    if format not in FORMATS:
        raise ValueError(f"The format must be {' or '.join(FORMATS)}; {format!r} is neither.")
    directory = Path(directory)
    table = directory / f"hospital.{format}"
    study = directory / "study.yaml"
    texts = {directory / "hierarchies" / name: text for name, text in hierarchy_texts().items()}
    texts[study] = study_text(table.name)
    if not force:
        _refuse_existing([table, *texts])

    (directory / "hierarchies").mkdir(parents=True, exist_ok=True)
    write_table = _write_csv if format == "csv" else _write_parquet
    with whole_file(table, force=force, private=False) as partial:
        write_table(partial, rows, seed, progress or _silent)
    for path, text in texts.items():
        with whole_file(path, force=force, private=False) as partial:
            partial.write_text(text, encoding="utf-8", newline="\n")
    return study


def _refuse_existing(paths: list[Path]) -> None:
    for path in paths:
        if path.exists() or path.is_symlink():
            raise FileExistsError(f"{path} already exists; force=True would replace it.")


def _silent(rows: int) -> None:
    """Do nothing: no progress was asked for."""


def _write_csv(path: Path, rows: int, seed: int, progress: Callable[[int], None]) -> None:
    # Imported here so that `import shoal.demo` needs neither numpy nor pyarrow.
    from pyarrow import csv

    from shoal.demo.chunk import SCHEMA, chunks

    # No value contains a comma, a quote or a line break (pyarrow would refuse it), so nothing needs quotes,
    # and an empty field is a null. Pyarrow would quote the header.
    options = csv.WriteOptions(include_header=False, quoting_style="none")
    written = 0
    with path.open("wb") as file:
        file.write((",".join(SCHEMA.names) + "\n").encode())
        for batch in chunks(rows, seed):
            csv.write_csv(batch, file, options)
            written += batch.num_rows
            progress(written)


def _write_parquet(path: Path, rows: int, seed: int, progress: Callable[[int], None]) -> None:
    # Imported here for the same reason.
    from pyarrow import parquet

    from shoal.demo.chunk import SCHEMA, chunks

    # All record numbers differ, so a dictionary of them would only cost time.
    in_dictionary = [name for name in SCHEMA.names if name != "record-number"]
    written = 0
    with parquet.ParquetWriter(path, SCHEMA, compression="zstd", use_dictionary=in_dictionary) as writer:
        for batch in chunks(rows, seed):
            writer.write_batch(batch)
            written += batch.num_rows
            progress(written)
