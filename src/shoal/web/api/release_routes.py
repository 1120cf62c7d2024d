"""Releases: made as a job, acknowledged, downloaded as one file, verified, attacked, measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse

from shoal.errors import InputError, NotThereError
from shoal.web.api.asked import ReleaseAsked, UtilityAsked
from shoal.web.api.common import BINARY, LATER, UPLOAD, InTurn, Study, Wait, answer, started, study_in
from shoal.web.api.models import Acknowledged
from shoal.web.server.jobs import JobHandle
from shoal.web.workspace.releasing import ALL
from shoal.web.workspace.workspace import Workspace

router = APIRouter(prefix="/api", tags=["releases"])

_ZIP: dict[int | str, dict[str, Any]] = {200: {"content": {"application/zip": BINARY}}}


@router.post("/studies/{study}/release", responses=LATER)
async def release(turn: InTurn, study: Study, asked: ReleaseAsked, wait: Wait = 0) -> Response:
    """Write and verify a release, as `shoal release --json` prints it; a job unless `wait` is given.

    The table of another study of the session may be the population.
    """
    solution, made_for = _solution(study, asked)
    study.bench.check_made_for(made_for)
    how = asked.model_dump(exclude={"solution", "pin"})
    if how["population"] is not None:
        how["population"] = study_in(turn.session, how["population"]).bench

    def work(work: JobHandle) -> dict[str, Any]:
        return study.releases.make(solution, made_for=made_for, progress=work.writing, **how)

    return await started(turn, study, "release", wait, work)


def _solution(study: Workspace, asked: ReleaseAsked) -> tuple[dict[str, Any], str | None]:
    """Return the solution to release and, if known, the study for which it was found."""
    if (asked.solution is None) == (asked.pin is None):
        raise InputError("give a solution, or the key of a pinned one")
    if asked.solution is not None:
        return asked.solution, None
    pin = study.pins.get(asked.pin or "")
    return dict(pin.solution), pin.made_for


@router.get("/studies/{study}/release")
async def show_release(study: Study) -> Response:
    """The release: its certificate, its warnings, those still to acknowledge, and its files."""
    found = study.releases.current()
    if found is None:
        raise NotThereError("nothing is released yet; release a solution first")
    return answer(found)


@router.post("/studies/{study}/release/acknowledge")
async def acknowledge(study: Study, given: Acknowledged, turn: InTurn) -> Response:
    """Confirm that warnings were read, which a download needs."""
    return await turn.answer(study.releases.acknowledge, given.codes)


@router.get("/studies/{study}/release.zip", responses=_ZIP, response_class=Response)
async def download(
    study: Study,
    turn: InTurn,
    part: Annotated[str, Query(max_length=20, description="all, public or private.")] = ALL,
) -> Response:
    """Data, certificate, record, reports, study with hierarchies, and the script, in one file.

    Its public files alone, or its private ones, if `part` says so.
    """
    place = await turn(study.releases.download, part)
    return FileResponse(place, media_type="application/zip", filename=place.name)


@router.post("/studies/{study}/verify")
async def verify_own(study: Study, turn: InTurn) -> Response:
    """Recheck the release from its files, as `shoal verify --json` prints it."""
    return await turn.answer(study.releases.verify)


@router.post("/studies/{study}/attack", responses=LATER)
async def attack(turn: InTurn, study: Study, wait: Wait = 0) -> Response:
    """Try all attacks on the release, as `shoal attack --json` prints it; a job unless `wait` is given."""
    study.releases.file()  # refused at once where nothing is released

    def work(work: JobHandle) -> dict[str, Any]:
        return dict(study.attacks.attack(work.progress))

    return await started(turn, study, "attack", wait, work)


@router.post("/studies/{study}/utility", responses=LATER)
async def utility(turn: InTurn, study: Study, asked: UtilityAsked, wait: Wait = 0) -> Response:
    """What the release is still good for, as `shoal utility --json` prints it; a job unless `wait` is given.

    Indicators are SQL texts here, and run in a process apart that is ended if it takes too much.
    """
    study.releases.file()  # refused at once where nothing is released
    given = asked.model_dump()

    def work(_: JobHandle) -> Mapping[str, Any]:
        return study.uses.measure(**given)

    return await started(turn, study, "utility", wait, work)


@router.post("/verify", openapi_extra=UPLOAD)
async def verify(request: Request, turn: InTurn) -> Response:
    """Recheck any release from its downloaded zip file, as `shoal verify --json` prints it."""
    upload = await turn.session.receive(request.stream())
    return await turn.answer(turn.session.verify_file, upload)
