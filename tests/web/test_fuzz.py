"""Requests made up from the OpenAPI document: every answer is one that the document tells of."""

from __future__ import annotations

import contextlib

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi import checks

from tests.examples import SHARE
from tests.web.conftest import SMALL, run_server

EXAMPLES = max(6 * SHARE // 100, 3)
"""Of each endpoint and mode."""
CHECKED = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
COLUMNS = ("age", "zip", "sex", "diagnosis", "name", "no such column")
ENDING = {("DELETE", "/api/session"), ("DELETE", "/api/studies/{study}")}


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    """A server with a study, a client that has opened it, and the server's document."""
    for server in run_server(SMALL, tmp_path_factory.mktemp("fuzz")):
        with server.client() as client:
            made = client.post("/api/studies/built-in", json={"rows": 60}).json()
            document = client.get("/api/openapi.json").json()
            yield server, client, made["id"], schemathesis.openapi.from_dict(document)


def tame(case, study):
    """Let a request be about the study that is there, and take little time."""
    if "study" in (case.path_parameters or {}):
        case.path_parameters["study"] = study
    if isinstance(case.query, dict):
        if "wait" in case.query:
            case.query["wait"] = 0.2
        if isinstance(case.query.get("column"), str):
            case.query["column"] = COLUMNS[len(str(case.body)) % len(COLUMNS)]
    if isinstance(case.body, dict):
        for name, most in (("rows", 100), ("time_limit", 0.2), ("top", 50)):
            if isinstance(case.body.get(name), (int, float)):
                case.body[name] = min(case.body[name], most)


def fuzz(operation, mode, ask):
    """Ask requests of an endpoint, the same in every run; there may be none that break its rules."""
    made = settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )(given(case=operation.as_strategy(generation_mode=mode))(ask))
    with contextlib.suppress(Unsatisfiable):
        made()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_answer_is_one_that_the_document_tells_of(fuzzed, mode):
    server, client, study, schema = fuzzed
    statuses = set()

    def ask(case):
        tame(case, study)
        answer = case.call(base_url=server.url, cookies=dict(client.cookies), timeout=60)
        # Refused before anything of ours sees it; what is downloaded is no text.
        if answer.content == b"Invalid HTTP request received.":
            return
        statuses.add(answer.status_code)
        case.validate_response(answer, checks=CHECKED)

    for found in schema.get_all_operations():
        operation = found.ok()
        if (operation.method.upper(), operation.path) not in ENDING:
            fuzz(operation, mode, ask)
    assert 422 in statuses
    assert mode is GenerationMode.NEGATIVE or {200, 404} <= statuses
    assert client.get(f"/api/studies/{study}").status_code == 200
