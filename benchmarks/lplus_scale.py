"""Claim: 2.4e11 cuts are proven in seconds; not rows cost time and memory, but distinct combinations.

The l+ paper's Fig. 9 (c) to (h): growing taxonomies, 1 to 7 attributes, and tables amplified by the
paper's variants (section VIII-C-4), most of them new combinations; beside these a million rows of Adult,
drawn again. l = 4, one thread, each table in a process of its own. And the most memory that each question
takes on the largest of these tables, in a process of its own, on one thread and on two.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet as pq

from benchmarks.lplus import CLASS, PAIRS, QUASI, SENSITIVE, Census, census, solve
from benchmarks.plots import Panel, save
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from benchmarks.timing import apart, peak_mb, processor
from shoal import Hierarchy, Study
from shoal.describe.hierarchies import read_hierarchy

QUESTIONS = (("DM", "NoSupp"), ("DM", "allRec"), ("DM", "vioRec"), ("LM", "allRec"))
ROWS = (50_000, 100_000, 250_000, 500_000, 1_000_000)
LIMIT = 60.0
MEMORY_LIMIT = 30.0
MEMORY_THREADS = (1, 2)
TAXONOMIES = ("coarse", "medium", "fine")
DROPPED = 2
"""The coarse taxonomy has no 20-year bands: the 152,685,000 cuts of the paper's."""


def run(options: Options) -> Result:
    data = census()
    limit = 0.1 if options.quick else LIMIT if options.full else 10.0
    rows: list[dict[str, Any]] = []

    def add(series: str, size: str, table: Path, quasi: Sequence[str], taxonomy: str = "medium") -> None:
        given = {"table": str(table), "quasi": list(quasi), "taxonomy": taxonomy, "limit": limit}
        answer = apart("benchmarks.lplus_scale:search", **given)
        shared = {name: answer[name] for name in ("rows", "space", "combinations", "tally s")}
        memory = {name: answer[name] for name in ("tally MB", "peak MB")}
        rows.extend({"series": series, "size": size, **shared, **a, **memory} for a in answer["answers"])

    quasi = QUASI[-4:] if options.quick else QUASI
    for taxonomy in () if options.quick else TAXONOMIES:
        names = ("age", *quasi[1:]) if taxonomy == "fine" else quasi
        add("taxonomies", taxonomy, data.table, names, taxonomy)
    for m in (2,) if options.quick else range(1, len(QUASI) + 1):
        add("attributes", str(m), data.table, quasi[:m])
    with TemporaryDirectory() as folder:
        file = Path(folder) / "rows.parquet"
        for count in options.rows or (
            (46_000,) if options.quick else ROWS if options.full else ROWS[1:2]
        ):
            pq.write_table(variants(data, quasi, count), file)
            add("variants", f"{count:,}", file, quasi)
        memory = (
            _memory(file, f"{count:,}", quasi, options.quick) if options.quick or options.full else []
        )
        if not options.quick:
            pq.write_table(drawn(data, quasi, ROWS[-1]), file)
            add("drawn again", f"{ROWS[-1]:,}", file, quasi)
    notes = [
        f"l = 4, one thread; what is not proven was cut off after {limit:g} s",
        f"tally and peak are of one process that asks all {len(QUESTIONS)} questions; "
        "tally MB: the peak before the first",
        "taxonomies: coarse is the paper's coarse one in size (no 20-year bands), medium its usual one, fine "
        "has single years of age as leaves (15 to 94)",
        "variants: each has 1 to all of its attributes replaced by values drawn evenly, so most are new "
        "combinations, which real tables hardly have; drawn again: rows of Adult, drawn with replacement",
        *memory,
        data.source,
    ]
    notes += save(_panels(rows), "lplus_scale", options.results)
    return Result("Growing taxonomies, attributes and tables", rows, notes)


def _memory(table: Path, size: str, quasi: Sequence[str], quick: bool) -> list[str]:
    """What each question takes alone, as notes: the peak of a process that does nothing else."""
    notes = []
    for threads in MEMORY_THREADS:
        peaks = {}
        for metric, scheme in PAIRS[:1] if quick else PAIRS:
            given = {"table": str(table), "quasi": list(quasi), "metric": metric, "scheme": scheme}
            limit = 0.1 if quick else MEMORY_LIMIT
            answer = apart("benchmarks.lplus_scale:ask", **given, threads=threads, limit=limit)
            peaks[f"{metric} {scheme}"] = answer["peak MB"]
        worst = max(peaks, key=lambda name: peaks[name])
        listed = ", ".join(f"{name} {peak:.0f}" for name, peak in peaks.items())
        notes.append(
            f"peak MB of {size} variants, {threads} thread(s), each question alone for up to {limit:g} s: "
            f"{peaks[worst]:.0f} at most ({worst}); {listed}"
        )
    return notes


