"""Tallies that do not fit: the budget, the refusal, and the coarser start."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from shoal import Study
from shoal.data.budget import (
    budgeted,
    check_cells,
    memory_of,
    parse_size,
    size,
    tally_budget,
)
from shoal.data.engine import Cells
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.engines.saved_tally.tally_file import read_tally, replaced
from shoal.data.tally import make_ladder
from shoal.data.tally.coarser import MergeableAttribute, steps
from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError, TallyTooLargeError
from shoal.running.memory import available_memory
from tests.commands import shoal
from tests.oracles import count_cells  # the slow twin of a GROUP BY

ZIPS = [f"{i:03}" for i in range(200)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study of 2,000 rows, most of whose combinations are alone."""
    draw = random.Random(7)
    rows = [
        (draw.choice(ZIPS), str(draw.randrange(80)), draw.choice("mf"), draw.choice("xyz"))
        for _ in range(2000)
    ]
    lines = ["zip,age,sex,illness", *(",".join(row) for row in rows)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "study.yaml").write_text(
        "table: people.csv\n"
        "attributes:\n"
        "  zip: {role: quasi, hierarchy: {mask: {digits: 3}}}\n"
        "  age: {role: quasi, hierarchy: {intervals: {origin: 0, widths: [5, 20]}}}\n"
        "  sex: {role: quasi, hierarchy: {any: [m, f]}}\n"
        "  illness: {role: sensitive}\n"
    )
    return tmp_path


class TestSizes:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("4GB", 4 * 10**9),
            ("4 gb", 4 * 10**9),
            ("1.5MiB", 3 << 19),
            ("500", 500),
            (500, 500),
            ("2k", 2000),
        ],
    )
    def test_are_read(self, text, found):
        assert parse_size(text) == found

    @pytest.mark.parametrize("text", ["", "many", "-4GB", "4 GB 2", "4iB", "1e9", "4PB", "GB"])
    def test_are_refused(self, text):
        with pytest.raises(InputError, match="is not a memory size; write one such as 4GB"):
            parse_size(text)

    def test_are_shown(self):
        assert [size(n) for n in (999, 1_000, 2_500_000, 3 * 10**12)] == [
            "999 bytes", "1.0 KB", "2.5 MB", "3.0 TB",
        ]  # fmt: skip


class TestAvailableMemory:
    @staticmethod
    def system(root: Path, **files: str) -> Path:
        machine = {"proc/meminfo": "MemTotal: 9 kB\nMemAvailable:    4000 kB\n"}
        for name, text in {**machine, **files}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return root

    def test_is_the_machines(self, tmp_path):
        assert available_memory(self.system(tmp_path)) == 4_096_000

    def test_is_the_containers_if_less(self, tmp_path):
        files = {
            "proc/self/cgroup": "0::/\n",
            "sys/fs/cgroup/memory.max": "1000000\n",
            "sys/fs/cgroup/memory.current": "600000\n",
            "sys/fs/cgroup/memory.stat": "anon 1\ninactive_file 100000\n",
        }
        assert available_memory(self.system(tmp_path, **files)) == 500_000

    def test_is_that_of_the_narrowest_group_above_the_process(self, tmp_path):
        files = {
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/memory.max": "1000\n",
            "sys/fs/cgroup/a/memory.current": "600\n",
            "sys/fs/cgroup/a/b/memory.max": "max\n",
            "sys/fs/cgroup/a/b/memory.current": "600\n",
        }
        assert available_memory(self.system(tmp_path, **files)) == 400

    def test_is_that_of_the_first_kind_of_groups_too(self, tmp_path):
        files = {
            "proc/self/cgroup": "4:cpu:/\n3:memory:/x\n0::/\n",
            "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "1000\n",
            "sys/fs/cgroup/memory/x/memory.usage_in_bytes": "2000\n",
        }
        assert available_memory(self.system(tmp_path, **files)) == 0

    def test_a_quarter_is_the_budget(self):
        before = tally_budget()
        with budgeted("1GB"):
            assert tally_budget() == 10**9
            with budgeted(None):
                assert tally_budget() != 10**9
        assert 0.5 < tally_budget() / before < 2


