"""The command line: `main` runs a command and turns each error into one line and an exit status."""

from __future__ import annotations

import re
import sys
from io import TextIOWrapper
from typing import Any


def main() -> None:
    """Run `shoal` with the arguments of the process, and exit with the documented status."""
    from shoal.running.stop_signals import StopSignals

    _take_every_character()
    with StopSignals() as stopped:
        try:
            status, words = _run()
            stopped.finish()
        except BaseException:
            stopped.finish()
            if stopped.status is None:
                raise
            status, words = stopped.status, "stopped"
    if words is not None and stopped.status is not None:  # whatever the signal has interrupted says
        status, words = stopped.status, "stopped"
    if words is not None:
        from shoal.errors import printable

        print("shoal: " + printable(" ".join(words.split())), file=sys.stderr)
    sys.exit(status)


def _run() -> tuple[int, str | None]:
    """Run the command; return its exit status, and what is to be said if it failed."""
    import typer

    from shoal.cli.app import app
    from shoal.errors import ShoalError

    try:
        status = app(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except ShoalError as problem:
        return problem.exit_status, _with_options(str(problem))
    except (typer.Abort, KeyboardInterrupt):
        return 130, "stopped"
    except BrokenPipeError:
        # The reader is gone; without this, Python would complain again when it flushes at exit.
        sys.stderr.close()
        return 141, None
    except OSError as problem:
        where = f"{problem.filename}: " if problem.filename else ""
        return 2, f"{where}{problem.strerror or problem}"
    except Exception as problem:
        # A wrong option or command: which library defines its class depends on Typer's version.
        if not hasattr(problem, "format_message"):
            raise
        return 2, _usage(problem)
    if status == 130:  # Typer has caught the interrupt
        return 130, "stopped"
    return (status if isinstance(status, int) else 0), None


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
