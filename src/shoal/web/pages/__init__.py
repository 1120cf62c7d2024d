"""The pages of the web application: one shell, eight steps."""

from __future__ import annotations

from fastapi import FastAPI, Request

from shoal.web.sessions import Session, Sessions


def mount(app: FastAPI, sessions: Sessions) -> None:
    """Put the pages on the application; the guard before it lets nobody in without a session."""
    from nicegui import ui

    from shoal.web.pages.frame import Frame
    from shoal.web.pages.steps import STEPS

    def show(request: Request) -> None:
        session: Session = request.state.session
        Frame(session, sessions.study, request.cookies.get("shoal-look", "")).build()

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
