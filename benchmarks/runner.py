"""Runs benchmarks by their names: each is a module with a function `run`."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.figures import store
from benchmarks.figures.calibration import Calibration, calibrated
from benchmarks.table import Result, show
from benchmarks.timing import Bystanders, Stopwatch, by_processor

SHARES = {
    "poka_table3": 10,
    "poka_figure6": 5,
    "frontier_methods": 30,
    "objectives": 12,
    "kernels": 3,
    "lattice": 3,
    "persons": 10,
    "start": 15,
    "kills": 50,
    "tally": 15,
    "budget": 20,
    "release": 22,
    "spss": 22,
    "scale": 55,
    "hundred_million": 290,
    "other_engines": 265,
    "large_lattice": 45,
    "many_columns": 150,
    "groups": 100,
    "group_files": 75,
    "wide_tables": 65,
    "clocks": 160,
    "closeness": 15,
    "negotiation": 12,
    "algorithms": 85,
    "peers": 1,
    "lplus_questions": 38,
    "lplus_limits": 15,
    "cut_frontiers": 35,
    "lplus_thresholds": 25,
    "lplus_classification": 20,
    "lplus_annealing": 45,
    "lplus_techniques": 25,
    "lplus_scale": 30,
    "multidimensional": 25,
    "any_means": 10,
    "suda": 10,
    "sdcmicro": 2,
    "cells": 30,
    "attacks": 55,
    "prediction": 185,
    "persons_in_cuts": 15,
    "person_shares": 20,
    "proposals": 5,
    "web": 40,
    "web_slider": 25,
    "web_fairness": 30,
}
"""The seconds that each may take on two quiet cores; all together they are a whole run."""
NAMES = tuple(SHARES)
WITHIN = 40.0
"""Minutes for a whole run: a benchmark whose share does not fit into what is left keeps its figures."""
PATIENCE = 4
"""A benchmark of a whole run is stopped after so many times its share, so that the others have theirs."""
INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells have it."""
RESULTS = Path(__file__).parent / "results"


class SkipError(Exception):
    """Something that a benchmark needs is not here, and the others can do without it."""


@dataclass(frozen=True)
class Options:
    """How large a benchmark is: `quick` for a test that it runs at all, `full` for what takes too long for
    every day, `rows` for tables of other sizes.

    Plots go to `results`.
    """

    quick: bool = False
    rows: tuple[int, ...] = ()
    results: Path = RESULTS
    full: bool = False


@dataclass
class Outcome:
    """What became of a run: why benchmarks were left out or failed, by name, and whether it was stopped."""

    ran: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False


def main(arguments: Sequence[str] | None = None) -> dict[str, str]:
    """Run benchmarks, and return why some were left out, by name.

    What was measured is kept and shown on the pages whatever happens to the others: the exit status is 1 if
    one has failed or a figure became worse, and 130 after Ctrl-C.
    """
    given = _parser().parse_args(arguments)
    unknown = [name for name in given.names if name not in NAMES]
    if unknown:
        _parser().error(f"no benchmark {unknown[0]}; there are {', '.join(NAMES)}")
    if given.pages:
        _write_pages(store.read(store.MEASURED))
        return {}
    # Programs that are started here shall find their modules compiled, whatever the shell says.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    options = Options(given.quick, tuple(given.rows), given.results, given.full)
    kept = given.results / store.MEASURED.name if given.quick or given.rows else store.MEASURED
    outcome = _run(given.names, options, kept)
    worse = False
    if outcome.ran and kept == store.MEASURED:
        _write_pages(store.read(kept))
        worse = _named_regressions()
    for name, why in outcome.failed.items():
        print(f"{name} has failed: {why}")
    if outcome.interrupted:
        sys.exit(INTERRUPTED)
    if worse or outcome.failed:
        sys.exit(1)
    return outcome.left_out


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: does it run?")
    parser.add_argument("--full", action="store_true", help="also the sizes that take long")
    parser.add_argument("--rows", type=int, nargs="+", default=[], help="tables of other sizes")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where plots go")
    parser.add_argument("--pages", action="store_true", help="run nothing, write the pages' figures")
    return parser


