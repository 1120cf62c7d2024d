"""Counting is part of a search's time limit, but never takes more than half of it."""

from __future__ import annotations

import pytest

from shoal.answering.following import clock_after, timed_after
from shoal.questions.execution import Timed
from shoal.running.clock import Clock


class Counted(Clock):
    """A clock after some seconds of counting."""

    def __init__(self, seconds: float) -> None:
        self.counted = seconds

    @property
    def seconds(self) -> float:
        return self.counted


@pytest.mark.parametrize(("counted", "left"), [(0, 10), (3, 7), (5, 5), (60, 5)])
def test_a_search_has_what_counting_left_and_half_of_its_limit_in_any_case(counted, left):
    assert timed_after(Counted(counted), Timed(time_limit=10)).time_limit == left
    assert clock_after(Counted(counted), Timed(time_limit=10)).left == pytest.approx(left, abs=0.5)


def test_without_a_limit_there_is_none_after_counting_either():
    assert not clock_after(Counted(60), Timed()).limited


def test_whoever_watches_is_told_of_the_search():
    told = []
    clock = clock_after(Counted(1), Timed(progress=lambda *given: told.append(given)))
    clock._shown -= 1
    clock.show(0.5, "half")
    assert told == [(0.5, "half")]
