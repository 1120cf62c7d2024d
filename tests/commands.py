"""The command line in this process, without the time that a process of its own takes to start."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from pathlib import Path
from unittest import mock

from shoal.cli import main


def shoal(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, and return its status, output and errors."""
    words = ["shoal", *map(str, arguments)]
    out, err = io.StringIO(), io.StringIO()
    status = 0
    with (
        contextlib.chdir(cwd or Path.cwd()),
        mock.patch.object(sys, "argv", words),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stopped:
            status = int(stopped.code or 0)
    return subprocess.CompletedProcess(words, status, out.getvalue(), err.getvalue())
