"""Time and memory, measured so that a noisy machine is fair to all contestants."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Self, TypeVar

from shoal.running import clock

Name = TypeVar("Name")
T = TypeVar("T")
ROOT = Path(__file__).parents[1]


def rounds(contestants: Mapping[Name, Callable[[], T]], repeats: int) -> dict[Name, list[T]]:
    """What each contestant returned in each round; they take turns, so noise hits all alike."""
    from benchmarks.figures.calibration import between  # processes of benchmarks need no loop

    found: dict[Name, list[T]] = {name: [] for name in contestants}
    for _ in range(repeats):
        between()
        for name, contestant in contestants.items():
            found[name].append(contestant())
    return found


def processor() -> float:
    """The processor seconds of this program so far: of all threads, and of children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@contextmanager
def by_processor(module: ModuleType) -> Iterator[None]:
    """Let Shoal's clocks count processor seconds meanwhile, which other programs hardly change.

    Where the wall's clock is what a module is about, it says so: `BY_THE_WALL`.
    """
    if not getattr(module, "BY_THE_WALL", False):
        clock.time = _Processor  # type: ignore[attr-defined]
    try:
        yield
    finally:
        clock.time = time  # type: ignore[attr-defined]


class _Processor:
    """The time as clocks see it by the processor."""

    perf_counter = process_time = staticmethod(time.process_time)


def timed(function: Callable[[], Any]) -> Callable[[], float]:
    """A function that runs the given one and returns its processor seconds."""

    def run() -> float:
        start = processor()
        function()
        return processor() - start

    return run


def apart(function: str, **arguments: Any) -> dict[str, Any]:
    """What `module:function` returns in a process of its own, with that process's peak memory."""
    return apart_with(sys.executable, None, None, function, **arguments)


def apart_with(
    python: str, limit: float | None, log: Path | None, function: str, /, **arguments: Any
) -> dict[str, Any]:
    """As `apart`, with another Python, so many seconds at most, and what it complains of in `log`."""
    command = [python, "-m", "benchmarks.timing", function, json.dumps(arguments)]
    with log.open("w", encoding="utf-8") if log else nullcontext() as errors:
        done = subprocess.run(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=errors,
            check=True,
            text=True,
            timeout=limit,
        )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


class Stopwatch:
    """Counts the seconds inside `with`: of the clock, and of the processors, those of children too."""

    def __enter__(self) -> Self:
        self._start = self._now()
        return self

    def __exit__(self, *_: object) -> None:
        self.cpu, self.wall = (end - start for end, start in zip(self._now(), self._start, strict=True))

    @staticmethod
    def _now() -> tuple[float, float]:
        return processor(), time.perf_counter()


class Bystanders:
    """Counts the cores that other programs keep busy from now on."""

    def __init__(self) -> None:
        self._start = self._seconds()

    def cores(self) -> float | None:
        """How many cores others used since then on average; None where the system does not say."""
        busy, own, now = (end - start for end, start in zip(self._seconds(), self._start, strict=True))
        return max(busy - own, 0.0) / now if busy else None

    @staticmethod
    def _seconds() -> tuple[float, float, float]:
        """The seconds that the machine was busy, that this program was, and the time."""
        own = sum(os.times()[:4])
        known = Path("/proc/stat")
        if not known.is_file():
            return 0.0, own, time.perf_counter()
        user, nice, system = known.read_text(encoding="utf-8").split()[1:4]
        busy = (int(user) + int(nice) + int(system)) / os.sysconf("SC_CLK_TCK")
        return busy, own, time.perf_counter()


def peak_mb() -> float:
    """The most memory that this process has held, in megabytes.

    Linux's VmHWM begins anew with the program, whereas ru_maxrss keeps what the parent held when it
    started this process.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1 << 20) if sys.platform == "darwin" else most / 1024


if __name__ == "__main__":
    module, name = sys.argv[1].split(":")
    called = import_module(module)
    with by_processor(called):
        answer = getattr(called, name)(**json.loads(sys.argv[2]))
    print(json.dumps({**answer, "peak MB": peak_mb()}))
