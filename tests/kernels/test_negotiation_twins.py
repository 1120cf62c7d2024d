"""The negotiation's kernels give what their Python twins give, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import kernels
from shoal.metrics import LM
from tests.examples import examples
from tests.kernels.twins import lattice, negotiation
from tests.oracles import all_nodes
from tests.search.negotiation.cases import cases


def proven(found):
    """What a search by bounds says of a node that is the best."""
    return None if found is None else (*found, True, sum(found[0]))


def tables(case, priced=False):
    """The compiled codebook and its twin, and what indexes are made from; with costs those of LM too."""
    problem, sets = case.problem, case.sets
    maps = [ladder.codes for ladder in problem.ladders]
    lm = LM(problem)
    costs = [factor * cells for factor, cells in zip(lm.factors, lm.weights(), strict=True)]
    costs = costs if priced else []
    book, twin = kernels.Codebook(maps, costs), lattice.Codebook(maps, costs)
    table = (
        book.pack(problem.codes),
        np.ascontiguousarray(problem.counts[:, None]),
        sets.bits,
        sets.widths,
        (0,) * len(maps),
    )
    return book, twin, table


@settings(max_examples=examples(300))
@given(cases(), st.integers(1, 3), st.booleans(), st.data())
def test_the_index_equals_its_twin(case, threads, priced, data):
    book, twin, table = tables(case, priced)
    bottom, top = case.problem.bottom, case.problem.top
    mine = kernels.HistogramIndex.build(book, *table, bottom, top, threads)
    slow = negotiation.HistogramIndex.build(twin, *table, bottom, top, threads)
    assert mine.nodes == slow.nodes == case.problem.nodes
    assert mine.rows == case.problem.rows
    assert mine.priced is priced
    assert mine.dump() == slow.dump()
    assert mine.size == len(mine.dump())
    node = data.draw(st.sampled_from(all_nodes(case.problem)))
    rows = case.problem.rows
    k, l = data.draw(st.integers(1, rows + 1)), data.draw(st.integers(0, 6))
    l = l if case.columns else 0
    limit = data.draw(st.integers(0, rows - 1))
    most = data.draw(st.integers(1, rows + 1))
    assert (mine.entries(node) == slow.entries(node)).all()
    assert mine.largest_k(node, l, limit, most) == slow.largest_k(node, l, limit, most)
    if case.columns:
        assert mine.largest_l(node, limit, most) == slow.largest_l(node, limit, most)
    assert (mine.map(k, l) == slow.map(k, l)).all()
    assert (kernels.suppressed_map(book, *table, bottom, top, k, l, threads) == slow.map(k, l)).all()
    visits, marks = kernels.Visits(mine.nodes), negotiation.Visits(slow.nodes)
    assert mine.suppressed(visits, node, k, l) == slow.suppressed(marks, node, k, l)
    assert mine.lowest(visits, node, k, l, limit) == slow.lowest(marks, node, k, l, limit)
    assert len(visits) == len(marks)
    height = data.draw(st.integers(0, sum(top)))
    assert mine.lowest_from(visits, height, k, l, limit) == slow.lowest_from(marks, height, k, l, limit)
    assert len(visits) == len(marks)
    assert sorted(map(tuple, mine.seen(visits))) == sorted(marks.seen)


@settings(max_examples=examples(300))
@given(cases(), st.data())
def test_the_cheapest_of_an_index_is_what_looking_at_every_node_finds(case, data):
    book, twin, table = tables(case, priced=True)
    problem, metric = case.problem, LM(case.problem)
    bottom, top, rows = problem.bottom, problem.top, problem.rows
    mine = kernels.HistogramIndex.build(book, *table, bottom, top, 1)
    slow = negotiation.HistogramIndex.build(twin, *table, bottom, top, 1)
    nodes = all_nodes(problem)
    each = {node: data.draw(st.integers(0, 3)) for node in nodes}
    alike = [np.array([[number * each[node]] for node in nodes]) for number in (rows, 1)]

    def cells(node, size, distinct):
        return slow.found[node].costs[size, distinct]

    def squares(node, size, distinct):
        return size * size * slow.found[node].classes[size, distinct]

    def even(node, size, distinct):
        return size * slow.found[node].classes[size, distinct] * each[node]

    ways = [
        (kernels.NodeLosses.by_cells(mine, metric.row), cells, metric.row),
        (kernels.NodeLosses.by_squares(mine), squares, rows),
        (kernels.NodeLosses.alike(mine, alike[0], 9 - alike[1]), even, 9),
    ]
    for losses, released, row in ways:
        other = negotiation.NodeLosses(slow, released, row)
        k, l = data.draw(st.integers(1, rows + 1)), data.draw(st.integers(0, 6)) if case.columns else 0
        limit, node = data.draw(st.integers(0, rows - 1)), data.draw(st.sampled_from(nodes))
        visits = kernels.Visits(mine.nodes)
        assert losses.of(visits, node, k, l) == other.of(node, k, l)
        below = [one for one in nodes if all(x <= y for x, y in zip(one, node, strict=True))]
        assert losses.cheapest(visits, node, k, l, limit) == other.cheapest(below, k, l, limit)
        assert {*map(tuple, mine.seen(visits))} <= {*below}
        height = data.draw(st.integers(0, sum(top)))
        allowed = [sum(one) for one in nodes if sum(one) >= height and other.of(one, k, l)[0] <= limit]
        lowest = [one for one in nodes if sum(one) == min(allowed, default=-1)]
        assert losses.cheapest_from(visits, height, k, l, limit) == other.cheapest(lowest, k, l, limit)


@settings(max_examples=examples(400))
@given(cases(most_attributes=4), st.integers(1, 3), st.data())
def test_searches_by_bounds_find_what_looking_at_every_node_finds(case, threads, data):
    book, twin, table = tables(case)
    bottom, top = case.problem.bottom, case.problem.top
    slow = negotiation.HistogramIndex.build(twin, *table, bottom, top, 1)
    lazy = kernels.LazyHistograms(book, *table, data.draw(st.sampled_from([0, 500, 1 << 20])))
    rows, nodes = case.problem.rows, all_nodes(case.problem)
    for _ in range(4):
        one, other = data.draw(st.sampled_from(nodes)), data.draw(st.sampled_from(nodes))
        lo = tuple(map(min, zip(one, other, strict=True)))
        hi = tuple(map(max, zip(one, other, strict=True)))
        k, l = data.draw(st.integers(1, rows + 1)), data.draw(st.integers(0, 6))
        l = l if case.columns else 0
        least, limit = data.draw(st.integers(0, sum(hi) + 1)), data.draw(st.integers(0, rows - 1))
        visits = kernels.LazyVisits()
        expected = negotiation.lowest_in_box(slow, lo, hi, least, k, l, limit)
        found = lazy.lowest(visits, lo, hi, least, k, l, limit, threads)
        assert found == proven(expected)
        # Without any time there is an answer too, and what it says is true.
        early = lazy.lowest(visits, lo, hi, least, k, l, limit, threads, 0)
        assert (early is None) == (expected is None)
        if early is not None:
            node, suppressed, best, bound = early
            assert (best, suppressed) == (False, slow.found[tuple(node)].suppressed(k, l))
            assert suppressed <= limit
            assert bound <= sum(expected[0]) <= sum(node)
        assert len(visits) == len({*map(tuple, visits.seen())} & {*nodes})
        assert lazy.suppressed(visits, hi, k, l) == slow.found[hi].suppressed(k, l)
        assert (lazy.entries(lo) == slow.entries(lo)).all()
        assert lazy.largest_k(lo, l, limit, rows) == slow.largest_k(lo, l, limit, rows)


@given(cases(), st.booleans(), st.data())
def test_a_dumped_index_comes_back_and_a_changed_one_does_not(case, priced, data):
    book, _, table = tables(case, priced)
    bottom, top, rows = case.problem.bottom, case.problem.top, case.problem.rows
    index = kernels.HistogramIndex.build(book, *table, bottom, top, 1)
    dumped = index.dump()
    sensitive, row = case.columns > 0, LM(case.problem).row if priced else None

    def load(rows, content):
        return kernels.HistogramIndex.load(bottom, top, sensitive, rows, content, row)

    assert load(rows, dumped).dump() == dumped
    with pytest.raises(ValueError, match="no index"):
        load(rows + 1, dumped)
    with pytest.raises(ValueError, match="no index"):
        load(rows, dumped[: data.draw(st.integers(0, len(dumped) - 1))])
    # Whatever the bytes are, they are refused, or they are an index that adds up.
    broken = bytearray(dumped)
    broken[data.draw(st.integers(0, len(broken) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        other = load(rows, bytes(broken))
    except ValueError:
        return
    for node in all_nodes(case.problem):
        entries = other.entries(node)
        assert int((entries[:, 0] * entries[:, 2]).sum()) == rows
        if priced:
            losses = kernels.NodeLosses.by_cells(other, row)
            assert 0 <= losses.of(kernels.Visits(other.nodes), node, 3, 0)[1] <= rows * row


@given(st.binary(max_size=200), st.booleans(), st.integers(1, 50), st.sampled_from([None, 0, 300]))
def test_arbitrary_bytes_never_make_an_index_that_does_not_add_up(content, sensitive, rows, row):
    starts = np.array([0, len(content)], dtype="<u8").tobytes()
    try:
        index = kernels.HistogramIndex.load((0,), (0,), sensitive, rows, starts + content, row)
    except ValueError:
        return
    entries = index.entries((0,))
    assert int((entries[:, 0] * entries[:, 2]).sum()) == rows


def test_large_classes_and_many_values_are_counted_as_small_ones_are():
    # Beyond what the writer counts in an array: sizes of 1,024 and more, 64 distinct values and more.
    maps = [np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]], dtype=np.int32)]
    book, twin = kernels.Codebook(maps), lattice.Codebook(maps)
    rng = np.random.default_rng(5)
    bits = rng.integers(0, 2**63, (4, 5)).astype(np.uint64)
    sizes = np.array([[1023], [1025], [70_000], [70_000]], dtype=np.int64)
    table = (book.pack(np.arange(4, dtype=np.int32)[:, None]), sizes, bits, (2, 3), (0,))
    mine = kernels.HistogramIndex.build(book, *table, (0,), (2,), 1)
    slow = negotiation.HistogramIndex.build(twin, *table, (0,), (2,), 1)
    assert mine.dump() == slow.dump()
    rows = int(sizes.sum())
    assert kernels.HistogramIndex.load((0,), (2,), True, rows, mine.dump()).dump() == mine.dump()


@pytest.mark.parametrize(("domain", "attributes"), [(2, 15), (300, 9), (300, 15), (70_000, 9)])
def test_keys_of_many_words_give_what_the_twin_gives(domain, attributes):
    rng = np.random.default_rng(attributes * domain)
    levels = [np.arange(domain), np.arange(domain) // 7, np.zeros(domain)]
    maps = [np.array(levels, dtype=np.int32)] * attributes
    book, twin = kernels.Codebook(maps), lattice.Codebook(maps)
    pool = rng.integers(0, domain, (40, attributes)).astype(np.int32)
    codes = np.unique(np.concatenate([pool, pool // 7 * 7, pool // 49 * 49]), axis=0)
    sizes = rng.integers(1, 2000, (len(codes), 1))
    bits = rng.integers(0, 2**20, (len(codes), 3)).astype(np.uint64)
    table = (book.pack(codes), sizes, bits, (1, 2), (0,) * attributes)
    lo = (1,) * (attributes - 3) + (0,) * 3
    hi = (1,) * (attributes - 4) + (2,) * 4
    mine = kernels.HistogramIndex.build(book, *table, lo, hi, 2)
    slow = negotiation.HistogramIndex.build(twin, *table, lo, hi, 1)
    assert mine.dump() == slow.dump()
    lazy = kernels.LazyHistograms(book, *table, 1 << 20)
    rows = int(sizes.sum())
    for k, l, limit in ((3000, 5, rows // 2), (1, 25, rows // 3), (9000, 0, rows - 1)):
        found = lazy.lowest(kernels.LazyVisits(), lo, hi, 0, k, l, limit, 2)
        assert found == proven(negotiation.lowest_in_box(slow, lo, hi, 0, k, l, limit))
        assert (kernels.suppressed_map(book, *table, lo, hi, k, l, 2) == slow.map(k, l)).all()


def test_kernels_refuse_what_would_make_them_read_outside_their_arrays():
    maps = [np.array([[0, 1], [0, 0]], dtype=np.int32)]
    book = kernels.Codebook(maps)
    keys = book.pack(np.array([[0], [1]], dtype=np.int32))
    sizes, none = np.ones((2, 1), dtype=np.int64), np.zeros((2, 0), dtype=np.uint64)
    build = kernels.HistogramIndex.build
    index = build(book, keys, sizes, none, (), (0,), (0,), (1,), 1)
    for bad in [((0,), (2,)), ((-1,), (1,))]:
        with pytest.raises(IndexError):
            build(book, keys, sizes, none, (), (0,), *bad, 1)
    with pytest.raises(ValueError, match="empty"):
        build(book, keys, sizes, none, (), (0,), (1,), (0,), 1)
    with pytest.raises(ValueError, match="width"):
        build(book, keys, sizes, none, (1,), (0,), (0,), (1,), 1)
    with pytest.raises(ValueError, match="length"):
        build(book, keys, sizes[:1], none, (), (0,), (0,), (1,), 1)
    with pytest.raises(IndexError):
        index.suppressed(kernels.Visits(2), (2,), 1, 0)
    with pytest.raises(IndexError):
        index.suppressed(kernels.Visits(1), (1,), 1, 0)
    with pytest.raises(ValueError, match="one level"):
        index.entries((0, 0))
    lazy = kernels.LazyHistograms(book, keys, sizes, none, (), (1,), 0)
    with pytest.raises(ValueError, match="not above"):
        lazy.entries((0,))
    lazy = kernels.LazyHistograms(book, keys, sizes, none, (), (0,), 0)
    with pytest.raises(ValueError, match="empty"):
        lazy.lowest(kernels.LazyVisits(), (1,), (0,), 0, 1, 0, 0, 1)
    losses = kernels.NodeLosses
    with pytest.raises(ValueError, match="no costs"):
        losses.by_cells(index, 1)
    one = np.ones((2, 1), dtype=np.int64)
    for bad in [(one[:1], one), (-one, one), (one, 2**62 * one), (2**62 * one, one)]:
        with pytest.raises(ValueError, match=r"one number|no such|too much"):
            losses.alike(index, *bad)
    for costs, words in (([[1, -1], [0, 0]], "negative"), ([[2**61 + 1, 0], [0, 0]], "too much")):
        dear = kernels.Codebook(maps, [np.array(costs, dtype=np.int64)])
        with pytest.raises(ValueError, match=words):
            build(dear, keys, sizes, none, (), (0,), (0,), (1,), 1)
    cheap = build(
        kernels.Codebook(maps, [np.array([[2, 0], [3, 3]])]), keys, sizes, none, (), (0,), (0,), (1,), 1
    )
    with pytest.raises(ValueError, match="costs less"):
        losses.by_cells(cheap, 2)
    with pytest.raises(ValueError, match="too much"):
        kernels.HistogramIndex.load((0,), (0,), False, 3, b"", 2**62)
    with pytest.raises(ValueError, match="no index"):
        kernels.HistogramIndex.load((0,) * 40, (127,) * 40, False, 1, bytes(64))
    with pytest.raises(ValueError, match="no such levels"):
        kernels.HistogramIndex.load((0,), (128,), False, 1, b"")
