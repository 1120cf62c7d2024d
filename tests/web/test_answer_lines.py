"""Lists of answers on the pages: a line that says the same stays, so that no click on it is lost."""

from __future__ import annotations

import pytest

pytest.importorskip("nicegui", reason="the pages need the extra web")

from nicegui import Client, ui

from shoal.web.pages.controls.answer_lines import AnswerLine, AnswerLines


@pytest.fixture
def lines():
    """A list on a page that nobody looks at."""
    with Client(ui.page("/answers")):
        yield AnswerLines("Answers")


def nothing() -> None:
    """Do nothing."""


def line(title: str, says: object = None) -> AnswerLine:
    return AnswerLine(title, says, lambda: ui.label(title), nothing, nothing)


def places(lines: AnswerLines) -> list[ui.element]:
    return list(lines.list.default_slot.children)


def titles(lines: AnswerLines) -> list[str]:
    return [place.default_slot.children[0].text for place in places(lines)]


def test_a_line_that_says_the_same_is_the_same_element_wherever_it_moves(lines):
    lines.show([line("levels", 0.3), line("cuts", 0.4)])
    levels, cuts = places(lines)
    lines.show([line("groups", 0.1), line("cuts", 0.2), line("levels", 0.3)])
    assert titles(lines) == ["groups", "cuts", "levels"]
    assert places(lines)[2] is levels
    assert not levels.is_deleted
    assert cuts.is_deleted  # it says something else now


def test_only_the_first_line_stands_out(lines):
    lines.show([line("levels"), line("cuts")])
    lines.show([line("cuts"), line("levels"), line("groups")])
    shown = [("first" in place.classes, place.default_slot.children[1]) for place in places(lines)]
    assert [first for first, _ in shown] == [True, False, False]
    for first, actions in shown:
        release = actions.default_slot.children[0]
        assert ("main" in release.classes, "plain" in release.classes) == (first, not first)


def test_lines_that_are_not_wanted_go(lines):
    lines.show([line("levels"), line("cuts")])
    lines.show([line("cuts")])
    assert titles(lines) == ["cuts"]
    lines.show([])
    assert titles(lines) == []
