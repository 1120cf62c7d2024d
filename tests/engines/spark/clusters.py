"""Clusters of Spark: master and workers live in the Java of the tests, executors in processes of theirs."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.engines.spark_home import SparkHome


@contextmanager
def cluster(spark: SparkHome, workers: int, folder: Path) -> Iterator[str]:
    """The address of a master with as many workers, of a core each, that leave their traces in a folder."""
    gateway = spark.session.sparkContext._gateway
    spark_of, nothing = gateway.jvm.org.apache.spark, gateway.jvm.scala.Option.empty()
    started = []
    try:
        master = spark_of.deploy.master.Master.startRpcEnvAndEndpoint(
            "127.0.0.1", 0, 0, spark_of.SparkConf()
        )
        started.append(master._1())
        address = f"spark://{started[0].address().hostPort()}"
        addresses = gateway.new_array(gateway.jvm.String, 1)
        addresses[0] = address
        for number in range(workers):
            worker = spark_of.deploy.worker.Worker.startRpcEnvAndEndpoint(
                *("127.0.0.1", 0, 0, 1, 600, addresses, str(folder / f"work{number}")),
                *(gateway.jvm.scala.Some(number), spark_of.SparkConf(), nothing),
            )
            started.append(worker)
        _wait(f"http://127.0.0.1:{master._2()}/json/", workers)
        yield address
    finally:
        for each in reversed(started):
            each.shutdown()
            each.awaitTermination()


def _wait(page: str, workers: int) -> None:
    """Wait until the master is at work and has its workers."""
    for _ in range(600):
        with urllib.request.urlopen(page, timeout=60) as answer:
            state = json.load(answer)
        if state["status"] == "ALIVE" and state["aliveworkers"] == workers:
            return
        time.sleep(0.1)
    raise AssertionError("the workers do not come")
