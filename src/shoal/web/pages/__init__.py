"""The pages of the web application: one shell, eight steps."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response

from shoal.web.sessions import Session, Sessions

_NOTHING = (
    "<!doctype html><html lang='en'><meta charset='utf-8'><title>Shoal</title>"
    "<h1>Shoal</h1><p>There is no page at this address. <a href='/'>Go to the first step</a>.</p></html>"
)


def mount(app: FastAPI, sessions: Sessions) -> None:
    """Put the pages on the application; the guard before it lets nobody in without a session."""
    from nicegui import app as pages
    from nicegui import context, ui

    from shoal.web.pages.frame import Frame
    from shoal.web.pages.steps import STEPS

    def show(request: Request) -> None:
        session: Session = request.state.session
        session.pages.add(context.client.id)
        Frame(session, sessions.study, request.cookies.get("shoal-look", "")).build()

    @pages.exception_handler(404)
    async def nothing(_: Request, __: Exception) -> Response:
        return Response(_NOTHING, 404, media_type="text/html; charset=utf-8")

    for path in ("", *(step.key for step in STEPS)):
        ui.page(f"/{path}", title="Shoal")(show)
    ui.run_with(
        app,
        title="Shoal",
        language="en-US",
        tailwind=False,
        show_welcome_message=False,
        favicon="🐟",
    )
