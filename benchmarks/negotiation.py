"""Claim: a negotiation is answered in far less than a millisecond, its histograms built within a second.

The 28 requests of the negotiation paper (its Figures 4 and 5) for k and as many for l: over 3, 4, 5 and 6
attributes, of privacy, heights and suppression two are kept at their middle value and the third is varied.
Each is asked for the least loss and for the least height, in turns, and so are requests without any heights.
Then the index of each lattice on one core and on two, the index read back, the whole command with a saved
index, and a lattice of ten attributes that is too large for an index.
"""

from __future__ import annotations

import json
import sysconfig
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.data import Adult, adult
from benchmarks.large_lattice import MILLION
from benchmarks.made import made_study
from benchmarks.runner import Options, alone
from benchmarks.start import _call
from benchmarks.table import Result
from benchmarks.timing import processor, rounds, timed
from shoal import Negotiator, Study
from shoal.kernels import HistogramIndex
from shoal.questions.option_words import PREFERENCES
from shoal.search.lattice.value_sets import value_sets
from shoal.search.negotiation.bottom_classes import BottomClasses

ORDER = ("age", "workclass", "race", "native-country", "education", "marital-status")
SENSITIVE = "occupation"
PRIVACY = {"k": (3, 10, 50), "l": (3, 6, 9)}
HEIGHTS = {
    "low": (1, 1, 0, 0, 1, 0),
    "middle-low": (2, 1, 1, 1, 2, 1),
    "middle": (2, 2, 1, 1, 2, 2),
}
SUPPRESSED = (30, 301, 1508)
"""About 0.1%, 1% and 5% of the rows: the paper does not print its own."""
COLUMNS = ("what", "attributes", "nodes", "asked", "prefer", "heights", "suppressed at most", "answer",
           "lost", "visited", "best ms", "median ms", "p99 ms", "MB")  # fmt: skip


def run(options: Options) -> Result:
    data = adult()
    repeats = 2 if options.quick else 500 if options.full else 100
    rows: list[dict[str, Any]] = []
    every: dict[str, list[float]] = {prefer: [] for prefer in PREFERENCES}
    for count in (3,) if options.quick else (3, 4, 5, 6):
        with _study(data, count) as study:
            negotiator = study.negotiator()
            for asked in _requests(count, negotiator):
                for prefer, (row, seconds) in _answers(negotiator, asked, repeats).items():
                    rows.append(row)
                    every[prefer] += seconds
            rows += _index(study, negotiator, 1 if options.quick else 5)
    rows.append(_command(data, 3 if options.quick else 6, 1 if options.quick else 5))
    rows += _without_index(
        *((MILLION[:5], 300) if options.quick else (MILLION, 20_000)), 5 if options.full else 1
    )
    low, least = every["height"], every["loss"]
    notes = [
        *(
            f"all answers of the least {prefer} from an index: median {_ms(seconds, 0.5):.4f} ms, "
            f"p99 {_ms(seconds, 0.99):.4f} ms"
            for prefer, seconds in every.items()
        ),
        f"the least loss takes {median(least) / median(low):.2f} of the time of the least height (medians)",
        "the paper: 1 to 8 ms an answer; 19 minutes and 3 MB for the histograms of 3,600 nodes",
        "the paper prints neither its hierarchies nor its heights nor its suppression: visits differ in kind",
        data.source,
    ]
    return Result("Negotiation, the paper's requests", rows, notes)


def _hierarchies(data: Adult) -> dict[str, Any]:
    folder = data.table.parent / "negotiation-3600"
    return {
        name: folder / f"{name}.csv" if folder.is_dir() else data.hierarchies[name] for name in ORDER
    }


def _study(data: Adult, count: int) -> Study:
    given = _hierarchies(data)
    return Study(data.table, quasi={name: given[name] for name in ORDER[:count]}, sensitive=SENSITIVE)


def _requests(count: int, negotiator: Negotiator) -> Iterator[dict[str, Any]]:
    """Seven requests for k and seven for l: each constraint varied, the others at their middle."""
    tops = negotiator.shape.top
    for criterion, values in PRIVACY.items():
        seen = set()
        middle = (values[1], "middle-low", SUPPRESSED[1])
        varied = [(value, *middle[1:]) for value in values]
        varied += [(middle[0], heights, middle[2]) for heights in HEIGHTS]
        varied += [(*middle[:2], suppressed) for suppressed in SUPPRESSED]
        for value, heights, suppressed in varied:
            if (value, heights, suppressed) in seen:
                continue
            seen.add((value, heights, suppressed))
            levels = [min(level, top) for level, top in zip(HEIGHTS[heights], tops, strict=False)]
            yield {
                "name": heights,
                criterion: value,
                "heights": dict(zip(ORDER[:count], levels, strict=True)),
                "max_suppressed": suppressed,
            }
        for suppressed in (0, *SUPPRESSED):
            yield {"name": "any", criterion: values[1], "heights": None, "max_suppressed": suppressed}


