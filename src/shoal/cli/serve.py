"""`shoal serve`: the web application."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from shoal.cli.options import command
from shoal.questions.fields import Question, asked, question
from shoal.questions.kinds import File, Flag, Names, Several, Text, Whole


@question
class Serving(Question):
    """Where the web application listens, to whom, and what it keeps."""

    study: Path | None = asked(
        "A study file (YAML) to open.", File(), default=None, argument=True, kw_only=False
    )
    port: int | None = asked("Where to listen.", Whole(0), default=None, shown="8642, or a free one")
    browser: bool = asked("Open the page in the browser.", Flag(), default=True)
    host: str = asked("The address to listen at.", Text(), default="127.0.0.1")
    allowed_host: Names = asked(
        "Another name that browsers may use, such as a proxy's.", Several(), default=()
    )
    account_header: str | None = asked(
        "The header in which a proxy says who is signed in, such as X-Forwarded-User.",
        Text(),
        default=None,
    )
    trusted_proxy: Names = asked(
        "The proxy's address or network.", Several(), default=(), shown="loopback"
    )
    proxy_secret: Path | None = asked(
        "A file with the secret that the proxy sends as X-Shoal-Proxy.", File(), default=None
    )
    audit_log: Path | None = asked(
        "Append to this file who did what to which study.", File(), default=None
    )
    keep: Path | None = asked(
        "Keep all work in this folder, and bring it back at the next start.", File(), default=None
    )


@command
def serve(serving: Serving) -> None:
    """Open the web application on this machine; only --host or a proxy opens it to others."""
    from shoal.errors import MissingExtraError

    for package in ("nicegui", "fastapi", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtraError("pages", package, "web")
    from shoal.web.server import server
    from shoal.web.server.listening import Proxy

    server.serve(
        server.Settings(
            serving.study,
            serving.host,
            serving.port,
            serving.browser,
            tuple(serving.allowed_host),
            Proxy.of(tuple(serving.trusted_proxy), serving.account_header, serving.proxy_secret),
            serving.audit_log,
            serving.keep,
        )
    )
