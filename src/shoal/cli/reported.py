"""How commands tell what they found on a release: printed, as JSON, and as a page for the curator alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from shoal.cli import output
from shoal.cli.options import Replacing
from shoal.running.stop_signals import answering


class Tellable(Protocol):
    """Figures that can be told as a document."""

    def to_dict(self) -> dict[str, Any]:
        """Return the document."""


F = TypeVar("F", bound=Tellable)


def reported(
    found: F,
    report: Path | None,
    render: Callable[[F], str],
    show: Callable[[F], None],
    replacing: Replacing,
) -> None:
    """Write the page if one is asked for, print the figures, and say where the page is."""
    if report is not None:
        with answering(), output.beside(report, replacing.force, private=True) as place:
            place.write_text(render(found), encoding="utf-8")
    if replacing.as_json:
        output.print_json(found.to_dict())
    else:
        show(found)
    if report is not None:
        output.notice(f"{report} shows what was found; only you may read it")
