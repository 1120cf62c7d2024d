"""Work in threads comes back in its order, and ends when the work of whoever asked has to."""

from __future__ import annotations

from threading import Barrier, Event, current_thread, main_thread

import pytest

from shoal.running.stopping import Stop, asked, stopped_by
from shoal.running.workers import in_threads


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_all_work_is_done_in_its_order(threads):
    assert list(in_threads([lambda i=i: i * i for i in range(7)], threads)) == [i * i for i in range(7)]


def test_pieces_run_at_the_same_time():
    both = Barrier(2, timeout=60)
    assert sorted(in_threads([both.wait, both.wait], 2)) == [0, 1]


def test_one_thread_is_the_one_that_asks():
    assert list(in_threads([current_thread], 3)) == [main_thread()]
    assert list(in_threads([current_thread] * 2, 1)) == [main_thread()] * 2


def test_a_piece_that_fails_ends_the_others():
    begun = Event()

    def waiting():
        begun.set()
        while not asked():
            pass
        return True

    def failing():
        assert begun.wait(60)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        list(in_threads([failing, waiting], 2))


def test_whoever_stops_the_thread_that_asks_stops_its_pieces():
    with stopped_by(Stop(lambda: True)):
        assert list(in_threads([asked, asked, asked], 2)) == [True] * 3
    assert list(in_threads([asked, asked], 2)) == [False] * 2
