"""What a page does when another window changed the study in the moment before the page notices by itself."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

pytest.importorskip("nicegui", reason="the pages need the extra web")

from shoal.web.pages.compare_step import _Comparison
from shoal.web.pages.frame import Frame
from shoal.web.pages.negotiation.negotiate_step import NegotiationTalk
from shoal.web.pages.optimizing.search_panel import SearchPanel


@pytest.fixture
def frame():
    """A frame that only remembers what it says and how often it shows the step anew."""
    made = object.__new__(Frame)
    made.said, made.built = [], []
    made.say = made.said.append
    made.refresh = lambda: made.built.append(True)
    return made


def waited(work):
    """Wait for what a page does, in another thread: tests of the browser leave a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


NEW = SimpleNamespace(bench=SimpleNamespace(state=SimpleNamespace(study_key="new", recoding_key="new")))
OLD = SimpleNamespace(state=SimpleNamespace(study_key="old"))


def test_a_search_is_not_begun_on_a_study_that_is_not_shown(frame):
    panel = object.__new__(SearchPanel)
    wish = SimpleNamespace(asked=dict)
    panel.page = SimpleNamespace(work=NEW, wish=wish, study="old", frame=frame)
    panel.result = "kept"
    waited(panel.begin())
    assert "changed in another window" in frame.said[0]
    assert (frame.built, panel.result) == ([True], "kept")


def test_a_slider_asks_nothing_of_a_study_that_is_not_shown(frame):
    page = object.__new__(NegotiationTalk)
    page.work, page.ground, page.frame = NEW, OLD, frame
    page.ask()  # without a keeper: nothing is kept, nothing is asked
    assert "changed in another window" in frame.said[0]
    assert frame.built == [True]


def test_a_pin_that_was_removed_elsewhere_is_not_released(frame, monkeypatch):
    page = object.__new__(_Comparison)
    page.work, page.frame = NEW, frame
    monkeypatch.setattr("shoal.web.pages.compare_step.candidates", lambda _: [])
    waited(page.release("gone"))
    assert "changed in another window" in frame.said[0]