def _answers(
    negotiator: Negotiator, asked: dict[str, Any], repeats: int
) -> dict[str, tuple[dict[str, Any], list[float]]]:
    """By preference: a row and its seconds; the two are asked in turns."""
    request = {name: value for name, value in asked.items() if name != "name"}
    ask = {prefer: partial(negotiator.ask, prefer=prefer, **request) for prefer in PREFERENCES}
    measured = rounds({prefer: timed(one) for prefer, one in ask.items()}, repeats)
    found = {}
    for prefer, seconds in measured.items():
        answer = ask[prefer]()
        row = _row(
            "answer",
            seconds,
            attributes=len(negotiator.shape.names),
            nodes=negotiator.shape.nodes,
            asked=", ".join(f"{name} = {asked[name]}" for name in ("k", "l") if name in asked),
            prefer=prefer,
            heights=asked["name"],
            answer="approximate" if answer.exact is None else "exact",
            lost=None if answer.exact is None else answer.exact.share,
            visited=answer.visited,
        )
        found[prefer] = (row | {"suppressed at most": asked["max_suppressed"]}, seconds)
    return found


def _index(study: Study, negotiator: Negotiator, repeats: int) -> list[dict[str, Any]]:
    """The index of a lattice: built by one thread and by two, and read back."""
    shape = negotiator.shape
    problem = study.problem(others=shape.sensitive)
    ground = BottomClasses(problem, value_sets(study.tally(*shape.sensitive), shape.sensitive))
    index = ground.index(1)
    row = None if ground.lm is None else ground.lm.row
    dumped = index.dump()
    measured = rounds(
        {
            "index, 1 thread": timed(partial(ground.index, 1)),
            "index, 2 threads": timed(partial(ground.index, 2)),
            "index read back": timed(
                partial(HistogramIndex.load, shape.bottom, shape.top, True, shape.rows, dumped, row)
            ),
        },
        repeats,
    )
    size = {"attributes": len(shape.names), "nodes": shape.nodes, "MB": len(dumped) / 1e6}
    return [_row(what, seconds) | size for what, seconds in measured.items()]


def _command(data: Adult, count: int, repeats: int) -> dict[str, Any]:
    """`shoal negotiate` from start to finish, with its index saved."""
    shoal = str(Path(sysconfig.get_path("scripts")) / "shoal")
    given = {name: _hierarchies(data)[name] for name in ORDER[:count]}
    attributes: dict[str, Any] = {
        name: {"role": "quasi", "hierarchy": str(how) if isinstance(how, Path) else how}
        for name, how in given.items()
    }
    attributes[SENSITIVE] = {"role": "sensitive"}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "study.yaml"
        file.write_text(
            json.dumps({"table": str(data.table), "attributes": attributes}), encoding="utf-8"
        )
        command = [shoal, "negotiate", str(file), "--k", "10", "--max-suppressed", "1%", "--json"]
        answer = json.loads(_call(command))  # and the index is there
        seconds = rounds({"command": timed(partial(_call, command))}, repeats)["command"]
    return _row(
        "shoal negotiate, index saved",
        seconds,
        attributes=count,
        asked="k = 10",
        answer="approximate" if answer["exact"] is None else "exact",
        visited=answer["visited"],
    )


def _without_index(heights: Sequence[int], count: int, repeats: int) -> list[dict[str, Any]]:
    """The first answers of new sessions over a lattice that is too large for an index."""
    rows = []
    with made_study(count, heights) as study:
        study.tally()
        for prefer in PREFERENCES:
            seconds = []
            for _ in range(repeats):
                start = processor()
                negotiator = study.negotiator(lazy=True)
                asked = {"k": 5, "heights": {"a0": 1, "a1": 1, "a2": 1}, "max_suppressed": "1%"}
                answer = negotiator.ask(prefer=prefer, **asked)
                seconds.append(processor() - start)
            rows.append(
                _row(
                    "first answer, no index",
                    seconds,
                    attributes=len(heights),
                    nodes=negotiator.shape.nodes,
                    asked="k = 5",
                    prefer=prefer,
                    heights="a0, a1, a2 at most 1",
                    answer="approximate" if answer.exact is None else "exact",
                    visited=answer.visited,
                )
            )
    return rows


def _row(what: str, seconds: Sequence[float], **more: Any) -> dict[str, Any]:
    """A row with all columns, the times in milliseconds."""
    times = {
        "best ms": 1000 * min(seconds),
        "median ms": 1000 * median(seconds),
        "p99 ms": _ms(seconds, 0.99),
    }
    return dict.fromkeys(COLUMNS) | {"what": what} | times | more


def _ms(seconds: Sequence[float], share: float) -> float:
    return 1000 * sorted(seconds)[min(int(share * len(seconds)), len(seconds) - 1)]


if __name__ == "__main__":
    alone(__file__)
