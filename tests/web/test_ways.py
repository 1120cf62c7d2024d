"""The ways to keep one promise, hierarchies by file name, and what is kept of a request."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("nicegui", reason="the pages need the extra web")

from shoal.errors import InputError
from shoal.search.algorithms import ALGORITHMS
from shoal.web.pages.methods_asked import MethodWish
from shoal.web.pages.negotiation.wish import NegotiationWish, typed_number
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.ways import OTHERS, search_ways
from shoal.web.workspace.workspace import Workspace


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    made = Workspace.of_built_in(tmp_path_factory.mktemp("work"), Limits(), rows=400)
    yield made
    made.close()


def never(*_):
    return False


def test_every_way_keeps_the_promise_and_can_be_released(work):
    found = search_ways(work.bench, {"k": 5, "suppress": 4}, None, never, 20)["ways"]
    assert [each["method"] for each in found] == [way.method for way in OTHERS]
    for each in found:
        figures = work.pins.figures(each["solution"])
        assert figures["risk"]["k"] >= 5
        assert figures["suppressed"] <= 4
        # What the list says is lost is what the release loses.
        assert figures["utility"]["losses"]["LM"]["share"] == pytest.approx(each["solution"]["share"])


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda each: each.name)
def test_every_named_method_is_pinned_and_released(work, algorithm):
    wish = MethodWish(algorithm.name, {"k": "2", "suppress": "5%"})
    if algorithm.name == "anatomy":
        wish = wish.changed(given={"l": "2"})
    solution = work.questions.anonymize(algorithm.name, time_limit=5, **wish.asked())
    pin = work.pins.add(solution, wish.words())
    try:
        assert work.releases.make(pin.solution, made_for=pin.made_for)["file"] == "anonymized.csv"
    finally:
        work.pins.remove(pin.key)


def test_ways_keep_the_highest_levels_and_say_why_there_is_none(work):
    found = search_ways(work.bench, {"k": 50, "suppress": 0}, {"zip": 0}, never, 20)["ways"]
    assert all("error" in each for each in found)
    tall = {"zip": 4, "age": 5}
    for each in search_ways(work.bench, {"k": 2, "suppress": 40}, tall, never, 20)["ways"]:
        solution = each.get("solution")
        if solution is not None and "cut" in solution:
            assert "*****" not in solution["cut"]["zip"]


def test_a_stopped_search_has_what_it_had(work):
    assert search_ways(work.bench, {"k": 2, "suppress": 0}, None, lambda *_: True, 20)["ways"] == []


def test_only_limits_that_were_chosen_are_kept(work):
    shape = work.questions.negotiator().shape
    wish = NegotiationWish.first(shape)
    assert wish.kept(shape)["heights"] == {}
    lower = replace(wish, heights={**wish.heights, "zip": 2})
    kept = lower.kept(shape)
    assert kept["heights"] == {"zip": 2}
    taller = replace(shape, top=tuple(level + 1 for level in shape.top))
    again = NegotiationWish.reopened(kept, taller)
    assert again.heights == {**taller.named(taller.top), "zip": 2}


@pytest.mark.parametrize("typed", ["1", "0", "x", "5.5", "-3", "401", ""])
def test_what_is_no_k_is_refused(typed):
    with pytest.raises(InputError, match="is no number from 2 to 400"):
        typed_number(typed, 2, 400, off=False)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"\x89PNG\0", "is not text"),
        (b"table: a\nattributes:\n  a: {role: quasi}\n", "is a study, not a hierarchy"),
        (b"age,sex,zip\n1,male,2\n", "is a table with a header, not a hierarchy"),
        (b"nurse;care;*\n", "its values are those of 'occupation'"),
        (b"hello;*\n", "none of its 1 lines begins with a value of the column, such as 'female'"),
    ],
)
def test_a_wrong_file_is_called_one(work, text, told):
    before = work.bench.state
    with pytest.raises(InputError, match=told):
        work.decisions.import_hierarchy("sex", text)
    assert work.bench.state is before


def test_several_hierarchies_come_in_by_name_in_one_step(work):
    text = {name: work.decisions.export_hierarchy(name) for name in ("sex", "admission-date")}
    files = {"arx_hierarchy_Sex.csv": text["sex"], "admission date.csv": text["admission-date"]}
    found = work.decisions.import_hierarchies(files)
    assert [*found.values()] == ["sex", "admission-date"]
    assert work.decisions.undo()
    for more, told in (({"x.csv": "a;*"}, "has no column's name"), ({"sex.csv": "a;*"}, "both for")):
        with pytest.raises(InputError, match=told):
            work.decisions.import_hierarchies(files | more)


def test_what_a_combination_costs_is_what_its_answer_costs(work):
    negotiator = work.questions.negotiator()
    for asked in ({"k": 5}, {"k": 3, "l": 2}):
        exact = negotiator.ask(**asked, max_suppressed="5%").exact
        suppressed, share = negotiator.cost_of(exact.node, **asked)
        assert (suppressed, share) == (exact.suppressed, pytest.approx(exact.share))
