"""Ctrl-C and SIGTERM: one line, the status that shells give, nothing left behind, whatever they interrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.running.ctrl_c import ended_by_ctrl_c
from shoal.running.stop_signals import StopSignals, answering, before_in_place, is_plain
from tests.commands import SHOAL
from tests.commands import shoal as run

PLAIN = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


@pytest.fixture(autouse=True)
def plain_signals() -> Iterator[None]:
    """Signals do what they do in a terminal, whoever runs the tests."""
    before = {number: signal.signal(number, handler) for number, handler in PLAIN.items()}
    yield
    assert {number: signal.getsignal(number) for number in PLAIN} == PLAIN
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text("age\n30\n31\n34\n36\n")
    path = tmp_path / "study.yaml"
    path.write_text(
        "table: people.csv\nattributes:\n  age: {role: quasi, hierarchy: {intervals: {widths: [5]}}}\n"
    )
    return path


@pytest.mark.parametrize("number", PLAIN)
@pytest.mark.parametrize("failure", [None, RuntimeError("Query interrupted"), OSError(4, "Interrupted")])
def test_what_a_signal_interrupts_may_fail_as_it_likes(
    study: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, failure: Exception | None
) -> None:
    def interrupted(*_: object) -> None:
        try:
            os.kill(os.getpid(), number)
            time.sleep(10)
        except BaseException:
            if failure is None:
                raise
        raise failure

    monkeypatch.setattr(DuckDBEngine, "cells", interrupted)
    done = run("frontier", study)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "shoal: stopped\n")


def test_what_fails_by_itself_is_no_stop(study: Path) -> None:
    done = run("frontier", study.with_name("no.yaml"))
    assert done.returncode == 2
    assert "no such file" in done.stderr


def press_twice() -> None:
    with ended_by_ctrl_c():
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)


def test_a_handler_of_c_code_which_names_no_module_is_left_alone() -> None:
    heard: list[object] = []
    before = signal.signal(signal.SIGINT, heard.append)
    try:
        assert not is_plain(heard.append)
        with ended_by_ctrl_c():
            assert signal.getsignal(signal.SIGINT) == heard.append
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_search_hears_ctrl_c_in_a_command_too() -> None:
    with StopSignals() as stopped:
        outer = signal.getsignal(signal.SIGINT)
        assert is_plain(outer)
        with ended_by_ctrl_c():
            assert not is_plain(signal.getsignal(signal.SIGINT))
            os.kill(os.getpid(), signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) == outer
        assert stopped.status is None  # its best so far is the answer
        with pytest.raises(KeyboardInterrupt):
            press_twice()
        assert stopped.status == 130


def test_a_release_that_is_terminated_leaves_what_stood(study: Path) -> None:
    folder = study.parent
    (folder / "people.csv").write_text("age\n" + "".join(f"{i % 90}\n" for i in range(200_000)))
    assert run("frontier", study, "--save", folder / "front.json").returncode == 0
    release = (
        "release",
        study,
        "--solution",
        folder / "front.json",
        "--k",
        "2",
        "-o",
        folder / "out.csv",
    )
    assert run(*release).returncode == 0
    before = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    process = subprocess.Popen(
        [*SHOAL, *map(str, release), "--force"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    hidden = folder / ".out.csv.shoal-new"
    while process.poll() is None and not hidden.exists():
        time.sleep(0.005)
    process.terminate()
    _, errors = process.communicate(timeout=60)
    if process.returncode == 0:
        pytest.fail("it was released before it could be terminated")
    assert (process.returncode, errors) == (143, "shoal: stopped\n")
    assert {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


LATE = """
import atexit, os, signal, time
from shoal.cli import main
from shoal.documents.whole import journal

def press(*_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)

signal.signal(signal.SIGINT, signal.default_int_handler)
atexit.register(press)
roll_forward = journal.roll_forward
from shoal.release.papers import staging
def pressed(out):
    press()
    roll_forward(out)
staging.roll_forward = pressed
main()
"""
"""A command with Ctrl-C after the one rename of a release, and while the process ends."""


def test_ctrl_c_after_the_answer_changes_nothing(study: Path) -> None:
    front, out = study.with_name("front.json"), study.with_name("out.csv")
    commands = [
        ["frontier", study, "--save", front],
        ["release", study, "--solution", front, "--k", "2", "-o", out],
    ]
    for words in commands:
        line = [SHOAL[0], "-c", LATE, *map(str, words)]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        assert (done.returncode, "stopped" in done.stderr) == (0, False), done.stderr
        assert "Traceback" not in done.stderr
        assert "KeyboardInterrupt" not in done.stderr
    assert out.is_file()
    assert not list(study.parent.glob(".*"))


def test_ctrl_c_after_a_stop_is_told_once(study: Path) -> None:
    line = [SHOAL[0], "-c", LATE, "frontier", str(study.with_name("no.yaml"))]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_what_is_put_in_place_before_the_answer_leaves_ctrl_c_alone() -> None:
    with StopSignals() as stopped:
        before_in_place()
        assert not stopped.done
        with answering():
            before_in_place()
        assert stopped.done
        os.kill(os.getpid(), signal.SIGINT)
        assert stopped.status is None
    signal.signal(signal.SIGINT, signal.default_int_handler)
