"""How long every algorithm takes on Adult (within seconds, they should), and what each reaches.

k = 5, no row and 1% of the rows suppressed, least LM asked for: the full-domain hierarchies of ARX (nine
attributes) and of the POkA paper, and the taxonomies of the l+ paper. Every answer is released in memory
and verified by `Study.compare`.
"""

from __future__ import annotations

from typing import Any

from benchmarks.data import ARX_ATTRIBUTES, adult, arx
from benchmarks.lplus import census
from benchmarks.plots import Bars, save
from benchmarks.runner import Options, alone
from benchmarks.table import Result
from shoal import Study
from shoal.answering.side_by_side import Entry

K = 5
LIMITS = ("0", "1%")
SECONDS = 60.0
"""The time limit of each algorithm: far above what they are to take."""


def run(options: Options) -> Result:
    rows: list[dict[str, Any]] = []
    for name, opened in _studies(options).items():
        with opened as study:
            for suppress in LIMITS[1:] if options.quick else LIMITS:
                found = study.compare(
                    k=K, suppress=suppress, time_limit=0.2 if options.quick else SECONDS
                )
                cells = found.rows * len(study.quasi)
                rows += [_row(name, suppress, entry, cells) for entry in found]
    notes = [
        "seconds: the search alone, after the tally; LM: its share of rows * attributes",
        f"each has {SECONDS:g} s; an algorithm that has no answer says why",
    ]
    notes += save(_panels(rows), "algorithms", options.results)
    return Result(f"Every algorithm on Adult, k = {K}", rows, notes)


def _studies(options: Options) -> dict[str, Study]:
    """The studies by the names of their hierarchies."""
    if options.quick:
        few = ARX_ATTRIBUTES[3:6]
        return {"arx-12960": arx(few).study(few)}
    studies = {"arx-12960": arx().study(ARX_ATTRIBUTES), "lattice-17920": adult().study()}
    return studies | ({"cuts-356440500": census().study()} if options.full else {})


def _row(name: str, suppress: str, entry: Entry, cells: int) -> dict[str, Any]:
    answer = entry.answer
    return {
        "hierarchies": name,
        "suppress": suppress,
        "algorithm": entry.name,
        "recodes": entry.algorithm.recodes,
        "seconds": answer and answer.seconds,
        "k": answer and answer.k,
        "suppressed": answer and answer.suppressed,
        "groups": answer and answer.groups,
        "LM": answer and answer.losses["LM"] / cells,
        "DM": answer and answer.losses["DM"],
        "optimal": answer and answer.optimal,
        "no answer": entry.failure,
    }


def _panels(rows: list[dict[str, Any]]) -> list[Bars]:
    panels = []
    for title in ("seconds", "LM"):
        for name in dict.fromkeys(row["hierarchies"] for row in rows):
            own = [row for row in rows if (row["hierarchies"], row["suppress"]) == (name, LIMITS[-1])]
            lengths = {row["algorithm"]: row[title] for row in own}
            panels.append(Bars(f"{name}, {LIMITS[-1]} suppressed", title, lengths, title == "seconds"))
    return panels


if __name__ == "__main__":
    alone(__file__)
