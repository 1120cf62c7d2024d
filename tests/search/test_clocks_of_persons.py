"""Clocks where persons have several rows: what is counted of them adds up nowhere, so it takes longer."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
import pytest

from shoal import Hierarchy, Study
from shoal.answering.named import pose
from shoal.questions.searches import AnonymizeQuestion
from shoal.running.clock import Clock
from shoal.running.stopping import Stop, stopped_by
from shoal.search.groups.grouping import Grouping
from shoal.search.groups.mondrian import blocks
from shoal.search.groups.regroup import Regrouper

ROWS = 3000
AT_ONCE = 1 << 19
"""Members of groups that are judged in one call, about."""


@pytest.fixture(scope="module")
def ground():
    """The points of persons with several rows, each in a combination of its own."""
    rng = np.random.default_rng(4)
    table = {f"a{a}": [f"{code:02}" for code in rng.integers(0, 64, ROWS)] for a in range(4)}
    table["illness"] = [f"i{code}" for code in rng.integers(0, 4, ROWS)]
    table["who"] = [f"p{code}" for code in rng.integers(0, ROWS // 2, ROWS)]
    tree = Hierarchy.from_rows([f"{code:02}", f"{code // 8}-", "*"] for code in range(64))
    quasi = {f"a{a}": tree for a in range(4)}
    with Study(pa.table(table), quasi=quasi, sensitive="illness", persons="who", threads=1) as study:
        task = pose(study.material(), AnonymizeQuestion(algorithm="mondrian", k=2, t=0.01))
        return Grouping.of(task, "sets")


class Refusing:
    """A judge that allows no group, and notes of how many members all groups of a call have."""

    def __init__(self):
        self.members = []

    def __call__(self, members, begins, ends):
        self.members.append(int((ends - begins).sum()))
        if self.over():
            time.sleep(0.06)  # whether work is still wanted is looked at twenty times a second
        return np.zeros(len(begins), dtype=np.bool_)

    def over(self):
        return len(self.members) in range(3, 20)


def refused(ground):
    """What refuses all groups, and a regrouper that asks it."""
    regrouper = Regrouper(ground, 0, Clock())
    regrouper.judge = judge = Refusing()
    return judge, regrouper


def test_not_too_many_groups_of_persons_are_judged_at_once(ground):
    judge, regrouper = refused(ground)
    found = regrouper.split(blocks(ground))
    assert len(np.unique(found)) == 1
    points = regrouper.points
    assert sum(judge.members) >= 4 * (points - 4) * points  # every cut of every column is asked about
    assert max(judge.members) <= AT_ONCE + points


def test_no_cut_of_persons_is_judged_when_the_time_is_over(ground):
    judge, regrouper = refused(ground)
    with stopped_by(Stop(judge.over)):
        regrouper.split(blocks(ground))
    assert len(judge.members) == 3
