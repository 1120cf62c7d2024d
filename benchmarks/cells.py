"""Claim: fewer cells are blanked than sdcMicro blanks, by its reading and by the strict one, with a bound.

sdcMicro's survey of 4,580 persons with seven keys. Its kAnon reads a blanked cell as like any value; what it
released is in the shared data, and is counted here by both readings (`sdcmicro/README.md`: version 5.8.1, one
thread, seconds of the processor on another machine, so times compare in kind only). Ours are by the
strict reading (a blank is a value of its own), by sdcMicro's, for all combinations of three columns, and for
three sets of four and five columns; and with l = 2 of the civil state, which sdcMicro's has not. Our seconds
are those of the processor, from the counted table to the answer with its bound.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow.csv import ConvertOptions, read_csv

from benchmarks.data import shared_folder
from benchmarks.runner import Options, SkipError
from benchmarks.sdcmicro import K7, survey_table
from benchmarks.table import Result
from shoal import Study
from shoal.data.opening import opened
from shoal.describe.hierarchies import Hierarchy
from shoal.verification.matching import alike

ASKED: dict[str, dict[str, Any]] = {
    "strict, without a proof": {"proof": 0},
    "strict": {},
    "strict, effort 10, proof 60 s": {"effort": 10, "proof": 60},
    "wildcard": {"missing": "wildcard"},
    "any three columns, strict": {"combination_size": 3},
    "any three columns, wildcard": {"combination_size": 3, "missing": "wildcard"},
    "three sets of columns, strict": {
        "combinations": "urbrur,roof,walls,electcon;walls,water,relat,sex;urbrur,roof,electcon,relat,sex"
    },
    "l = 2, strict": {},
    "l = 2, wildcard": {"missing": "wildcard"},
}


def run(options: Options) -> Result:
    survey = shared_folder().parent / "sdcmicro"
    if not survey.is_dir():
        raise SkipError(f"no figures of sdcMicro at {survey}")
    told = json.loads((survey / "figures" / "testdata_kAnon.json").read_text(encoding="utf-8"))
    rows = [_released(survey, told["kAnon_k3"])]
    rows += _ours(survey_table(survey), 3, {"strict": {}} if options.quick else ASKED)
    return Result("Blanked cells, beside sdcMicro (k = 3)", rows)


def _released(survey: Path, told: dict[str, Any]) -> dict[str, Any]:
    """Return what sdcMicro released, counted by both readings."""
    text = ConvertOptions(column_types=dict.fromkeys(K7, pa.string()), null_values=["NA", ""])
    text.strings_can_be_null = True
    with opened(read_csv(survey / "figures" / "testdata_kAnon3.csv", convert_options=text)) as engine:
        cells = engine.cells(list(K7))
    like = alike(cells, cells.counts)
    few = cells.counts < 3
    return {
        "who": "sdcMicro, kAnon",
        "cells": told["total"],
        "at least": None,
        "rows below 3, strict": int(cells.counts[few].sum()),
        "rows below 3, wildcard": int(cells.counts[np.rint(like) < 3].sum()),
        "seconds": told["cpu"]["cpu_median_s"],
    }


def _ours(table: pa.Table, k: int, asked: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    quasi = {
        name: Hierarchy.from_rows([(value, "*") for value in sorted(set(table[name].to_pylist()))])
        for name in K7
    }
    columns = table.select([*K7, "hhcivil"])
    with Study(columns, quasi=quasi, sensitive=["hhcivil"], threads=1) as study:
        study.anonymize("local-suppression", k=k)  # the table is counted once, and scipy is loaded
        for name, given in asked.items():
            begun = time.process_time()
            values = 2 if name.startswith("l = 2") else None
            found = study.anonymize("local-suppression", k=k, l=values, options=given)
            spent = time.process_time() - begun
            released = study.release(found, seed=1).table()
            wild = pa.table(
                {
                    n: pa.array([None if v == "*" else v for v in released[n].to_pylist()], pa.string())
                    for n in K7
                }
            )
            with opened(wild) as engine:
                cells = engine.cells(list(K7))
            details = found.details
            yield {
                "who": name,
                "cells": details["blanked_cells"],
                "at least": details.get("lower_bound", details.get("bound_by_need")),
                "rows below 3, strict": int(cells.counts[cells.counts < k].sum()),
                "rows below 3, wildcard": int(
                    cells.counts[np.rint(alike(cells, cells.counts)) < k].sum()
                ),
                "seconds": round(spent, 2),
            }
