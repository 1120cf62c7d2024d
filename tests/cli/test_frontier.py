"""`shoal frontier`: what it prints where, with which status, and what it writes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from shoal import Study
from shoal.cli import output
from shoal.documents.whole.claim import Claim
from shoal.errors import InputError
from shoal.numbers import percent
from tests.commands import SHOAL
from tests.commands import shoal as run

FIELDS = ["method", "metric", "rows", "suppression_limit", "suppression", "nodes", "evaluated",
          "certified", "seconds", "points", "found_on"]  # fmt: skip


@pytest.fixture
def study(tmp_path):
    """Four persons, two quasi columns, one column that the study does not list."""
    (tmp_path / "people.csv").write_text(
        "age,zip,name\n30,02138,Ann\n31,02139,Bob\n34,02141,Cleo\n36,02142,Dan\n"
    )
    path = tmp_path / "study.yaml"
    path.write_text(
        "table: people.csv\n"
        "attributes:\n"
        "  age: {role: quasi, hierarchy: {intervals: {widths: [5, 10]}}}\n"
        "  zip: {role: quasi, hierarchy: {mask: {digits: 5}}}\n"
    )
    return path


def process(*arguments, cwd=None, **environment):
    """Runs the command line as its own process."""
    return subprocess.run(
        [*SHOAL, *map(str, arguments)],
        capture_output=True,
        check=False,
        cwd=cwd,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
    )


class TestAllRecodings:
    def test_a_table_of_all_curves_is_printed_kept_drawn_and_released_from(self, study, tmp_path):
        done = run(
            *("frontier", study, "--recoding", "all", "--save", "all.json", "--plot", "all.svg"),
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        said = " ".join(done.stdout.split())
        assert "One cut a column (exact): Every value has one label" in said
        assert "No recoding with labels of the hierarchies loses less" in said
        kept = json.loads((tmp_path / "all.json").read_text())
        assert list(kept["curves"]) == ["nodes", "cuts", "local-recoding", "mondrian"]
        assert [point["k"] for point in kept["lower_bound"]] == kept["ks"] == [2, 3]
        assert "no labels lose less" in (tmp_path / "all.svg").read_text()
        release = ("release", study, "--solution", "all.json", "--k", "2", "-o", "out.csv")
        refused = run(*release, cwd=tmp_path)
        assert refused.returncode == 2
        assert "say which curve (--recoding): nodes, cuts" in refused.stderr
        for curve in ("cuts", "local-recoding"):
            done = run(*release, "--recoding", curve, "--force", cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            assert run("verify", "out.csv", cwd=tmp_path).returncode == 0

    def test_groups_are_kept_where_a_class_column_counts_too(self, study, tmp_path):
        study.write_text(study.read_text() + "  name: {role: class}\n")
        asked = ("frontier", study, "--recoding", "groups", "--save", "groups.json")
        done = run(*asked, cwd=tmp_path)
        assert done.returncode == 0, done.stderr

    def test_groups_alone_are_printed_as_a_document(self, study):
        done = run("frontier", study, "--recoding", "groups", "--metric", "Height", "--json")
        found = json.loads(done.stdout)
        assert found["certified"] == {"local-recoding": False, "mondrian": False}
        assert found["lower_bound"] is None


class TestAnswers:
    def test_json_is_one_document_and_nothing_else(self, study):
        done = process("frontier", study, "--json")
        assert done.returncode == 0
        assert done.stdout.count(b"\n") == 1
        document = json.loads(done.stdout)
        assert list(document) == FIELDS
        assert done.stderr.decode() == f"shoal: not listed in {study}, so never released: name\n"

    def test_the_document_is_that_of_the_contract(self, shoal, study):
        status, out, _ = shoal("frontier", study, "--json", "--suppress", "25%")
        assert status == 0
        document = json.loads(out)
        assert document["method"] == "exact"
        assert document["metric"] == "LM"
        assert document["rows"] == 4
        assert document["suppression_limit"] == 1
        assert document["nodes"] == 4 * 6
        assert document["certified"] is True
        assert 0 <= document["seconds"] < 60
        assert 0 < document["evaluated"] <= document["nodes"]
        for point in document["points"]:
            assert list(point) == ["k", "loss", "share", "node", "suppressed"]
            assert list(point["node"]) == ["age", "zip"]
            assert isinstance(point["loss"], float)
        assert [point["k"] for point in document["points"]] == sorted(
            {point["k"] for point in document["points"]}, reverse=True
        )
        losses = [point["loss"] for point in document["points"]]
        assert losses == sorted(set(losses), reverse=True)

    def test_people_get_a_table_with_the_knee(self, shoal, study):
        status, out, err = shoal("frontier", study)
        assert status == 0
        assert "knee" in out
        assert "age" in out
        assert "zip" in out
        assert "nothing suppressed. Complete: no Pareto-optimal pair is missing." in out
        out = shoal("frontier", study, "--suppress", "2")[1]
        assert "from 4 rows, every amount of suppression up to 2 rows. Complete" in out
        out = " ".join(shoal("frontier", study, "--suppress", "2", "--fill")[1].split())
        assert (
            "every node suppressing as much as it may of 2 rows, as in the POkA paper. Complete" in out
        )
        assert err.count("\n") == 1

    def test_a_study_that_lists_every_column_gives_no_notice(self, shoal, study):
        study.write_text(study.read_text() + "  name: {role: identifying}\n")
        assert shoal("frontier", study)[2] == ""

    @pytest.mark.parametrize("method", ["exact", "poka", "exhaustive"])
    def test_every_method_answers(self, shoal, study, method):
        document = json.loads(shoal("frontier", study, "--json", "--method", method)[1])
        assert document["method"] == method
        assert document["certified"] is (method != "poka")
        assert document["points"][0]["k"] == 4

    @pytest.mark.parametrize(
        ("given", "name"), [("LM", "LM"), ("glm", "LM"), ("DCN", "DM"), ("Precision", "Prec")]
    )
    def test_metrics_have_names_and_aliases(self, shoal, study, given, name):
        assert json.loads(shoal("frontier", study, "--json", "--metric", given)[1])["metric"] == name

    def test_k_can_be_limited(self, shoal, study):
        out = shoal("frontier", study, "--json", "--min-k", 2, "--max-k", 3)[1]
        assert [point["k"] for point in json.loads(out)["points"]] == [2]

    def test_many_attributes_share_one_column_of_the_table(self, shoal, tmp_path):
        names = [f"attribute-number-{i}" for i in range(12)]
        (tmp_path / "wide.csv").write_text(",".join(names) + "\n" + ",".join("a" * 12) + "\n")
        lines = [f"  {name}: {{role: quasi, hierarchy: {{'*': [a]}}}}\n" for name in names]
        (tmp_path / "wide.yaml").write_text("table: wide.csv\nattributes:\n" + "".join(lines))
        status, out, _ = shoal("frontier", tmp_path / "wide.yaml")
        assert status == 0
        assert "Levels of: " + ", ".join(names) in " ".join(out.split())

    def test_adult_has_58_points_and_46_where_every_node_fills(self, shoal, adult, tmp_path):
        names = [path.stem for path in sorted((adult / "lattice-17920").iterdir())]
        lines = [
            f"  {name}: {{role: quasi, hierarchy: {adult}/lattice-17920/{name}.csv}}\n" for name in names
        ]
        path = tmp_path / "adult.yaml"
        path.write_text(f"table: {adult}/adult-30162.csv\nattributes:\n" + "".join(lines))
        status, out, _ = shoal("frontier", path, "--json", "--suppress", "1%")
        document = json.loads(out)
        assert status == 0
        assert (document["rows"], document["suppression_limit"]) == (30_162, 301)
        assert (document["nodes"], len(document["points"]), document["certified"]) == (17_920, 58, True)
        assert document["suppression"] == "up-to"
        assert document["points"][0]["k"] == 30_162
        assert document["points"][0]["loss"] == 8 * 30_162
        status, out, _ = shoal("frontier", path, "--json", "--suppress", "1%", "--fill")
        document = json.loads(out)
        assert (document["suppression"], len(document["points"])) == ("fill", 46)


class TestNames:
    """Names of columns are data: they are never markup, never escape codes, never lost."""

    @pytest.fixture
    def named(self, tmp_path):
        def make(name):
            quoted = json.dumps(name, ensure_ascii=False)
            text = '"' + name.replace('"', '""') + '"'
            (tmp_path / "named.csv").write_text(f"{text},rest\na,b\n", encoding="utf-8")
            path = tmp_path / "named.yaml"
            path.write_text(
                f"table: named.csv\nattributes:\n  {quoted}: {{role: quasi, hierarchy: {{'*': [a]}}}}\n",
                encoding="utf-8",
            )
            return path

        return make

    @pytest.mark.parametrize(
        "name", ["[/x]", "[bold]x", "[red]", "\\[x]", "a]b[", "x" * 300, "🐟", "a\nb"]
    )
    def test_are_printed_as_they_are(self, shoal, named, name):
        status, out, _ = shoal("frontier", named(name))
        assert status == 0
        assert name.split("\n")[0][:50] in out
        status, out, _ = shoal("frontier", named(name), "--json")
        assert list(json.loads(out)["points"][0]["node"]) == [name]

    def test_stay_on_the_line_of_their_notice(self, shoal, tmp_path, named):
        path = named("a")
        (tmp_path / "named.csv").write_text('a,"b\nc"\na,b\n')
        assert shoal("frontier", path)[2].count("\n") == 1

    def test_are_printed_whatever_the_encoding(self, named):
        done = process("frontier", named("Größe 🐟"), "--json", PYTHONIOENCODING="ascii")
        assert (done.returncode, done.stderr.count(b"\n")) == (0, 1)
        assert list(json.loads(done.stdout)["points"][0]["node"]) == ["Größe 🐟"]

    def test_are_printed_to_people_whatever_the_encoding(self, named):
        done = process("frontier", named("Größe 🐟"), PYTHONIOENCODING="cp1252")
        assert done.returncode == 0
        assert b"knee" in done.stdout


class TestSave:
    def test_keeps_what_is_printed(self, shoal, study, tmp_path):
        kept = tmp_path / "front.json"
        status, out, err = shoal("frontier", study, "--json", "--save", kept)
        assert status == 0
        assert json.loads(kept.read_text()) == json.loads(out)
        assert err.count("\n") == 1

    def test_says_so_to_people(self, shoal, study, tmp_path):
        assert (
            f"shoal: saved to {tmp_path / 'front.json'}\n"
            in shoal("frontier", study, "--save", tmp_path / "front.json")[2]
        )

    def test_replaces_nothing_without_force(self, shoal, study, tmp_path):
        kept = tmp_path / "front.json"
        kept.write_text("mine")
        status, out, err = shoal("frontier", study, "--save", kept)
        assert (status, out) == (2, "")
        assert err == f"shoal: {kept}: already exists; choose another name, or use --force\n"
        assert kept.read_text() == "mine"

    def test_replaces_with_force(self, shoal, study, tmp_path):
        kept = tmp_path / "front.json"
        kept.write_text("mine")
        assert shoal("frontier", study, "--save", kept, "--force")[0] == 0
        assert json.loads(kept.read_text())["rows"] == 4

    @pytest.mark.parametrize("force", [[], ["--force"]])
    def test_a_folder_is_refused_before_the_work(self, shoal, study, tmp_path, force):
        status, out, err = shoal("frontier", study, "--save", tmp_path, *force)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert str(tmp_path) in err

    def test_what_is_no_file_is_never_replaced(self, shoal, study, tmp_path):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        status, _, err = shoal("frontier", study, "--save", pipe, "--force")
        assert (status, err) == (
            2,
            f"shoal: {pipe}: is not a file, so it is not replaced; choose another name\n",
        )
        assert pipe.is_fifo()

    def test_a_folder_that_is_not_there_is_refused(self, shoal, study, tmp_path):
        status, _, err = shoal("frontier", study, "--save", tmp_path / "no" / "front.json")
        assert status == 2
        assert err.endswith("front.json: its folder does not exist; make it first\n")

    def test_leaves_nothing_where_the_study_is_bad(self, shoal, study, tmp_path):
        study.write_text("table: nope.csv\nattributes: {age: {role: quasi, hierarchy: {a: [b]}}}\n")
        before = set(tmp_path.iterdir())
        assert shoal("frontier", study, "--save", tmp_path / "front.json")[0] == 2
        assert set(tmp_path.iterdir()) == before

    def test_leaves_nothing_where_there_is_no_solution(self, shoal, study, tmp_path):
        before = set(tmp_path.iterdir())
        assert shoal("frontier", study, "--min-k", 5, "--save", tmp_path / "front.json")[0] == 3
        assert set(tmp_path.iterdir()) == before

    def test_a_folder_that_may_not_be_written_is_told(self, shoal, study, tmp_path, monkeypatch):
        def forbidden(*_, **__):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Claim, "__init__", forbidden)
        status, out, err = shoal("frontier", study, "--save", tmp_path / "front.json")
        assert (status, out) == (2, "")
        assert err == f"shoal: {tmp_path / 'front.json'}: cannot be written: Permission denied\n"

    @pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
    def test_nothing_half_written_stays(self, study, tmp_path, monkeypatch, shoal, problem):
        kept = tmp_path / "front.json"
        kept.write_text("mine")
        before = set(tmp_path.iterdir())

        def broken(self, target):
            raise problem

        monkeypatch.setattr(Path, "replace", broken)
        status, out, err = shoal("frontier", study, "--save", kept, "--force")
        assert (status, out, err.count("\n")) == (2 if isinstance(problem, OSError) else 130, "", 1)
        assert set(tmp_path.iterdir()) == before
        assert kept.read_text() == "mine"

    def test_the_file_is_its_owners_alone(self, tmp_path):
        umask = os.umask(0)
        try:
            output.write_whole(tmp_path / "a.json", "{}\n", force=False)
        finally:
            os.umask(umask)
        assert (tmp_path / "a.json").stat().st_mode & 0o777 == 0o600

    def test_writing_checks_once_more(self, tmp_path):
        (tmp_path / "a.json").write_text("mine")
        with pytest.raises(InputError, match="already exists"):
            output.write_whole(tmp_path / "a.json", "{}\n", force=False)


class TestStatus:
    def test_no_solution_is_3(self, study):
        done = process("frontier", study, "--min-k", "5", "--json")
        assert (done.returncode, done.stdout) == (3, b"")
        assert done.stderr == b"shoal: no k of 5 or more: the table has 4 rows; lower min_k\n"

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (
                ["--suppress", "100%", "--fill"],
                "all rows may be suppressed, so no k is left; lower the suppression",
            ),
            (["--min-k", "3", "--max-k", "3"], "no Pareto-optimal k lies from 3 to 3; widen the range"),
            (
                ["--method", "poka", "--min-k", "5"],
                "no k of 5 or more: the table has 4 rows; lower min_k",
            ),
            (
                ["--min-k", "9" * 30],
                f"no k of {int('9' * 30):,} or more: the table has 4 rows; lower min_k",
            ),
        ],
    )
    def test_no_solution_says_why(self, shoal, study, arguments, words):
        assert shoal("frontier", study, *arguments) == (3, "", f"shoal: {words}\n")

    def test_the_version(self, shoal):
        status, out, err = shoal("--version")
        assert (status, out.split()[0], err) == (0, "shoal", "")

    @pytest.mark.parametrize(
        "arguments", [["--help"], ["-h"], ["frontier", "--help"], ["frontier", "-h"]]
    )
    def test_help(self, shoal, arguments):
        status, out, err = shoal(*arguments)
        assert (status, err) == (0, "")
        assert "Usage" in out

    def test_no_command_is_told_in_one_line(self, shoal):
        status, _, err = shoal()
        assert status == 2
        assert err == "shoal: no command given (see shoal --help)\n"

    def test_a_reader_that_goes_away_is_no_error_to_tell(self, study):
        command = [
            *SHOAL,
            "frontier",
            study,
            "--json",
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            running.stdout.close()
            errors = running.stderr.read()
        assert b"Traceback" not in errors
        assert b"Broken" not in errors

    def test_a_closed_output_is_no_error(self, study):
        done = subprocess.run(
            f'"{sys.executable}" -c "from shoal.cli import main; main()" frontier "{study}" --json >&-',
            shell=True,
            capture_output=True,
            check=False,
        )
        assert b"Traceback" not in done.stderr

    def test_a_full_disk_is_told(self, study):
        if not Path("/dev/full").exists():
            pytest.skip("there is no /dev/full here")
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [
                    *SHOAL,
                    "frontier",
                    study,
                    "--json",
                ],
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
            )
        assert done.returncode == 2
        assert done.stderr.splitlines()[-1] == b"shoal: No space left on device"
        assert b"Traceback" not in done.stderr

    def test_interruption_is_130(self, shoal, study, monkeypatch):
        from shoal.study import Study

        def interrupted(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(Study, "frontier", interrupted)
        assert shoal("frontier", study) == (130, "", "shoal: stopped\n")


class TestObjectives:
    """Other objectives than k and loss: what is named, what is told, what is refused."""

    @pytest.fixture
    def ill(self, tmp_path):
        """Eight persons with an illness."""
        rows = [
            ("30", "02138", "flu"),
            ("31", "02138", "gout"),
            ("31", "02139", "flu"),
            ("34", "02139", "flu"),
        ]
        rows += [
            ("36", "02141", "gout"),
            ("52", "02142", "flu"),
            ("53", "02142", "cold"),
            ("58", "02142", "flu"),
        ]
        lines = "\n".join(",".join(row) for row in rows)
        (tmp_path / "ill.csv").write_text(f"age,zip,illness\n{lines}\n")
        path = tmp_path / "ill.yaml"
        path.write_text(
            "table: ill.csv\n"
            "attributes:\n"
            "  age: {role: quasi, hierarchy: {intervals: {widths: [5, 10, 20]}}}\n"
            "  zip: {role: quasi, hierarchy: {mask: {digits: 5}}}\n"
            "  illness: {role: sensitive}\n"
        )
        return path

    def answer(self, shoal, study, *arguments):
        status, out, _ = shoal("frontier", study, "--json", *arguments)
        assert status == 0
        return json.loads(out)

    def test_k_and_loss_are_the_default_and_not_named(self, shoal, ill):
        plain, asked = self.answer(shoal, ill), self.answer(shoal, ill, "--objectives", "loss,k")
        assert list(plain) == list(asked) == FIELDS
        assert plain["points"] == asked["points"]

    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            (["suppressed,loss", "--k", "2"], {"required_k": 2}),
            (["l,loss"], {"sensitive": ["illness"]}),
            (["l,loss", "--k", "3", "--suppress", "25%"], {"required_k": 3, "sensitive": ["illness"]}),
            (["t,loss", "--suppress", "0"], {"sensitive": ["illness"]}),
            (["k,suppressed,loss"], {}),
            (["k,l,loss", "--suppress", "3"], {"sensitive": ["illness"]}),
        ],
    )
    def test_the_document_names_the_objectives(self, shoal, ill, arguments, named):
        document = self.answer(shoal, ill, "--objectives", *arguments)
        objectives = arguments[0].split(",")
        assert list(document) == ["objectives", *named, *FIELDS]
        assert document["objectives"] == objectives
        assert {name: document[name] for name in named} == named
        assert document["certified"] is True
        assert (
            document["points"]
            == self.answer(shoal, ill, "--objectives", *arguments, "--method", "exhaustive")["points"]
        )
        costs = []
        for point in document["points"]:
            assert {"k", "suppressed", "loss", "node", *objectives} <= set(point)
            costs.append([-point[name] if name in "kl" else point[name] for name in objectives])
        assert costs == sorted(costs)

    def test_suppressed_rows_have_no_limit_unless_one_is_given(self, shoal, ill):
        asked = ("--objectives", "suppressed,loss", "--k", "3")
        whole = self.answer(shoal, ill, *asked)
        assert whole["suppression_limit"] == 7
        some = self.answer(shoal, ill, *asked, "--suppress", "2")
        assert some["suppression_limit"] == 2
        assert some["points"] == [point for point in whole["points"] if point["suppressed"] <= 2]

    def test_k_can_be_limited_where_it_is_an_objective(self, shoal, ill):
        asked = ("--objectives", "k,suppressed,loss")
        whole = self.answer(shoal, ill, *asked)["points"]
        some = self.answer(shoal, ill, *asked, "--min-k", "2", "--max-k", "4")["points"]
        assert some == [point for point in whole if 2 <= point["k"] <= 4]
        assert some

    def test_people_are_told_the_steps(self, shoal, ill):
        status, out, _ = shoal("frontier", ill, "--objectives", "suppressed,loss", "--k", "3")
        assert status == 0
        assert re.search(r"\d more suppressed rows? \(", out)
        assert "▼ +" in out
        assert "classes of at least 3 rows" in out
        assert "knee ▶" in out

    def test_people_see_some_points_of_many(self, shoal, ill, monkeypatch):
        from shoal.cli import frontier

        monkeypatch.setattr(frontier, "SHOWN", 4)
        out = shoal("frontier", ill, "--objectives", "k,suppressed,loss")[1]
        assert "points are shown; --json gives all." in out
        assert "knee ▶" in out

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["k,los"], "unknown objective 'los'; did you mean loss?"),
            (
                ["l,t,loss"],
                "no frontier of l,t,loss; choose one of: k,loss; suppressed,loss; l,loss; t,loss; "
                "theta,loss; k,suppressed,loss; k,l,loss",
            ),
            (["suppressed,loss"], "suppressed,loss needs a k: what smaller classes are suppressed for"),
            (["suppressed,loss", "--k", "0"], "--k is 0; use a whole number, 1 or more"),
            (
                ["suppressed,loss", "--k", "2", "--min-k", "2"],
                "k is no objective of suppressed,loss; leave min_k and max_k out, and give k",
            ),
            (["k,loss", "--k", "2"], "k is an objective of k,loss; limit it with min_k and max_k"),
            (["k,l,loss", "--k", "2"], "k is an objective of k,l,loss; limit it with min_k and max_k"),
            (
                ["t,loss", "--suppress", "1%"],
                "t,loss suppresses nothing, since that would change what t compares with; leave it 0",
            ),
            (["l,loss", "--method", "poka"], "no method poka for l,loss; use exact or exhaustive"),
            (["l,loss", "--depth", "2"], "the method exact has no depth; leave it out, or use poka"),
            (["k,l,loss", "--min-k", "0"], "--min-k is 0; use a whole number, 1 or more"),
            (
                ["k,l,loss", "--min-k", "3", "--max-k", "2"],
                "no k lies between 3 and 2; make max_k not less than min_k",
            ),
            (["l,loss", "--time-limit", "0"], "--time-limit is 0.0; use more than 0"),
        ],
    )
    def test_bad_questions_are_refused_in_one_line(self, shoal, ill, arguments, words):
        assert shoal("frontier", ill, "--objectives", *arguments) == (2, "", f"shoal: {words}\n")

    def test_l_and_t_need_a_sensitive_column(self, shoal, study):
        status, out, err = shoal("frontier", study, "--objectives", "l,loss")
        assert (status, out) == (2, "")
        assert err == f"shoal: {study}: l,loss needs a column of the role sensitive; name one\n"

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["suppressed,loss", "--k", "9"], "no k of 9 or more: the table has 8 rows; lower it"),
            (
                ["k,l,loss", "--min-k", "9" * 30],
                f"no k of {int('9' * 30):,} or more: the table has 8 rows; lower it",
            ),
            (
                ["k,suppressed,loss", "--min-k", "6", "--max-k", "6", "--suppress", "0"],
                "no Pareto-optimal k lies from 6 to 6; widen the range",
            ),
        ],
    )
    def test_no_solution_says_why(self, shoal, ill, arguments, words):
        assert shoal("frontier", ill, "--objectives", *arguments) == (3, "", f"shoal: {words}\n")

    def test_a_table_without_sensitive_values_has_no_l(self, shoal, ill):
        (ill.parent / "ill.csv").write_text("age,zip,illness\n30,02138,\n31,02139,\n")
        assert shoal("frontier", ill, "--objectives", "l,loss") == (
            3,
            "",
            "shoal: no node has k = 1 and a sensitive value in every class with at most 0 suppressed rows; "
            "allow more, or ask for less\n",
        )

    def test_a_quasi_attribute_may_be_the_class_but_not_sensitive(self, shoal, ill):
        text = ill.read_text()
        ill.write_text(text.replace("age: {role: quasi", "age: {role: [quasi, class]"))
        document = self.answer(shoal, ill, "--objectives", "l,loss", "--metric", "CM")
        assert document["sensitive"] == ["illness"]
        ill.write_text(text.replace("age: {role: quasi", "age: {role: [quasi, sensitive]"))
        status, _, err = shoal("frontier", ill, "--objectives", "l,loss")
        assert (status, "'age' is quasi and sensitive" in err) == (2, True)
        assert shoal("frontier", ill, "--objectives", "suppressed,loss", "--k", 2)[0] == 0

    @pytest.mark.parametrize(
        "arguments",
        [
            ["k,loss", "--suppress", "3"],
            ["k,loss", "--suppress", "3", "--fill"],
            ["suppressed,loss", "--k", "3"],
            ["l,loss", "--suppress", "3"],
            ["t,loss"],
            ["k,suppressed,loss"],
            ["k,l,loss", "--suppress", "3"],
        ],
    )
    def test_every_point_can_be_released_and_keeps_what_it_says(self, shoal, ill, tmp_path, arguments):
        kept = tmp_path / "front.json"
        points = self.answer(shoal, ill, "--objectives", *arguments, "--save", kept)["points"]
        for number in {1, len(points) // 2 + 1, len(points)}:
            point, out = points[number - 1], tmp_path / f"out{number}.csv"
            made = ("--solution", kept, "--point", number, "-o", out)
            status, _, err = shoal("release", ill, *made)
            assert (status, err) == (0, "")
            assert len(out.read_text().splitlines()) - 1 == 8 - point["suppressed"]
            promise = json.loads(Path(f"{out}.certificate.json").read_text())["promise"]
            assert promise["k"] == point["k"]
            assert promise.get("l") == point.get("l")
            assert promise.get("t") == ({"illness": point["t_exact"]} if "t" in point else None)
            assert shoal("verify", out)[0] == 0

    @pytest.mark.parametrize("number", [0, 99, -1])
    def test_a_point_that_is_not_there_is_refused(self, shoal, ill, tmp_path, number):
        kept, out = tmp_path / "front.json", tmp_path / "out.csv"
        points = self.answer(shoal, ill, "--save", kept)["points"]
        status, _, err = shoal("release", ill, "--solution", kept, "--point", number, "-o", out)
        assert status == 2
        assert err == f"shoal: there is no point {number}; the frontier has {len(points)}, from 1 on\n"

    def test_the_cheapest_point_for_a_k_suppresses_what_it_says_and_no_more(self, shoal, ill, tmp_path):
        # The table is 2-anonymous as it is, which nodes that fill never show: they suppress the two.
        rows = ["30,02138,flu"] * 3 + ["41,02139,cold"] * 3 + ["42,02139,gout"] * 2
        (ill.parent / "ill.csv").write_text("age,zip,illness\n" + "\n".join(rows) + "\n")
        kept, out = tmp_path / "front.json", tmp_path / "out.csv"
        points = self.answer(shoal, ill, "--suppress", "2", "--save", kept)["points"]
        assert (points[-1]["k"], points[-1]["loss"], points[-1]["suppressed"]) == (2, 0, 0)
        filled = self.answer(shoal, ill, "--suppress", "2", "--fill")["points"]
        assert filled[-1]["k"] == 3
        assert shoal("release", ill, "--solution", kept, "--k", 2, "-o", out)[0] == 0
        assert sorted(out.read_text().splitlines()[1:]) == sorted(rows)

    def test_a_point_is_chosen_by_its_number_or_by_its_k(self, shoal, ill, tmp_path):
        kept, out = tmp_path / "front.json", tmp_path / "out.csv"
        self.answer(shoal, ill, "--save", kept)
        status, _, err = shoal("release", ill, "--solution", kept, "--point", 1, "--k", 2, "-o", out)
        assert status == 2
        assert (
            err == "shoal: k and a point are both given; choose a point of the frontier by one of them\n"
        )

    def test_where_nobody_chose_a_point_it_is_told_which_was_taken(self, shoal, ill, tmp_path):
        kept, out = tmp_path / "front.json", tmp_path / "out.csv"
        self.answer(shoal, ill, "--save", kept)
        with Study.open(ill) as study:
            knee = study.frontier().knee
        status, told, _ = shoal("release", ill, "--solution", kept, "-o", out)
        assert status == 0
        words = f"knee was taken: k = {knee.k}, {percent(knee.share)} of all detail lost; --k or --point"
        assert words in told
        status, told, _ = shoal("release", ill, "--solution", kept, "--k", 1, "-o", out, "--force")
        assert (status, "knee" in told) == (0, False)
        document = json.loads(kept.read_text())
        for point in document["points"]:
            del point["share"]
        kept.write_text(json.dumps(document))
        status, told, _ = shoal("release", ill, "--solution", kept, "-o", out, "--force")
        assert (status, "knee was taken: k = " in told, "detail lost" in told) == (0, True, False)


class TestPlot:
    @pytest.mark.parametrize(
        ("ending", "begins"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
    )
    def test_draws_into_a_file(self, shoal, study, tmp_path, ending, begins):
        picture = tmp_path / f"front.{ending}"
        before = {*tmp_path.iterdir(), picture}
        status, _, err = shoal("frontier", study, "--plot", picture)
        assert status == 0
        assert f"shoal: drawn to {picture}\n" in err
        assert picture.read_bytes().startswith(begins)
        assert set(tmp_path.iterdir()) == before

    def test_replaces_nothing_without_force(self, shoal, study, tmp_path):
        (tmp_path / "front.svg").write_text("mine")
        status, _, err = shoal("frontier", study, "--plot", tmp_path / "front.svg")
        assert (status, err.count("\n")) == (2, 1)
        assert (tmp_path / "front.svg").read_text() == "mine"

    def test_other_kinds_are_refused_before_the_work(self, shoal, study, tmp_path):
        status, _, err = shoal("frontier", study, "--plot", tmp_path / "front.xyz")
        assert status == 2
        assert err.endswith("front.xyz: the picture's name must end with .svg, .png, .pdf\n")

    def test_without_matplotlib_says_what_to_install(self, shoal, study, tmp_path, monkeypatch):
        monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
        status, _, err = shoal("frontier", study, "--plot", tmp_path / "front.png")
        wanted = "shoal: PNG and PDF pictures need matplotlib: pip install 'shoal[plot]'\n"
        assert (status, err) == (2, wanted)

    def test_svg_needs_no_matplotlib(self, shoal, study, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        status, _, _ = shoal("frontier", study, "--plot", tmp_path / "front.svg")
        assert status == 0
        assert (tmp_path / "front.svg").read_text().count("<svg") == 1
