"""A clock's time is up early enough for what follows the search, also on a machine that is busy."""

from __future__ import annotations

import pytest

from shoal.running import clock as module
from shoal.running.clock import AFTER, SLACK, Clock


class Time:
    """The time that clocks see: seconds that pass, and those that the process had its processor."""

    def __init__(self) -> None:
        self.now = self.used = 100.0

    def perf_counter(self) -> float:
        return self.now

    def process_time(self) -> float:
        return self.used

    def passes(self, seconds: float, busy: float = 1.0) -> None:
        """Let seconds pass of which the process has one in `busy`."""
        self.now += seconds
        self.used += seconds / busy


@pytest.fixture
def time(monkeypatch):
    found = Time()
    monkeypatch.setattr(module, "time", found)
    return found


def test_without_anything_that_follows_the_time_is_up_at_the_limit(time):
    clock = Clock(10)
    time.passes(9.9)
    assert not clock.over
    time.passes(0.2)
    assert clock.over
    assert clock.left == 0


def test_what_follows_has_its_time_before_the_limit_and_half_of_what_may_be_over(time):
    clock = Clock(10, after=3)
    end = 10 - (3 - SLACK[0] * 10 - SLACK[1])
    time.passes(end - 0.1)
    assert not clock.over
    assert clock.left == pytest.approx(0.1)
    time.passes(0.2)
    assert clock.over


def test_a_search_that_knows_of_more_that_follows_leaves_time_for_it(time):
    clock, other = Clock(10, after=2), Clock(10, after=3)
    clock.leave(1)
    assert clock.left == other.left < 10


def test_an_answer_is_late_when_half_of_what_may_be_over_is_used_up(time):
    clock = Clock(10)
    time.passes(10 + SLACK[0] * 10 + SLACK[1] - 0.1)
    assert not clock.late
    time.passes(0.2)
    assert clock.late
    assert not Clock().late


def test_what_takes_a_moment_takes_nothing_from_the_search(time):
    clock = Clock(10, after=0.9)
    time.passes(9.9)
    assert not clock.over
    assert clock.past(0.9)


def test_on_a_busy_machine_what_follows_has_more_time(time):
    calm, busy = Clock(20, after=2), Clock(20, after=2)
    time.passes(2, busy=4)
    assert busy.left == pytest.approx(20 - (4 * 2 - 1.5) - 2)
    again = Clock(20, after=2)
    time.passes(2)
    assert again.left == pytest.approx(20 - 0.5 - 2)
    assert calm.part(0.5).left == pytest.approx(calm.left / 2)


def test_a_search_keeps_some_of_its_time_whatever_follows(time):
    clock = Clock(10, after=1000)
    time.passes((1 - AFTER) * 10 - 0.1)
    assert not clock.over
    time.passes(0.2)
    assert clock.over


def test_without_a_limit_nothing_ends(time):
    clock = Clock(after=5)
    time.passes(10**6)
    assert not clock.over
    assert not clock.limited


def told_by(*shown, parts=True):
    """What a listener hears of (part, lost, at) in turn, with two parts and the clock itself."""
    said = []
    clock = Clock(None, lambda _, words: said.append(words))
    clocks = {"": clock, "a": clock.part(1.0, heard=True), "b": clock.part(1.0, heard=True)}
    clocks["deaf"] = clock.part(1.0)
    for part, lost, at in shown:
        clock._shown = -1.0
        clocks[part].show(0.0, "working", lost, at)
    return said


def test_progress_says_what_the_best_so_far_loses():
    assert told_by(("", None, ""), ("", 0.5, ""), ("", lambda: 0.25, " at k = 5")) == [
        "working",
        "50% lost, working",
        "25% lost at k = 5, working",
    ]


def test_parts_are_heard_if_they_are_to_be_and_never_told_to_be_worse_than_those_before():
    heard = told_by(("a", 0.5, ""), ("deaf", 0.1, ""), ("b", 0.7, ""), ("b", None, ""), ("b", 0.4, ""))
    assert heard == [f"{share} lost, working" for share in ("50%", "50%", "50%", "40%")]
    assert told_by(("a", 0.2, " at k = 2"), ("b", 0.5, " at k = 5"))[1] == "50% lost at k = 5, working"


def test_who_hears_a_part_may_end_the_whole():
    clock = Clock(60, lambda *_: True)
    part = clock.part(0.5, heard=True)
    clock._shown = -1.0
    part.show(0.0, "working")
    assert clock.over
    assert part.over
