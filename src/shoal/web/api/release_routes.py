"""Releases: made as a job, warnings acknowledged, downloaded as one file, verified."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse

from shoal.errors import InputError, NotThereError
from shoal.web.api.common import InTurn, Mine, Study, Wait, answer, started
from shoal.web.api.models import Acknowledged, JobShown, ReleaseAsked
from shoal.web.server.intake import receive
from shoal.web.server.jobs import JobHandle
from shoal.web.workspace.workspace import Workspace

router = APIRouter(prefix="/api", tags=["releases"])

_LATER: dict[int | str, dict[str, Any]] = {
    202: {"model": JobShown, "description": "It takes longer: the job, to be asked about or watched."}
}
_BINARY = {"schema": {"type": "string", "format": "binary"}}
_ZIP: dict[int | str, dict[str, Any]] = {200: {"content": {"application/zip": _BINARY}}}
_UPLOAD = {"requestBody": {"required": True, "content": {"application/octet-stream": _BINARY}}}


@router.post("/studies/{study}/release", responses=_LATER)
async def release(turn: InTurn, study: Study, asked: ReleaseAsked, wait: Wait = 0) -> Response:
    """Write and verify a release, as `shoal release --json` prints it; a job unless `wait` is given."""
    solution, made_for = _solution(study, asked)
    study.bench.check_made_for(made_for)

    def work(work: JobHandle) -> dict[str, Any]:
        return study.releases.make(
            solution,
            ending=asked.ending,
            seed=asked.seed,
            spreadsheet_safe=asked.spreadsheet_safe,
            again=asked.again,
            asked=asked.asked,
            made_for=made_for,
            progress=work.writing,
        )

    return await started(turn, study, "release", wait, work)


def _solution(study: Workspace, asked: ReleaseAsked) -> tuple[dict[str, Any], str | None]:
    """Return the solution to release, and for which study it was found where that is known."""
    if (asked.solution is None) == (asked.pin is None):
        raise InputError("give a solution, or the key of a pinned one")
    if asked.solution is not None:
        return asked.solution, None
    pin = study.pins.get(asked.pin or "")
    return dict(pin.solution), pin.made_for


@router.get("/studies/{study}/release")
async def show_release(study: Study) -> Response:
    """The release that was made: its certificate, warnings, what is to acknowledge, and its files."""
    found = study.releases.current()
    if found is None:
        raise NotThereError("nothing is released yet; release a solution first")
    return answer(found)


@router.post("/studies/{study}/release/acknowledge")
async def acknowledge(study: Study, given: Acknowledged, turn: InTurn) -> Response:
    """Say that warnings were read; without that nothing is downloaded."""
    return await turn.answer(study.releases.acknowledge, given.codes)


@router.get("/studies/{study}/release.zip", responses=_ZIP, response_class=Response)
async def download(study: Study, turn: InTurn) -> Response:
    """Data, certificate, record, reports, study with hierarchies, and the script, in one file."""
    place = await turn(study.releases.download)
    return FileResponse(place, media_type="application/zip", filename="release.zip")


@router.post("/studies/{study}/verify")
async def verify_own(study: Study, turn: InTurn) -> Response:
    """Recheck the release from its files, as `shoal verify --json` prints it."""
    return await turn.answer(study.releases.verify)


@router.post("/verify", openapi_extra=_UPLOAD)
async def verify(request: Request, session: Mine, turn: InTurn) -> Response:
    """Recheck any release from the zip file that was downloaded, as `shoal verify --json` prints it."""
    upload = await receive(
        request.stream(), session.upload_path(), session.limits.upload_bytes, session.left
    )
    return await turn.answer(session.verify_file, upload)
