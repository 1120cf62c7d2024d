"""Sessions are served in turn: none takes all threads, none waits for all that another has asked for."""

from __future__ import annotations

from threading import Event, Semaphore
from time import sleep

import pytest

from shoal.errors import TooManyError, UnansweredError
from shoal.running import stopping
from shoal.web.server.interrupting import Interrupter
from shoal.web.server.server_limits import Limits
from shoal.web.server.turns import Turns
from shoal.web.server.waiting import Answering

SOON = 60.0


@pytest.fixture
def turns():
    made = []

    def make(threads, most):
        made.append(Turns(threads, most, "test"))
        return made[-1]

    yield make
    for each in made:
        each.close()


class Held:
    """Work that begins, and goes on until it is let go."""

    def __init__(self):
        self.begun, self.go = Event(), Event()

    def __call__(self):
        self.begun.set()
        assert self.go.wait(SOON)


def test_one_session_never_takes_the_last_thread(turns):
    served = turns(3, 5)
    greedy = [Held() for _ in range(6)]
    futures = [served.submit("greedy", each) for each in greedy]
    assert greedy[0].begun.wait(SOON)
    assert greedy[1].begun.wait(SOON)
    other = Held()
    served.submit("other", other)
    assert other.begun.wait(SOON)
    assert not any(each.begun.is_set() for each in greedy[2:])
    for each in (*greedy, other):
        each.go.set()
    for future in futures:
        future.result(SOON)


def test_one_session_has_so_many_threads_at_most(turns):
    served = turns(9, 2)
    greedy = [Held() for _ in range(3)]
    for each in greedy:
        served.submit("greedy", each)
    assert greedy[1].begun.wait(SOON)
    # Whoever comes later is served before the third.
    served.submit("other", lambda: None).result(SOON)
    assert not greedy[2].begun.is_set()
    greedy[0].go.set()
    assert greedy[2].begun.wait(SOON)
    for each in greedy:
        each.go.set()


def test_those_who_wait_are_served_in_turn(turns):
    served = turns(1, 1)
    first, order = Held(), []
    served.submit("a", first)
    assert first.begun.wait(SOON)
    last = [
        served.submit(owner, lambda name=name: order.append(name))
        for owner, name in (("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1"), ("b", "b2"))
    ]
    last[1].cancel()
    first.go.set()
    for future in last:
        if not future.cancelled():
            future.result(SOON)
    # a1 waited before b and c came; then each has its turn, and what was cancelled takes one of a's.
    assert order == ["a1", "b1", "c1", "b2", "a3"]


def test_what_fails_is_told_and_what_waits_at_the_end_is_cancelled(turns):
    served = turns(1, 1)
    with pytest.raises(ZeroDivisionError):
        served.submit("a", lambda: 1 / 0).result(SOON)
    held = Held()
    running, waiting = served.submit("a", held), served.submit("a", Held())
    assert held.begun.wait(SOON)
    served.close()
    assert waiting.cancelled()
    held.go.set()
    running.result(SOON)
    assert served.submit("a", Held()).cancelled()


def answering(**limits):
    closing = Event()
    return Answering(Limits(**limits), closing, Interrupter()), closing


def looking(begun):
    """Work that goes on until it is stopped, and looks whether it is."""

    def work():
        begun.release()
        while True:
            stopping.look()
            sleep(0.001)

    return work


def test_one_session_has_so_many_unanswered_questions():
    asking, _ = answering(questions=2)
    begun = Semaphore(0)
    mine = [asking.ask("me", "s", looking(begun)) for _ in range(2)]
    with pytest.raises(TooManyError, match="2 questions of this session are waiting"):
        asking.ask("me", "s", looking(begun))
    assert asking.ask("you", "s", lambda: 7).future.result(SOON) == 7
    assert begun.acquire(timeout=SOON)
    mine[0].cancel()
    mine[1].cancel()
    for question in mine:
        if not question.future.cancelled():
            with pytest.raises(UnansweredError, match="stopped before"):
                question.future.result(SOON)
    assert asking.ask("me", "s", lambda: 8).future.result(SOON) == 8
    asking.close()


def test_a_question_has_so_much_time_from_when_it_is_begun():
    # Long enough to begin on a busy machine: what begins too late is never called.
    asking, _ = answering(question_seconds=0.5, answering=1)
    held = Held()
    first = asking.ask("me", "s", held)
    assert held.begun.wait(SOON)
    waiting = asking.ask("me", "s", lambda: 7)
    late = asking.ask("you", "s", looking(Semaphore(0)))
    held.go.set()
    with pytest.raises(UnansweredError, match=r"within 0\.5 seconds"):
        late.future.result(SOON)
    first.future.result(SOON)
    assert waiting.future.result(SOON) == 7
    asking.close()


def test_the_end_of_a_study_or_of_the_server_ends_its_questions():
    asking, closing = answering(answering=4, answering_one=4)
    begun = Semaphore(0)
    one, two = (asking.ask("me", study, looking(begun)) for study in ("one", "two"))
    assert begun.acquire(timeout=SOON)
    assert begun.acquire(timeout=SOON)
    asking.cancel("me", "one")
    with pytest.raises(UnansweredError):
        one.future.result(SOON)
    assert not two.future.done()
    closing.set()
    with pytest.raises(UnansweredError):
        two.future.result(SOON)
    with pytest.raises(TooManyError, match="stopping"):
        asking.ask("me", "s", lambda: 7)
    assert asking.close() == []
