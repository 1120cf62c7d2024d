"""The command line: `main` runs a command and turns each error into one line and an exit status."""

from __future__ import annotations

import re
import sys
from io import TextIOWrapper
from typing import Any


def main() -> None:
    """Run `shoal` with the arguments of the process, and exit with the documented status."""
    import typer

    from shoal.cli.app import app
    from shoal.errors import ShoalError

    _take_every_character()
    try:
        status = app(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        if status == 130:  # Typer has caught the interrupt
            _refuse("stopped", 130)
    except ShoalError as problem:
        _refuse(_with_options(str(problem)), problem.exit_status)
    except (typer.Abort, KeyboardInterrupt):
        _refuse("stopped", 130)
    except BrokenPipeError:
        # The reader is gone; without this, Python would complain again when it flushes at exit.
        sys.stderr.close()
        sys.exit(141)
    except OSError as problem:
        where = f"{problem.filename}: " if problem.filename else ""
        _refuse(f"{where}{problem.strerror or problem}", 2)
    except Exception as problem:
        # A wrong option or command: which library defines its class depends on Typer's version.
        if not hasattr(problem, "format_message"):
            raise
        _refuse(_usage(problem), 2)
    sys.exit(status if isinstance(status, int) else 0)


def _with_options(text: str) -> str:
    """Return an error with command-line options in place of Python's parameters."""
    from shoal.cli.options import option_named

    return re.sub(r"`([a-z_]+)`", lambda found: option_named(found[1]), text)


def _take_every_character() -> None:
    """Write UTF-8 to files and pipes, as JSON requires, and show what a terminal can."""
    if isinstance(sys.stdout, TextIOWrapper):
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors="replace")
        else:
            sys.stdout.reconfigure(encoding="utf-8")


def _usage(problem: Any) -> str:
    """Return what is wrong with the call, and what was probably meant."""
    from shoal.errors import did_you_mean

    message = str(problem.format_message()) or "no command given"
    wrong = getattr(problem, "option_name", None)
    context = getattr(problem, "ctx", None)
    if wrong is not None and context is not None and "mean" not in message:
        options = [name for given in context.command.params for name in given.opts if name[:2] == "--"]
        message = f"{message.rstrip('.')}; {did_you_mean(wrong, options)}"
    if context is not None:
        message = f"{message.rstrip('.')} (see {context.command_path} --help)"
    return message


def _refuse(message: str, status: int) -> None:
    from shoal.errors import printable

    print("shoal: " + printable(" ".join(message.split())), file=sys.stderr)
    sys.exit(status)
