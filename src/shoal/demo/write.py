"""The hospital table on disk, with its hierarchies and its study file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.demo.hospital import check_size
from shoal.demo.study_texts import hierarchy_texts, study_text
from shoal.documents.whole.file import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable

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

    The table is the one that `hospital(rows, seed)` returns, written a chunk at a time, so
    memory does not grow with it. `progress` is called after each chunk with the number of
    rows written so far. A file that is there already is a FileExistsError, and nothing is
    written, unless `force` is true. Each file appears only when it is complete, study.yaml
    last.

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
            raise FileExistsError(f"{path} is there already; force=True would replace it.")


def _silent(rows: int) -> None:
    """Nothing: nobody asked how far the writing is."""


def _write_csv(path: Path, rows: int, seed: int, progress: Callable[[int], None]) -> None:
    # Imported here so that `import shoal.demo` needs neither numpy nor pyarrow.
    from pyarrow import csv

    from shoal.demo.chunk import SCHEMA, chunks

    # No value holds a comma, a quote or a line break (pyarrow would refuse it), so nothing
    # needs quotes, and an empty field is a null. Pyarrow would put quotes round the header.
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

    # Every record number differs: a dictionary of them would only cost time.
    in_dictionary = [name for name in SCHEMA.names if name != "record-number"]
    written = 0
    with parquet.ParquetWriter(path, SCHEMA, compression="zstd", use_dictionary=in_dictionary) as writer:
        for batch in chunks(rows, seed):
            writer.write_batch(batch)
            written += batch.num_rows
            progress(written)