def _run(names: Sequence[str], options: Options, kept: Path) -> Outcome:
    """Run benchmarks, of all those whose figures are oldest first, and keep what each found.

    One that misses something or fails does not stop the others; Ctrl-C loses only the one that is running.
    """
    outcome = Outcome()
    known, begun = store.read(kept), time.monotonic()
    oldest = sorted(NAMES, key=lambda name: str(known.get(name, {}).get("date", "")))
    for name in names or oldest:
        left = None if names else 60 * WITHIN - (time.monotonic() - begun)
        try:
            with _fitting(name, left):
                found = _measured(name, options)
        except SkipError as reason:
            since = known.get(name, {}).get("date")
            older = f"; its figures are of {since}" if since else ""
            print(f"{name} is left out: {reason}{older}", flush=True)
            outcome.left_out[name] = str(reason)
            continue
        except KeyboardInterrupt:
            print(f"Stopped at {name}; what was measured before is kept.", flush=True)
            outcome.interrupted = True
            break
        except Exception as problem:  # whatever it is, the others can still be measured
            traceback.print_exc()
            outcome.failed[name] = f"{type(problem).__name__}: {problem}"
            continue
        document = store.read(kept)
        document[name + store.FULL if options.full else name] = found
        store.write(document, kept)
        outcome.ran.append(name)
    minutes = (time.monotonic() - begun) / 60
    told = f"{len(outcome.ran)} benchmarks ran in {minutes:.1f} minutes"
    print(f"{told}; {len(outcome.left_out)} left out, {len(outcome.failed)} failed", flush=True)
    return outcome


@contextmanager
def _fitting(name: str, left: float | None) -> Iterator[None]:
    """Let a benchmark of a whole run begin only if its share fits, and end when its time is over.

    Alone it may take as long as it likes: `left` is None then.
    """
    if left is None or not hasattr(signal, "setitimer"):
        yield
        return
    if left < SHARES[name]:
        raise SkipError(
            f"{max(left, 0):.0f} s are left of {WITHIN:g} minutes, and its share is {SHARES[name]} s"
        )
    most = min(left, PATIENCE * SHARES[name])

    def over(*_: object) -> None:
        raise SkipError(f"it was not done after {most:.0f} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _measured(name: str, options: Options) -> dict[str, Any]:
    """Run one benchmark, show its table, and return what is kept of it."""
    benchmark = import_module(f"benchmarks.{name}")
    with nullcontext(Calibration()) if options.quick else calibrated() as loop:
        bystanders = Bystanders()
        with Stopwatch() as watch, by_processor(benchmark):
            result: Result = benchmark.run(options)
        others = bystanders.cores()
    cpu, wall = watch.cpu - loop.cpu, watch.wall - loop.wall
    show(result, others)
    share = "" if options.full else f"; its share is {SHARES[name]} s"
    print(f"{name}: {wall:.0f} s by the clock, {cpu:.0f} s of the processor{share}", flush=True)
    return store.entry(
        result, cpu=cpu, wall=wall, others=others, calibration=loop.seconds or (None, None)
    )


def _write_pages(document: store.Document) -> None:
    """Write what pages show of the figures."""
    from benchmarks.figures.pages import write_pages
    from benchmarks.figures.pictures import draw
    from benchmarks.figures.query import Measured

    for missing in [*write_pages(Measured(document)), *draw(Measured(document))]:
        print(f"not written: {missing}")


def _named_regressions() -> bool:
    """Name the figures that became worse since the last commit, and return whether there are any.

    Then name the benchmarks whose times cannot be told so finely.
    """
    from benchmarks.figures.regressions import WORSE, regressions, unsteady

    before, now = store.committed(), store.read(store.MEASURED)
    worse, moved = regressions(before, now), unsteady(before, now)
    if worse:
        print(f"Worse by {WORSE:.0%} or more than in the last committed run:")
    for one in worse:
        print(f"  {one}")
    if moved:
        print(
            f"The loop itself moved by {WORSE:.0%} or more, which can hide or feign as much in the times of:"
        )
    for name, told in moved.items():
        print(f"  {name}: {told}")
    return bool(worse)


def alone(file: str) -> None:
    """Run the benchmark of one file, as `python -m benchmarks.NAME` does."""
    main([Path(file).stem, *sys.argv[1:]])
