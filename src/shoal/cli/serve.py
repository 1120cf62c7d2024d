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
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(help="Another name that browsers may use, such as a proxy's (repeat it)."),
    ] = None,
    account_header: Annotated[
        str | None,
        typer.Option(
            help="The header in which a proxy says who is signed in, such as X-Forwarded-User."
        ),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(help="The proxy's address or network.", show_default="loopback"),
    ] = None,
    proxy_secret: Annotated[
        Path | None,
        typer.Option(help="A file with the secret that the proxy sends as X-Shoal-Proxy."),
    ] = None,
    audit_log: Annotated[
        Path | None, typer.Option(help="Append to this file who did what to which study.")
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(help="Keep all work in this folder, and bring it back at the next start."),
    ] = None,
) -> None:
    """Open the web application on this machine; only --host or a proxy opens it to others."""
    from shoal.errors import MissingExtraError

    for package in ("nicegui", "fastapi", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtraError("pages", package, "web")
    from shoal.web.server import server
    from shoal.web.server.listening import Proxy

    server.serve(
        server.Settings(
            study,
            host,
            port,
            browser,
            tuple(allowed_host or ()),
            Proxy.of(trusted_proxy or (), account_header, proxy_secret),
            audit_log,
            keep,
        )
    )
