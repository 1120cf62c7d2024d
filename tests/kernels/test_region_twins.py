"""Groups of combinations: the compiled kernels give what their twins give; annealing keeps its word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import kernels
from tests.kernels.twins import regions as reference

INTERVAL, SET, TREE = range(3)


@st.composite
def trees(draw, values):
    """Codes and leaves of nested groups, level by level; the last level is one node."""
    codes, levels = list(range(values)), []
    leaves = [draw(st.integers(1, 3)) for _ in range(values)]
    for level in range(draw(st.integers(1, 3))):
        if level:
            parent = [draw(st.integers(0, max(codes))) for _ in range(max(codes) + 1)]
            codes = [parent[code] for code in codes]
        levels.append(list(codes))
    levels.append([0] * values)
    covered = [
        [sum(leaves[w] for w in range(values) if row[w] == row[v]) for v in range(values)]
        for row in levels
    ]
    order = sorted(range(values), key=lambda v: [row[v] for row in reversed(levels)])
    return np.array(levels + covered, dtype=np.int64), [order.index(v) for v in range(values)]


@st.composite
def axes(draw, values, kinds=(INTERVAL, SET, TREE)):
    kind = draw(st.sampled_from(kinds))
    order = list(draw(st.permutations(range(values))))
    if kind == TREE:
        table, order = draw(trees(values))
    elif kind == SET:
        table = np.array([[draw(st.integers(1, 3)) for _ in range(values)]], dtype=np.int64)
    else:
        places, first, last = 0, [0] * values, [0] * values
        missing = draw(st.booleans())
        for v in sorted(range(values), key=lambda v: order[v]):
            if missing and order[v] == values - 1:
                first[v] = last[v] = -1
                continue
            first[v] = places + draw(st.integers(0, 2))
            last[v] = first[v] + draw(st.integers(0, 1))
            places = last[v] + 1
        table = np.array([first, last], dtype=np.int64)
    return kind, draw(st.integers(0, 5)), np.array([order], dtype=np.int32), table


@st.composite
def persons_of(draw, rows):
    """None, or how many persons have rows in one combination alone, and which others have rows in each."""
    if draw(st.booleans()):
        return None
    single = np.array([[draw(st.integers(0, count))] for count in rows[:, 0].tolist()], dtype=np.int64)
    pairs = [
        (c, p)
        for c, (count, alone) in enumerate(zip(rows[:, 0], single[:, 0], strict=True))
        for p in sorted(draw(st.sets(st.integers(0, 5), max_size=int(count - alone))))
    ]
    numbers = {p: i for i, p in enumerate(sorted({p for _, p in pairs}))}
    numbered = [(c, numbers[p]) for c, p in pairs]
    return single, np.array(numbered, dtype=np.int32).reshape(-1, 2)


@st.composite
def grounds(draw, most=14, kinds=(INTERVAL, SET, TREE)):
    """Combinations of one to three attributes, on both sides; rows or persons are counted."""
    widths = [draw(st.integers(1, 5)) for _ in range(draw(st.integers(1, 3)))]
    found = [draw(axes(width, kinds)) for width in widths]
    row = st.tuples(*(st.integers(0, width - 1) for width in widths))
    codes = np.array(draw(st.lists(row, min_size=1, max_size=most, unique=True)), dtype=np.int32)
    rows = np.array([[draw(st.integers(1, 4))] for _ in codes], dtype=np.int64)
    blocks = np.zeros((len(codes), 1), dtype=np.int32)
    if draw(st.booleans()):
        blocks[:] = codes[:, :1] % 2
    given_ = (found, codes, rows, blocks, draw(persons_of(rows)))
    return kernels.Regions(*given_), reference.Regions(*given_), codes, rows, blocks


def judge_of(draw, count):
    """Nobody, or one who refuses groups with too much of some mark."""
    if draw(st.booleans()):
        return None
    marks = np.array([draw(st.integers(0, 2)) for _ in range(count)])
    most = draw(st.integers(1, 3))

    def judge(members, begins, ends):
        sums = np.concatenate([[0], np.cumsum(marks[members[:, 0]])])
        return sums[ends[:, 0]] - sums[begins[:, 0]] <= most * (ends - begins)[:, 0]

    return judge


def group_sizes(groups, twin):
    return [twin.counted(np.flatnonzero(groups == g).tolist()) for g in np.unique(groups)]


@given(grounds(), st.data())
def test_costs_and_distances_equal_their_twins(ground, data):
    regions, twin, codes, _, _ = ground
    groups = np.array([[data.draw(st.integers(0, len(codes) - 1))] for _ in codes], dtype=np.int64)
    assert (regions.costs(groups) == twin.costs(groups)).all()
    many = data.draw(st.integers(0, 6))
    mine, yours = regions.neighbours(many), twin.neighbours(many)
    assert mine.shape == yours.shape
    assert ((mine < 0) == (yours < 0)).all()
    for c in range(len(codes)):
        found = mine[c][mine[c] >= 0].tolist()
        assert len(set(found)) == len(found)
        assert c not in found
        # Which of several equally far ones come is free.
        assert [twin.distance(c, d) for d in found] == [twin.distance(c, d) for d in yours[c] if d >= 0]


@given(grounds(), st.booleans(), st.booleans(), st.integers(1, 3), st.integers(0, 20), st.data())
def test_splits_equal_their_twin(ground, strict, median, ahead, most, data):
    regions, twin, codes, _, blocks = ground
    k = data.draw(st.integers(1, 5))
    judge = judge_of(data.draw, len(codes))
    start = blocks.astype(np.int64)
    start = np.unique(start, return_inverse=True)[1].reshape(-1, 1).astype(np.int64)
    options = (start, k, strict, median, ahead, most, np.inf, judge)
    groups = regions.split(*options)
    assert (groups == twin.split(*options)).all()
    assert regions.costs(groups).sum() <= regions.costs(start).sum()
    whole = len(np.unique(start)) == len(np.unique(groups))
    assert whole or min(group_sizes(groups, twin)) >= min(k, *group_sizes(start, twin))
    for group in np.unique(groups):
        assert len(np.unique(blocks[groups == group])) == 1


@given(grounds() | grounds(kinds=[TREE]), st.data())
def test_merging_equals_its_twin(ground, data):
    regions, twin, codes, _, _ = ground
    k = data.draw(st.integers(1, 6))
    judge = judge_of(data.draw, len(codes))
    near = regions.neighbours(data.draw(st.integers(0, 4)))
    start = np.arange(len(codes))[:, None]
    one = kernels.Regrouping(regions, start, k, near, 0, judge)
    other = reference.Regrouping(twin, start, k, near, 0, judge)
    assert one.gather() == other.gather()
    assert (one.groups() == other.groups()).all()
    assert one.cost == other.cost


@given(grounds() | grounds(kinds=[TREE]), st.integers(0, 6))
def test_near_ones_are_as_many_as_the_nearest_and_in_order(ground, many):
    regions, twin, codes, _, blocks = ground
    near, nearest = regions.neighbours(many, most_looks=0), twin.neighbours(many)
    assert ((near < 0) == (nearest < 0)).all()
    for c, found in enumerate(near):
        others = found[found >= 0].tolist()
        assert len({*others, c}) == len(others) + 1
        assert (blocks[others] == blocks[c]).all()
        far = [twin.distance(c, d) for d in others]
        assert far == sorted(far)
        if len(codes) <= many:
            assert far == [twin.distance(c, d) for d in nearest[c] if d >= 0]


@given(grounds(), st.data())
def test_without_time_neighbours_and_groups_are_worse_but_good(ground, data):
    regions, twin, codes, _, blocks = ground
    k, many = data.draw(st.integers(1, 6)), data.draw(st.integers(0, 4))
    judge = judge_of(data.draw, len(codes))
    near, nearest = regions.neighbours(many, 0.0), twin.neighbours(many)
    assert ((near < 0) == (nearest < 0)).all()
    for c, found in enumerate(near):
        others = found[found >= 0].tolist()
        assert len({*others, c}) == len(others) + 1
        assert (blocks[others] == blocks[c]).all()
    start = np.arange(len(codes))[:, None]
    whole = kernels.Regrouping(regions, start, k, near, 0, judge)
    hurried = kernels.Regrouping(regions, start, k, near, 0, judge)
    assert hurried.gather(0.0) or not whole.gather()
    groups = hurried.groups()
    assert hurried.cost == regions.costs(groups).sum()
    for group in np.unique(groups):
        assert len(np.unique(blocks[groups == group])) == 1
    assert hurried.run(1000, 0.1, 0.01, 0.0) in (0, 1000)  # all where there is nothing to do
    assert (hurried.groups() == groups).all()
    late = regions.split(groups, k, True, False, 3, 20, -1.0, judge)  # not even a moment is left
    assert len(np.unique(late)) == len(np.unique(groups))
    assert len(np.unique(np.concatenate([late, groups], axis=1), axis=0)) == len(np.unique(groups))


@given(grounds(), st.integers(2, 3), st.integers(0, 4), st.sampled_from([0, 2000]))
def test_neighbours_are_the_same_with_any_number_of_threads(ground, threads, many, looks):
    regions = ground[0]
    alone = regions.neighbours(many, most_looks=looks)
    assert (regions.neighbours(many, most_looks=looks, threads=threads) == alone).all()


@given(grounds() | grounds(kinds=[TREE]), st.integers(0, 3), st.data())
def test_annealing_keeps_groups_good_and_knows_its_cost(ground, seed, data):
    regions, twin, codes, _, blocks = ground
    k = data.draw(st.integers(1, 4))
    judge = judge_of(data.draw, len(codes))
    near = regions.neighbours(4)
    regrouping = kernels.Regrouping(regions, np.arange(len(codes))[:, None], k, near, seed, judge)
    if not regrouping.gather():
        return
    start = regrouping.groups()
    again = kernels.Regrouping(regions, start, k, near, seed, judge)
    for one in (regrouping, again):
        one.run(300, 0.5, 0.1)
        warm = one.cost
        one.run(100, 0.1, 0.0)
        assert one.cost <= warm
    groups = again.groups()
    assert again.cost == twin.costs(groups).sum()
    third = kernels.Regrouping(regions, start, k, near, seed, judge)
    third.run(300, 0.5, 0.1)
    third.run(100, 0.1, 0.0)
    assert (third.groups() == groups).all()
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        assert twin.counted(members.tolist()) >= k
        assert len(np.unique(blocks[members])) == 1
        if judge is not None:
            column = members.astype(np.int32)[:, None]
            assert judge(column, np.array([[0]]), np.array([[len(members)]])).all()


def test_annealing_improves_what_it_is_given():
    # Two pairs that stand crosswise: changing partners costs nothing any more.
    axis = (SET, 1, np.array([[0, 1]], dtype=np.int32), np.array([[1, 1]], dtype=np.int64))
    other = (SET, 1, np.array([[0, 1, 2, 3]], dtype=np.int32), np.array([[1, 1, 1, 1]], dtype=np.int64))
    codes = np.array([[0, 0], [0, 1], [1, 2], [1, 3]], dtype=np.int32)
    regions = kernels.Regions(
        [axis, other], codes, np.ones((4, 1), np.int64), np.zeros((4, 1), np.int32)
    )
    start = np.array([[0], [1], [0], [1]], dtype=np.int64)
    regrouping = kernels.Regrouping(regions, start, 2, regions.neighbours(3), 1, None)
    assert regrouping.cost == 8
    regrouping.run(2_000, 0.5, 0.01)
    assert regrouping.cost == 4


def test_the_kernels_refuse_what_they_cannot_hold():
    axis = (SET, 1, np.array([[0, 1]], dtype=np.int32), np.array([[1, 1]], dtype=np.int64))
    tree = (
        TREE,
        1,
        np.array([[0, 1]], dtype=np.int32),
        np.array([[0, 1], [1, 1]], dtype=np.int64),
    )
    codes, rows = np.array([[0], [1]], dtype=np.int32), np.ones((2, 1), np.int64)
    one = np.zeros((2, 1), np.int32)
    with pytest.raises(ValueError, match="more than one node"):
        kernels.Regions([tree], codes, rows, one)
    with pytest.raises(IndexError, match="no such value"):
        kernels.Regions([axis], codes + 1, rows, one)
    with pytest.raises(ValueError, match="one count"):
        kernels.Regions([axis], codes, rows[:1], one)
    for single, pairs, refusal in (
        ([[0]], [], "one count a combination"),
        ([[0], [2]], [], "more persons than rows"),
        ([[0], [-1]], [], "more persons than rows"),
        ([[1], [0]], [(0, 0), (1, 0)], "more persons than rows"),
        ([[0], [0]], [(0, 2), (1, 0)], "no such person"),
        ([[0], [0]], [(2, 0), (1, 0)], "no such combination"),
        ([[0], [0]], [(1, 0), (0, 0)], "ascend"),
        ([[0], [0]], [(0, 0), (0, 0)], "ascend"),
    ):
        persons = np.array(single), np.array(pairs, dtype=np.int32).reshape(-1, 2)
        with pytest.raises((ValueError, IndexError), match=refusal):
            kernels.Regions([axis], codes, rows, one, persons)
    regions = kernels.Regions([axis], codes, rows, one)
    with pytest.raises(IndexError, match="no such group"):
        regions.costs(np.array([[0], [2]]))
    with pytest.raises(IndexError, match="same block"):
        kernels.Regrouping(
            regions, np.array([[0], [1]]), 1, np.array([[5], [0]], dtype=np.int32), 0, None
        )
    regrouping = kernels.Regrouping(regions, np.array([[0], [1]]), 1, regions.neighbours(1), 0, None)
    with pytest.raises(ValueError, match="falls"):
        regrouping.run(1, 0.1, 0.2)


@pytest.mark.parametrize("levels", [2, 15, 16, 17, 33, 64, 65, 70])
def test_trees_of_many_levels_cost_what_their_twins_cost(levels):
    """On every level one more value joins the rest: a path needs a bit a level, and 64 at most fit."""
    values = levels + 1
    codes = [[max(v, level) for v in range(values)] for level in range(levels + 1)]
    leaves = [[sum(c == row[v] for c in row) for v in range(values)] for row in codes]
    order = np.arange(values, dtype=np.int32)[None, :]
    axes = [(TREE, 3, order, np.array(codes + leaves, dtype=np.int64))] * 2
    random = np.random.default_rng(levels)
    points = np.unique(random.integers(0, values, (20, 2)), axis=0).astype(np.int32)
    given_ = (
        axes,
        points,
        np.ones((len(points), 1), dtype=np.int64),
        np.zeros((len(points), 1), dtype=np.int32),
    )
    regions, twin = kernels.Regions(*given_), reference.Regions(*given_)
    regrouping = kernels.Regrouping(
        regions, np.arange(len(points))[:, None], 3, regions.neighbours(5), 1, None
    )
    assert regrouping.gather()
    regrouping.run(500, 0.5, 0.1)
    assert regrouping.cost == twin.costs(regrouping.groups()).sum()


def balanced(parts, leaf):
    """The table of a tree whose labels all cost the same on a level: every node has as many below it."""
    values = int(np.prod(parts))
    widths = np.cumprod([1, *parts])
    codes = [[v // width for v in range(values)] for width in widths]
    return np.array(codes + [[leaf * int(width)] * values for width in widths], dtype=np.int64)


@pytest.mark.parametrize("seed", range(8))
def test_trees_whose_labels_cost_alike_cost_what_their_twins_cost(seed):
    """Trees of 1 to 12 bits a path, of which several may share what is looked up, beside one that may not."""
    random = np.random.default_rng(seed)
    shapes = [
        random.integers(2, 5, random.integers(1, 4)).tolist() for _ in range(random.integers(1, 8))
    ]
    tables = [balanced(shape, int(random.integers(1, 3))) for shape in [*shapes, [40], [60, 60]]]
    uneven = np.array([[0, 1, 2], [0, 0, 1], [0, 0, 0], [1, 1, 1], [2, 2, 1], [3, 3, 3]], dtype=np.int64)
    tables.insert(int(random.integers(len(tables))), uneven)
    axes = [
        (TREE, int(random.integers(1, 5)), np.arange(table.shape[1], dtype=np.int32)[None, :], table)
        for table in tables
    ]
    codes = np.stack([random.integers(0, table.shape[1], 40) for table in tables], axis=1)
    points = np.unique(codes, axis=0).astype(np.int32)
    given_ = (axes, points, np.ones((len(points), 1), np.int64), np.zeros((len(points), 1), np.int32))
    regions, twin = kernels.Regions(*given_), reference.Regions(*given_)
    start = np.arange(len(points))[:, None] // 4
    regrouping = kernels.Regrouping(regions, start, 3, regions.neighbours(8), seed, None)
    assert regrouping.cost == twin.costs(start).sum()
    regrouping.run(2_000, 0.5, 0.1)
    assert regrouping.cost == twin.costs(regrouping.groups()).sum()


@given(grounds(), st.data())
def test_a_part_is_like_a_table_of_its_combinations(ground, data):
    regions, twin, codes, rows, blocks = ground
    some = data.draw(st.lists(st.integers(0, len(codes) - 1), min_size=1, unique=True))
    members = np.array(some, dtype=np.int32)[:, None]
    if twin.persons is not None:
        with pytest.raises(ValueError, match="persons"):
            regions.part(members)
        return
    given_ = [
        (kind, factor, np.array([order], np.int32), table) for kind, factor, order, table in twin.axes
    ]
    part, alone = regions.part(members), kernels.Regions(given_, codes[some], rows[some], blocks[some])
    groups = blocks[some].astype(np.int64) % len(some)
    assert (part.costs(groups) == alone.costs(groups)).all()
    assert (part.neighbours(3) == alone.neighbours(3)).all()
    asked = []

    def judge(given_members, begins, ends):
        asked.extend(given_members[:, 0].tolist())
        return np.ones(len(begins), dtype=np.bool_)

    kernels.Regrouping(part, np.arange(len(some))[:, None], 2, part.neighbours(3), 1, judge).gather()
    assert set(asked) <= set(some)  # a judge hears of the combinations of the whole


def test_a_part_of_what_is_not_there_is_refused():
    codes, one = np.array([[0], [1]], dtype=np.int32), np.zeros((2, 1), dtype=np.int32)
    axis = (SET, 1, np.array([[0, 1]], dtype=np.int32), np.array([[1, 1]], dtype=np.int64))
    regions = kernels.Regions([axis], codes, np.ones((2, 1), dtype=np.int64), one)
    with pytest.raises(IndexError, match="no such combination"):
        regions.part(np.array([[2]], dtype=np.int32))
    with pytest.raises(ValueError, match="column"):
        regions.part(np.zeros((1, 2), dtype=np.int32))
    with pytest.raises(ValueError, match="heat"):
        kernels.Regrouping(
            regions, np.array([[0], [0]]), 1, regions.neighbours(1), 0, None, float("nan")
        )
