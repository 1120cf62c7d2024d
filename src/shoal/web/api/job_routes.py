"""Jobs: asked about, watched as server-sent events, and stopped."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse

from shoal.errors import NotThereError
from shoal.web.api.common import Key, Mine, answer
from shoal.web.api.models import JobShown
from shoal.web.server.jobs import FINISHED, STOPPED, Job
from shoal.web.server.sessions import WebSession

router = APIRouter(prefix="/api/jobs", tags=["jobs"])

LOOK = 0.05
"""Seconds between two checks of a job."""
QUIET = 10.0
"""Send something after so many seconds, so that nobody takes the connection for dead."""

_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
        "description": "`progress` events, then one named after the status with which the job ends.",
    }
}


def _job(session: WebSession, key: str) -> Job:
    job = session.jobs.get(session.name, key)
    if job is None:
        raise NotThereError("there is no such job in this session")
    return job


@router.get("")
async def list_jobs(session: Mine) -> Response:
    """All jobs of this session, without their results."""
    jobs = session.jobs.of(session.name)
    return answer({"jobs": [job.to_dict(with_result=False) for job in jobs]})


@router.get("/{key}", response_model=JobShown)
async def show_job(session: Mine, key: Key) -> Response:
    """A job: its progress, and its result once there is one."""
    return answer(_job(session, key).to_dict())


@router.post("/{key}/cancel", response_model=JobShown)
async def cancel_job(session: Mine, key: Key) -> Response:
    """Stop a job; the best it has found so far becomes its result."""
    job = _job(session, key)
    session.jobs.cancel(job)
    return answer(job.to_dict())


@router.get("/{key}/events", responses=_EVENTS, response_class=Response)
async def watch_job(session: Mine, key: Key) -> Response:
    """Progress as server-sent events: cost, lower bound, gap and cuts examined, until the job ends."""
    job = _job(session, key)
    return StreamingResponse(_events(session, job), media_type="text/event-stream")


async def _events(session: WebSession, job: Job) -> AsyncIterator[str]:
    seen, quiet = -1, 0.0
    while True:
        version, status = job.version, job.status
        if status in FINISHED:
            yield _event(status, job.to_dict())
            return
        if session.jobs.closing.is_set():  # the server is stopping, and every job with it
            yield _event(STOPPED, {**job.to_dict(), "status": STOPPED})
            return
        if version != seen:
            seen, quiet = version, 0.0
            yield _event("progress", job.to_dict(with_result=False))
        elif quiet >= QUIET:
            quiet = 0.0
            yield ": still at it\n\n"
        await asyncio.sleep(LOOK)
        quiet += LOOK


def _event(name: str, document: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(document, ensure_ascii=False)}\n\n"
