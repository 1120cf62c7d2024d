"""Shared by all parts of the API: whose request it is, and how answers and refusals look."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Path, Query, Request, Response
from starlette.requests import ClientDisconnect

from shoal.errors import NotThereError
from shoal.web.api.models import JobShown, Refusal
from shoal.web.server.jobs import FAILED, Job, JobHandle
from shoal.web.server.sessions import Sessions, WebSession
from shoal.web.server.waiting import answered
from shoal.web.workspace.workspace import Workspace

KEY = r"^[0-9a-f]{8,32}$"
Key = Annotated[str, Path(pattern=KEY, description="As an earlier answer gave it.")]
Column = Annotated[str, Query(max_length=10_000, description="A column of the table.")]
Wait = Annotated[
    float,
    Query(ge=0, le=60, description="Seconds to wait for the result; after that, the answer is the job."),
]

Found = TypeVar("Found")

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": what}
    for status, what in {
        400: "The request cannot be read.",
        401: "No session: open the link, or ask for one with the token.",
        403: "Another page, another host, or a wrong token.",
        404: "No such study, job or thing.",
        409: "No solution exists under these constraints, or something else must be done first.",
        413: "Too large.",
        422: "Something in the request is not valid.",
        429: "Too many at once.",
        503: "No answer within the time limit, or the server is stopping.",
        507: "The disk of the session, or of the server, is full.",
    }.items()
}
LATER: dict[int | str, dict[str, Any]] = {
    202: {"model": JobShown, "description": "It takes longer: here is the job, to ask about or watch."}
}
BINARY = {"schema": {"type": "string", "format": "binary"}}
UPLOAD = {"requestBody": {"required": True, "content": {"application/octet-stream": BINARY}}}


def sessions_of(request: Request) -> Sessions:
    """Return the server's sessions."""
    found: Sessions = request.app.state.sessions
    return found


# These are coroutines only for speed: FastAPI would take a thread for each call of a plain function.
async def session_of(request: Request) -> WebSession:
    """Return the session that the guard found."""
    found: WebSession = request.state.session
    return found


async def study_of(study: Key, request: Request) -> Workspace:
    """Return the study that a request is about."""
    return study_in(await session_of(request), study)


def study_in(session: WebSession, key: str) -> Workspace:
    """Return a study of this session; another session's studies cannot be reached."""
    found = session.studies.get(key)
    if found is None:
        raise NotThereError("there is no such study in this session")
    return found


Mine = Annotated[WebSession, Depends(session_of)]
Study = Annotated[Workspace, Depends(study_of)]


class Turn:
    """The place of a request among its session's questions; whatever takes more than a moment goes here."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self.session: WebSession = request.state.session

    async def __call__(self, function: Callable[..., Found], *given: Any) -> Found:
        """Call a function in the session's turn and return what it gives; stop if the client leaves."""
        study = self._request.path_params.get("study", "")
        answering = self.session.jobs.answering
        question = answering.ask(self.session.name, study, lambda: function(*given))
        found: Found = await answered(question, self.stay)
        return found

    async def answer(self, function: Callable[..., Any], *given: Any, status: int = 200) -> Response:
        """Return the document that a function gives as an answer, written in that turn: it may be large."""
        return await self(lambda: answer(function(*given), status))

    async def stay(self) -> None:
        """End the request if its client has left."""
        if await self._request.is_disconnected():
            raise ClientDisconnect


async def turn_of(request: Request) -> Turn:
    """Return the turn of a request."""
    return Turn(request)


InTurn = Annotated[Turn, Depends(turn_of)]


def answer(document: Any, status: int = 200) -> Response:
    """Return a document as the command line prints it."""
    text = json.dumps(document, ensure_ascii=False)
    # A name may have half a character, which is written as JSON's escape.
    return Response(text.encode("utf-8", "backslashreplace"), status, media_type="application/json")


async def started(
    turn: Turn,
    study: Workspace,
    kind: str,
    wait: float,
    function: Callable[[JobHandle], Mapping[str, Any]],
) -> Response:
    """Start a job; return its result if it comes within `wait` seconds, or else the job.

    A client that leaves meanwhile never learns the job's key, so the job is stopped.
    """
    jobs = turn.session.jobs
    job = jobs.start(turn.session.name, study.key, kind, function)
    pause, until = 0.001, time.monotonic() + wait
    try:
        while time.monotonic() < until:
            # There are few threads, and waiting needs none.
            await asyncio.sleep(pause)
            if job.finished.is_set():
                return finished(job)
            await turn.stay()
            pause = min(2 * pause, 0.05)
    except (ClientDisconnect, asyncio.CancelledError):
        jobs.cancel(job)
        raise
    return answer(job.to_dict(), 202)


def finished(job: Job) -> Response:
    """Return the result of a finished job, or why there is none."""
    if job.status == FAILED:
        return answer({"error": job.error}, 409 if job.no_solution else 422)
    if job.result is None:
        return answer({"error": "the job was stopped before it had a result"}, 409)
    return answer(job.result)
