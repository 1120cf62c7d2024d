"""The application: the API's routes, and one sentence for each thing that can go wrong."""

from __future__ import annotations

import html
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from shoal.errors import ShoalError
from shoal.version import VERSION
from shoal.web.api import job_routes as jobs
from shoal.web.api import question_routes as questions
from shoal.web.api import release_routes as releases
from shoal.web.api import study_routes as studies
from shoal.web.api.common import REFUSALS, answer
from shoal.web.api.models import SessionOpened
from shoal.web.server.sentences import BROKEN, sentence
from shoal.web.server.sessions import Sessions

PARTS = (questions, studies, jobs, releases)
"""In the order in which their routes are tried: what a moving slider asks comes first."""
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]

log = logging.getLogger("shoal.web")
_KIND = re.compile(r"(constrained-)?(str|int|float|bool)|.*\[.*\]")


def make_app(sessions: Sessions) -> FastAPI:
    """Return the API over these sessions; the guard goes around it, the pages are mounted on it."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(sessions.close)

    app = FastAPI(
        title="Shoal",
        version=VERSION,
        description="Anonymize a table: the questions and documents of the command line. "
        "A program asks for a session with the token that `shoal serve` printed.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=REFUSALS,
    )
    app.state.sessions = sessions
    app.add_exception_handler(ShoalError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _broken)
    for part in PARTS:
        app.include_router(part.router)

    @app.post("/api/session", status_code=201, response_model=SessionOpened, tags=["session"])
    async def open_session(request: Request) -> Response:
        """Open a session for a program that sends `Authorization: Bearer TOKEN` with the server's token."""
        cookie = getattr(request.state, "cookie", None)  # for an account that the proxy named
        if cookie is not None:
            opened = answer({"session": request.state.session.key}, 201)
            opened.headers["set-cookie"] = cookie
            return opened
        if request.state.session is not None:
            raise HTTPException(403, "send the server's token, not a session")
        return answer({"session": sessions.open().key}, 201)

    @app.delete("/api/session", status_code=204, tags=["session"])
    async def end_session(request: Request) -> Response:
        """End this session and remove all its files."""
        await run_in_threadpool(sessions.end, request.state.session)
        return Response(status_code=204)

    @app.api_route("/api/{rest:path}", methods=METHODS, include_in_schema=False)
    async def nothing_there(request: Request) -> Response:
        """Say that there is no such endpoint or method; the pages do not answer here."""
        allowed = {
            method
            for route in [*app.routes, *(route for part in PARTS for route in part.router.routes)]
            if isinstance(route, APIRoute)
            and route.include_in_schema
            and route.matches(request.scope)[0] is Match.PARTIAL
            for method in route.methods or ()
        }
        if allowed:
            raise HTTPException(405, headers={"allow": ", ".join(sorted(allowed))})
        raise HTTPException(404)

    @app.get("/api", include_in_schema=False)
    async def list_endpoints() -> Response:
        """List all endpoints on a plain page."""
        return Response(_page(app), media_type="text/html; charset=utf-8")

    return app


async def _refused(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, ShoalError)
    return answer({"error": sentence(problem)}, problem.http_status)


async def _invalid(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)
    first = problem.errors()[0]
    # If a value may be of several kinds, the kind that was tried comes last.
    where = ".".join(str(part) for part in first.get("loc", ())[1:] if not _KIND.fullmatch(str(part)))
    told = f"{where}: {first['msg']}" if where else str(first["msg"])
    return answer({"error": " ".join(told.split())[:500]}, 422)


async def _http(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    words = {404: "nothing is at this address", 405: "this address does not take that method"}
    found = answer({"error": words.get(problem.status_code, str(problem.detail))}, problem.status_code)
    for name, value in (problem.headers or {}).items():
        found.headers[name] = value
    return found


async def _gone(_: Request, __: Exception) -> Response:
    return answer({"error": "the request ended before it was complete"}, 400)


async def _broken(request: Request, problem: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=problem)
    return answer({"error": BROKEN}, 500)


def _page(app: FastAPI) -> str:
    """Return all endpoints as HTML that loads nothing."""
    rows = []
    for path, methods in sorted(app.openapi()["paths"].items()):
        for method, told in methods.items():
            what = html.escape(str(told.get("description", "")))
            rows.append(f"<tr><td>{method.upper()}<td><code>{html.escape(path)}</code><td>{what}")
    return (
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>Shoal: the REST API</title>"
        "<style>body{font:1rem/1.5 system-ui;margin:2rem}td{padding:.2rem 1rem .2rem 0}</style>"
        "<h1>The REST API</h1><p>In machine-readable form: <a href='/api/openapi.json'>openapi.json</a>.</p>"
        f"<table>{''.join(rows)}</table></html>"
    )
