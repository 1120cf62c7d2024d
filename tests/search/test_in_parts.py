"""Groups of many points are found part by part: parts hold whole groups, and any number of threads agree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.answering.named import pose
from shoal.questions.searches import AlgorithmQuestion
from shoal.running.clock import Clock
from shoal.search.groups import in_parts
from shoal.search.groups.grouping import Grouping
from shoal.search.groups.in_parts import InParts, regrouper_of
from shoal.search.groups.mondrian import blocks
from shoal.search.groups.point_parts import PointPlaces
from shoal.search.groups.regroup import Regrouper
from shoal.search.lattice.flash import Cheapest
from tests.examples import examples
from tests.release.cases import study_of, tables
from tests.search.test_local_recoding import PROMISES, found_by, kept_nodes, question_of


@pytest.fixture
def small_parts(monkeypatch):
    """Let tables of a few points be many, and those of more be large."""
    for name, number in {"MANY": 1, "LARGE": 9, "PART": 4, "SHARE": 3, "LEAST": 2, "ROUNDS": 3}.items():
        monkeypatch.setattr(in_parts, name, number)


@st.composite
def cuts(draw):
    """Points with blocks and groups within them, and how large a part may be."""
    widths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    count = draw(st.integers(1, 30))
    row = st.tuples(*(st.integers(0, width - 1) for width in widths))
    places = np.array(draw(st.lists(row, min_size=count, max_size=count)), dtype=np.int32)
    gaps = [np.array([draw(st.integers(0, 3)) for _ in range(width - 1)], float) for width in widths]
    apart = places[:, 0].astype(np.int64) if draw(st.booleans()) else np.zeros(count, dtype=np.int64)
    of = np.array([draw(st.integers(0, 3)) for _ in range(count)]) * 5 + apart
    return PointPlaces(places, apart, gaps), of, draw(st.integers(1, 8))


@given(cuts(), st.booleans(), st.booleans())
def test_every_point_is_in_one_part_and_groups_stay_whole(given_, grouped, drawn):
    points, of, most = given_
    draw = np.random.default_rng(1) if drawn else None
    parts = points.parts(of if grouped else None, most, draw=draw)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(of)))
    for inside in parts:
        assert (np.diff(inside) > 0).all()
        # What is too large has no place to be cut at: its groups begin alike wherever a cut is worth
        # something.
        first = [np.flatnonzero(of == g)[0] for g in np.unique(of[inside])] if grouped else inside
        if len(inside) > most:
            assert np.ptp(points.blocks[inside]) == 0
            for a, gaps in enumerate(points.gaps):
                low, high = points.places[first, a].min(), points.places[first, a].max()
                assert not gaps[low:high].any()
    if grouped:
        assert sum(len(np.unique(of[inside])) for inside in parts) == len(np.unique(of))


@given(cuts(), st.integers(1, 6))
def test_both_sides_of_every_cut_keep_the_promise(given_, least):
    points, _, most = given_
    parts = points.parts(None, most, lambda sets: all(len(inside) >= least for inside in sets))
    for block in np.unique(points.blocks):
        inside = np.flatnonzero(points.blocks == block)
        for part in parts:
            here = np.intersect1d(part, inside)
            assert not len(here) or len(here) >= min(least, len(inside))


@pytest.mark.usefixtures("small_parts")
@settings(max_examples=examples(12))
@given(tables(most_rows=30), st.sampled_from(PROMISES), st.sampled_from(["nearest", "rounds"]))
def test_parts_keep_the_promise_and_their_threads_do_not_matter(given_, promise, start):
    table, trees = given_
    found = []
    for threads in (1, 3):
        with study_of(table, trees) as study:
            study.threads = threads
            question = question_of(study, **promise)
            found.append(found_by(study, promise, start=start, effort=2))
            assume(found[0] is not None)
            classes = question.groups(found[-1].decision().recoding.group_of(question.tally), 1000)
            kept = classes.where(classes.sizes > 0)
            assert all(criterion.kept(kept).all() for criterion in question.criteria)
            least = min(kept_nodes(question), default=(float("inf"),))[0]
            assert found[-1].losses["LM"] <= least / question.metric.unit + 1e-9
    assert found[0].losses == found[1].losses


@pytest.fixture(scope="module")
def ground():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2]))  # benchmarks are no part of the package
        from benchmarks.made import made_study
    with made_study(4_000, (5, 4, 4, 3, 3)) as study:
        question = pose(study.material(), AlgorithmQuestion(k=5))
        yield Grouping.of(question, "hierarchy")


@pytest.mark.parametrize("large", [200, 100_000])
def test_parts_lose_about_what_the_whole_does(ground, large, monkeypatch):
    for name, number in {"MANY": 1, "LARGE": large, "PART": 500, "LEAST": 500}.items():
        monkeypatch.setattr(in_parts, name, number)
    whole, parted = Regrouper(ground, 1, Clock()), regrouper_of(ground, 1, Clock())
    assert isinstance(parted, InParts)
    assert parted.large == (large == 200)
    costs = []
    for regrouper in (whole, parted):
        start = regrouper.split(regrouper.gathered())
        assert ground.reached(start[:, 0]) >= 5
        found = regrouper.improved(start, 1, Clock())
        assert found.cost == whole.cost(found.groups) < whole.cost(start)
        assert ground.reached(found.groups[:, 0]) >= 5
        costs.append(found.cost)
    assert costs[1] < 1.05 * costs[0]


@pytest.mark.parametrize("clock", [Clock(1e-9), Clock(0.05)], ids=["none", "little"])
def test_parts_end_with_valid_groups_when_the_time_is_over(ground, clock, monkeypatch):
    for name, number in {"MANY": 1, "LARGE": 200, "PART": 300}.items():
        monkeypatch.setattr(in_parts, name, number)
    regrouper = regrouper_of(ground, 1, clock)
    groups = regrouper.gathered()
    assert ground.reached(groups[:, 0]) >= 5
    found = regrouper.improved(groups, float("inf"), clock)
    assert found.cost <= regrouper.cost(groups)
    assert ground.reached(found.groups[:, 0]) >= 5


def test_parts_begin_with_groups_that_lie_in_several_of_the_first(ground, monkeypatch):
    for name, number in {"MANY": 1, "LARGE": 200, "PART": 300}.items():
        monkeypatch.setattr(in_parts, name, number)
    regrouper = regrouper_of(ground, 1, Clock())
    regrouper.gathered()
    found = regrouper.improved(blocks(ground), 1, Clock())
    assert found.groups.max() == 0 or found.cost < regrouper.cost(blocks(ground))
    assert ground.reached(found.groups[:, 0]) >= 5


@settings(max_examples=examples(30))
@given(tables(most_rows=20), st.sampled_from(PROMISES), st.floats(0, 1))
def test_a_node_that_costs_less_than_what_is_known_is_found_if_there_is_one(given_, promise, share):
    table, trees = given_
    with study_of(table, trees) as study:
        question = question_of(study, **promise)
        judge = question.judge()
        below = int(share * question.metric.largest)
        search = Cheapest(judge, Clock(), below)
        assert search.run()
        least = min(kept_nodes(question), default=(float("inf"),))[0]
        if least < below:
            assert search.best is not None
            assert search.best.loss == least
