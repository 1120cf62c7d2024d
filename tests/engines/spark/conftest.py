"""One Spark for all tests here, which therefore run in one process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engines.spark_home import SparkHome, home


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkHome]:
    """Spark in this process, and a server of Spark Connect in it."""
    made = home()
    yield made
    made.close()