def test_cells_are_refused_in_one_sentence_that_names_all_figures():
    with budgeted("1MB"), pytest.raises(TallyTooLargeError) as refused:
        check_cells(100_000, 5, "people.csv")
    said = str(refused.value)
    assert said.startswith(
        "people.csv: 100,000 distinct combinations need 23.0 MB of memory, and a tally "
    )
    assert "may take 1.0 MB; " in said
    assert "tally_memory" in said
    with budgeted(memory_of(100_000, 5)):
        check_cells(100_000, 5, "people.csv")


def test_a_little_is_always_taken_unless_less_is_asked_for(monkeypatch):
    monkeypatch.setattr("shoal.data.budget.available_memory", lambda: 0)
    check_cells(1_000, 5, "people.csv")
    with pytest.raises(TallyTooLargeError):
        check_cells(100_000, 5, "people.csv")
    with budgeted("1KB"), pytest.raises(TallyTooLargeError):
        check_cells(1_000, 5, "people.csv")


class TestMerging:
    def test_the_engine_counts_values_as_others(self, folder):
        mapping = {value: value[0] for value in ZIPS}
        engine = DuckDBEngine(folder / "people.csv")
        found = engine.cells(["sex", "zip"], {"zip": mapping})
        expected = count_cells(folder / "people.csv", ["sex", "zip"], {"zip": mapping})
        assert cells_of(found) == expected
        assert found.domains[1] == ("0", "1")
        assert np.array_equal(found.codes, np.array(sorted(found.codes.tolist())))
        whole = engine.cells(["sex", "zip"])
        assert cells_of(replaced(whole, {"zip": mapping})) == expected

    def test_missing_values_go_where_they_are_mapped(self, tmp_path):
        (tmp_path / "t.csv").write_text("a,b\nx,1\n,1\n,2\ny,2\n")
        engine = DuckDBEngine(tmp_path / "t.csv")
        for mapping in ({"x": "x", "y": "x", None: "x"}, {"x": None, "y": "y", None: None}, {"x": "x"}):
            expected = count_cells(tmp_path / "t.csv", ["a", "b"], {"a": mapping})
            assert cells_of(engine.cells(["a", "b"], {"a": mapping})) == expected
            assert cells_of(replaced(engine.cells(["a", "b"]), {"a": mapping})) == expected
            assert engine.about_cells(["a", "b"], {"a": mapping}) == len(expected)

    def test_an_estimate_is_near(self, folder):
        engine = DuckDBEngine(folder / "people.csv")
        exact = len(engine.cells(["zip", "age"]).counts)
        assert abs(engine.about_cells(["zip", "age"]) - exact) < 0.15 * exact


def cells_of(cells: Cells) -> dict[tuple[str | None, ...], int]:
    """Distinct rows and their counts, as text."""
    rows = [tuple(cells.domains[i][c] for i, c in enumerate(row)) for row in cells.codes.tolist()]
    return dict(zip(rows, cells.counts.tolist(), strict=True))


