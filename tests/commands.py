"""The command line in this process, without the time that a process of its own takes to start."""

from __future__ import annotations

import contextlib
import functools
import io
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
import typer.main

from shoal.cli import main

# Typer makes all commands anew from their functions whenever one is called.
_command = functools.cache(typer.main.get_command)

SHOAL = (sys.executable, "-c", "from shoal.cli import main; main()")
"""The command line as a process of its own, for tests that need one."""


@contextlib.contextmanager
def signals_kept() -> Iterator[None]:
    """Give Ctrl-C its meaning back, which a command takes from a process that ends with it."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def shoal(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, and return its status, output and errors."""
    words = ["shoal", *map(str, arguments)]
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(cwd or Path.cwd()),
        mock.patch.object(sys, "argv", words),
        mock.patch.object(typer.main, "get_command", _command),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as stopped,
        signals_kept(),
    ):
        main()
    return subprocess.CompletedProcess(words, stopped.value.code, out.getvalue(), err.getvalue())
