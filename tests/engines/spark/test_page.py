"""The page about Spark does what it says."""

from __future__ import annotations

import pyarrow as pa

import shoal
from tests.docs.pages import ROOT, blocks


def test_the_python_of_the_page_runs(spark):
    rows = range(120)
    table = {
        "zip": [str(21300 + i % 6) for i in rows],
        "illness": [["flu", "cold", None][i % 3] for i in rows],
    }
    people = spark.parts(pa.table(table))
    people.createOrReplaceTempView("people")
    (block,) = [one for one in blocks(ROOT / "docs" / "engines-spark.md") if one.language == "python"]
    names = {"shoal": shoal, "spark": people.sparkSession}
    exec(compile(block.text, "docs/engines-spark.md", "exec"), names)
    assert type(names["released"]).__module__.startswith("pyspark.sql")
    assert names["released"].count() == 120
