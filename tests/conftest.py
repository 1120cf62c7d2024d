"""Where the shared data lies, and the rule that continuous integration skips nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("shoal", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shoal")


@pytest.fixture(scope="session")
def adult() -> Path:
    """The folder of the Adult data."""
    given = os.environ.get("SHOAL_DATA")
    data = Path(given) if given else Path(__file__).parents[2] / "shared" / "data"
    if not (data / "adult" / "adult.csv").is_file():
        pytest.skip(f"no Adult data at {data / 'adult'}; set SHOAL_DATA to the folder that holds it")
    return data / "adult"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Turn a skipped test into a failed one where nothing may be skipped."""
    report = yield
    if report.skipped and os.environ.get("SHOAL_NO_SKIPS"):
        report.outcome = "failed"
    return report
