"""No control character of users' data reaches a terminal, whichever command prints it."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import sys
import unicodedata
from unittest import mock

import pytest

from shoal import Study
from shoal.cli import main, output, terminal
from shoal.cli.app import app
from shoal.cli.dialogue import Dialogue
from shoal.errors import printable
from tests import commands

EVIL = "\x1b]Powned\x07\x1b[31m\x9b2J\x7f\u202e\u200b\u2066[red][link=https://x.example]:smile:"
QUASI, JOB = f"age{EVIL}", f"job{EVIL}"
ROWS = [(f"{age}{EVIL}", "02138", f"{job}{EVIL}") for age in (30, 31) for job in ("cook", "nurse") * 3]


def raw(text):
    """Return what a terminal would obey, or would not show as it stands."""
    return {c for c in text if c != "\n" and unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp", "Cs"}}


@pytest.fixture
def study(tmp_path):
    """A study of which every name and value is hostile."""
    folder = tmp_path / f"folder{EVIL.replace('/', '')}"
    folder.mkdir()
    table = folder / "people.csv"
    lines = [(QUASI, "zip", JOB), *ROWS]
    table.write_text("\n".join(",".join(line) for line in lines) + "\n", encoding="utf-8")
    ages = [f"30{EVIL}", f"31{EVIL}"]
    (folder / "age.csv").write_text("".join(f"{age};all{EVIL};*\n" for age in ages), encoding="utf-8")
    attributes = {
        QUASI: {"role": "quasi", "hierarchy": "age.csv"},
        "zip": {"role": "quasi", "hierarchy": {"mask": {"digits": 5}}},
        JOB: {"role": "sensitive"},
    }
    (folder / "policy.yaml").write_text(json.dumps({"never": [QUASI], "only": [JOB]}), encoding="utf-8")
    path = folder / "study.yaml"
    path.write_text(json.dumps({"table": "people.csv", "attributes": attributes}))
    return path


def calls(study):
    """What every command is called with, in an order in which each finds what it needs."""
    at = study.parent
    table, solution, out = (
        at / "people.csv",
        at / "solution.json",
        at / f"out{EVIL.replace('/', '')}.csv",
    )
    policy = at / "policy.yaml"
    return {
        "init": [(table, "-o", at / "new.yaml"), (table, "-o", at / "json.yaml", "--json")],
        "check": [(study,), (study, "--json"), (at / f"none{EVIL}.yaml",)],
        "hierarchy": [(study, QUASI), (study, QUASI, "--json"), (study, f"none{EVIL}")],
        "frontier": [(study,), (study, "--json"), (study, "--metric", EVIL)],
        "optimize": [
            (study, "--l", "2"),
            (study, "--theta", f"none{EVIL}=1/2"),
            (study, "--l", "2", "--json"),
        ],
        "negotiate": [
            (study, "--k", "2"),
            (study, "--k", "2", "--heights", f"{EVIL}=1"),
            (study, "--k", "2", "--json"),
            (study, "--k", "99"),
        ],
        "anonymize": [
            (study, "--algorithm", "datafly", "--k", "2", "--save", solution),
            (study, "--algorithm", f"datafl{EVIL}", "--k", "2"),
            (study, "--algorithm", "mondrian", "--k", "2", "--json"),
        ],
        "compare": [
            (study, "--k", "2"),
            (study, "--k", "2", "--metric", EVIL),
            (study, "--k", "2", "--json"),
        ],
        "release": [(study, "--solution", solution, "-o", out), (study, "--solution", table, "-o", out)],
        "verify": [(out,), (out, "--json"), (table, "--quasi", f"{QUASI[:-1]}", "--k", "2")],
        "apply": [(f"{out}.record.json", table, "-o", at / "again.csv", "--seed", "3")],
        "attack": [
            (out, "--source", study, "--attack", "linkage"),
            (out, "--source", study, "--attack", EVIL),
        ],
        "utility": [(out, "--source", study), (out, "--source", study, "--predict", EVIL)],
        "check_release": [(policy, out), (policy, out, "--json"), (at / f"none{EVIL}.yaml", out)],
        "import_arx": [(at / f"none{EVIL}.deid",), (table,)],
        "diff": [(out, at / "again.csv"), (out, out, "--json"), (out, at / f"none{EVIL}.csv")],
        "risk": [(study,), (table, "--quasi", QUASI), (table,), (table, "--quasi", f"none{EVIL}")],
        "statements": [
            (study, "--dialect", "duckdb", "--table", EVIL, "-o", at / "statements", "--json"),
            (study, "--dialect", EVIL, "--table", "people", "-o", at / "none"),
        ],
        "tally": [(study, "-o", at / "kept.tally"), (study, "-o", at / EVIL / "none.tally")],
        "demo": [(at / "none" / EVIL, "--rows", "1000")],
        "serve": [(at / f"none{EVIL}.yaml", "--no-browser")],
    }


def test_no_command_prints_what_a_terminal_obeys(study):
    seen = {}
    for command, every in calls(study).items():
        for arguments in every:
            done = commands.shoal(command.replace("_", "-"), *arguments)
            seen[command] = seen.get(command, "") + done.stdout + done.stderr
            assert not raw(done.stdout + done.stderr), (command, arguments)
            assert done.returncode in {0, 1, 2, 3}
            if "--json" in arguments:
                assert done.returncode in {0, 1}, done.stderr
                assert json.loads(done.stdout)
    named = {command for command, text in seen.items() if r"\x1b]Powned\x07" in text}
    assert named == set(seen), "a command was not given anything hostile to print"


def test_the_names_in_json_are_the_users_own(study):
    found = json.loads(commands.shoal("frontier", study, "--json").stdout)
    assert set(found["points"][0]["node"]) == {QUASI, "zip"}


def test_every_command_is_tried(tmp_path):
    registered = {command.callback.__name__ for command in app.registered_commands}
    assert set(calls(tmp_path / "study.yaml")) == registered


def test_a_dialogue_prints_nothing_that_a_terminal_obeys(study):
    words = [
        "k 2",
        f"{EVIL} 1",
        "heights x=1",
        f"{QUASI} 0",
        "why",
        "k 99",
        "choose height",
        f"save {EVIL}/x",
        "quit",
    ]
    heard = io.StringIO()
    with Study.open(study) as opened:
        Dialogue(opened.negotiator(), io.StringIO("\n".join(words) + "\n"), heard).run()
    assert r"age\x1b]Powned" in heard.getvalue()
    assert not raw(heard.getvalue())


def test_on_a_terminal_only_our_own_colours_are_sent(study):
    """Columns and values of users come out as escapes, among colours that are not."""
    leader, follower = pty.openpty()
    with (
        os.fdopen(follower, "w", encoding="utf-8") as screen,
        mock.patch.object(
            sys, "argv", ["shoal", "init", str(study.parent / "people.csv"), "-o", str(study) + "2"]
        ),
        mock.patch.object(sys, "stdout", screen),
        mock.patch.dict(os.environ, {"TERM": "xterm", "COLUMNS": "400"}),
        pytest.raises(SystemExit),
    ):
        main()
    os.set_blocking(leader, False)
    shown = os.read(leader, 1 << 20).decode()
    os.close(leader)
    coloured = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert coloured != shown
    assert not raw(coloured.replace("\r\n", "\n"))


def test_markup_of_users_is_text():
    stream = io.StringIO()
    terminal.console(stream).print("[red]x[/red] [link=a]b :smile:")
    assert stream.getvalue() == "[red]x[/red] [link=a]b :smile:\n"


def test_what_a_bar_says_is_clean(monkeypatch):
    class Screen(io.StringIO):
        def isatty(self):
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "dumb")
    with output.progress(f"title{EVIL}") as tell:
        tell(0.5, f"words{EVIL}")
    assert "\x1b]P" not in screen.getvalue()
    assert "\u202e" not in screen.getvalue()


@pytest.mark.parametrize(
    "code", [*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x200B, 0x202E, 0x2028, 0x2066, 0xFEFF]
)
def test_escapes_are_visible_and_tell_apart(code):
    shown = printable(f"a{chr(code)}b")
    assert code == 0x0A or (shown.isprintable() and shown != "ab")
    assert len({printable(chr(other)) for other in range(0x2100)}) == 0x2100


def test_texts_of_all_languages_stay():
    text = "Grüße, naïve, 日本語\u3000全角, עברית, العربية, हिन्दी, 1\u00a0000, 🐟"
    assert printable(text) == text
