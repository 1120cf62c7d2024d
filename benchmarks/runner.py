"""Runs benchmarks by their names: each is a module with a function `run`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from benchmarks.table import Result, show, write
from benchmarks.timing import Bystanders

NAMES = (
    "poka_table3",
    "poka_figure6",
    "frontier_methods",
    "objectives",
    "kernels",
    "lattice",
    "persons",
    "start",
    "kills",
    "tally",
    "budget",
    "release",
    "spss",
    "scale",
    "large_lattice",
    "many_columns",
    "clocks",
    "negotiation",
    "algorithms",
    "peers",
    "lplus_questions",
    "lplus_limits",
    "cut_frontiers",
    "lplus_thresholds",
    "lplus_classification",
    "lplus_annealing",
    "lplus_techniques",
    "lplus_scale",
    "multidimensional",
    "any_means",
    "suda",
    "sdcmicro",
    "attacks",
    "persons_in_cuts",
    "person_shares",
    "proposals",
    "web",
    "web_slider",
    "web_fairness",
)
RESULTS = Path(__file__).parent / "results"


class SkipError(Exception):
    """Something that a benchmark needs is not here, and the others can do without it."""


@dataclass(frozen=True)
class Options:
    """How large a benchmark is: `quick` for a test that it runs at all, `rows` for tally's tables.

    Plots go to `results`, beside the JSON.
    """

    quick: bool = False
    rows: tuple[int, ...] = ()
    results: Path = RESULTS


def main(arguments: Sequence[str] | None = None) -> dict[str, str]:
    """Run benchmarks, and return why some were left out, by name."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: does it run?")
    parser.add_argument("--rows", type=int, nargs="+", default=[], help="the tables of tally")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the JSON goes")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.names if name not in NAMES]
    if unknown:
        parser.error(f"no benchmark {unknown[0]}; there are {', '.join(NAMES)}")
    left_out = {}
    for name in given.names or NAMES:
        benchmark = import_module(f"benchmarks.{name}")
        bystanders = Bystanders()
        try:
            result: Result = benchmark.run(Options(given.quick, tuple(given.rows), given.results))
        except SkipError as reason:
            print(f"{name} is left out: {reason}")
            left_out[name] = str(reason)
            continue
        others = bystanders.cores()
        show(result, others)
        write(result, name, given.results, others)
    return left_out


def alone(file: str) -> None:
    """Run the benchmark of one file, as `python -m benchmarks.NAME` does."""
    main([Path(file).stem, *sys.argv[1:]])
