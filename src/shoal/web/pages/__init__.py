"""The pages, mounted on the application; what they show and do is the workspace's."""

from __future__ import annotations

from fastapi import FastAPI, Request

from shoal.web.sessions import Sessions


def mount(app: FastAPI, sessions: Sessions) -> None:
    """Mount the pages on the application.

    A page finds its session at `request.state.session` (`shoal.web.sessions.Session`).
    """
    from nicegui import ui

    @ui.page("/", title="Shoal")
    def home(request: Request) -> None:
        session = request.state.session
        ui.label("Shoal").classes("text-h4")
        ui.label("Stays on this machine.")
        ui.label(f"{len(session.studies)} studies open.")
        ui.link("The REST API", "/api")

    ui.run_with(app, title="Shoal", show_welcome_message=False)
