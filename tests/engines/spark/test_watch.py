"""What Spark does is looked after: its stages are shown, what it waits for is said, and it can be stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.data.engines.spark import stages as spark_watch
from shoal.data.engines.spark.engine import SparkEngine
from shoal.errors import TimeOverError
from shoal.running.clock import Clock
from shoal.running.watching import watched
from tests.commands import shoal
from tests.engines.spark.clusters import cluster
from tests.engines.spark_home import SHORT_LIVED, searched_first
from tests.release.test_publish import one_line

STUDY = """table: {engine: spark, table: TABLE}
attributes:
  zip: {role: quasi, hierarchy: {mask: {digits: 1}}}
"""


@pytest.fixture(params=["classic", "remote"])
def session(spark, request):
    return spark.session if request.param == "classic" else spark.remote


def endless(session):
    """A table that is not counted within anybody's patience."""
    return session.range(0, 10**15, 1, 4).selectExpr("CAST(id % 7 AS STRING) AS zip")


@pytest.fixture(params=["python", "spark"])
def handler(spark, request):
    """What Ctrl-C does: Python says, or a session of Spark, which takes it."""
    if request.param == "spark":
        signal.signal(signal.SIGINT, spark.ctrl_c)
    return signal.getsignal(signal.SIGINT)


def nothing_runs(spark):
    """Wait until no job is left."""
    tracker = spark.session.sparkContext.statusTracker()
    until = time.monotonic() + 60
    while tracker.getActiveJobsIds():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_time_limit_stops_the_jobs(spark, session):
    engine = SparkEngine(endless(session))
    with watched(1):
        with pytest.raises(TimeOverError, match=r"^the pyspark DataFrame: not done within 1 seconds"):
            engine.cells(["zip"])
        with pytest.raises(TimeOverError):  # nothing else begins
            engine.count()
    nothing_runs(spark)
    assert SparkEngine(session.range(3)).count() == 3


def test_a_search_hears_ctrl_c_beside_a_session_of_spark_too(handler):
    try:
        with Clock() as clock:
            os.kill(os.getpid(), signal.SIGINT)
            assert clock.over
    except KeyboardInterrupt:  # which would end all tests
        pytest.fail("the search was ended without its best so far")
    assert signal.getsignal(signal.SIGINT) is handler


def test_stages_are_shown_and_ctrl_c_stops_the_jobs(spark, session, handler):
    seen = []

    def show(share, words):
        if not seen:
            os.kill(os.getpid(), signal.SIGINT)
        seen.append((share, words))

    with watched(show=show), pytest.raises(KeyboardInterrupt):
        SparkEngine(endless(session)).cells(["zip"])
    assert signal.getsignal(signal.SIGINT) is handler
    share, words = seen[0]
    assert share == 0
    assert words.startswith("Spark: 0 of 4 tasks, ")
    nothing_runs(spark)
    assert SparkEngine(session.range(3)).count() == 3


def test_what_is_waited_for_is_said(spark, session, monkeypatch):
    monkeypatch.setattr(spark_watch, "QUIET", 0.5)
    context = spark.session.sparkContext
    tracker = context.statusTracker()

    def occupy():
        context.addJobTag("others")
        endless(spark.session).count()

    def running():
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        return sum(stage.numActiveTasks for stage in stages if stage)

    others = threading.Thread(target=pytest.raises, args=(Exception, occupy), daemon=True)
    others.start()
    said = []

    def say(text):
        said.append(text)
        context.cancelJobsWithTag("others")

    try:
        until = time.monotonic() + 60
        while running() < 2:  # both cores are taken
            assert time.monotonic() < until
            time.sleep(0.05)
        with watched(say=say):
            assert SparkEngine(session.range(3)).count() == 3
    finally:
        context.cancelJobsWithTag("others")
        others.join(60)
    assert len(said) == 1
    words = "executors are busy" if session is spark.session else "server runs none of the tasks"
    assert words in said[0]
    assert "set a time limit" in said[0]


class Waiting(spark_watch.SparkWork):
    """Work that waits, runs and waits again, look by look."""

    begin = end = cancel = lambda self: None

    def __init__(self, running):
        self.running, self.looked_at_all = list(running), threading.Event()

    def tasks(self):
        if len(self.running) == 1:
            self.looked_at_all.set()
        now = self.running.pop(0) if len(self.running) > 1 else self.running[0]
        return spark_watch.Tasks(1, 0, now)

    def lacks(self):
        return "its executors are busy"


def test_what_is_waited_for_is_said_once(monkeypatch):
    monkeypatch.setattr(spark_watch, "QUIET", 0.0)
    monkeypatch.setattr(spark_watch, "_EVERY", 0.01)
    said, work = [], Waiting([0, 0, 1, 0, 0, 0, 1])
    with watched(say=said.append), spark_watch.attended(work, "people"):
        assert work.looked_at_all.wait(60)
    assert len(said) == 1


def watchers():
    return sum(thread.name == "shoal-spark-watch" for thread in threading.enumerate())


def test_a_block_inside_of_another_is_not_looked_after_twice(spark):
    engine = SparkEngine(spark.session.range(3))
    with engine.told():
        assert watchers() == 1
        with engine.told():
            assert watchers() == 1
    assert watchers() == 0


def test_a_command_ends_with_a_sentence_when_its_time_is_over(spark, tmp_path):
    endless(spark.session).createOrReplaceTempView("endless")
    (tmp_path / "study.yaml").write_text(STUDY.replace("TABLE", "endless"))
    done = shoal("tally", "study.yaml", "-o", "kept.tally", "--time-limit", "1", cwd=tmp_path)
    one_line(done, 2, "not done within 1 seconds, so it was stopped; allow more (--time-limit)")
    assert not (tmp_path / "kept.tally").exists()
    done = shoal("frontier", "study.yaml", "--time-limit", "0", cwd=tmp_path)
    one_line(done, 2, "--time-limit is 0.0; use more than 0")


COMMAND = """
import sys
from shoal.data.engines.spark import stages as spark_watch
spark_watch.QUIET = 0.5
from shoal.cli import main
main()
"""


def test_a_cluster_without_workers_is_told_of_and_can_be_left(spark, tmp_path):
    parquet.write_table(pa.table({"zip": ["1", "2"]}), tmp_path / "people.parquet")
    (tmp_path / "spark-defaults.conf").write_text(
        f"spark.driver.host 127.0.0.1\nspark.driver.extraJavaOptions {SHORT_LIVED}\n"
        f"spark.driver.extraClassPath {searched_first()}\nspark.ui.enabled false\n"
    )
    environment = {**os.environ, "SPARK_CONF_DIR": str(tmp_path), "SPARK_LOCAL_IP": "127.0.0.1"}
    asked = [sys.executable, "-c", COMMAND, "tally", "study.yaml", "-o", "kept.tally"]
    with cluster(spark, 0, tmp_path) as address:
        study = STUDY.replace("TABLE", str(tmp_path / "people.parquet"))
        (tmp_path / "study.yaml").write_text(study.replace("spark,", f'spark, url: "{address}",'))
        with subprocess.Popen(
            asked, env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True
        ) as command:
            try:
                first = command.stderr.readline()
                assert "no executor has registered; the cluster needs" in first
                command.send_signal(signal.SIGINT)
                assert command.stderr.read() == "shoal: stopped\n"
                assert command.wait(60) == 130
            finally:
                command.kill()
    assert not (tmp_path / "kept.tally").exists()
