"""Small studies and their releases, for the tests of utility."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

import shoal
from shoal.assess.utility.two_tables import TwoTables, open_two_tables

AGES = [str(20 + i % 8) for i in range(64)]
SEXES = ["f" if i % 3 else "m" for i in range(64)]
PAY = ["high" if i % 8 > 4 else "low" for i in range(64)]
HOURS = [str(30 + (i * 7) % 11) for i in range(64)]
PEOPLE = pa.table({"age": AGES, "sex": SEXES, "pay": PAY, "hours": HOURS})
SPANS = shoal.Hierarchy.from_rows(
    [(str(age), f"{age - age % 4}-{age - age % 4 + 3}", "*") for age in range(20, 28)]
)
BOTH = shoal.Hierarchy.from_rows([("f", "*"), ("m", "*")])


def people(table: pa.Table = PEOPLE, **more: object) -> shoal.Study:
    """Return a study of some people, whose pay is to be predicted."""
    names = {"class_": "pay", "insensitive": ["hours"]} | more
    return shoal.Study(table, quasi={"age": SPANS, "sex": BOTH}, **names)


def released(study: shoal.Study, node: dict[str, int], out: Path, k: int = 1) -> Path:
    """Write the release of a node, and return its file."""
    study.release({"node": node, "k": k, "suppression_limit": 64}, seed=1).write(out)
    return out


def both(study: shoal.Study, node: dict[str, int], out: Path, k: int = 1) -> TwoTables:
    """Return the original and the released rows of a node."""
    return open_two_tables(study.material(), released(study, node, out, k))
