"""Claim: the risk of survey samples is sdcMicro's where that is exact, and a number where that is none.

Both sides' figures on sdcMicro's survey of 4,580 persons: frequencies, individual, global and household
risk, with weights that are all alike, that differ, and with missing values. sdcMicro approximates the risk of
classes of three rows and more; its formula is applied to our frequencies, and our exact sum stands beside it.
sdcMicro's figures and times come with the shared data (`sdcmicro/README.md`: version 5.8.1, one thread,
seconds of the processor), and the times are another machine's, so they compare in kind only.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow.csv import ConvertOptions, read_csv

from benchmarks.data import shared_folder
from benchmarks.runner import Options, SkipError, alone
from benchmarks.table import Result
from benchmarks.timing import Stopwatch, rounds
from shoal.assess.risk import stand_for
from shoal.assess.risk.households import household_risk
from shoal.criteria.individual_risk import individual_risk
from shoal.data.engine import Cells
from shoal.data.opening import opened
from shoal.data.tally.tally import Tally, tally_of
from shoal.describe.units import Units
from shoal.verification.matching import alike

K7 = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
K5 = ("urbrur", "roof", "walls", "water", "sex")


def run(options: Options) -> Result:
    survey = shared_folder().parent / "sdcmicro"
    if not survey.is_dir():
        raise SkipError(f"no figures of sdcMicro at {survey}")
    told = json.loads((survey / "figures" / "testdata_risk.json").read_text(encoding="utf-8"))
    repeats = 1 if options.quick else 7
    rows = [
        *_with_equal_weights(survey, "k7", K7, told["k7"], repeats),
        *_with_equal_weights(survey, "k5", K5, told["k5"], repeats),
        *_row_by_row(
            survey, "weights that differ", "testdata_k7_hhweights_risk.csv", "household_weights"
        ),
        *_row_by_row(survey, "missing values", "testdata_missing_risk.csv", "sampling_weight"),
    ]
    notes = ["seconds: of the processor, best of each; Shoal counts the rows in DuckDB, from memory"]
    return Result("The risk of a survey, beside sdcMicro", rows, notes)


def survey_table(survey: Path, missing: bool = False) -> pa.Table:
    """The survey as text, with holes where `missing` says so: as sdcMicro's figures have them."""
    path = survey / "tables" / "testdata.csv"
    with path.open(encoding="utf-8") as file:
        names = next(csv.reader(file))
    text = ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    table = read_csv(path, convert_options=text)
    for name, every in (("water", 10), ("relat", 15)) if missing else ():
        kept = [None if i % every == 0 else one for i, one in enumerate(table[name].to_pylist(), 1)]
        table = table.set_column(table.column_names.index(name), name, pa.array(kept, pa.string()))
    return table


def approximate(rows: Any, persons: Any) -> Any:
    """sdcMicro's risk: exact for one row and two, an approximation for more."""
    part = rows / persons
    return np.where(rows <= 2, individual_risk(rows, persons), part / (rows - (1 - part)))


def _tally(table: pa.Table, keys: tuple[str, ...], *others: str) -> Tally:
    with opened(table) as engine:
        return tally_of(engine.cells([*keys, *others]), len(keys))


def _with_equal_weights(
    survey: Path, name: str, keys: tuple[str, ...], told: dict[str, Any], repeats: int
) -> Iterator[dict[str, Any]]:
    table, weight = survey_table(survey), Units(sample_weight="sampling_weight")

    def frequencies() -> dict[str, Any]:
        with Stopwatch() as watch:
            tally = _tally(table, keys, "sampling_weight")
            persons = stand_for(weight, tally)
        return {"s": watch.cpu, "tally": tally, "persons": persons}

    def households() -> dict[str, Any]:
        with Stopwatch() as watch:
            tally = _tally(table, keys, "sampling_weight", "ori_hid")
            persons = stand_for(weight, tally)
            found = household_risk(tally, "ori_hid", approximate(tally.counts, persons))
        return {"s": watch.cpu, "found": found}

    timed = rounds({"f": partial(frequencies), "h": partial(households)}, repeats)
    counted = min(timed["f"], key=lambda one: one["s"])
    counts, persons = counted["tally"].counts, counted["persons"]
    homes = min(timed["h"], key=lambda one: one["s"])
    risks, exact = approximate(counts, persons), individual_risk(counts, persons)
    freq, weighted = told["freqCalc"], told["measure_risk_weighted"]
    cpu = told["cpu"]
    of_freq = cpu["freqCalc_w"]["cpu_min_s"], counted["s"]
    of_homes = cpu["measure_risk_w_hid"]["cpu_min_s"], homes["s"]
    yield _row(name, "unique rows", freq["n1"], int((counts == 1).sum()), *of_freq)
    yield _row(name, "rows in pairs", freq["n2"], int(counts[counts == 2].sum()))
    yield _row(name, "sum of F over rows", freq["sum_Fk"], float((counts * persons).sum()))
    yield _row(name, "highest risk", told["indivRisk"]["max"], float(risks.max()))
    yield _row(name, "expected, approximate", weighted["global_risk_ER"], float((counts * risks).sum()))
    yield _row(name, "expected, exact", told["indivRisk_exact"]["sum"], float((counts * exact).sum()))
    found = homes["found"].sample
    yield _row(name, "expected with households", weighted["hier_risk_ER"], found.persons, *of_homes)


def _row_by_row(survey: Path, name: str, file: str, weight: str) -> Iterator[dict[str, Any]]:
    """Compare every row: how many of f, of F and of the risks are alike."""
    missing = "missing" in file
    table = survey_table(survey, missing)
    tally = _tally(table, K7, weight)
    cells = Cells(tally.attributes, tally.domains, tally.codes, tally.counts)
    rows, persons = tally.counts, stand_for(Units(sample_weight=weight), tally)
    if missing:
        rows, persons = np.rint(alike(cells, rows)).astype(np.int64), alike(cells, persons)
    place = {combination: i for i, combination in enumerate(tally.combinations())}
    columns = [table[key].to_pylist() for key in K7]
    at = np.array([place[values] for values in zip(*columns, strict=True)])
    with (survey / "figures" / file).open(encoding="utf-8", newline="") as lines:
        figures = list(csv.DictReader(lines))
    risks = approximate(rows, persons)
    for what, column, ours in (("f", "fk", rows), ("F", "Fk", persons), ("risk", "risk", risks)):
        theirs = np.array([float(one[column]) for one in figures])
        same = int(np.isclose(ours[at], theirs, rtol=1e-9, atol=0).sum())
        yield _row(name, f"rows with the same {what}", len(figures), same)


def _row(
    keys: str,
    figure: str,
    theirs: Any,
    ours: Any,
    their_s: float | None = None,
    our_s: float | None = None,
) -> dict[str, Any]:
    return {
        "table": keys,
        "figure": figure,
        "sdcMicro": theirs,
        "Shoal": ours,
        "sdcMicro s": their_s,
        "Shoal s": our_s,
        # Where sdcMicro has no number there is nothing to compare.
        "same result": theirs is None or bool(np.isclose(ours, theirs, rtol=1e-9)),
    }


if __name__ == "__main__":
    alone(__file__)
