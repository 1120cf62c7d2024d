"""The commands of `shoal`; each is a small file that imports what it needs when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli import output
from shoal.cli.anonymize import anonymize
from shoal.cli.apply import apply
from shoal.cli.attack import attack
from shoal.cli.check import check
from shoal.cli.check_release import check_release
from shoal.cli.compare import compare
from shoal.cli.demo import demo
from shoal.cli.diff import diff
from shoal.cli.frontier import frontier
from shoal.cli.help_examples import ending, more
from shoal.cli.hierarchy import hierarchy
from shoal.cli.import_arx import import_arx
from shoal.cli.init import init
from shoal.cli.negotiate import negotiate
from shoal.cli.optimize import optimize
from shoal.cli.release import release
from shoal.cli.risk import risk
from shoal.cli.serve import serve
from shoal.cli.statements import statements
from shoal.cli.tally import tally
from shoal.cli.terminal import spoken
from shoal.cli.utility import utility
from shoal.cli.verify import verify
from shoal.version import VERSION

app = typer.Typer(
    name="shoal",
    help="What privacy costs, the provably best way to pay it, and the release.",
    epilog="\n\n".join(more("start.md")),
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        print(f"shoal {VERSION}")
        raise typer.Exit


@app.callback()
def top(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """What privacy costs, the provably best way to pay it, and the release."""
    context.call_on_close(output.give_back)


COMMANDS = (
    *(demo, init, frontier, optimize, negotiate, anonymize, compare, release),
    *(verify, apply, diff, risk, attack, utility, check, hierarchy, check_release, import_arx),
    *(tally, statements, serve),
)
for command in COMMANDS:
    app.command(epilog=ending(command.__name__))(spoken(command))