class TestRefusal:
    def test_proposes_levels_that_fit(self, folder):
        asked = ("frontier", "study.yaml", "--tally-memory", "100KB", "--json")
        run = shoal(*asked, cwd=folder)
        assert (run.returncode, run.stdout) == (2, "")
        assert run.stderr.count("\n") == 1
        assert "distinct combinations need" in run.stderr
        assert "of the information is lost (LM)" in run.stderr
        words = run.stderr.split()
        levels = words[words.index("--min-level") + 1]
        run = shoal(*asked, "--min-level", levels, cwd=folder)
        assert run.returncode == 0, run.stderr
        plain = shoal("frontier", "study.yaml", "--json", "--min-level", levels, cwd=folder)
        one, other = json.loads(run.stdout), json.loads(plain.stdout)
        assert one["points"] == other["points"]
        assert min(point["node"]["zip"] for point in one["points"]) >= 1

    def test_says_where_no_level_helps(self, folder):
        text = (folder / "study.yaml").read_text().replace("role: quasi", "role: quasi, max_level: 0")
        (folder / "study.yaml").write_text(text)
        run = shoal("frontier", "study.yaml", "--tally-memory", "100KB", cwd=folder)
        assert run.returncode == 2
        assert "even at the highest levels about " in run.stderr

    @pytest.mark.parametrize(
        "asked", [("verify", "people.csv", "--k", "1"), ("risk", "people.csv"), ("risk", "study.yaml")]
    )
    def test_commands_that_count_a_table_take_what_they_advise(self, folder, asked):
        quasi = () if asked[1] == "study.yaml" else ("--quasi", "zip,age,sex")
        run = shoal(*asked, *quasi, "--tally-memory", "1KB", cwd=folder)
        assert (run.returncode, "and a tally may take 1.0 KB" in run.stderr) == (2, True)
        assert shoal(*asked, *quasi, "--tally-memory", "1GB", cwd=folder).returncode == 0

    def test_says_so_where_a_single_column_does_not_fit(self, folder):
        run = shoal("frontier", "study.yaml", "--tally-memory", "100", cwd=folder)
        assert run.returncode == 2
        assert "and a tally may take 100 bytes; name fewer columns, or allow more memory" in run.stderr

    def test_the_loss_it_tells_is_that_of_the_lowest_node(self, folder):
        study = Study.open(folder / "study.yaml", tally_memory="100KB")
        with study, pytest.raises(TallyTooLargeError) as refused:
            study.tally()
        words = str(refused.value).split()
        levels = words[words.index("`min_levels`") + 1]
        with Study.open(folder / "study.yaml", min_levels=levels) as study:
            points = study.frontier().points
            assert words[words.index("least") + 1] == f"{points[-1].loss / (2000 * 3):.1%}"

    @pytest.mark.parametrize(
        ("levels", "said"),
        [
            ("zap=1", "not a quasi attribute; did you mean zip?"),
            ("zip=9", "min_level 9 of 'zip' is not between 0 and 3"),
            ("zip", "'zip' has no level; write it as in age=1"),
        ],
    )
    def test_bad_levels(self, folder, levels, said):
        run = shoal("frontier", "study.yaml", "--min-level", levels, cwd=folder)
        assert run.returncode == 2
        assert said in run.stderr

    def test_lowest_levels_are_not_lowered(self, folder):
        text = (folder / "study.yaml").read_text().replace("digits: 3}}", "digits: 3}}, min_level: 2")
        (folder / "study.yaml").write_text(text)
        run = shoal("frontier", "study.yaml", "--min-level", "zip=1", cwd=folder)
        assert run.returncode == 2
        assert (
            "study.yaml, line 3: the lowest level of 'zip' is 2; it can only be raised, not lowered to 1"
            in run.stderr
        )


