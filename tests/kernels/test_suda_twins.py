"""The kernel finds the minimal sample uniques that its twin finds, and those that sdcMicro finds."""

from __future__ import annotations

import csv
import json
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels import suda
from shoal.running.stopping import Stop, StoppedError, stopped_by
from tests.kernels.twins import risk as twins

KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")


@st.composite
def tables(draw):
    """Codes of some rows, some missing, with counts; rows may be alike, and some persons' own."""
    n, rows = draw(st.integers(1, 6)), draw(st.sampled_from([0, 1, 2, 3, 9, 30, 150]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    domains = rng.integers(1, draw(st.sampled_from([2, 4, 300])) + 1, n)
    codes = rng.integers(0, domains, (rows, n)).astype(np.int32)
    codes[rng.random(codes.shape) < draw(st.sampled_from([0.0, 0.0, 0.2]))] = -1
    counts = np.where(rng.random((rows, 1)) < 0.8, 1, 2).astype(np.int64)
    if persons := draw(st.sampled_from([0, 0, 1, 4, 40])):
        counts = np.append(counts, rng.integers(0, persons, (rows, 1)), axis=1)
    return codes, counts


@given(tables(), st.data())
def test_minimal_uniques_equal_their_twin(table, data):
    codes, counts = table
    n = codes.shape[1]
    largest = data.draw(st.integers(1, n), "largest size")
    # Powers of two add up without rounding, in whatever order.
    scores = [2.0 ** (3 * (n - size)) for size in range(1, largest + 1)]
    words = data.draw(st.sampled_from([0, 200, 1 << 25]), "words of marks")
    mine = suda(codes, counts, scores, data.draw(st.integers(1, 3), "threads"), words)
    twin = twins.suda(codes, counts, scores)
    for one, other in zip(mine[:3], twin[:3], strict=True):
        np.testing.assert_array_equal(one, other)
    assert mine[3] == twin[3]


def test_several_threads_find_what_one_finds():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, [40, 30, 9, 5, 3, 2], (4000, 6)).astype(np.int32)
    counts = np.ones((4000, 1), np.int64)
    scores = [float(factorial(6 - size)) for size in range(1, 7)]
    one = suda(codes, counts, scores, 1)
    assert one[3][2] > 0
    for threads, words in ((2, 1 << 25), (3, 640)):
        again = suda(codes, counts, scores, threads, words)
        for mine, other in zip(one[:3], again[:3], strict=True):
            np.testing.assert_array_equal(mine, other)
        assert again[3] == one[3]


@pytest.mark.parametrize(
    ("codes", "counts", "scores", "words"),
    [
        ([[0, 1]], [1, 1], [1.0], "one count per combination"),
        ([[0, 1]], [0], [1.0], "has no row"),
        ([[0, 1]], [[1, -1]], [1.0], "no such person"),
        ([[0, -2]], [1], [1.0], "no such code"),
        ([[0, 1 << 20]], [1], [1.0], "far apart"),
        ([[0, 1]], [1], [], "one score per size"),
        ([[0, 1]], [1], [1.0, 1.0, 1.0], "one score per size"),
        ([[0, 1]], [1], [float("nan")], "a score is a number"),
        ([[0] * 40], [1], [1.0] * 40, "too many sets"),
        ([[0] * 65], [1], [1.0], "1 to 64 attributes"),
    ],
)
def test_what_cannot_be_is_refused(codes, counts, scores, words):
    with pytest.raises((ValueError, IndexError), match=words):
        suda(np.array(codes, np.int32), np.array(counts, np.int64).reshape(len(counts), -1), scores)


def test_a_search_that_nobody_waits_for_ends():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 12, (200_000, 12)).astype(np.int32)
    with stopped_by(Stop(lambda: True)), pytest.raises(StoppedError):
        suda(codes, np.ones((200_000, 1), np.int64), [1.0] * 12, 2)


@pytest.fixture(scope="module")
def testdata(sdcmicro):
    """The keys of sdcMicro's survey, as codes."""
    with (sdcmicro / "tables" / "testdata.csv").open() as file:
        rows = [[int(row[key]) for key in KEYS] for row in csv.DictReader(file)]
    return np.array(rows, np.int32)


def figures(sdcmicro, name="testdata_suda2.json"):
    return json.loads((sdcmicro / "figures" / name).read_text())


def scored(codes, scores=None):
    scores = scores or [float(factorial(7 - size)) for size in range(1, 8)]
    return suda(codes, np.ones((len(codes), 1), np.int64), scores)


def shares(found):
    return 100 * found[1].sum(axis=0) / found[0].sum()


def test_scores_are_those_of_sdcmicro_row_by_row(sdcmicro, testdata):
    score, part, _, by_size = scored(testdata)
    with (sdcmicro / "figures" / "testdata_suda2_f0.01_orig.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert score[:, 0].tolist() == [float(row["score"]) for row in rows]
    for a, key in enumerate(KEYS):
        told = np.array([float(row[f"{key}_contribution"]) for row in rows])
        np.testing.assert_allclose(part[:, a], told * score[:, 0], rtol=1e-12)
    assert by_size == figures(sdcmicro)["msu_totals_by_size"]


def test_contributions_are_those_of_sdcmicro(sdcmicro, testdata):
    told = figures(sdcmicro)
    contributions = lambda name: [one["contribution"] for one in told[name]["attribute_contributions"]]  # noqa: E731
    found = scored(testdata)
    assert shares(found) == pytest.approx(contributions("testdata_suda2_f0.01_orig"), rel=1e-12)
    assert (found[0] > 0).sum() == told["testdata_suda2_f0.01_orig"]["rows_score_gt0"]
    # The scores that the IHSN uses instead.
    other = scored(testdata, [(2 ** (7 - size) - 1) / comb(7, size) for size in range(1, 8)])
    assert shares(other) == pytest.approx(contributions("testdata_suda2_f0.01_ihsn"), rel=1e-12)
    assert other[0].sum() == pytest.approx(told["testdata_suda2_f0.01_ihsn"]["sum_score"])
    assert (other[0] > 0).sum() == told["testdata_suda2_f0.01_ihsn"]["rows_score_gt0"]


def test_missing_values_are_in_no_minimal_unique_as_in_sdcmicro(sdcmicro, testdata):
    codes = testdata.copy()
    codes[9::10, KEYS.index("water")] = -1
    codes[14::15, KEYS.index("relat")] = -1
    told = figures(sdcmicro)["missing_variant"]
    found = scored(codes)
    assert (found[0].sum(), (found[0] > 0).sum()) == (told["sum_score"], told["rows_score_gt0"])
    assert shares(found) == pytest.approx(
        [one["contribution"] for one in told["attribute_contributions"]], rel=1e-12
    )
