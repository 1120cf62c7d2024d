"""The pages of the web application: one shell, and a page for each step."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any

from fastapi import FastAPI, Request, Response

from shoal.web.server.frames_in import EVENTS
from shoal.web.server.sessions import Sessions, WebSession

log = logging.getLogger("shoal.web")

_NOTHING = (
    "<!doctype html><html lang='en'><meta charset='utf-8'><title>Shoal</title>"
    "<h1>Shoal</h1><p>There is no page at this address. <a href='/'>Go to the first step</a>.</p></html>"
)


def mount(app: FastAPI, sessions: Sessions) -> None:
    """Mount the pages on the application; the guard around it lets nobody in without a session."""
    from nicegui import app as pages
    from nicegui import context, core, ui

    from shoal.web.pages.frame import Frame
    from shoal.web.pages.journey import STEPS

    def show(request: Request) -> None:
        session: WebSession = request.state.session
        session.pages.add(context.client.id)
        Frame(session, sessions.study, request.cookies.get("shoal-look", "")).build()

    @pages.exception_handler(404)
    async def nothing(_: Request, __: Exception) -> Response:
        return Response(_NOTHING, 404, media_type="text/html; charset=utf-8")

    for path in ("", *(step.key for step in STEPS)):
        ui.page(f"/{path}", title="Shoal")(show)
    ui.run_with(
        app, title="Shoal", language="en-US", tailwind=False, show_welcome_message=False, favicon="🐟"
    )
    # The guard allows only sockets; polling would use session names that are not secret.
    pages.config.socket_io_js_transports = ["websocket"]
    handlers = core.sio.handlers["/"]
    for event in EVENTS:
        core.sio.on(event, _told_in_a_line(event, handlers[event]))
    # A browser could make the server log anything, even lines that look like others'.
    core.sio.on("log", lambda *_: None)


def _told_in_a_line(event: str, handler: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """Return NiceGUI's own handler of an event, but log an incomplete event in one line.

    Errors in our own code never get here.
    """

    async def handle(*given: Any) -> Any:
        try:
            found = handler(*given)
            return await found if isawaitable(found) else found
        except Exception as problem:
            log.warning("a page sent a senseless event %s (%s)", event, type(problem).__name__)
            return False

    return handle
