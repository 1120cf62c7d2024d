"""What a release is still good for, over the API: models, and SQL that reaches nothing and takes little."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shoal.errors import InputError
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.workspace import Workspace
from tests.web.test_guard import refused


@pytest.fixture(scope="module")
def released(server):
    """A client, the path of a study that is released, and the rows that it has."""
    with server.client() as client:
        rows = "".join(f"{20 + i % 10},{('low', 'high')[i % 3 == 0]},{i % 7}\n" for i in range(120))
        made = client.post("/api/studies?name=pay.csv", content=f"age,pay,hours\n{rows}".encode())
        path = f"/api/studies/{made.json()['id']}"
        roles = {"age": ["quasi"], "pay": ["class"], "hours": ["insensitive"]}
        assert client.put(f"{path}/roles", json={"roles": roles}).status_code == 200
        tree = {"description": {"intervals": {"origin": 0, "widths": [5, 40]}}}
        assert client.put(f"{path}/hierarchy?column=age", json=tree).status_code == 200
        assert "nothing is released yet" in refused(client.post(f"{path}/utility", json={}), 409)
        best = client.post(f"{path}/optimize?wait=60", json={"k": 20}).json()
        assert client.post(f"{path}/release?wait=60", json={"solution": best}).status_code == 200
        yield client, path


def test_models_and_indicators_are_measured_on_both_tables(released):
    pytest.importorskip("statsmodels")
    client, path = released
    asked = {
        "model": ["pay ~ age"],
        "indicator": "-- mean age\nSELECT avg(age_mid) AS mean, count(*) AS rows FROM data;\nSELECT 7 AS n",
    }
    found = client.post(f"{path}/utility?wait=60", json=asked).json()
    assert (found["kind"], found["file"]) == ("utility", "anonymized.csv")
    assert [one["formula"] for one in found["models"]] == ["pay ~ age"]
    mean, seven = found["indicators"]
    assert (mean["name"], seven["name"]) == ("mean age", "indicator 2")
    told = {one["column"]: (one["before"], one["after"]) for one in mean["compared"]}
    assert told["rows"] == (120, 120)
    assert told["mean"][0] == pytest.approx(24.5)
    assert seven["after"] == [[7]]


def test_statements_run_in_a_process_apart_that_reaches_no_file(released):
    """What else they cannot reach is in tests/assess/utility."""
    client, path = released
    answer = client.post(
        f"{path}/utility?wait=60", json={"indicator": "SELECT * FROM read_csv('/etc/passwd')"}
    )
    assert "file system operations are disabled" in refused(answer, 422)
    assert "root:" not in answer.text


def test_a_model_that_is_none_is_refused_in_a_sentence(released):
    client, path = released
    for formula, said in (
        ("pay", "is no model"),
        ("pay ~ aged", "did you mean"),
        ("pay ~ pay", "twice"),
    ):
        assert said in refused(client.post(f"{path}/utility?wait=60", json={"model": [formula]}), 422)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A released study with little memory and time for statements."""
    limits = replace(Limits(), sql_seconds=2, read_memory=2 << 30)
    work = Workspace.of_built_in(tmp_path_factory.mktemp("use"), limits, rows=100)
    found = work.questions.anonymize(algorithm="flash", k=3)
    work.releases.make(found)
    yield work
    work.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT max(a.weight + e.weight) FROM data a, data b, data c, data d, data e",
        "SELECT length(repeat('x', 1900000000))",
    ],
)
def test_statements_that_take_too_much_are_ended(work, sql):
    with pytest.raises(InputError, match=r"not done within 2 GB of memory and 2 seconds|Out of Memory"):
        work.uses.measure(indicator=sql)
    assert not list(work.bench.folder.glob("asked-*"))


def test_a_changed_study_is_nothing_to_compare_with(released):
    client, path = released
    assert client.put(f"{path}/roles", json={"roles": {"hours": ["sensitive"]}}).status_code == 200
    assert "the study has changed" in client.post(f"{path}/utility?wait=60", json={}).text
    assert client.post(f"{path}/undo").status_code == 200
