"""Where the shared data lies, the command line in process, and the rule that nothing is skipped in CI."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests import commands
from tests.examples import examples

# Continuous integration draws the same examples every time; elsewhere each run draws new ones. Tests that
# need more of them say so.
settings.register_profile(
    "shoal",
    max_examples=examples(50),
    deadline=None,
    derandomize=not os.environ.keys().isdisjoint({"SHOAL_NO_SKIPS", "SHOAL_EXAMPLES"}),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("shoal")


def _shared(name: str, file: str) -> Path:
    """The folder of some shared data, known by a file in it."""
    given = os.environ.get("SHOAL_DATA")
    data = Path(given) if given else Path(__file__).parents[2] / "shared" / "data"
    if not (data / name / file).is_file():
        pytest.skip(f"no data at {data / name}; set SHOAL_DATA to the folder that holds it")
    return data / name


@pytest.fixture(scope="session")
def adult() -> Path:
    """The folder of the Adult data."""
    return _shared("adult", "adult.csv")


@pytest.fixture(scope="session")
def sdcmicro() -> Path:
    """The folder of survey tables, and of what sdcMicro says of them."""
    return _shared("sdcmicro", "tables/testdata.csv")


@pytest.fixture(scope="session")
def arx_projects() -> Path:
    """The folder of projects that ARX's desktop tool saved."""
    return _shared("arx-projects", "example.deid")


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """A test finds Ctrl-C as in a terminal and leaves it as it was, whatever runs in its process."""
    with commands.signals_kept():
        signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it does nothing
        yield


@pytest.fixture
def shoal():
    """Runs the command line in this process and returns its status, output and errors."""

    def run(*arguments):
        done = commands.shoal(*arguments)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    """Let the system write files when it likes: no test pulls the plug, and killed processes lose nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


def pytest_collection() -> None:
    """Keep the garbage collector from all that is loaded: it stays until the end and has no garbage."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Run tests that share something in one process, and the others where there is room."""
    from xdist.scheduler import LoadScopeScheduling

    class Sharing(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            if "spark" in nodeid.lower():
                return "spark"  # one Java for all of them
            file = nodeid.partition("::")[0]
            return file if _shares(config.rootpath / file) else nodeid

    return Sharing(config, log)


@cache
def _shares(file: Path) -> bool:
    """Whether the tests of a file share a fixture, such as a server, a browser or an answer on Adult."""
    return file.parent.name in {"browser", "web"} or 'scope="module"' in file.read_text()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Turn a skipped test into a failed one where nothing may be skipped."""
    report = yield
    if report.skipped and os.environ.get("SHOAL_NO_SKIPS"):
        report.outcome = "failed"
    return report
