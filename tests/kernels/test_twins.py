"""The compiled kernels give what their numpy twins give, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import kernels
from shoal.data.person_rows import PersonRows
from shoal.kernels import Column
from tests.kernels.twins import lattice as reference
from tests.oracles import all_nodes
from tests.strategies import problems


def books(problem, products):
    maps = [ladder.codes for ladder in problem.ladders]
    weights = [ladder.covered - (not products) for ladder in problem.ladders]
    return kernels.Codebook(maps, weights, products), reference.Codebook(maps, weights, products)


def same(one, other):
    assert len(one) == len(other)
    for mine, twin in zip(one, other, strict=True):
        assert mine.dtype == twin.dtype
        assert mine.shape == twin.shape
        assert (mine == twin).all()


def counts_of(problem, labelled):
    return problem.labels if labelled else problem.counts[:, None].copy()


@given(problems(), st.booleans(), st.booleans(), st.data())
def test_every_kernel_equals_its_twin_on_random_problems(problem, labelled, products, data):
    book, twin = books(problem, products)
    counts = counts_of(problem, labelled)
    keys = book.pack(problem.codes)
    same([keys], [twin.pack(problem.codes)])
    ground = (0,) * len(problem.ladders)
    same([book.unpack(keys, ground)], [twin.unpack(keys, ground)])
    nodes = all_nodes(problem)
    source = data.draw(st.sampled_from(nodes))
    target = data.draw(st.sampled_from(nodes))
    target = tuple(max(pair) for pair in zip(source, target, strict=True))
    table = book.roll_up(keys, counts, ground, source)
    same(table, twin.roll_up(keys, counts, ground, source))
    same(book.roll_up(*table, source, target), twin.roll_up(*table, source, target))
    eta = data.draw(st.integers(0, problem.rows + 1))
    same(book.measure(*table, source, eta), twin.measure(*table, source, eta))
    top = problem.top
    order = data.draw(st.permutations(range(len(top))))
    threads = data.draw(st.integers(1, 3))
    box = (*table, source, source, tuple(map(max, zip(source, top, strict=True))), order, eta, threads)
    same([book.measure_box(*box)], [twin.measure_box(*box)])


@given(problems(), st.booleans(), st.booleans(), st.data())
def test_kept_class_tables_measure_as_if_from_the_bottom(problem, labelled, products, data):
    book, twin = books(problem, products)
    keys, counts = book.pack(problem.codes), counts_of(problem, labelled)
    ground = (0,) * len(problem.ladders)
    eta = data.draw(st.integers(0, problem.rows))
    budget = data.draw(st.sampled_from([0, 200, 1 << 20]))
    mine = kernels.ClassTables(book, keys, counts, ground, eta, budget)
    slow = reference.ClassTables(twin, keys, counts, ground, eta, budget)
    for node in data.draw(st.lists(st.sampled_from(all_nodes(problem)), min_size=1, max_size=12)):
        same(mine.measure(node), slow.measure(node))


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("labels", [1, 3])
@pytest.mark.parametrize("attributes", [5, 30])
def test_neighbours_are_measured_from_the_node_in_their_midst_as_from_the_bottom(
    attributes, labels, persons
):
    rng = np.random.default_rng(attributes + labels)
    halves = np.stack([np.arange(12), np.arange(12) // 2, np.arange(12) // 6, np.zeros(12)])
    maps = [halves.astype(np.int32)] * attributes
    weights = [rng.integers(0, 9, (4, 12))] * attributes
    weights = [
        np.ascontiguousarray(np.take_along_axis(one, halves.astype(np.int64), 1)) for one in weights
    ]
    book, twin = kernels.Codebook(maps, weights), reference.Codebook(maps, weights)
    # Few kinds of rows, so that the classes of a node are far fewer than all combinations.
    codes = rng.integers(0, 12, (8, attributes))[rng.integers(0, 8, 500)]
    codes = np.where(rng.random(codes.shape) < 0.3, rng.integers(0, 12, codes.shape), codes)
    keys, counts = book.pack(codes.astype(np.int32)), rng.integers(1, 4, (500, labels))
    ground, whose = (0,) * attributes, None
    if persons:
        cells, names = rng.integers(0, 500, 300), rng.integers(0, 90, 300)
        listed = PersonRows.listed(counts.sum(axis=1), cells, names, np.ones_like(cells))
        counts[:, 0] += np.bincount(cells, minlength=500)
        pairs = np.stack([listed.cells, listed.persons], axis=1)
        whose = (listed.cell_persons[:, None], np.ascontiguousarray(pairs))
    mine = kernels.ClassTables(book, keys, counts, ground, 60, 1 << 20, whose)
    base = np.full(attributes, 2)
    for _ in range(6):
        base = np.clip(base + rng.integers(-1, 2, attributes) * (rng.random(attributes) < 0.2), 1, 2)
        nodes = base + rng.integers(-1, 2, (12, attributes)) * (
            rng.random((12, attributes)) < 2 / attributes
        )
        nodes = np.ascontiguousarray(nodes, dtype=np.int32)
        below = mine.measure_below(nodes, 4, 2, 60.0)
        for node, one, at_k in zip(nodes, mine.measure_many(nodes, 2, 60.0), below, strict=True):
            table = twin.roll_up(keys, counts, ground, node)
            slow = kernels.ClassTables(book, keys, counts, ground, 60, 0, whose).measure(node.tolist())
            same(one, slow)
            if not persons:
                same(one, twin.measure(*table, node, 60))
                small = table[1].sum(axis=1) < 4
                assert at_k[Column.ROWS] == table[1].sum(axis=1)[small].sum()
                assert at_k[Column.CLASSES] == len(table[0])


@given(st.integers(0, 200), st.integers(1, 3), st.integers(1, 4), st.integers(1, 40), st.randoms())
def test_aggregate_adds_up_equal_keys_in_order_of_appearance(rows, words, labels, distinct, random):
    rng = np.random.default_rng(random.getrandbits(32))
    pool = rng.integers(0, 2**63, (distinct, words)).astype(np.uint64)
    keys = pool[rng.integers(0, distinct, rows)]
    counts = rng.integers(0, 9, (rows, labels))
    same(kernels.aggregate(keys, counts), reference.aggregate(keys, counts))


@pytest.mark.parametrize("domain", [2, 300, 70_000])
@pytest.mark.parametrize("attributes", [1, 3, 9, 15, 24])
def test_keys_of_many_words_and_dense_and_hashed_grouping_agree_with_the_twin(domain, attributes):
    rng = np.random.default_rng(attributes * domain)
    levels = [np.arange(domain), np.arange(domain) // 7, np.zeros(domain)]
    maps = [np.array(levels, dtype=np.int32)] * attributes
    weights = [np.arange(3 * domain, dtype=np.int64).reshape(3, domain)] * attributes
    book, twin = kernels.Codebook(maps, weights, True), reference.Codebook(maps, weights, True)
    assert book.words == twin.words
    pool = rng.integers(0, domain, (400, attributes)).astype(np.int32)
    codes = pool[rng.integers(0, 400, 3000)]
    keys = book.pack(codes)
    same([keys], [twin.pack(codes)])
    counts = rng.integers(1, 5, (3000, 2))
    table = kernels.aggregate(keys, counts)
    same(table, reference.aggregate(keys, counts))
    ground = (0,) * attributes
    for _ in range(4):
        node = tuple(rng.integers(0, 3, attributes).tolist())
        rolled = book.roll_up(*table, ground, node)
        same(rolled, twin.roll_up(*table, ground, node))
        same(book.measure(*rolled, node, 50), twin.measure(*rolled, node, 50))


@given(st.lists(st.tuples(*[st.integers(0, 5)] * 9), max_size=30), st.data())
def test_node_sets_answer_as_their_twin(nodes, data):
    mine, twin = kernels.NodeSet(9), reference.NodeSet(9)
    for node in nodes:
        mine.add(node)
        twin.add(node)
    asked = data.draw(st.tuples(*[st.integers(0, 5)] * 9))
    marks = np.array(data.draw(st.lists(st.booleans(), max_size=30)), dtype=np.bool_)
    assert len(mine) == len(twin)
    assert mine.above(asked) == twin.above(asked)
    assert mine.below(asked) == twin.below(asked)
    assert mine.any_below(asked, marks) == twin.any_below(asked, marks)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.data())
def test_up_sets_lose_down_sets_as_their_twin(top, data):
    bottom = [data.draw(st.integers(0, level)) for level in top]
    mine, twin = kernels.UpSet(bottom, top), reference.UpSet(bottom, top)
    for _ in range(data.draw(st.integers(1, 8))):
        cover = [data.draw(st.integers(0, level)) for level in top]
        one, other = mine.take(cover), twin.take(cover)
        assert [sorted(part) for part in one] == [sorted(part) for part in other]
        assert len(mine) == len(twin)


def test_kernels_refuse_what_would_make_them_read_outside_their_arrays():
    maps = [np.array([[0, 1], [0, 0]], dtype=np.int32)]
    book = kernels.Codebook(maps)
    keys, counts = book.pack(np.array([[0], [1]], dtype=np.int32)), np.ones((2, 1), dtype=np.int64)
    with pytest.raises(IndexError):
        book.pack(np.array([[2]], dtype=np.int32))
    with pytest.raises(ValueError, match="one column"):
        book.pack(np.zeros((1, 2), dtype=np.int32))
    with pytest.raises(IndexError):
        book.roll_up(keys, counts, (0,), (2,))
    with pytest.raises(ValueError, match="only goes up"):
        book.roll_up(keys, counts, (1,), (0,))
    with pytest.raises(ValueError, match="length"):
        book.roll_up(keys, counts[:1], (0,), (1,))
    with pytest.raises(ValueError, match="two parents"):
        kernels.Codebook([np.array([[0, 0], [0, 1]], dtype=np.int32)])
    with pytest.raises(ValueError, match="products need weights"):
        kernels.Codebook(maps, [], True)
    wide = np.array([np.arange(70_000)], dtype=np.int32)
    with pytest.raises(ValueError, match="512 bits"):
        kernels.Codebook([wide] * 40)
    with pytest.raises(ValueError, match="order"):
        book.measure_box(keys, counts, (0,), (0,), (1,), (1,), 0, 1)
    with pytest.raises(IndexError):
        kernels.NodeSet(1).add((128,))
