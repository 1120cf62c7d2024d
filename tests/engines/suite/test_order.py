"""The order of released rows tells nothing: not of the table, and not which rows of two releases are one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal import Study
from shoal.hierarchy import Hierarchy
from shoal.promise import Promise, ShareLimits
from shoal.recoding import Decision, NodeRecoding, Scheme
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


def assert_unrelated(orders):
    """All orders are unrelated to each other, to the table's order and to its reverse."""
    orders = {"the table": TABLE["id"].to_pylist(), **orders}
    for i, (name, one) in enumerate(orders.items()):
        for other in list(orders)[i + 1 :]:
            assert unrelated(one, orders[other]), (name, other)


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


def order(source, decision, *, seed=1, trees=TREES, insensitive=("visit", "id"), **options):
    """The rows of a release by what they are called, in their order."""
    with Study(source, quasi=trees, sensitive="ill", insensitive=insensitive) as study:
        if decision == "anatomy":
            decision = study.anonymize("anatomy", l=2)
        made = study.release(decision, seed=seed, **options)
        return fetched(made.table())["id"].to_pylist()


def test_no_two_releases_pair_up_by_position(home):
    here, later = home.put(TABLE, "people"), home.put(CHANGED, "later")
    plain = order(here, node(1))
    assert order(here, node(1)) == plain
    assert_unrelated(
        {
            "as it is": plain,
            "another seed": order(here, node(1), seed=2),
            "another node": order(here, node(2)),
            "other labels": order(here, node(2), trees={"q": WIDER}),
            "other columns": order(here, node(1), insensitive="id"),
            "made safe": order(here, node(1), spreadsheet_safe=True),
            "a month later": order(later, node(1)),
        }
    )


def test_nor_where_quotas_draw_rows(home):
    limits = {"ill": ShareLimits(Fraction(3, 10))}
    quotas = {
        k: Decision(NodeRecoding({"q": 1}), Promise(k, None, limits), Scheme.VIO_REC) for k in (2, 3)
    }
    here = home.put(TABLE, "people")
    plain = order(here, quotas[2])
    assert ROWS / 2 < len(plain) < ROWS
    later = order(home.put(CHANGED, "later"), quotas[2])
    assert_unrelated(
        {"as it is": plain, "a month later": later, "another seed": order(here, quotas[2], seed=2)}
    )


def test_nor_by_anatomy(home):
    here = home.put(TABLE, "people")
    later = order(home.put(CHANGED, "later"), "anatomy")
    plain = order(here, "anatomy")
    assert order(here, "anatomy") == plain
    assert_unrelated({"as it is": plain, "a month later": later, "generalized": order(here, node(1))})


def test_nor_in_new_tables(home):
    """A table has an order too: where its rows lie, and in which files."""
    orders = {}
    for level in (1, 2):
        with (
            Study(home.put(TABLE), quasi=TREES, sensitive="ill", insensitive=("visit", "id")) as study,
            study.release(node(level), seed=1).into("released", replace=True) as engine,
        ):
            place = engine.place
        orders[f"level {level}"] = home.read(place)["id"].to_pylist()
    assert_unrelated(orders)


@pytest.mark.parametrize("kind", ["file", "frame"])
def test_nor_from_files_and_frames(tmp_path, kind):
    """DuckDB names their rows by number, so that the table and its order must matter."""
    tables = {
        "as it is": TABLE,
        "a month later": CHANGED,
        "turned round": TABLE.take(list(range(ROWS))[::-1]),
    }
    orders = {}
    for what, table in tables.items():
        source = table
        if kind == "file":
            source = tmp_path / f"{what}.parquet"
            parquet.write_table(table, source)
        orders[what] = order(source, node(1))
        assert order(source, node(1)) == orders[what]
    assert_unrelated(orders)
