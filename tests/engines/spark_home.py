"""Spark on this machine: one Java for all tests of a process, with a server of Spark Connect in it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import tempfile
import warnings
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from shoal.data.engines.spark.reading import quoted, read_place
from shoal.data.opening import open_engine
from shoal.describe import Place

PARTS = 2
SHORT_LIVED = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
"""For a Java that ends before it is worth compiling well, and whose classes others have verified.

With the default for this way of compiling, the room for compiled code is soon full and swept all the time.
"""


def searched_first() -> str:
    """The jars that most classes come from: of Spark's 280, a class is looked for in one after another."""
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        return ""
    jars = Path(spec.origin).with_name("jars")
    return ":".join(
        str(jar) for kind in ("spark", "scala", "hadoop") for jar in jars.glob(f"{kind}-*.jar")
    )


WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
}


def missing() -> str | None:
    """Why there is no Spark here, if there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pyspark.sql.connect.session  # noqa: F401
    except ImportError as problem:
        return f"no Spark here ({problem}); pip install 'shoal[spark]'"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "no Java here for Spark; install one (on Debian and Ubuntu: default-jre-headless)"
    return None


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@cache
def home() -> SparkHome:
    """Start Spark, once in a process; it ends with the process."""
    if (reason := missing()) is not None:
        pytest.skip(reason)
    return SparkHome()


class SparkHome:
    """A session of two threads and, behind a port, a server of Spark Connect over the same tables."""

    name = "spark"
    new_table = "new_table"  # its catalog takes letters, digits and underscores
    slowness = 12

    def __init__(self) -> None:
        from pyspark.sql import SparkSession

        self.folder = Path(tempfile.mkdtemp(prefix="shoal-spark-"))
        self.port = free_port()
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        builder = SparkSession.builder.master("local[2]").appName("tests")
        for setting, value in {
            "spark.driver.memory": "1g",
            "spark.driver.extraJavaOptions": SHORT_LIVED,
            "spark.driver.extraClassPath": searched_first(),
            "spark.driver.host": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": str(PARTS),
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            "spark.local.dir": str(self.folder / "scratch"),
            # Plans that are made anew after every stage cost half of the time; the client below has them.
            "spark.sql.adaptive.enabled": "false",
            # Code that is made and compiled for each statement pays for millions of rows; what runs in
            # processes of its own has it.
            "spark.sql.codegen.wholeStage": "false",
            # Far from UTC, so that a test would see the zone where it must not count.
            "spark.sql.session.timeZone": "Asia/Tokyo",
            "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(self.port),
        }.items():
            builder = builder.config(setting, value)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            before = signal.getsignal(signal.SIGINT)
            self.session = builder.getOrCreate()
            self.ctrl_c = signal.signal(signal.SIGINT, before)  # other tests of the process need theirs
            self.session.sparkContext.setLogLevel("OFF")
            from pyspark.sql.connect.session import SparkSession as Remote

            self.remote = Remote.builder.remote(self.url).create()
            self.remote.conf.set("spark.sql.adaptive.enabled", "true")

    @property
    def url(self) -> str:
        return f"sc://127.0.0.1:{self.port}"

    def put(self, table: pa.Table, name: str = "people") -> Place:
        """Make a table of the session; its name may be anything."""
        self.parts(table).createOrReplaceTempView(quoted([name]))
        return Place("spark", '"' + name.replace('"', '""') + '"')

    def parts(self, table: pa.Table) -> Any:
        """Make a frame of several parts of a table."""
        return self.frame(table).repartition(PARTS)

    def frame(self, table: pa.Table, session: Any = None) -> Any:
        """Make a frame of a table; Spark has no unsigned numbers."""
        from pyspark.sql.pandas.types import from_arrow_schema

        fields = [field.with_type(WIDER.get(field.type, field.type)) for field in table.schema]
        table = table.cast(pa.schema(fields))
        schema = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
        return (session or self.session).createDataFrame(table, schema=schema)

    def read(self, place: Place) -> pa.Table:
        """Return the rows of a table, or of a folder, as Spark reads them."""
        return read_place(self.session, place).toArrow()

    def open(self, place: Any) -> Any:
        return open_engine(place)

    def close(self) -> None:
        """Leave nothing behind but the session, which ends with the process."""
        shutil.rmtree(self.folder, ignore_errors=True)
