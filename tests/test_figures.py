"""The figures on the pages are those of the committed run, and what became worse is named."""

from __future__ import annotations

import copy
import json
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module", autouse=True)
def benchmarks_can_be_imported():
    """The benchmarks are no part of the installed package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        yield


@pytest.fixture(scope="module")
def store():
    return import_module("benchmarks.figures.store")


@pytest.fixture(scope="module")
def committed(store):
    """What the repository says was measured."""
    return store.read(store.MEASURED)


@pytest.fixture(scope="module")
def regions(committed):
    """What the templates make of it."""
    pages, query = (import_module(f"benchmarks.figures.{name}") for name in ("pages", "query"))
    return pages.rendered(query.Measured(committed))


@pytest.fixture
def again(committed):
    """The committed run as if every benchmark had run once more, with the same figures."""
    run = copy.deepcopy(committed)
    for entry in run.values():
        entry["date"] = "2099-01-01T00:00+00:00"
    return run


def worse(before, now) -> list[str]:
    return [one.name for one in import_module("benchmarks.figures.regressions").regressions(before, now)]


def change(run, benchmark, column, times):
    """Multiply all figures of a column."""
    at = run[benchmark]["columns"].index(column)
    for row in run[benchmark]["rows"]:
        row[at] = row[at] * times


def test_the_marked_regions_are_what_the_committed_figures_make(regions):
    pages = import_module("benchmarks.figures.pages")
    found = pages.pages()
    assert {ROOT / "README.md", ROOT / "benchmarks" / "README.md"} <= set(found)
    for page in found:
        text = page.read_text(encoding="utf-8")
        assert pages.filled(text, regions) == text, f"{page}: run python -m benchmarks --pages"
        # A comment that begins a line would end the paragraph on the site.
        assert not re.search(r"^ *<!-- figures: [\w-]+ -->.", text, re.MULTILINE), page


def test_every_template_finds_its_figures_and_has_its_place(regions):
    missing = {name: str(made) for name, made in regions.items() if not isinstance(made, str)}
    assert not missing
    pages = import_module("benchmarks.figures.pages")
    shown = "".join(page.read_text(encoding="utf-8") for page in pages.pages())
    assert [name for name in regions if f"<!-- figures: {name} -->" not in shown] == []


def test_a_template_whose_figures_have_another_shape_costs_no_other_page(committed):
    pages, query = (import_module(f"benchmarks.figures.{name}") for name in ("pages", "query"))
    broken = copy.deepcopy(committed)
    broken["lattice"]["columns"] = ["renamed", *broken["lattice"]["columns"][1:]]
    broken["any_means"]["rows"] = [[None] * len(row) for row in broken["any_means"]["rows"]]
    made = pages.rendered(query.Measured(broken))
    missing = {name for name, text in made.items() if isinstance(text, query.MissingFigureError)}
    assert {"measured", "groups-any-means"} <= missing
    assert len(missing) < len(made) / 2
    row = query.Measured(committed).of("lattice", way="all, 1 thread")
    with pytest.raises(query.MissingFigureError, match="has no column of another name"):
        _ = row["of another name"]
    drawn = import_module("benchmarks.figures.pictures").drawings(query.Measured(broken))
    assert sorted(isinstance(one, str) for one in drawn.values()) == [False, True, True]


def test_a_typed_figure_is_found_out(regions):
    pages = import_module("benchmarks.figures.pages")
    name, content = next((name, made) for name, made in regions.items() if isinstance(made, str))
    block = f"before\n<!-- figures: {name} -->\n\ntyped 0.01 s\n\n<!-- end -->\nafter"
    inline = f"before <!-- figures: {name} -->typed<!-- end --> after"
    assert pages.filled(block, regions) == block.replace("typed 0.01 s", content)
    assert pages.filled(inline, regions) == inline.replace("typed", content)


def test_the_pictures_are_those_of_the_committed_figures(committed):
    pictures, query = (import_module(f"benchmarks.figures.{name}") for name in ("pictures", "query"))
    drawn = pictures.drawings(query.Measured(committed))
    assert drawn
    for place, picture in drawn.items():
        assert place.read_text(encoding="utf-8") == picture, "run python -m benchmarks --pages"


def test_a_figure_that_is_worse_by_a_fifth_is_named_and_by_a_twentieth_is_not(committed, again):
    assert worse(committed, again) == []
    change(again, "lattice", "best s", 1.05)
    again["lattice"]["cpu s"] *= 1.05
    assert worse(committed, again) == []
    change(again, "lattice", "best s", 1.2 / 1.05)
    assert worse(committed, again) == ["lattice: best s (way all, 1 thread)"]
    again["lattice"]["cpu s"] *= 1.2
    assert "lattice: processor seconds of the whole benchmark" in worse(committed, again)


def test_times_are_told_in_seconds_of_the_calibration_loop(committed, again):
    change(again, "lattice", "best s", 1.3)
    again["lattice"]["cpu s"] *= 1.3
    again["lattice"]["calibration s"] = [1.3 * one for one in committed["lattice"]["calibration s"]]
    assert worse(committed, again) == []
    faster = copy.deepcopy(again)
    faster["lattice"]["calibration s"] = [one / 1.3 for one in committed["lattice"]["calibration s"]]
    assert len(worse(committed, faster)) == 2


def test_losses_and_memory_count_as_they_are(committed, again):
    change(again, "groups", "lost", 1.25)
    change(again, "scale", "release MB", 1.25)
    again["groups"]["calibration s"] = again["scale"]["calibration s"] = [9.0, 9.0]
    found = worse(committed, again)
    assert any(name.startswith("groups: lost") for name in found)
    assert any(name.startswith("scale: release MB") for name in found)


def test_figures_that_only_pictures_show_count_too(committed, again):
    change(again, "any_means", "local recoding (found)", 1.25)
    change(again, "many_columns", "lost, 1 s", 1.25)
    found = worse(committed, again)
    shown = "any_means: local recoding (found) (k 3000)"  # the tables of the pages end at 1,000
    assert shown in found
    assert "many_columns: lost, 1 s (table 24, suppressed at most 10%, method frontier)" in found


def test_bounds_and_proofs_count_too(committed, again):
    change(again, "groups", "bound", 0.8)
    change(again, "large_lattice", "certified", 0)
    found = worse(committed, again)
    assert any(name.startswith("groups: bound") for name in found)
    assert any(name.startswith("large_lattice: certified") for name in found)


def test_a_loop_that_moved_is_told_beside_what_it_makes_doubtful(committed, again):
    regressions = import_module("benchmarks.figures.regressions")
    before = {**committed, "lattice": {**committed["lattice"], "calibration s": [0.1, 0.1]}}
    again["lattice"]["calibration s"] = [0.1, 0.15, 0.1]
    for name in set(again) - {"lattice"}:
        again[name]["date"] = committed[name]["date"]
    change(again, "lattice", "best s", 1.5)
    (found,) = regressions.regressions(before, again)
    assert found.times == pytest.approx(1.5)
    assert "1.50 times by the calibration loop, which moved so much that it may be 1.00 to 1.50" in str(
        found
    )
    assert regressions.unsteady(before, again) == {"lattice": "1.00 times before, 1.50 now"}
    again["lattice"]["calibration s"] = [0.1, 0.11]
    (found,) = regressions.regressions(before, again)
    assert "moved" not in str(found)
    assert regressions.unsteady(before, again) == {}


def test_the_loop_runs_before_between_and_after_and_what_it_takes_between_is_told(monkeypatch):
    calibration, timing = (
        import_module(f"benchmarks.{name}") for name in ("figures.calibration", "timing")
    )
    took = iter([0.3, 0.1, 0.2, 0.5, 0.4, 0.6, 0.7, 0.8, 0.9])
    monkeypatch.setattr(calibration, "LOOPS", 3)
    monkeypatch.setattr(calibration, "_loop", lambda: next(took))
    monkeypatch.setattr(calibration, "APART", 0.0)
    with calibration.calibrated() as loop:
        assert timing.rounds({"one": lambda: 1}, 1) == {"one": [1]}
    assert loop.seconds == [0.1, 0.4, 0.7]
    assert loop.wall > 0
    assert timing.rounds({"one": lambda: 1}, 1) == {"one": [1]}  # beside nothing it does not run
    monkeypatch.setattr(calibration, "_loop", lambda: 0.1)
    monkeypatch.setattr(calibration, "APART", 1e9)
    with calibration.calibrated() as loop:
        timing.rounds({"one": lambda: 1}, 3)
    assert loop.seconds == [0.1, 0.1]


def test_more_is_better_where_it_is():
    query, worsened = (import_module(f"benchmarks.figures.{name}") for name in ("query", "regressions"))
    kind = import_module("benchmarks.figures.kinds").kind_of("times faster")
    ten, eight = (query.Figure(value, "times faster", "kernels", kind) for value in (10.0, 8.0))
    assert worsened._times(ten, eight) == 1.25
    assert worsened._times(eight, ten) == 0.8


def test_what_was_not_run_again_is_not_compared(committed, again):
    change(again, "lattice", "best s", 2)
    again["lattice"]["date"] = committed["lattice"]["date"]
    assert worse(committed, again) == []


def test_the_file_is_one_row_a_line_and_names_no_folder_of_a_machine(store, committed):
    text = store.MEASURED.read_text(encoding="utf-8")
    assert json.loads(text)["format"] == 1
    assert "/work/" not in text
    assert "/home/" not in text
    assert set(committed) <= {f"{name}{end}" for name in runner_names() for end in ("", store.FULL)}


def runner_names():
    return import_module("benchmarks.runner").NAMES
