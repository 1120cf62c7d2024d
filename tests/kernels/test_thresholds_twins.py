"""The kernels for several objectives give what their twins give, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import kernels
from tests.kernels.test_twins import books, same
from tests.kernels.twins import thresholds as twins
from tests.oracles import all_nodes
from tests.strategies import problems


@st.composite
def parts(draw, problem):
    """Counts of every combination: labels or rows, histograms, and words of sets, with their widths."""
    n, rng = len(problem.counts), np.random.default_rng(draw(st.integers(0, 2**32)))
    labels = problem.labels if draw(st.booleans()) else problem.counts[:, None]
    histograms = draw(st.lists(st.integers(1, 3), max_size=2))
    blocks = [
        rng.multinomial(1, np.ones(width) / width, n) * problem.counts[:, None] for width in histograms
    ]
    sets = draw(st.lists(st.integers(1, 2), max_size=2))
    # A bit at the end of a word makes the word a negative count.
    words = np.int64(1) << rng.choice([0, 1, 5, 63], (n, sum(sets))).astype(np.int64)
    words[rng.random(words.shape) < 0.2] = 0
    counts = np.concatenate([labels, *blocks, words], axis=1).astype(np.int64)
    return np.ascontiguousarray(counts), labels.shape[1], histograms, sets


@given(problems(), st.data())
def test_thresholds_equal_their_twin(problem, data):
    book, twin = books(problem, data.draw(st.booleans()))
    counts, labels, histograms, sets = data.draw(parts(problem))
    nodes = all_nodes(problem)
    lo = data.draw(st.sampled_from(nodes))
    hi = tuple(map(max, zip(lo, data.draw(st.sampled_from(nodes)), strict=True)))
    asked = (
        book.pack(problem.codes), counts, labels, histograms, sets, (0,) * len(lo), lo, hi,
        data.draw(st.integers(1, 5), "k"),
        data.draw(st.booleans(), "every size"),
        data.draw(st.integers(0, 2 if sets else 0), "diversity"),
        data.draw(st.integers(0, problem.rows), "limit"),
    )  # fmt: skip
    mine = kernels.thresholds_box(book, *asked, data.draw(st.integers(1, 3)))
    same(mine, twins.thresholds_box(twin, *asked, 1))


@given(problems(), st.data())
def test_kept_tables_measure_as_if_from_the_bottom(problem, data):
    book, twin = books(problem, data.draw(st.booleans()))
    counts, labels, histograms, sets = data.draw(parts(problem))
    table = (book.pack(problem.codes), counts, labels, histograms, sets, (0,) * len(problem.ladders))
    mine = kernels.ThresholdTables(book, *table, data.draw(st.sampled_from([0, 200, 1 << 20])))
    slow = twins.ThresholdTables(twin, *table, 0)
    for node in data.draw(st.lists(st.sampled_from(all_nodes(problem)), min_size=1, max_size=8)):
        asked = (
            data.draw(st.integers(1, 5)),
            data.draw(st.booleans()),
            data.draw(st.integers(0, 2 if sets else 0)),
            data.draw(st.integers(0, problem.rows)),
        )
        same([mine.measure(node, *asked)], [slow.measure(node, *asked)])


def test_many_sizes_and_many_nodes_on_many_threads_equal_the_twin():
    rng = np.random.default_rng(7)
    levels = np.array(
        [np.arange(40), np.arange(40) // 3, np.arange(40) // 12, np.zeros(40)], dtype=np.int32
    )
    weights = np.arange(160, dtype=np.int64).reshape(4, 40)
    book = kernels.Codebook([levels] * 3, [weights] * 3)
    twin = twins.Codebook([levels] * 3, [weights] * 3)
    keys = book.pack(rng.integers(0, 40, (900, 3)).astype(np.int32))
    counts = np.stack([rng.integers(1, 9000, 900), 1 << rng.integers(0, 5, 900)], axis=1)
    asked = (keys, counts, 1, [], [1], (0, 0, 0), (0, 0, 0), (3, 3, 3), 1, True, 2, 40_000)
    mine = kernels.thresholds_box(book, *asked, 3)
    assert len(mine[0]) > 600
    same(mine, twins.thresholds_box(twin, *asked, 1))


@given(st.integers(1, 3), st.lists(st.tuples(*[st.integers(0, 5)] * 3), max_size=40))
def test_undominated_points_are_those_of_the_twin(width, points):
    array = np.ascontiguousarray(np.array(points, dtype=np.int64).reshape(-1, 3)[:, :width])
    same([kernels.undominated(array)], [twins.undominated(array)])


def test_kernels_refuse_parts_that_do_not_fit():
    book = kernels.Codebook([np.array([[0, 1], [0, 0]], dtype=np.int32)])
    keys, counts = book.pack(np.array([[0], [1]], dtype=np.int32)), np.ones((2, 2), dtype=np.int64)
    box = ((0,), (0,), (1,), 1, False)
    with pytest.raises(ValueError, match="not as wide"):
        kernels.thresholds_box(book, keys, counts, 1, [], [], *box, 0, 0, 1)
    with pytest.raises(ValueError, match="needs sets"):
        kernels.thresholds_box(book, keys, counts, 2, [], [], *box, 1, 0, 1)
    with pytest.raises(ValueError, match="negative"):
        kernels.thresholds_box(book, keys, counts, 2, [-1], [1], *box, 1, 0, 1)
    with pytest.raises(ValueError, match="such diversity"):
        kernels.thresholds_box(book, keys, counts, 1, [], [1], *box, 3, 0, 1)
    with pytest.raises(ValueError, match="below its table"):
        kernels.thresholds_box(book, keys, counts, 2, [], [], (1,), (0,), (1,), 1, False, 0, 0, 1)
    with pytest.raises(ValueError, match="length"):
        kernels.thresholds_box(book, keys, counts[:1], 2, [], [], *box, 0, 0, 1)
    with pytest.raises(ValueError, match="one to three"):
        kernels.undominated(np.zeros((1, 4), dtype=np.int64))