def ask(
    table: str, quasi: list[str], metric: str, scheme: str, threads: int, limit: float
) -> dict[str, Any]:
    """Ask one question about one table, in this process."""
    from shoal.answering.best_cut import pose
    from shoal.questions.searches import OptimizeQuestion

    trees = hierarchies(census(), quasi, "medium")
    label = CLASS if metric == "CM" else None
    with Study(table, quasi=trees, sensitive=SENSITIVE, class_=label, threads=threads) as study:
        problem = pose(study.material(), OptimizeQuestion(l=4, scheme=scheme, metric=metric))
        outcome, _ = solve(problem, threads, limit)
    return {"proven": outcome.optimal, "cost": outcome.found[0].cost if outcome.found else None}


def search(table: str, quasi: list[str], taxonomy: str, limit: float) -> dict[str, Any]:
    """Take the tally of one table and ask all questions, in this process."""
    from shoal.answering.best_cut import pose
    from shoal.questions.searches import OptimizeQuestion

    trees = hierarchies(census(), quasi, taxonomy)
    with Study(table, quasi=trees, sensitive=SENSITIVE, threads=1) as study:
        start = processor()
        tally = study.tally(SENSITIVE)
        seconds = processor() - start
        tallied = peak_mb()
        answers = []
        for metric, scheme in QUESTIONS:
            outcome, _ = solve(
                pose(study.material(), OptimizeQuestion(l=4, scheme=scheme, metric=metric)), limit=limit
            )
            cost = outcome.found[0].cost if outcome.found else None
            answers.append(
                {
                    "metric": metric,
                    "scheme": scheme,
                    "cost": cost,
                    "proven": outcome.optimal,
                    "gap %": 100 * (1 - outcome.lower_bound / cost) if cost else None,
                    "examined": outcome.examined,
                    "percent of cuts": 100 * outcome.examined / outcome.space,
                    "search s": outcome.seconds,
                }
            )
    return {
        "rows": tally.rows,
        "space": outcome.space,
        "combinations": len(tally),
        "tally s": seconds,
        "tally MB": tallied,
        "answers": answers,
    }


def hierarchies(data: Census, quasi: Sequence[str], taxonomy: str) -> dict[str, Hierarchy]:
    """The taxonomies of the attributes, one of three sizes; the fine one has `age` for `age-band`."""
    found = {}
    for name in quasi:
        tree = read_hierarchy(data.taxonomies / f"{'age-band' if name == 'age' else name}.csv")
        rows = tree.rows()
        if name == "age":
            rows = [(str(year), *row) for row in rows for year in _years(str(row[0]))]
        elif name == "age-band" and taxonomy == "coarse":
            rows = [(*row[:DROPPED], *row[DROPPED + 1 :]) for row in rows]
        found[name] = Hierarchy.from_rows(rows)
    return found


def _years(band: str) -> range:
    low, high = map(int, band.split("-"))
    return range(low, high + 1)


def variants(data: Census, quasi: Sequence[str], count: int, seed: int = 1) -> pa.Table:
    """Adult and as many variants of its rows as make `count` rows: so many of each row, or one more.

    A variant has q of the quasi attributes replaced, q drawn evenly from 1 to all; the new values are
    drawn evenly from the leaves.
    """
    draw = np.random.default_rng(seed)
    original = _table(data, quasi)
    n, wanted = original.num_rows, max(count - original.num_rows, 0)
    origin = np.concatenate([np.tile(np.arange(n), wanted // n), draw.permutation(n)[: wanted % n]])
    # Of a random order of the attributes the first q are replaced.
    order = np.argsort(draw.random((wanted, len(quasi))), axis=1).argsort(axis=1)
    replaced = order < draw.integers(1, len(quasi), size=wanted, endpoint=True)[:, None]
    made = original.take(pa.array(origin))
    for a, name in enumerate(quasi):
        leaves = read_hierarchy(data.taxonomies / f"{name}.csv").leaves
        new = pa.array(leaves).take(pa.array(draw.integers(len(leaves), size=wanted)))
        column = pa.compute.if_else(pa.array(replaced[:, a]), new, made[name].combine_chunks())
        made = made.set_column(made.column_names.index(name), name, column)
    return pa.concat_tables([original, made]).slice(0, count)


def drawn(data: Census, quasi: Sequence[str], count: int, seed: int = 1) -> pa.Table:
    """Rows of Adult, drawn with replacement."""
    original = _table(data, quasi)
    return original.take(pa.array(np.random.default_rng(seed).integers(original.num_rows, size=count)))


def _table(data: Census, quasi: Sequence[str]) -> pa.Table:
    names = [*quasi, SENSITIVE, CLASS]
    text = pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), include_columns=names)
    return pa.csv.read_csv(data.table, convert_options=text)


def _panels(rows: list[dict[str, Any]]) -> list[Panel]:
    panels = []
    for column in ("search s", "percent of cuts"):
        for series, x in (("taxonomies", "space"), ("attributes", "size"), ("variants", "rows")):
            own = [row for row in rows if row["series"] == series]
            lines: dict[str, list[tuple[float, float]]] = {}
            for row in own:
                point = (float(row[x]), row[column])
                lines.setdefault(f"{row['metric']} {row['scheme']}", []).append(point)
            if lines:
                log = x != "size"
                panels.append(Panel(series, x if log else series, column, lines, log_x=log, log_y=True))
    return panels


if __name__ == "__main__":
    alone(__file__)
