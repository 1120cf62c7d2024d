"""`shoal negotiate`: what it prints where, with which status, what it keeps, and its dialogue."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

from shoal.cli.dialogue import Dialogue
from shoal.errors import InputError
from shoal.questions.searches import NegotiateQuestion
from shoal.running.clock import Clock
from shoal.study import Study
from tests.commands import SHOAL

UNLISTED = "shoal: not listed in {}, so never released: name\n"


class TestAnswers:
    def test_json_is_the_document_of_the_contract(self, shoal, study_file):
        status, out, err = shoal("negotiate", study_file, "--k", 2, "--max-suppressed", 1, "--json")
        assert (status, err) == (0, UNLISTED.format(study_file))
        document = json.loads(out)
        assert out.count("\n") == 1
        assert list(document) == [
            "exact", "suggestions", "prefer", "metric", "certified", "visited", "milliseconds"
        ]  # fmt: skip
        loss, share = document["exact"].pop("loss"), document["exact"].pop("share")
        assert (loss, 0 < share < 1) == (pytest.approx(12 * share), True)
        assert document["exact"] == {"node": {"age": 2, "zip": 1}, "height": 3, "k": 2, "suppressed": 1}
        assert (document["prefer"], document["metric"], document["certified"]) == ("loss", "LM", True)
        assert document["suggestions"] is None
        assert document["visited"] > 0

    def test_a_saved_index_gives_the_same_without_the_table_being_opened(
        self, shoal, study_file, monkeypatch
    ):
        options = ["--k", 3, "--l", 2, "--heights", "age=2,zip=1", "--max-suppressed", "20%", "--json"]
        first = json.loads(shoal("negotiate", study_file, *options)[1])
        monkeypatch.setattr(Study, "of", lambda *_, **__: pytest.fail("opened"))
        status, out, err = shoal("negotiate", study_file, *options)
        second = json.loads(out)
        assert (status, err) == (0, UNLISTED.format(study_file))
        for name in ("exact", "suggestions", "visited"):
            assert first[name] == second[name]
        for offer in second["suggestions"].values():
            assert 0 <= offer["share"] <= 1
            assert offer["loss"] == pytest.approx(12 * offer["share"])

    def test_the_least_height_is_answered_where_it_is_preferred(self, shoal, study_file):
        asked = ["negotiate", study_file, "--k", 2, "--max-suppressed", 1, "--json"]
        least = json.loads(shoal(*asked)[1])["exact"]
        low = json.loads(shoal(*asked, "--prefer", "height")[1])
        assert (low["prefer"], low["exact"]["node"]) == ("height", {"age": 1, "zip": 2})
        assert low["exact"]["loss"] > least["loss"]
        assert low["exact"]["height"] <= least["height"]

    def test_other_metrics_are_told_from_the_table(self, shoal, study_file):
        for metric in ("DM", "discernibility", "Ambiguity"):
            asked = ["--k", 2, "--max-suppressed", 1, "--metric", metric, "--json"]
            document = json.loads(shoal("negotiate", study_file, *asked)[1])
            assert document["metric"] == {"discernibility": "DM"}.get(metric, metric)
            assert document["exact"]["loss"] > 0
        assert "lost (DM)" in shoal("negotiate", study_file, "--k", 2, "--metric", "DM")[1]
        status, out, err = shoal("negotiate", study_file, "--k", 2, "--metric", "CM")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert "the metric CM needs a column of the role class" in err

    def test_what_is_not_proven_in_time_says_so(self, shoal, study_file, tmp_path, monkeypatch):
        """The lattice is taken for too large for an index, and no time is left once it is there."""
        monkeypatch.setattr("shoal.search.negotiation.starting.MOST_NODES", 1)
        monkeypatch.setattr(Clock, "over", property(lambda _: True))
        kept = tmp_path / "answer.json"
        asked = ["negotiate", study_file, "--k", 2, "--time-limit", 60, "--save", kept]
        status, out, _ = shoal(*asked)
        assert status == 0
        assert "exact: the best found in time; no allowed node loses less than 0%" in out
        document = json.loads(kept.read_text())
        assert (document["certified"], document["exact"]["certified"]) == (False, False)
        assert document["exact"]["lower_bound"] <= document["exact"]["loss"]
        assert shoal("release", study_file, "--solution", kept, "-o", tmp_path / "out.csv")[0] == 0
        record = json.loads((tmp_path / "out.csv.record.json").read_text())
        assert record["decision"]["details"]["certified"] is False

    def test_a_saved_index_spares_the_heavy_imports(self, shoal, study_file):
        shoal("negotiate", study_file, "--k", 2)
        script = (
            "import sys\nfrom shoal.cli import main\n"
            "try:\n    main()\nexcept SystemExit:\n    print(*sys.modules, file=sys.stderr)"
        )
        command = [sys.executable, "-c", script, "negotiate", str(study_file), "--k", "2", "--json"]
        done = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60)
        assert json.loads(done.stdout)["exact"] is not None
        loaded = {name.split(".")[0] for name in done.stderr.split()}
        assert "shoal" in loaded
        assert loaded & {"duckdb", "pyarrow", "sqlglot", "pandas", "matplotlib", "jinja2"} == set()

    def test_suggestions_are_an_answer(self, shoal, study_file):
        status, out, _ = shoal("negotiate", study_file, "--k", 9, "--json")
        document = json.loads(out)
        assert status == 0
        assert document["exact"] is None
        assert document["suggestions"]["suppression"] is None
        assert document["suggestions"]["privacy"]["k"] == 6
        assert document["reason"] == "k of 9 is more than the table's 6 rows"

    def test_people_get_a_table(self, shoal, study_file):
        status, out, _ = shoal("negotiate", study_file, "--k", 4, "--heights", "age=2")
        assert status == 0
        for words in (
            "No exact answer",
            "suppress more",
            "generalize more",
            "promise less",
            "age",
            "zip",
        ):
            assert words in out
        assert "exact" in shoal("negotiate", study_file, "--k", 2)[1]
        out = shoal("negotiate", study_file, "--k", 9)[1]
        assert "No suggestion for suppression, height: k of 9 is more than the table's 6 rows." in out

    def test_a_suggestion_that_promises_nothing_says_so(self, shoal, study_file):
        nothing = "promises nothing: a group may be one row"
        asked = ("negotiate", study_file, "--k", 6, "--heights")
        out = " ".join(shoal(*asked, "age=0,zip=0")[1].split())
        assert "promise less" in out
        assert nothing in out
        out = " ".join(shoal(*asked, "age=2", "--max-suppressed", 1)[1].split())
        assert "promise less" in out
        assert nothing not in out

    def test_a_k_beyond_the_persons_is_told_in_persons(self, shoal, study_file):
        study_file.write_text(study_file.read_text() + "persons: name\n")
        table = study_file.parent / "people.csv"
        lines = table.read_text().splitlines()
        table.write_text("\n".join([*lines, lines[-1]]) + "\n")
        reason = json.loads(shoal("negotiate", study_file, "--k", 9, "--json")[1])["reason"]
        assert reason == "k of 9 is more than the table's 6 persons"

    def test_no_index_is_read_or_written_where_asked(self, shoal, study_file):
        before = set(study_file.parent.iterdir())
        assert shoal("negotiate", study_file, "--k", 2, "--no-index")[0] == 0
        assert set(study_file.parent.iterdir()) == before
        study_file.with_name("study.yaml.index").write_bytes(b"shoal histogram index 1\n")
        assert "damaged" not in shoal("negotiate", study_file, "--k", 2, "--no-index")[2]

    def test_a_damaged_index_is_told_once(self, shoal, study_file):
        shoal("negotiate", study_file, "--k", 2)
        index = study_file.with_name("study.yaml.index")
        os.truncate(index, 60)
        status, out, err = shoal("negotiate", study_file, "--k", 2, "--json")
        assert (status, out.count("\n")) == (0, 1)
        assert err.splitlines() == [
            f"shoal: {index}: the saved index is damaged or of another version; it is rebuilt",
            UNLISTED.format(study_file).strip(),
        ]
        assert shoal("negotiate", study_file, "--k", 2)[2] == UNLISTED.format(study_file)

    def test_heights_of_any_name(self, shoal, tmp_path):
        (tmp_path / "t.csv").write_text('"a=x,b"\nu\nv\n')
        study = "table: t.csv\nattributes: {'a=x,b': {role: quasi, hierarchy: {'*': [u, v]}}}\n"
        (tmp_path / "t.yaml").write_text(study)
        arguments = ["--k", 1, "--heights", "a=x,b=0", "--json"]
        status, out, _ = shoal("negotiate", tmp_path / "t.yaml", *arguments)
        assert (status, json.loads(out)["exact"]["node"]) == (0, {"a=x,b": 0})
        heard = io.StringIO()
        with Study.open(tmp_path / "t.yaml") as opened:
            Dialogue(opened.negotiator(), io.StringIO("k 1\nheights a=x,b=0\n"), heard).run()
        assert "Asked: k 1, suppress 0, a=x,b 0." in heard.getvalue()

    def test_many_attributes_share_one_column_of_the_table(self, shoal, tmp_path):
        names = [f"attribute-number-{i}" for i in range(12)]
        (tmp_path / "wide.csv").write_text(",".join(names) + "\n" + ",".join("a" * 12) + "\n")
        lines = [f"  {name}: {{role: quasi, hierarchy: {{'*': [a]}}}}\n" for name in names]
        (tmp_path / "wide.yaml").write_text("table: wide.csv\nattributes:\n" + "".join(lines))
        status, out, _ = shoal("negotiate", tmp_path / "wide.yaml", "--k", 1)
        assert status == 0
        assert "Levels of: " + ", ".join(names) in " ".join(out.split())


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ([], "nothing is asked for; give --k, --l or both"),
            (["--heights", "age=1", "--json"], "nothing is asked for; give --k, --l or both"),
            (["--k", "0"], "--k is 0; use a whole number, 1 or more"),
            (["--k", "-3"], "--k is -3; use a whole number, 1 or more"),
            (["--k", "2", "--heights", "agee=1"], "'agee' is not a quasi attribute; did you mean age?"),
            (["--k", "2", "--heights", "age=9"], "'age' has no level 9; its levels in this study are 0 to 4"),
            (["--k", "2", "--heights", "age"], "'age' has no height; write it as in age=1,workclass=2"),
            (["--k", "2", "--max-suppressed", "101%"], "is more than the whole table"),
            (["--k", "2", "--max-suppressed", "99"], "suppression of 99 rows, but the table has 6"),
            (["--k", "2", "--prefer", "low"], "unknown prefer 'low'; known are loss, height"),
            (["--k", "2", "--metric", "XY"], "unknown metric 'XY'"),
            (["--k", "2", "--time-limit", "0"], "--time-limit is 0"),
            (["--k", "2", "--threads", "0"], "--threads is 0; use a whole number from 1 to 1,024"),
            (["--k", "2", "--choose", "height"], "--choose says which suggestion is kept; add --save FILE"),
            (["--k", "2", "--choose", "x", "--save", "y"], "unknown choose 'x'; known are suppression"),
        ],
    )  # fmt: skip
    def test_bad_constraints_are_one_line_and_status_2(self, shoal, study_file, arguments, words):
        for _ in range(2):  # without an index, and with one
            status, out, err = shoal("negotiate", study_file, *arguments)
            assert (status, out, err.count("\n")) == (2, "", 1)
            assert words in err
            shoal("negotiate", study_file, "--k", 2)

    def test_l_without_a_sensitive_column(self, shoal, study_file):
        study_file.write_text(study_file.read_text().replace("sensitive", "insensitive"))
        status, _, err = shoal("negotiate", study_file, "--l", 2)
        assert (status, err.count("\n")) == (2, 1)
        assert "give a column the role sensitive" in err

    def test_nothing_near_is_3(self, shoal, study_file):
        table = study_file.with_name("people.csv")
        lines = table.read_text().splitlines()
        table.write_text("\n".join([lines[0], *("30,02138,,x" for _ in lines[1:])]) + "\n")
        status, out, err = shoal("negotiate", study_file, "--l", 1, "--json")
        assert (status, out, err.count("\n")) == (3, "", 1)
        assert "no class of any node has more than 0 values" in err

    def test_a_table_that_is_gone_is_told_whatever_index_there_is(self, shoal, study_file):
        shoal("negotiate", study_file, "--k", 2)
        study_file.with_name("people.csv").unlink()
        status, out, err = shoal("negotiate", study_file, "--k", 2)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert "people.csv: no such file" in err


class TestSave:
    def test_an_exact_answer_goes_through_release_and_verify(self, shoal, study_file, tmp_path):
        kept, out = tmp_path / "answer.json", tmp_path / "out.csv"
        arguments = ["--k", 2, "--l", 2, "--max-suppressed", 3, "--save", kept]
        assert shoal("negotiate", study_file, *arguments)[0] == 0
        exact = json.loads(kept.read_text())["exact"]
        assert shoal("release", study_file, "--solution", kept, "-o", out)[0] == 0
        assert shoal("verify", out)[0] == 0
        record = json.loads((tmp_path / "out.csv.record.json").read_text())
        assert record["suppressed"]["rows"] == exact["suppressed"]
        assert record["decision"]["node"] == exact["node"]
        certificate = json.loads((tmp_path / "out.csv.certificate.json").read_text())
        assert certificate["promise"] == {"k": 2, "l": 2}

    def test_suggestions_alone_are_refused_by_release(self, shoal, study_file, tmp_path):
        kept = tmp_path / "answer.json"
        arguments = ["--k", 6, "--heights", "age=1", "--save", kept]
        status, _, err = shoal("negotiate", study_file, *arguments)
        assert (status, err.splitlines()[-1]) == (
            0,
            f"shoal: kept in {kept}; to release a suggestion, keep it with --choose height|privacy",
        )
        status, _, err = shoal("release", study_file, "--solution", kept, "-o", tmp_path / "out.csv")
        assert (status, err.count("\n")) == (2, 1)
        assert "choose suppression, height or privacy, and save that" in err

    @pytest.mark.parametrize("choice", ["suppression", "height", "privacy"])
    def test_a_chosen_suggestion_is_released(self, shoal, study_file, tmp_path, choice):
        kept, out = tmp_path / "answer.json", tmp_path / "out.csv"
        arguments = ["--k", 3, "--heights", "age=1,zip=2", "--max-suppressed", 1, "--json"]
        status, printed, _ = shoal(
            "negotiate", study_file, *arguments, "--choose", choice, "--save", kept
        )
        assert status == 0
        expected = json.loads(printed)["suggestions"][choice]
        document = json.loads(kept.read_text())
        assert document.pop("found_on")["rows"]
        assert document.pop("suppression_limit") == max(1, expected["suppressed"])
        assert document == expected | {"method": "negotiation", "metric": "LM", "certified": True}
        assert shoal("release", study_file, "--solution", kept, "-o", out)[0] == 0
        record = json.loads((tmp_path / "out.csv.record.json").read_text())
        assert record["suppressed"]["rows"] == expected["suppressed"]

    def test_a_suggestion_that_is_impossible_is_3(self, shoal, study_file, tmp_path):
        arguments = ["--k", 9, "--choose", "height", "--save", tmp_path / "answer.json"]
        status, out, err = shoal("negotiate", study_file, *arguments)
        assert (status, out) == (3, "")
        assert "no suggestion for height: k of 9 is more than the table's 6 rows" in err
        assert not (tmp_path / "answer.json").exists()

    def test_an_existing_file_is_kept_without_force(self, shoal, study_file, tmp_path):
        (tmp_path / "answer.json").write_text("mine")
        arguments = ["negotiate", study_file, "--k", 2, "--save", tmp_path / "answer.json"]
        assert shoal(*arguments)[0] == 2
        assert (tmp_path / "answer.json").read_text() == "mine"
        assert shoal(*arguments, "--force")[0] == 0
        assert "exact" in json.loads((tmp_path / "answer.json").read_text())


class TestDialogue:
    @pytest.fixture
    def talk(self, study_file):
        """Holds a dialogue and returns what it says to each line."""

        def run(*lines):
            heard = io.StringIO()
            with Study.open(study_file) as study:
                source = io.StringIO("".join(line + "\n" for line in lines))
                Dialogue(study.negotiator(index=False), source, heard).run()
            return heard.getvalue().split("> ")

        return run

    def test_changes_are_answered_at_once(self, talk):
        hello, first, second, third, fourth, _ = talk("k 2", "suppress 1", "age 0", "age -", "quit")
        assert "6 rows, 20 nodes. Levels: age 0-4, zip 0-3." in hello
        assert "exact" in first
        assert "exact" in second
        assert "Asked: k 2, suppress 1, age 0." in third
        assert "No exact answer" in third
        assert "exact" in fourth

    def test_the_loss_is_shown_and_the_preference_changes_it(self, talk):
        said = talk("k 2", "suppress 1", "prefer height", "metric DM", "prefer low", "metric no")
        assert "lost (LM)" in said[2]
        assert "prefer height." in said[3]
        assert "lost (DM)" in said[4]
        assert "unknown preference 'low'" in said[5]
        assert "unknown metric 'no'" in said[6]

    def test_changes_can_be_taken_back(self, talk):
        said = talk("undo", "k 2", "age 0", "age 99", "undo", "undo", "undo")
        assert "there is nothing to take back" in said[1]
        assert "Asked: k 2, suppress 0, age 0." in said[3]
        assert "Asked: k 2, suppress 0." in said[5]
        assert "Say k or l next." in said[6]
        assert "there is nothing to take back" in said[7]

    def test_ctrl_c_ends_an_answer_or_at_the_prompt_the_dialogue(self, study_file, monkeypatch):
        class Pressed(io.StringIO):
            """Lines, and then Ctrl-C at the prompt."""

            def readline(self, *_):
                line = super().readline()
                if not line:
                    raise KeyboardInterrupt
                return line

        heard = io.StringIO()
        with Study.open(study_file) as study:
            negotiator = study.negotiator(index=False)
            answer = negotiator.ask

            def ask(**asked):
                if asked["k"] == 3:
                    raise KeyboardInterrupt
                return answer(**asked)

            monkeypatch.setattr(negotiator, "ask", ask)
            Dialogue(negotiator, Pressed("k 2\nk 3\nsuppress 1\n"), heard).run()
        said = heard.getvalue().split("> ")
        assert said[2] == "Stopped.\n"
        assert "Asked: k 2, suppress 1." in said[3]
        assert said[4:] == ["\n"]

    def test_only_ways_that_exist_are_offered(self, talk):
        said = talk("help", "k 9", "help", "choose", "choose suppression")
        assert "choose" not in said[1]
        assert "l 3" in said[1]
        assert "age 1" in said[1]
        assert "take a suggestion: privacy" in said[3]
        assert "choose one of privacy" in said[4]
        assert "there is no suggestion for suppression" in said[5]
        heard = io.StringIO()
        with Study(pa.table({"a": ["x", "y"]}), quasi={"a": {"*": ["x", "y"]}}) as study:
            Dialogue(study.negotiator(), io.StringIO("help\nsuppress 1\n"), heard).run()
        assert "sensitive" not in heard.getvalue()
        assert "Say k next." in heard.getvalue()

    def test_heights_and_l(self, talk):
        assert "No exact answer" in talk("l 3", "heights age=1,zip=1")[2]
        assert "exact" in talk("l 3", "heights age=1,zip=1", "heights -")[3]

    def test_without_k_and_l_it_waits(self, talk):
        assert "Say k or l next." in talk("suppress 1%")[1]
        assert "Say k or l next." in talk("k 2", "k -")[2]

    def test_a_refused_change_is_as_if_it_had_not_been_said(self, talk):
        said = talk("k 2", "age 99", "suppress 99", "k two", "heights agee=1", "zip 3")
        assert "'age' has no level 99" in said[2]
        assert "but the table has 6" in said[3]
        assert "k is 'two'" in said[4]
        assert "did you mean age?" in said[5]
        assert "exact" in said[6]

    def test_what_is_no_command_is_told(self, talk):
        assert "'sav' is no command and no attribute; did you mean save?" in talk("sav x")[1]
        assert "quit" in talk("help")[1]
        assert talk("", "  ")[1] == ""

    @pytest.mark.parametrize("name", ["q", "quit", "exit"])
    def test_an_attribute_may_be_called_like_the_end(self, name):
        heard = io.StringIO()
        with Study(pa.table({name: ["x", "y"]}), quasi={name: {"*": ["x", "y"]}}) as study:
            Dialogue(study.negotiator(), io.StringIO(f"k 2\n{name} 0\n {name} \nk 1\n"), heard).run()
        said = heard.getvalue().split("> ")
        assert f"Asked: k 2, suppress 0, {name} 0." in said[2]
        assert said[3:] == [""]

    def test_limits_are_checked_before_k_and_l_are_said(self, talk):
        said = talk("suppress abc", "suppress 7", "age 9", "k 2")
        assert "'abc' is not an amount of suppression" in said[1]
        assert "suppression of 7 rows, but the table has 6" in said[2]
        assert "'age' has no level 9" in said[3]
        assert "Asked: k 2, suppress 0." in said[4]

    @pytest.mark.parametrize("options", [{"heights": {"foo": 1}}, {"max_suppressed": "abc"}])
    def test_wrong_limits_open_no_dialogue(self, study_file, options):
        def begin(negotiator):
            return Dialogue(negotiator, io.StringIO(), io.StringIO(), NegotiateQuestion(**options))

        with Study.open(study_file) as study, pytest.raises(InputError, match=r"'foo'|'abc'"):
            begin(study.negotiator(index=False))

    @pytest.mark.parametrize("name", ["a" * 300, "a\0b", "b" * 250])
    def test_a_name_that_cannot_be_written_does_not_end_it(self, talk, tmp_path, monkeypatch, name):
        monkeypatch.chdir(tmp_path)
        said = talk("k 2", f"save {name}", "k 1")
        assert "cannot be written: " in said[2]
        assert said[2].count("\n") == 1
        assert "exact" in said[3]

    def test_a_taken_name_is_told_without_options_of_the_command_line(self, talk, tmp_path):
        (tmp_path / "a").write_text("mine")
        said = talk("k 2", f"save {tmp_path / 'a'}")[2]
        assert said == f"{tmp_path / 'a'}: already exists; choose another name\n"

    def test_names_are_shown_and_not_obeyed(self):
        heard = io.StringIO()
        with Study(pa.table({"a\x1b[2J": ["x"]}), quasi={"a\x1b[2J": {"*": ["x"]}}) as study:
            Dialogue(study.negotiator(), io.StringIO("k 1\nchoose\n"), heard).run()
        assert "\x1b[2J" not in heard.getvalue()
        assert "Chosen: a\\x1b[2J 0; 0 rows" in heard.getvalue()

    def test_why(self, talk):
        said = talk("k 3", "heights age=1,zip=3", "why")[3]
        assert "The request fails: at the highest levels allowed 3 rows are suppressed, 0 may be" in said
        assert "age '60-64': 1 of 1 rows" in said
        assert "age to level 2: 1 rows (-2)" in said

    def test_choose_and_save(self, talk, tmp_path, monkeypatch, shoal, study_file):
        monkeypatch.chdir(tmp_path)
        said = talk(
            "save a", "k 3", "heights age=1,zip=2", "save a", "choose x", "choose height", "save a"
        )
        assert "there is no answer yet" in said[1]
        assert "choose one of suppression, height, privacy" in said[4]
        assert "no suggestion is called 'x'" in said[5]
        assert "Chosen: " in said[6]
        assert "Kept in a." in said[7]
        assert shoal("release", study_file, "--solution", "a", "-o", "out.csv")[0] == 0
        assert "already exists" in talk("k 2", "save a")[2]
        assert "name a file" in talk("k 2", "save")[2]
        assert "Kept in b." in talk("k 2", "choose", "save b")[3]

    def test_a_choice_does_not_outlive_its_answer(self, talk, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        said = talk("k 3", "heights age=1,zip=2", "choose height", "k 4", "save a")
        assert "choose one of" in said[5]
        assert not Path("a").exists()


def test_a_terminal_gets_the_dialogue(study_file):
    """The command on a terminal of its own: asked, answered, left."""
    leader, follower = pty.openpty()
    command = [*SHOAL, "negotiate", str(study_file)]
    running = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, close_fds=True)
    os.close(follower)
    try:
        heard = _hear(leader, b"> ")
        assert b"6 rows, 20 nodes" in heard
        os.write(leader, b"k 2\n")
        assert b"exact" in _hear(leader, b"> ")
        os.write(leader, b"quit\n")
        assert running.wait(timeout=60) == 0
    finally:
        running.kill()
        running.wait()
        os.close(leader)


def test_a_terminal_gets_no_dialogue_over_wrong_limits(shoal, study_file, monkeypatch):
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    for arguments in (["--heights", "foo=1"], ["--max-suppressed", "abc"]):
        status, out, err = shoal("negotiate", study_file, *arguments)
        assert (status, out, err.count("\n")) == (2, "", 1)


def _hear(leader, until):
    """What the terminal shows up to a prompt."""
    heard, end = b"", time.monotonic() + 60
    while not heard.endswith(until):
        assert time.monotonic() < end, heard
        if select.select([leader], [], [], 1)[0]:
            heard += os.read(leader, 4096)
    return heard
