"""`shoal serve`: the web application."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer


def serve(
    study: Annotated[
        Path | None, typer.Argument(help="A study file (YAML) to open.", show_default=False)
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Where to listen.", show_default="8642, or a free one")
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Open the web application on this machine; nothing leaves it."""
    from shoal.errors import MissingExtraError

    for package in ("nicegui", "fastapi", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtraError("pages", package, "web")
    from shoal.web import server

    server.serve(server.Settings(study, port=port, browser=browser))
