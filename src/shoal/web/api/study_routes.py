"""Studies: made from uploads, listed, shown, changed and deleted."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse
from starlette.concurrency import run_in_threadpool

from shoal.errors import InputError
from shoal.web.api.common import BINARY, UPLOAD, Column, InTurn, Mine, Study, answer, sessions_of
from shoal.web.api.models import BuiltIn, Edit, Files, HierarchyGiven, Levels, Persons, Roles, UnitsGiven
from shoal.web.workspace.project import ENDING
from shoal.web.workspace.state import Described
from shoal.web.workspace.workspace import Workspace

router = APIRouter(prefix="/api/studies", tags=["studies"])

_FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/zip": BINARY}}}
_PROJECT: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": BINARY}}}
_TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}


@router.get("")
async def list_studies(session: Mine) -> Response:
    """All studies of this session."""
    return answer({"studies": [work.summary() for work in session.studies.values()]})


@router.post("", status_code=201, openapi_extra=UPLOAD)
async def upload_table(
    request: Request,
    turn: InTurn,
    name: Annotated[str, Query(max_length=300, description="What to call it.")] = "table",
) -> Response:
    """Open a study of the uploaded table: CSV, TSV (also packed with gzip), Parquet or Arrow.

    A name that ends in .shoal stands for a saved project, which is opened as it was.
    """
    upload = await turn.session.receive(request.stream())
    if name.lower().endswith(ENDING):
        return answer((await turn(turn.session.take_project, upload)).summary(), 201)
    return answer((await turn(turn.session.take_file, upload, name)).summary(), 201)


@router.post("/built-in", status_code=201)
async def open_built_in(session: Mine, given: BuiltIn, turn: InTurn) -> Response:
    """Open a study of made-up hospital discharges."""
    make = partial(Workspace.of_built_in, limits=session.limits, rows=given.rows, seed=given.seed)
    return answer((await turn(session.make, make)).summary(), 201)


@router.post("/given", status_code=201)
async def open_given(request: Request, session: Mine, turn: InTurn) -> Response:
    """Open the study file that the server was started with."""
    study = sessions_of(request).given_study()
    make = partial(Workspace.of_study, study, limits=session.limits)
    return answer((await turn(session.make, make)).summary(), 201)


@router.get("/{study}")
async def show_study(study: Study) -> Response:
    """A study: its table, its columns with their roles, and what can be undone."""
    return answer(study.summary())


@router.get("/{study}/study.zip", responses=_FILE, response_class=Response)
async def save_study(study: Study, turn: InTurn) -> Response:
    """The study as it is now, with its hierarchies."""
    place = await turn(study.save, "study.zip")
    return FileResponse(place, media_type="application/zip", filename="study.zip")


@router.get("/{study}/project.shoal", responses=_PROJECT, response_class=Response)
async def save_project(study: Study, turn: InTurn) -> Response:
    """The table, the study and the pinned solutions in one file, which opens again as a study."""
    place = await turn(study.save, "project.shoal")
    return FileResponse(place, media_type="application/octet-stream", filename="project.shoal")


@router.delete("/{study}", status_code=204)
async def delete_study(session: Mine, study: Study) -> Response:
    """End the work on a study and remove all its files."""
    await run_in_threadpool(session.delete, study.key)
    return Response(status_code=204)


@router.get("/{study}/rows")
async def show_rows(study: Study) -> Response:
    """The table's first rows."""
    look = study.bench.look
    return answer({"columns": list(look.columns), "rows": [list(row) for row in look.samples]})


@router.get("/{study}/roles")
async def show_roles(study: Study) -> Response:
    """The role of every column, with what was proposed and why."""
    return answer({"columns": study.summary()["columns"]})


@router.put("/{study}/roles")
async def set_roles(study: Study, given: Roles, turn: InTurn) -> Response:
    """Give columns other roles; a quasi column gets a hierarchy if it has none."""
    await turn(study.decisions.set_roles, given.roles)
    return answer({"columns": study.summary()["columns"]})


@router.put("/{study}/persons")
async def set_persons(study: Study, given: Persons, turn: InTurn) -> Response:
    """Say which columns tell who a row is about, where a person has several rows."""
    await turn(study.decisions.set_units, {"persons": given.columns})
    return answer(study.summary())


