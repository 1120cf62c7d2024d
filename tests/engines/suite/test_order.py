"""The order of released rows tells nothing: not of the table, and not which rows of two releases are one."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal import Study
from shoal.answers.recoding import Decision, NodeRecoding, Scheme
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import Promise, ShareLimits
from tests.engines.suite.tables import fetched

ROWS = 300
TREES = {"q": Hierarchy.from_rows([(f"{q:02}", f"{q // 5}x", "*") for q in range(20)])}
TABLE = pa.table(
    {
        "q": [f"{row * 7 % 20:02}" for row in range(ROWS)],
        "ill": [["flu", "flu", "cold", "gout", "mumps"][row % 5] for row in range(ROWS)],
        "visit": ["first"] * ROWS,
        "id": [str(row) for row in range(ROWS)],
    }
)
CHANGED = TABLE.set_column(2, "visit", [["first", "second"] * (ROWS // 2)])
"""The table a month later: every second row has changed in a column that is released as it is."""
WIDER = Hierarchy.from_rows([(f"{q:02}", f"{q // 5}x", f"{q // 10}y", "*") for q in range(20)])


ANATOMY = "anatomy"


def node(level):
    return Decision(NodeRecoding({"q": level}), Promise(5))


def unrelated(one, other):
    """Whether two orders of rows have no more in common than two that are drawn by chance.

    Of those, about one row stands at the same place in both, and about two neighbours are neighbours in
    both; their rank correlation times the root of n is a normal number.
    """
    common = set(one) & set(other)
    one, other = ([row for row in order if row in common] for order in (one, other))
    place = {row: at for at, row in enumerate(other)}
    places = np.array([place[row] for row in one])
    same = int((places == np.arange(len(places))).sum())
    neighbours = int((np.abs(np.diff(places)) == 1).sum())
    correlation = float(np.corrcoef(places, np.arange(len(places)))[0, 1])
    return same < 8 and neighbours < 10 and abs(correlation) * len(places) ** 0.5 < 4


def assert_unrelated(found):
    """All orders are unrelated to each other, and to the table's order."""
    named = {"the table": TABLE["id"].to_pylist(), **found}
    for (name, one), (other, two) in combinations(named.items(), 2):
        assert unrelated(one, two), (name, other)


def test_what_is_called_unrelated():
    rows = list(range(ROWS))
    drawn = np.random.default_rng(1).permutation(ROWS).tolist()
    halved = drawn[::2] + drawn[1::2]
    assert unrelated(rows, drawn)
    assert not unrelated(drawn, drawn)
    assert not unrelated(drawn, drawn[::-1])
    assert not unrelated(drawn, drawn[50:] + drawn[:50])
    assert not unrelated(drawn, [row for row in drawn if row % 4])
    assert not unrelated(drawn, halved)


def orders(source, releases, trees=TREES, insensitive=("visit", "id")):
    """The rows of releases of one table by what they are called, in their order.

    A release is a decision, or what is to be made by Anatomy, and its options.
    """
    found = {}
    with Study(source, quasi=trees, sensitive="ill", insensitive=insensitive) as study:
        for name, (decision, options) in releases.items():
            solution = study.anonymize("anatomy", l=2) if decision is ANATOMY else decision
            made = study.release(solution, **{"seed": 1} | options)
            found[name] = fetched(made.table())["id"].to_pylist()
    return found


def test_no_two_releases_pair_up_by_position(home):
    plain = {"as it is": (node(1), {})}
    others = {"another seed": (node(1), {"seed": 2}), "another node": (node(2), {})}
    found = orders(home.put(TABLE), {**plain, **others, "again": plain["as it is"]})
    assert found.pop("again") == found["as it is"]
    later = orders(home.put(CHANGED), {"a month later": plain["as it is"]})
    assert_unrelated(found | later)


def test_nor_where_quotas_draw_rows(home):
    promise = Promise(2, None, {"ill": ShareLimits(Fraction(3, 10))})
    quotas = Decision(NodeRecoding({"q": 1}), promise, Scheme.VIO_REC)
    found = orders(home.put(TABLE), {"as it is": (quotas, {}), "another seed": (quotas, {"seed": 2})})
    assert ROWS / 2 < len(found["as it is"]) < ROWS
    later = orders(home.put(CHANGED), {"a month later": (quotas, {})})
    assert_unrelated(found | later)


def test_nor_by_anatomy(home):
    found = orders(home.put(TABLE), {"as it is": (ANATOMY, {})})
    later = orders(home.put(CHANGED), {"a month later": (ANATOMY, {})})
    assert_unrelated(found | later)


def test_nor_with_other_labels_or_columns_or_for_a_spreadsheet():
    found = orders(
        TABLE, {"as it is": (node(2), {}), "made safe": (node(2), {"spreadsheet_safe": True})}
    )
    found |= orders(TABLE, {"other labels": (node(2), {})}, trees={"q": WIDER})
    found |= orders(TABLE, {"other columns": (node(2), {})}, insensitive="id")
    assert_unrelated(found)


def test_nor_in_new_tables(home):
    """A table has an order too: where its rows lie, and in which files."""
    with (
        Study(home.put(TABLE), quasi=TREES, sensitive="ill", insensitive=("visit", "id")) as study,
        study.release(node(1), seed=1).into("released", replace=True) as engine,
    ):
        place = engine.place
    assert_unrelated({"a new table": home.read(place)["id"].to_pylist()})


@pytest.mark.parametrize("kind", ["file", "frame"])
def test_nor_from_files_and_frames(tmp_path, kind):
    """DuckDB names their rows by number, so that the table and its order must matter."""
    tables = {
        "as it is": TABLE,
        "a month later": CHANGED,
        "turned round": TABLE.take(list(range(ROWS))[::-1]),
    }
    found = {}
    for what, table in tables.items():
        source = table
        if kind == "file":
            source = tmp_path / f"{what}.parquet"
            parquet.write_table(table, source)
        found |= orders(source, {what: (node(1), {})})
    found["turned back"] = [str(ROWS - 1 - int(row)) for row in found["turned round"]]
    assert_unrelated(found)
