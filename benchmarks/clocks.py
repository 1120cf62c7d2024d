"""Claim: every search ends within its time limit, plus a tenth and a second, on 24 and on 40 columns.

Every search on a made-up table of 30,000 rows that is too hard for all of them; some also where these are of
12,000 persons. With `--full`, also by their other options and under every promise, and some while four other
programs want the processors. The limit is about the search after the tally; what is measured is the whole
call, with the figures of its answer.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from benchmarks.made import many_columns
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import apart
from shoal import ShoalError

BY_THE_WALL = True
LIMIT, SHORT = 5.0, 1.0
K = 5
NODES = ("mingen", "datafly", "mu-argus", "samarati", "incognito", "flash", "genetic")
OTHERS = ("k-optimize", "top-down", "bottom-up", "annealing", "mondrian", "local-recoding")
CELLS: tuple[dict[str, Any], ...] = ({}, {"missing": "wildcard"}, {"combination_size": 2})
PERSONS = 12_000
OF_PERSONS = (
    *(f"anonymize {name}" for name in ("flash", "k-optimize", "mondrian", "local-recoding")),
    *("frontier exact", "frontier cuts", "frontier of l,loss", "frontier of l,loss, cuts"),
    *("optimize by DM", "negotiate k and l"),
)
"""These are asked about persons with several rows too."""
OPTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("local-recoding", {"start": "rounds"}),
    ("local-recoding", {"effort": 5}),
    ("local-recoding", {"consistent": "a0,a23"}),
    ("mondrian", {"regions": "relaxed"}),
    ("mondrian", {"labels": "hierarchy"}),
    ("mondrian", {"split": "median"}),
    ("mondrian", {"consistent": "a0,a23"}),
    ("local-suppression", {"proof": 2}),
    ("genetic", {"generations": 100_000}),
)
PROMISES: tuple[dict[str, Any], ...] = (
    {"theta": 0.4},
    {"entropy_l": 2},
    {"recursive_l": "3,2"},
    {"t": 0.4},
    {"beta": 4},
    {"delta_disclosure": 3},
    {"average_risk": 0.02},
)
UNDER_PROMISES = ("flash", "local-recoding", "mondrian")
BUSY = 4
WHILE_BUSY = (
    "anonymize local-recoding, k, l, t",
    "anonymize mondrian, k, l, t",
    "frontier exact, persons",
)
"""These are asked once more while so many other programs want the processors."""
SCHEMES = ("NoSupp", "allRec", "vioRec", "allSA", "vioSA")

Case = tuple[str, str, dict[str, Any]]


def cases(full: bool = False) -> list[Case]:
    """Every search: what it is called, the question, and its parts; `full` adds options and promises."""
    found: list[Case] = [
        *((f"anonymize {name}", "anonymize", {"algorithm": name, "k": K}) for name in (*NODES, *OTHERS)),
        ("anonymize anatomy", "anonymize", {"algorithm": "anatomy", "l": 2}),
        *((f"frontier {one}", "frontier", {"method": one}) for one in ("exact", "poka", "exhaustive")),
        *((f"frontier {one}", "frontier", {"recoding": one}) for one in ("cuts", "groups", "all")),
        *((f"frontier by {one}", "frontier", {"metric": one}) for one in ("DM", "CM", "NUE")),
        ("frontier, fill", "frontier", {"fill": True}),
        *((f"optimize {one}", "optimize", {"l": 2, "scheme": one}) for one in SCHEMES),
        *(
            (f"optimize by {one}", "optimize", {"k": K, "metric": one})
            for one in ("DM", "CM", "Entropy")
        ),
        *((f"negotiate for {one}", "negotiate", {"k": K, "prefer": one}) for one in ("loss", "height")),
        ("negotiate k and l", "negotiate", {"k": K, "l": 2}),
    ]
    for given in CELLS:
        told = ", ".join(["local-suppression", *(str(one) for part in given.items() for one in part)])
        more = {"algorithm": "local-suppression", "k": K, "options": given}
        found.append((f"anonymize {told}", "anonymize", more))
    for name in ("local-recoding", "mondrian", "k-optimize", "flash"):
        more = {"algorithm": name, "k": K, "robust": 0.05}
        found.append((f"anonymize {name}, robust", "anonymize", more))
    found.append(("optimize, robust", "optimize", {"k": K, "robust": 0.05}))
    for metric in ("DM", "CM"):
        for recoding in ("cuts", "groups", "all"):
            more = {"recoding": recoding, "metric": metric}
            found.append((f"frontier {recoding} by {metric}", "frontier", more))
        more = {"algorithm": "local-recoding", "k": K, "metric": metric}
        found.append((f"anonymize local-recoding by {metric}", "anonymize", more))
    for objectives in ("suppressed,loss", "l,loss", "t,loss", "k,suppressed,loss", "k,l,loss"):
        more: dict[str, Any] = {"objectives": objectives} | ({} if "k," in objectives else {"k": K})
        found.append((f"frontier of {objectives}", "frontier", more))
    for objectives in ("l,loss", "theta,loss"):
        more = {"objectives": objectives, "recoding": "cuts", "k": K}
        found.append((f"frontier of {objectives}, cuts", "frontier", more))
    for name in ("flash", "top-down", "local-recoding", "mondrian"):
        more = {"algorithm": name, "k": K, "l": 2, "t": 0.5}
        found.append((f"anonymize {name}, k, l, t", "anonymize", more))
    for name, question, parts in list(found):
        if name in OF_PERSONS:
            found.append((f"{name}, persons", question, {**parts, "persons": PERSONS}))
    return [*found, *_more(found)] if full else found


def _more(known: list[Case]) -> Iterator[Case]:
    """The other options of searches, every promise, and some of the known ones on a busy machine."""
    for name, options in OPTIONS:
        told = ", ".join(f"{option} {value}" for option, value in options.items())
        yield f"anonymize {name}, {told}", "anonymize", {"algorithm": name, "k": K, "options": options}
    for promise in PROMISES:
        for name in UNDER_PROMISES if "theta" not in promise else (*UNDER_PROMISES, "k-optimize"):
            yield (
                f"anonymize {name}, {next(iter(promise))}",
                "anonymize",
                {"algorithm": name, "k": K, **promise},
            )
    yield (
        "anonymize local-recoding by NUE",
        "anonymize",
        {"algorithm": "local-recoding", "k": K, "metric": "NUE"},
    )
    target = {"algorithm": "local-recoding", "k": K, "metric": "target:outcome"}
    yield "anonymize local-recoding by a target", "anonymize", target
    yield "optimize, theta", "optimize", {"theta": 0.4}
    yield "optimize, top", "optimize", {"k": K, "top": 10}
    yield "optimize, gap", "optimize", {"k": K, "gap": 0.01}
    for name, question, parts in known:
        if name in WHILE_BUSY:
            yield f"{name}, busy", question, {**parts, "busy": BUSY}


def run(options: Options) -> Result:
    columns, limit, rows = ((10,), 0.05, 100) if options.quick else ((24, 40), LIMIT, 30_000)
    if not options.full:
        columns, limit = columns[:1], min(limit, SHORT)
    wanted = cases()[:2] if options.quick else cases(options.full)
    lines = []
    for many in columns:
        for name, question, parts in wanted:
            found = apart(
                "benchmarks.clocks:call",
                columns=many,
                rows=rows,
                question=question,
                parts=parts,
                limit=limit,
            )
            lines.append({"columns": many, "search": name, **found})
    late = [line for line in lines if line["late"]]
    notes = [
        f"limit {limit:g} s; late: more than a tenth and a second over it: {len(late)} of {len(lines)}",
        f"{rows:,} made-up rows; seconds of the whole call after the tally",
    ]
    return Result("Overruns of time limits", lines, notes)


def call(columns: int, rows: int, question: str, parts: dict[str, Any], limit: float) -> dict[str, Any]:
    """Ask one question under a limit, in this process."""
    persons, busy = parts.pop("persons", None), parts.pop("busy", 0)
    with ExitStack() as stack:
        study = stack.enter_context(many_columns(columns, rows, beside=True, persons=persons))
        study.tally("illness", "outcome")
        study.problem()
        if question in ("frontier", "anonymize") and parts.get("metric") != "CM":
            parts = {"suppress": "10%", **parts} if "t" not in _objectives(parts) else parts
        with suppress(ShoalError):  # so that all that it asks about the table is counted
            getattr(study, question)(time_limit=1e-3, **parts)
        stack.enter_context(_others(busy))
        begun = time.perf_counter()
        try:
            answer = getattr(study, question)(time_limit=limit, **parts)
            share = _share(answer)
        except ShoalError as error:
            share = None
            print(error, file=sys.stderr)
        seconds = time.perf_counter() - begun
    over = seconds - limit
    return {
        "seconds": seconds,
        "over s": max(over, 0.0),
        "late": over > limit / 10 + 1,
        "lost": share,
    }


@contextmanager
def _others(count: int) -> Iterator[None]:
    """Keep so many other programs busy meanwhile; each ends by itself within a minute or two."""
    running = [
        subprocess.Popen([sys.executable, "-c", "for _ in range(10**9): pass"]) for _ in range(count)
    ]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


def _objectives(parts: dict[str, Any]) -> list[str]:
    return str(parts.get("objectives", "k,loss")).split(",")


def _share(answer: Any) -> float | None:
    """The share of detail that an answer loses, of a frontier the least for k."""
    document = answer.to_dict()
    if "curves" in document:
        points = [point for curve in document["curves"].values() for point in curve]
        return min((one["share"] for one in points if one["k"] >= K), default=None)
    if "points" in document:
        return min((one["share"] for one in document["points"] if one.get("k", K) >= K), default=None)
    return (document.get("exact") or document).get("share")


if __name__ == "__main__":
    alone(__file__)
