"""Steps that go on beside other work have half of the time, and none once it is over."""

from __future__ import annotations

from itertools import count

from shoal.running.beside import Beside
from shoal.running.clock import Clock


class Counted(Clock):
    """A clock that goes on only when it is told to."""

    now = 0.0

    @property
    def seconds(self):
        return self.now


def steps_of(clock, seconds, of=None):
    for number in count() if of is None else range(of):
        clock.now += seconds
        yield number


def test_steps_have_as_much_time_as_the_rest():
    clock = Counted()
    clock.now = 100.0  # what came before does not count
    beside = Beside(steps_of(clock, 2.0), clock)
    rest = 0.0
    for _ in range(200):
        clock.now += 0.5
        rest += 0.5
        beside.go_on()
    assert abs((clock.now - 100.0 - rest) - rest) <= 2.0


def test_steps_that_have_ended_take_no_more_time():
    clock = Counted()
    beside = Beside(steps_of(clock, 1.0, of=3), clock)
    for _ in range(20):
        clock.now += 1.0
        beside.go_on()
    assert clock.now == 20.0 + 3.0


def test_no_step_is_taken_once_the_time_is_over():
    clock = Counted()
    beside = Beside(steps_of(clock, 1.0), clock)
    clock.now += 10.0
    clock.end()
    beside.go_on()
    assert clock.now == 10.0
