"""The whole job on a cluster: a master, two workers, and a driver that may hold little."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from pyarrow import parquet

from shoal import Study
from shoal.verification import verify_release
from tests.engines.spark.clusters import cluster
from tests.engines.spark.tables import counted
from tests.engines.spark_home import SHORT_LIVED, searched_first

ROWS = 20_000
GROUPS = 70

# Spark refuses every job whose results are larger than this, and the rows are far larger.
DEFAULTS = f"""spark.driver.maxResultSize 256k
spark.driver.extraJavaOptions {SHORT_LIVED}
spark.driver.extraClassPath {searched_first()}
spark.executor.extraJavaOptions {SHORT_LIVED}
spark.executor.extraClassPath {searched_first()}
spark.driver.memory 512m
spark.driver.host 127.0.0.1
spark.executor.memory 512m
spark.executor.cores 1
spark.cores.max 2
spark.ui.enabled false
spark.sql.shuffle.partitions 2
"""

DRIVER = """
import json, sys
from pathlib import Path
from shoal import Study
from shoal.describe.places import Place
from shoal.data.engines.spark.session import session_of
from shoal.verification import verify_release

master, folder, rows, groups = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
place = Place("spark", str(folder / "people"), master)
session = session_of(place)
made = session.range(0, rows, 1, 4).selectExpr(
    f"CAST(21300 + IF(id % 3 = 0, 0, id % {groups}) AS STRING) AS zip",
    "CAST(id % 5 AS STRING) AS illness",
    "SHA2(CAST(id AS STRING), 512) AS note",
)
made.write.parquet(place.table)
executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
with Study(
    place, quasi={"zip": {"mask": {"digits": 5}}}, sensitive="illness", insensitive="note"
) as study:
    front = study.frontier()
    release = study.release(front, k=1600, seed=1)
    published = release.write(folder / "out.yaml", into=str(folder / "safe"))
verdict = verify_release(folder / "out.yaml")
too_much = None
try:
    session.read.parquet(place.table).toArrow()
except Exception as problem:
    too_much = "maxResultSize" in str(problem)
print(json.dumps({
    "executors": executors, "points": len(list(front)), "rows": published.verdict.measured.rows,
    "k": published.verdict.measured.k, "holds": verdict.holds, "too_much": too_much,
}))
"""


def test_a_cluster_does_the_whole_job_and_its_driver_sees_groups_only(spark, tmp_path):
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text(DEFAULTS)
    environment = {
        **os.environ,
        "SPARK_CONF_DIR": str(tmp_path / "conf"),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    with cluster(spark, 2, tmp_path) as master:
        done = subprocess.run(
            [sys.executable, "-c", DRIVER, master, str(tmp_path), str(ROWS), str(GROUPS)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=540,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert found["executors"] == 2
    assert found["holds"]
    assert found["too_much"] is True  # one cannot fetch the rows here even if one wants to
    assert found["rows"] == ROWS
    assert found["k"] >= 1600
    parts = list((tmp_path / "safe").glob("part-*.parquet"))
    assert len(parts) > 1  # each was written by the executor that had the rows
    columns, domains, _, counts = counted(
        parquet.read_table(tmp_path / "safe", columns=["zip", "illness"])
    )
    assert columns == ("zip", "illness")
    assert sum(counts) == ROWS
    assert len(domains[0]) < GROUPS


def test_the_certificate_of_a_cluster_is_checked_by_place(spark, tmp_path):
    """A release says where its table lies; whoever has the place can check it."""
    frame = spark.session.range(0, 100).selectExpr("CAST(10 + id % 4 AS STRING) AS zip")
    with Study(frame, quasi={"zip": {"mask": {"digits": 2}}}) as study:
        release = study.release(study.frontier(), k=100, seed=1)
        release.write(tmp_path / "out.yaml", into=str(tmp_path / "safe"))
    assert verify_release(tmp_path / "out.yaml").holds
    spark.session.range(0, 99).selectExpr("'1*' AS zip").write.mode("overwrite").parquet(
        str(tmp_path / "safe")
    )
    assert not verify_release(tmp_path / "out.yaml").holds
