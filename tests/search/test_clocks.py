"""Every search ends soon after its clock: one that is over after so many looks counts those that follow."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest

from shoal import Hierarchy, Study
from shoal.answering.named import pose
from shoal.errors import NoSolutionError
from shoal.questions.searches import AnonymizeQuestion
from shoal.running.clock import Clock
from shoal.running.ctrl_c import ended_by_ctrl_c
from shoal.search.algorithms import ALGORITHMS
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.exact_frontier import exact_frontier
from shoal.search.lattice.poka import poka

MORE = 40
"""Looks that may follow: loops inside each other, each of which looks once more, and the answer's making."""
COLUMNS = 14
REFUSING = ("mingen", "incognito")
"""These refuse lattices of this size before they begin."""


class Expiring(Clock):
    """A clock that is over after so many looks, whatever the time; parts of it are itself."""

    def __init__(self, looks: int) -> None:
        super().__init__(3600.0)
        self.looks, self.most = 0, looks

    @property
    def over(self) -> bool:
        self.looks += 1
        return self.looks > self.most

    @property
    def left(self) -> float:
        return 0.0 if self.looks >= self.most else 3600.0

    def part(self, share: float) -> Clock:
        return self


@pytest.fixture(scope="module")
def hard():
    """A study of many columns that hang together, none of which tells much."""
    rng = np.random.default_rng(1)
    kinds = rng.integers(0, 9, 400)
    table, quasi = {}, {}
    for a in range(COLUMNS):
        codes = np.where(rng.random(400) < 0.6, (kinds * (a + 2)) % 8, rng.integers(0, 8, 400))
        table[f"a{a}"] = pa.array([str(code) for code in codes])
        quasi[f"a{a}"] = Hierarchy.from_rows(
            [str(code), f"{code // 2}-", f"{code // 4}--", "*"] for code in range(8)
        )
    table["illness"] = pa.array([str(code) for code in kinds % 4])
    with Study(pa.table(table), quasi=quasi, sensitive="illness", threads=1) as study:
        yield study


def asked(study, **promise):
    promise = promise or {"k": 5}
    return pose(study.material(), AnonymizeQuestion(algorithm="flash", suppress="10%", **promise))


@pytest.mark.parametrize("looks", [1, 30])
@pytest.mark.parametrize(
    "algorithm", [one for one in ALGORITHMS if one.name not in REFUSING], ids=lambda one: one.name
)
def test_no_algorithm_goes_on_when_its_time_is_over(hard, algorithm, looks):
    clock = Expiring(looks)
    task = asked(hard, l=2) if algorithm.name == "anatomy" else asked(hard)
    with suppress(NoSolutionError):  # none was found in time
        assert algorithm(task, clock).recoding is not None
    assert clock.looks <= looks + MORE


@pytest.mark.parametrize("name", ["flash", "genetic", "samarati", "top-down", "bottom-up"])
def test_a_search_looks_at_its_clock_again_and_again(hard, name):
    algorithm = next(one for one in ALGORITHMS if one.name == name)
    clock = Expiring(100)
    with suppress(NoSolutionError):
        algorithm(asked(hard), clock)
    assert clock.looks >= 100


@pytest.mark.parametrize("looks", [1, 30])
@pytest.mark.parametrize("search", [exact_frontier, poka])
def test_no_frontier_goes_on_when_its_time_is_over(hard, search, looks):
    task = asked(hard)
    evaluator, clock = Evaluator(task.problem, task.metric, task.limit), Expiring(looks)
    outcome = search(evaluator, clock=clock)
    assert not outcome.certified
    assert outcome.points
    assert clock.looks <= looks + MORE


@pytest.fixture
def interruptible():
    """Let Ctrl-C do what it does in a terminal: whoever runs tests in the background lets it do nothing."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_the_first_ctrl_c_ends_a_search_with_its_best_so_far(hard):
    pressed = []

    def progress(share, words):
        if not pressed:
            pressed.append(words)
            os.kill(os.getpid(), signal.SIGINT)

    found = hard.anonymize("flash", k=5, suppress="10%", time_limit=600, progress=progress)
    assert pressed
    assert found.k >= 5
    assert not found.optimal
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
def test_the_second_ctrl_c_ends_at_once():
    def press_twice():
        with ended_by_ctrl_c():
            os.kill(os.getpid(), signal.SIGINT)
            assert Clock().over
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        press_twice()
