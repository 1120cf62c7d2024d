"""Questions: risk, negotiation, frontier, the best cut, named algorithms, comparison."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from shoal.web.api.asked import AnonymizeAsked, FrontierAsked, NegotiateAsked, OptimizeAsked
from shoal.web.api.common import LATER, InTurn, Key, Study, Wait, answer, started, study_in
from shoal.web.api.models import PinGiven, PinName
from shoal.web.server.jobs import JobHandle
from shoal.web.workspace.row_pairs import MOST, ORDERS

router = APIRouter(prefix="/api/studies/{study}", tags=["questions"])


@router.post("/negotiate")
async def negotiate(study: Study, asked: NegotiateAsked, turn: InTurn) -> Response:
    """An exact answer or the three suggestions, as `shoal negotiate --json` prints it."""
    request: dict[str, Any] = asked.model_dump()
    # A prepared session answers in far less than a millisecond: a thread would cost more than it saves.
    ready = study.questions.at_hand(asked.metric)
    if ready is not None:
        return answer(ready.ask(**request).to_dict())
    return await turn.answer(lambda: study.questions.negotiate(**request).to_dict())


@router.get("/risk")
async def risk(study: Study, turn: InTurn) -> Response:
    """The risk of the table as it is, as `shoal risk --json` prints it."""
    return await turn.answer(study.questions.risk)


@router.post("/explain")
async def explain(study: Study, asked: NegotiateAsked, turn: InTurn) -> Response:
    """Why a negotiation fails: the classes and values that block it, and what each single step would gain."""
    return await turn.answer(lambda: study.questions.explain(**asked.model_dump()))


@router.post("/frontier", responses=LATER)
async def frontier(turn: InTurn, study: Study, asked: FrontierAsked, wait: Wait = 30) -> Response:
    """The Pareto frontier, as `shoal frontier --json` prints it."""
    given = asked.model_dump()
    ask = study.questions.frontier
    return await started(turn, study, "frontier", wait, lambda job: ask(progress=job.progress, **given))


@router.post("/optimize", responses=LATER)
async def optimize(turn: InTurn, study: Study, asked: OptimizeAsked, wait: Wait = 0) -> Response:
    """The provably best cut, as `shoal optimize --json` prints it; a job unless `wait` is given."""
    given = asked.model_dump()
    # A search that has found nothing yet reports no progress, so it cannot be told to stop.
    most = study.bench.limits.job_seconds
    given["time_limit"] = min(asked.time_limit or most, most)

    def work(work: JobHandle) -> dict[str, Any]:
        return study.questions.optimize(
            progress=work.progress, watch=work.watch, on_improvement=work.improved, **given
        )

    return await started(turn, study, "optimize", wait, work)


@router.post("/anonymize", responses=LATER)
async def anonymize(turn: InTurn, study: Study, asked: AnonymizeAsked, wait: Wait = 30) -> Response:
    """One named algorithm's answer, as `shoal anonymize --json` prints it.

    The table of another study of the session may be the population.
    """
    given = asked.model_dump()
    if given["population"] is not None:
        given["population"] = study_in(turn.session, given["population"]).bench

    ask = study.questions.anonymize
    return await started(turn, study, "anonymize", wait, lambda job: ask(progress=job.progress, **given))


@router.get("/pins")
async def list_pins(study: Study) -> Response:
    """The pinned solutions."""
    return answer({"pins": [pin.shown() for pin in study.bench.state.pins]})


@router.post("/pins", status_code=201)
async def pin(study: Study, given: PinGiven, turn: InTurn) -> Response:
    """Pin a solution for comparison, four at most."""
    return answer((await turn(study.pins.add, given.solution, given.title)).shown(), 201)


@router.patch("/pins/{key}")
async def rename_pin(study: Study, key: Key, given: PinName, turn: InTurn) -> Response:
    """Give a pinned solution another name."""
    await turn(study.pins.rename, key, given.title)
    return answer(study.pins.get(key).shown())


@router.delete("/pins/{key}", status_code=204)
async def unpin(study: Study, key: Key, turn: InTurn) -> Response:
    """Unpin a solution."""
    await turn(study.pins.remove, key)
    return Response(status_code=204)


@router.get("/pins/{key}/rows")
async def rows_of_pin(
    study: Study,
    key: Key,
    turn: InTurn,
    order: Annotated[str, Query(max_length=20, description=f"{', '.join(ORDERS)}.")] = ORDERS[0],
    offset: Annotated[int, Query(ge=0, le=1 << 40)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
) -> Response:
    """All rows before and after a pinned solution, some at a time, with the group that each is in."""
    pin = study.pins.get(key)
    study.bench.check_made_for(pin.made_for)
    return await turn.answer(study.rows.page, pin.solution, order, offset, limit)


@router.get("/compare")
async def compare(study: Study, turn: InTurn) -> Response:
    """The pinned solutions side by side: what they release and cost, what risk is left, sample rows."""
    return await turn.answer(lambda: {"solutions": study.pins.compare()})
