"""Columns that a question does not need are never read: of wide tables they would be most of the work."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal import Study
from shoal.describe.hierarchies import Hierarchy

FLAT = Hierarchy.from_rows([(str(value), "*") for value in range(7)])


@pytest.fixture
def spoilt(tmp_path):
    """A file whose last column cannot be read: its pages are overwritten."""
    path = tmp_path / "wide.parquet"
    columns = {f"c{a}": [str(i * (a + 3) % 7) for i in range(500)] for a in range(4)}
    pq.write_table(pa.table({**columns, "unused": [str(i) for i in range(500)]}), path)
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(4)
    begin = chunk.dictionary_page_offset or chunk.data_page_offset
    written = bytearray(path.read_bytes())
    written[begin : begin + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    path.write_bytes(written)
    return path


def test_columns_that_a_question_does_not_need_are_never_read(spoilt):
    quasi = dict.fromkeys(["c0", "c1", "c2"], FLAT)
    assert shoal.risk(spoilt, quasi=list(quasi)).measured.rows == 500
    with Study(spoilt, quasi=quasi, sensitive="c3", threads=1) as study:
        assert study.anonymize("flash", k=5, l=2).rows == 500
        assert study.anonymize("local-suppression", k=5).suppressed == 0
        released = study.release(study.anonymize("flash", k=5), seed=1).table()
        assert released.column_names == ["c0", "c1", "c2", "c3"]


def test_the_spoilt_column_cannot_be_read(spoilt):
    every = Hierarchy.from_rows([(str(value), "*") for value in range(500)])
    said = r"(?i)parquet|corrupt|thrift|page|read|decompress|snappy"
    with (
        Study(spoilt, quasi={"c0": FLAT, "unused": every}, threads=1) as study,
        pytest.raises(Exception, match=said),
    ):
        study.anonymize("flash", k=5)
