"""One Spark for all tests here, which therefore run in one process."""

from __future__ import annotations

import pytest

from tests.engines.spark_home import SparkHome, home


@pytest.fixture(scope="session")
def spark() -> SparkHome:
    """Spark in this process, and a server of Spark Connect in it."""
    return home()
