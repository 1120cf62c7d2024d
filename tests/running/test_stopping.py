"""Work that nobody waits for ends: searches, compiled loops, statements of the database."""

from __future__ import annotations

from itertools import count

import numpy as np
import pyarrow as pa
import pytest
from sqlglot import parse_one

from shoal import Hierarchy, Study
from shoal.assess.risk import worst_combinations
from shoal.data.engine import Cells
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.opening import open_engine
from shoal.running import stopping
from shoal.running.clock import Clock
from shoal.running.stopping import Stop, StoppedError, stopped_by
from shoal.web.server.interrupting import Interrupter


def after(looks):
    """A stop that comes after some looks."""
    seen = count(1)
    return Stop(lambda: next(seen) > looks)


def wide(columns, height, rows=300):
    """A study of random values, each column with a hierarchy of pairs, pairs of pairs and so on."""
    draw = np.random.default_rng(0)
    tree = Hierarchy.from_rows(
        [str(value), *(f"{level}:{value >> level}" for level in range(1, height)), "*"]
        for value in range(2**height)
    )
    names = [f"c{i}" for i in range(columns)]
    table = pa.table({name: [str(v) for v in draw.integers(0, 2**height, rows)] for name in names})
    return Study(table, quasi=dict.fromkeys(names, tree), threads=2)


def test_a_negotiation_over_a_large_lattice_ends_when_it_is_asked_to():
    """Without the stop it looks at some hundred thousand nodes."""
    with wide(30, 4) as study:
        session = study.negotiator(index=False)
        with stopped_by(after(50)):
            found = session.ask(k=20).to_dict()
        assert found["certified"] is False
        assert found["visited"] < 1000
        # What was kept of it is sound, and the next request is answered.
        assert session.ask(k=1).exact.height == 0


@pytest.mark.parametrize("lazy", [True, False])
def test_counting_all_nodes_ends_when_it_is_asked_to(lazy):
    with wide(9, 4, 2000) as study:
        study.problem()  # the table is read before
        session = study.negotiator(index=False, lazy=True)

        def work():
            return session.map(k=2) if lazy else study.negotiator(index=False, lazy=False)

        with stopped_by(after(0)), pytest.raises(StoppedError):
            work()


def test_an_explanation_and_the_risk_look_at_every_attribute():
    with wide(4, 2) as study:
        session = study.negotiator(index=False)
        looks = count()
        with stopped_by(Stop(lambda: next(looks) < 0)):
            session.explain(k=3)
        assert next(looks) > 2 * len(study.quasi)
        tally = study.tally()
        cells = Cells(tally.attributes, tally.domains, tally.codes, tally.counts)
        with stopped_by(after(5)), pytest.raises(StoppedError):
            worst_combinations(cells)


def test_a_statement_of_duckdb_is_interrupted_and_the_next_one_runs():
    engine = open_engine(pa.table({"a": ["x", "y"]}))
    assert isinstance(engine, DuckDBEngine)
    endless = parse_one(
        "SELECT count(*) FROM range(100000000000) AS r(i) WHERE i % 7 = 3", dialect="duckdb"
    )
    with Interrupter().over(after(1)), pytest.raises(StoppedError):
        engine.rows(endless)
    assert engine.cells(["a"]).counts.tolist() == [1, 1]
    engine.close()


def test_a_search_keeps_its_best_where_the_stop_only_asks_for_an_end():
    clock = Clock()
    assert not clock.over
    with stopped_by(Stop(lambda: True, lambda: False)):
        assert clock.over
        stopping.look()
    assert not clock.over


def test_a_stop_is_heard_in_its_own_block_and_thread_alone():
    with stopped_by(Stop(lambda: False)):
        with stopped_by(Stop(lambda: True)):
            assert stopping.asked()
        assert not stopping.asked()
    stopping.look()
    with stopping.interrupted_by(lambda: pytest.fail("nobody waits"), "the table"):
        pass
