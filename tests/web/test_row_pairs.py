"""All rows before and after: none is missing, the order is kept, and what each loses adds up."""

from __future__ import annotations

import pytest

from shoal.errors import InputError
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.row_pairs import MOST, ORDERS
from shoal.web.workspace.workspace import Workspace


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    made = Workspace.of_built_in(tmp_path_factory.mktemp("work"), Limits(), rows=300)
    yield made
    made.close()


def every(work, solution, order):
    """All rows of an order, a page at a time."""
    rows, first = [], work.rows.page(solution, order, 0, 7)
    while len(rows) < first["total"]:
        rows += work.rows.page(solution, order, len(rows), 97)["rows"]
    return rows


@pytest.mark.parametrize("method", ["flash", "mondrian"])
def test_rows_are_all_there_in_their_order(work, method):
    solution = work.questions.anonymize(method, k=3, suppress="5%")
    figures = work.pins.figures(solution)
    for order in ORDERS:
        rows = every(work, solution, order)
        assert len(rows) == 300
        assert sum(row["after"] is None for row in rows) == figures["suppressed"]
        mean = sum(row["lost"] for row in rows) / 300
        assert mean == pytest.approx(figures["utility"]["losses"]["LM"]["share"])
        key = {"lost": "lost", "risk": "risk", "before": "risk_before"}.get(order)
        if key is not None:
            assert [row[key] for row in rows] == sorted((row[key] for row in rows), reverse=True)
        sizes = {}
        for row in rows:
            if row["after"] is not None:
                sizes.setdefault(row["group"], []).append((row["size"], tuple(row["after"])))
        # Rows of a group look the same, and there are as many of them as the group says.
        assert all({*each} == {(len(each), each[0][1])} for each in sizes.values())
        assert min(map(len, sizes.values())) >= 3
    assert len(work.rows.page(solution, "lost", 0, 10_000)["rows"]) == MOST
    assert work.rows.page(solution, "lost", 300, 10)["rows"] == []
    with pytest.raises(InputError, match="rows have no order"):
        work.rows.page(solution, "age", 0, 10)
