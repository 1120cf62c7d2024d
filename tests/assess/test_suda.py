"""SUDA's scores, rankings and chances are those of sdcMicro, and what nobody can look at is refused."""

from __future__ import annotations

import csv
import json
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.assess.risk.suda import special_uniques
from shoal.data.engine import Cells
from shoal.data.opening import opened
from shoal.errors import InputError

KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")


@pytest.fixture(scope="module")
def testdata(sdcmicro):
    with opened(sdcmicro / "tables" / "testdata.csv") as engine:
        return engine.cells(KEYS)


@pytest.fixture(scope="module")
def told(sdcmicro):
    return json.loads((sdcmicro / "figures" / "testdata_suda2.json").read_text())


@pytest.mark.parametrize("fraction", [0.01, 0.1])
def test_rankings_and_chances_are_those_of_sdcmicro(sdcmicro, told, testdata, fraction):
    name = f"testdata_suda2_f{fraction}_orig"
    found, expected = special_uniques(testdata, 7, fraction=fraction), told[name]
    assert found.rows == expected["rows_score_gt0"] == told["uniques_fk1"]
    assert found.by_size == tuple(told["msu_totals_by_size"])
    assert found.scores.sum() == expected["sum_score"]
    assert found.dis.max() == pytest.approx(expected["max_disScore"], abs=1e-7)
    assert {one.column: 100 * one.share for one in found.columns} == pytest.approx(
        {one["variable"]: one["contribution"] for one in expected["attribute_contributions"]}
    )
    assert [one.column for one in found.columns][:2] == ["relat", "water"]
    assert {(one.column, one.value): 100 * one.within for one in found.values} == pytest.approx(
        {
            (one["variable"], str(one["attribute"])): one["contribution"]
            for one in expected["attribute_level_contributions"]
            if one["contribution"]
        }
    )
    shares = defaultdict(float)
    for one in found.values:
        shares[one.column] += one.share
    assert shares == pytest.approx({one.column: one.share for one in found.columns})
    with (sdcmicro / "figures" / f"{name}.csv").open() as file:
        chances = {(float(row["score"]), float(row["disScore"])) for row in csv.DictReader(file)}
    mine = dict(zip(found.scores.tolist(), found.dis.tolist(), strict=True))
    for score, chance in chances:
        assert mine[score] == pytest.approx(chance, abs=1e-7)


def test_missing_values_stand_out_nowhere_as_in_sdcmicro(sdcmicro, told):
    import pyarrow as pa

    with (sdcmicro / "tables" / "testdata.csv").open() as file:
        rows = [[row[key] for key in KEYS] for row in csv.DictReader(file)]
    columns = {key: [row[a] for row in rows] for a, key in enumerate(KEYS)}
    columns["water"][9::10] = [None] * 458
    columns["relat"][14::15] = [None] * 305
    with opened(pa.table(columns)) as engine:
        found = special_uniques(engine.cells(KEYS), 7)
    expected = told["missing_variant"]
    assert found.scores.sum() == expected["sum_score"]
    assert found.dis.sum() == pytest.approx(expected["sum_disScore"], abs=1e-5)
    assert all(one.value is not None for one in found.values)


def made(codes, counts):
    codes = np.array(codes, np.int32)
    domains = tuple(tuple(map(str, range(100))) for _ in codes[0])
    return Cells(tuple(f"c{a}" for a in range(codes.shape[1])), domains, codes, np.array(counts))


@given(st.integers(0, 2**32), st.integers(1, 5))
def test_a_higher_score_never_is_a_lower_chance(seed, n):
    rng = np.random.default_rng(seed)
    codes = np.unique(rng.integers(0, 6, (60, n)), axis=0)
    found = special_uniques(made(codes, rng.integers(1, 3, len(codes))))
    order = np.argsort(found.scores, kind="stable")
    assert (np.diff(found.dis[order]) >= 0).all()
    assert ((found.dis > 0) == (found.scores > 0)).all()
    assert (found.dis <= 1).all()


def test_a_table_without_pairs_tells_of_certain_matches():
    assert special_uniques(made([[0], [1]], [1, 5])).dis.tolist() == [1.0, 0.0]


def test_size_0_asks_for_nothing():
    assert special_uniques(made([[0]], [1]), 0) is None


def test_unasked_it_looks_no_longer_than_some_seconds(monkeypatch):
    cells = made([[0, 1, 2, 3], [1, 1, 2, 3]], [1, 1])
    assert special_uniques(cells).size == 3
    monkeypatch.setattr("shoal.assess.risk.suda.QUICK", 2 * 12)
    assert special_uniques(cells).size == 2
    monkeypatch.setattr("shoal.assess.risk.suda.QUICK", 2 * 3)
    assert special_uniques(cells) is None
    assert special_uniques(cells, 4).size == 4  # what is asked for is done


def test_more_columns_than_anybody_can_look_at_are_refused():
    with pytest.raises(InputError, match="at most 64 as quasi"):
        special_uniques(made([list(range(65))], [1]), 1)
    with pytest.raises(InputError, match="ask for a smaller size"):
        special_uniques(made([list(range(30))], [1]), 30)