@router.put("/{study}/units")
async def set_units(study: Study, given: UnitsGiven, turn: InTurn) -> Response:
    """Say whom the rows stand for: persons, households, and how the table was drawn."""
    await turn(study.decisions.set_units, given.model_dump(exclude_unset=True))
    return answer(study.summary())


@router.put("/{study}/decisions")
async def adopt(study: Study, given: Files, turn: InTurn) -> Response:
    """Set all columns as a study file says; columns it does not name are never released."""
    await turn(study.decisions.adopt, given.files)
    return answer(study.summary())


@router.put("/{study}/levels")
async def set_levels(study: Study, column: Column, given: Levels, turn: InTurn) -> Response:
    """Allow a quasi column some of its levels only."""
    await turn(study.decisions.set_levels, column, given.min_level, given.max_level)
    return answer(study.summary())


@router.post("/{study}/undo")
async def undo(study: Study, turn: InTurn) -> Response:
    """Undo the last decision; `done` says whether there was one."""
    return answer({"done": await turn(study.decisions.undo), **study.summary()})


@router.post("/{study}/redo")
async def redo(study: Study, turn: InTurn) -> Response:
    """Redo what was undone; `done` says whether there was something to redo."""
    return answer({"done": await turn(study.decisions.redo), **study.summary()})


def _hierarchy(study: Workspace, column: str) -> dict[str, object]:
    found = study.decisions.hierarchy(column)
    chosen = study.bench.column(column).hierarchy
    return {
        "column": column,
        "description": dict(chosen.description) if isinstance(chosen, Described) else None,
        "levels": [len(labels) for labels in found.labels],
        "rows": [list(row) for row in found.rows()],
    }


@router.get("/{study}/hierarchy")
async def show_hierarchy(study: Study, column: Column, turn: InTurn) -> Response:
    """A column's hierarchy: its description if it has one, and all rows from the leaf to the root."""
    return await turn.answer(_hierarchy, study, column)


@router.put("/{study}/hierarchy")
async def set_hierarchy(study: Study, column: Column, given: HierarchyGiven, turn: InTurn) -> Response:
    """Give a column a hierarchy: a description, rows, or a text in the ARX form."""

    def decide() -> dict[str, object]:
        if given.description is not None:
            study.decisions.describe(column, given.description)
        elif given.rows is not None:
            study.decisions.list_hierarchy(column, given.rows)
        elif given.text is not None:
            study.decisions.import_hierarchy(column, given.text.encode())
        return _hierarchy(study, column)

    if sum(each is not None for each in (given.description, given.rows, given.text)) != 1:
        raise InputError("give one of description, rows and text")
    return await turn.answer(decide)


@router.put("/{study}/hierarchies")
async def set_hierarchies(study: Study, given: Files, turn: InTurn) -> Response:
    """Give several columns their hierarchies in the ARX form; each file has the name of its column."""
    return answer({"columns": await turn(study.decisions.import_hierarchies, given.files)})


@router.post("/{study}/hierarchy/edit")
async def edit_hierarchy(study: Study, column: Column, given: Edit, turn: InTurn) -> Response:
    """Rename, group, split or reorder labels of a hierarchy, or drop a level."""

    def decide() -> dict[str, object]:
        options = given.model_dump(exclude_unset=True, exclude={"operation"})
        study.decisions.edit_hierarchy(column, given.operation, **options)
        return _hierarchy(study, column)

    return await turn.answer(decide)


@router.get("/{study}/hierarchy.csv", responses=_TEXT, response_class=Response)
async def export_hierarchy(study: Study, column: Column, turn: InTurn) -> Response:
    """A column's hierarchy in the form that ARX reads and writes."""
    text = await turn(study.decisions.export_hierarchy, column)
    name = {"content-disposition": 'attachment; filename="hierarchy.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=name)


@router.get("/{study}/tree")
async def show_tree(study: Study, column: Column, turn: InTurn) -> Response:
    """A column's hierarchy as a tree, every node with the rows below it."""
    return await turn.answer(study.decisions.tree, column)