class TestCoarseStart:
    LEVELS = ("--min-level", "zip=2,age=1", "--tally-memory", "100KB")

    def test_every_command_takes_it(self, folder):
        run = shoal("negotiate", "study.yaml", "--k", "5", *self.LEVELS, "--no-index", cwd=folder)
        assert run.returncode == 0, run.stderr
        run = shoal("optimize", "study.yaml", "--l", "2", *self.LEVELS, cwd=folder)
        assert run.returncode == 0, run.stderr
        run = shoal(
            "compare",
            "study.yaml",
            "--k",
            "5",
            "--algorithms",
            "flash,mondrian",
            *self.LEVELS,
            cwd=folder,
        )
        assert run.returncode == 0, run.stderr
        assert "mondrian recodes single combinations" in run.stdout

    def test_a_release_and_its_report_say_nothing_of_the_rows_as_they_were(self, folder):
        asked = ("anonymize", "study.yaml", "--algorithm", "flash", "--k", "5", "--save", "s.json")
        assert shoal(*asked, *self.LEVELS, cwd=folder).returncode == 0
        released = ("release", "study.yaml", "--solution", "s.json", "--seed", "1", "-o")
        run = shoal(*released, "out.csv", *self.LEVELS, cwd=folder)
        assert run.returncode == 0, run.stderr
        assert "nothing is said about the original rows" in run.stdout
        assert shoal(*released, "fine.csv", cwd=folder).returncode == 0
        assert (folder / "out.csv").read_bytes() == (folder / "fine.csv").read_bytes()
        again = shoal("release", "--from", "out.csv.record.json", "-o", "again.csv", cwd=folder)
        assert again.returncode == 0, again.stderr
        assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()
        report, fine = ((folder / f"{name}.csv.report.html").read_text() for name in ("out", "fine"))
        assert "Sample rows before and after" in fine
        assert "Sample rows before and after" not in report

    def test_a_coarse_tally_is_kept_and_searched_from_its_levels_on(self, folder):
        run = shoal("tally", "study.yaml", "-o", "t.tally", "--json", *self.LEVELS, cwd=folder)
        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout)["levels"] == {"zip": 2, "age": 1}
        assert "search it with --min-level zip=2,age=1" in run.stderr
        assert read_tally(folder / "t.tally").coarse["zip"].level == 2
        asked = ("frontier", "study.yaml", "--json", "--metric", "NUE")
        run = shoal(*asked, "--tally", "t.tally", cwd=folder)
        assert run.returncode == 2
        assert "counted from higher levels; search from there (--min-level zip=2,age=1)" in run.stderr
        for levels in ("zip=2,age=1", "zip=3,age=2"):
            kept = shoal(*asked, "--tally", "t.tally", "--min-level", levels, cwd=folder)
            assert kept.returncode == 0, kept.stderr
            plain = shoal(*asked, "--min-level", levels, cwd=folder)
            assert json.loads(kept.stdout)["points"] == json.loads(plain.stdout)["points"]
        run = shoal("tally", "study.yaml", "-o", "t.tally", "--update", *self.LEVELS, cwd=folder)
        assert run.returncode == 0, run.stderr  # nothing is new
        (folder / "more").mkdir()
        (folder / "people.csv").rename(folder / "more/a.csv")
        (folder / "study.yaml").write_text(
            (folder / "study.yaml").read_text().replace("people.csv", "more/*.csv")
        )
        assert shoal("tally", "study.yaml", "-o", "u.tally", *self.LEVELS, cwd=folder).returncode == 0
        (folder / "more/b.csv").write_text("zip,age,sex,illness\n001,3,m,x\n")
        run = shoal("tally", "study.yaml", "-o", "u.tally", "--update", *self.LEVELS, cwd=folder)
        assert run.returncode == 2
        assert "cannot take new rows; make it again" in run.stderr

    def test_all_tallies_of_a_study_have_the_same_combinations(self, folder):
        with Study.open(folder / "study.yaml", min_levels="zip=2,age=1", tally_memory="100KB") as study:
            assert len(study.tally()) == len(study.tally("illness"))
            assert study.tally("illness").coarse.keys() == {"zip", "age"}
        # Only the tally with the sensitive column is too large, and is found out in time.
        with Study.open(folder / "study.yaml") as study:
            needed = memory_of(len(study.tally().counts), 3)
        with Study.open(folder / "study.yaml", min_levels="zip=1", tally_memory=needed + 1) as study:
            assert study.tally().coarse
            assert study.tally("illness").coarse


def test_the_chain_of_levels_rises_to_the_top_and_takes_cheap_steps_first():
    wide = Hierarchy.from_rows([(str(i), str(i // 2), "*") for i in range(64)])
    narrow = Hierarchy.from_rows([("m", "*"), ("f", "*")])
    scales = {}
    for name, tree in (("wide", wide), ("narrow", narrow)):
        domain = tuple(sorted(tree.leaves))
        rows = np.ones(len(domain), dtype=np.int64)
        scales[name] = MergeableAttribute(make_ladder(name, tree, domain, rows), domain, rows)
    assert steps(scales) == [
        {"wide": 0, "narrow": 0},
        {"wide": 1, "narrow": 0},
        {"wide": 2, "narrow": 0},
        {"wide": 2, "narrow": 1},
    ]


def test_histograms_and_lists_keep_to_the_budget(folder):
    with Study.open(folder / "study.yaml", tally_memory="2MB") as study:
        tally = study.tally("illness")
        assert tally.budget == 2_000_000
        assert tally.histogram("illness").shape == (len(tally), 3)
        with pytest.raises(
            InputError, match=r"counting the values of 'illness' in each group would take 4\.8 GB"
        ):
            tally.histogram("illness", np.zeros(len(tally), dtype=np.int64), 100_000_000)
