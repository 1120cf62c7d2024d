"""The homes of the engines that are on this machine, each made once a run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engines.homes import HOMES, AbsentError, Home

_made: dict[str, Home | str] = {}


def home_of(name: str) -> Home:
    """Return a home, or skip the test with the reason why there is none."""
    if name not in _made:
        try:
            _made[name] = HOMES[name]()
        except AbsentError as reason:
            _made[name] = str(reason)
    found = _made[name]
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture(scope="session", autouse=True)
def _homes() -> Iterator[None]:
    yield
    for home in _made.values():
        if not isinstance(home, str):
            home.close()
    _made.clear()


@pytest.fixture(scope="session", params=list(HOMES))
def home(request: pytest.FixtureRequest) -> Home:
    """Every engine in turn."""
    return home_of(request.param)


@pytest.fixture(scope="session", params=["duckdb", "postgres"])
def quick_home(request: pytest.FixtureRequest) -> Home:
    """The engines of which a release takes no seconds."""
    return home_of(request.param)


@pytest.fixture(scope="session")
def postgres() -> Home:
    """PostgreSQL alone."""
    return home_of("postgres")
