"""Rows that make their groups dear are suppressed where that loses less; it never loses more."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.answering.named import pose
from shoal.describe.hierarchies import Hierarchy
from shoal.kernels import Regions
from shoal.questions.searches import AnonymizeQuestion
from shoal.running.clock import Clock
from shoal.search.groups.dear_rows import _prices, _saved
from shoal.search.groups.grouping import Grouping
from tests.examples import examples

NUMBERS = Hierarchy.from_rows(
    [(f"{v:02}", f"{v // 4 * 4:02}+", f"{v // 16 * 16:02}+", "*") for v in range(64)]
)
NAMES = ("a", "b", "c")
WAYS = [("local-recoding", {}), ("mondrian", {}), ("mondrian", {"labels": "hierarchy"})]


def study_of(rows, **more):
    columns = zip(*rows, strict=True)
    table = {name: [f"{v:02}" for v in column] for name, column in zip(NAMES, columns, strict=True)}
    if "persons" in more:
        table["who"] = [str(i // 2) for i in range(len(rows))]
    return Study(pa.table(table), quasi=dict.fromkeys(NAMES, NUMBERS), threads=1, **more)


def crowded():
    """Ten tight crowds of four rows, and three rows that are far from all of them."""
    rng = np.random.default_rng(1)
    centres = rng.integers(0, 4, (10, 3)) * 4
    rows = [tuple((c + rng.integers(0, 2, 3)).tolist()) for c in centres for _ in range(4)]
    return [*rows, (63, 0, 40), (20, 63, 1), (2, 45, 63)]


@pytest.mark.parametrize(("name", "options"), WAYS, ids=str)
def test_outlying_rows_go_and_the_others_gain_more_than_that(name, options):
    with study_of(crowded()) as study:
        whole = study.anonymize(name, k=4, options=options)
        spared = study.anonymize(name, k=4, suppress=3, options=options)
        assert whole.suppressed == 0
        assert 1 <= spared.suppressed == spared.details["outliers"] <= 3
        assert spared.loss < whole.loss
        rows, verdict = study.release(spared, seed=1).verified_table()
        assert verdict.measured.k >= 4
        assert rows.num_rows == 43 - spared.suppressed
        assert "(never seen)" not in str(rows.to_pylist())


@pytest.mark.parametrize("room", [1, 2])
def test_no_more_rows_go_than_there_is_room_for(room):
    with study_of(crowded()) as study:
        found = study.anonymize("local-recoding", k=4, suppress=room, options={"effort": 0})
    assert 1 <= found.suppressed <= room


cells = st.tuples(*[st.sampled_from([0, 1, 2, 5, 17, 40, 63])] * 3)


@settings(max_examples=examples(40))
@given(
    rows=st.lists(cells, min_size=6, max_size=16),
    k=st.integers(2, 3),
    limit=st.integers(1, 4),
    way=st.sampled_from(WAYS),
    metric=st.sampled_from(["LM", "Prec", "NCP"]),
    of_persons=st.booleans(),
)
def test_room_to_suppress_never_raises_the_loss_nor_breaks_the_promise(
    rows, k, limit, way, metric, of_persons
):
    name, options = way
    with study_of(rows, **({"persons": "who"} if of_persons else {})) as study:
        asked = {"k": k, "metric": metric, "options": options}
        whole = study.anonymize(name, **asked)
        spared = study.anonymize(name, suppress=limit, **asked)
        if metric == "LM" or options or name == "local-recoding":
            assert spared.loss <= whole.loss + 1e-9
        assert spared.suppressed <= limit
        rows, verdict = study.release(spared, seed=1).verified_table()
        assert verdict.holds
        assert rows.num_rows + spared.suppressed == whole.rows


@settings(max_examples=examples(20))
@given(rows=st.lists(cells, min_size=4, max_size=12), seed=st.integers(0, 99))
def test_what_a_group_saves_is_what_it_costs_less_without_a_point(rows, seed):
    with study_of(rows) as study:
        task = pose(study.material(), AnonymizeQuestion("mondrian", k=1))
        ground = Grouping.of(task, "sets")
        groups = np.unique(np.random.default_rng(seed).integers(0, 3, len(ground)), return_inverse=True)[
            1
        ]
        saved, regions = _saved(ground, groups, Clock()), ground.regions()
        assert not _saved(ground, groups, Clock(0)).any()
        for point, own in enumerate(groups.tolist()):
            apart = groups.copy()
            apart[point] = groups.max() + 1
            alone = (groups == own).sum() == 1
            before, after = (
                regions.costs(of[:, None])[own, 0] for of in (groups, np.where(alone, groups, apart))
            )
            assert saved[point] == before - after


@pytest.mark.parametrize("rows", [4, 11, 40])
def test_points_in_company_cost_what_each_costs_by_itself(rows):
    """Few are copied at once, since costs of more rows than there are may not fit."""
    draw = np.random.default_rng(rows)
    with study_of([tuple(row) for row in draw.integers(0, 64, (rows, 3)).tolist()]) as study:
        ground = Grouping.of(pose(study.material(), AnonymizeQuestion("mondrian", k=1)), "hierarchy")
    count = len(ground)
    company = [
        np.sort(draw.choice(count, int(draw.integers(0, 4)), replace=False)) for _ in range(count)
    ]
    whose = np.repeat(np.arange(count), [len(others) for others in company])
    others = np.concatenate(company).astype(np.int64)
    for point, found in enumerate(_prices(ground, whose, others).tolist()):
        members = np.append(company[point], point)
        one = np.ones((len(members), 1), dtype=np.int64)
        alone = Regions(
            ground.kernel_axes(),
            np.ascontiguousarray(ground.codes[members]),
            one,
            0 * one.astype(np.int32),
            None,
        )
        assert found == alone.costs(0 * one)[0, 0]


@pytest.mark.parametrize(("name", "options"), WAYS, ids=str)
def test_rows_may_go_where_losses_are_told_in_very_small_units(name, options):
    """The information of a target is told in so small a unit that only the rows of the table fit."""
    draw = np.random.default_rng(2)
    names = [f"q{i}" for i in range(16)]
    table = {one: [f"{v:02}" for v in draw.integers(0, 64, 200).tolist()] for one in names}
    table["outcome"] = [str(v) for v in draw.integers(0, 3, 200).tolist()]
    with Study(pa.table(table), quasi=dict.fromkeys(names, NUMBERS), class_="outcome") as study:
        asked = {"k": 5, "suppress": 20, "metric": "target:outcome", "options": {"effort": 0, **options}}
        found = study.anonymize(name, **asked)
    assert found.k >= 5
    assert found.suppressed <= 20
