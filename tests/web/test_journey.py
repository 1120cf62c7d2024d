"""The whole way through the API, from the table to the verified download, in the command line's documents."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from shoal.web.pages.journey import STEPS
from shoal.web.server.server_limits import Limits
from tests.web.conftest import run_server
from tests.web.test_guard import refused

ORDER = ("age", "workclass", "race", "native-country", "education", "marital-status")
JSON = {"content-type": "application/json"}
VARYING = {"seconds", "milliseconds", "examined"}


def same(one, other):
    """Whether two documents are the same but for what a clock or a thread decides."""
    return {k: v for k, v in one.items() if k not in VARYING} == {
        k: v for k, v in other.items() if k not in VARYING
    }


def take_out(client, study, folder):
    """Acknowledge all warnings, download the release and unpack it."""
    codes = client.get(f"{study}/release").json()["to_acknowledge"]
    if codes:
        refused(client.get(f"{study}/release.zip"), 409)
    assert client.post(f"{study}/release/acknowledge", json={"codes": codes}).status_code == 200
    answer = client.get(f"{study}/release.zip")
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        packed.extractall(folder)
    return answer.content


def test_the_journey_on_built_in_data(client, study, tmp_path, shoal):
    assert client.get(study).json()["title"] == "Synthetic hospital discharges"
    columns = client.get(f"{study}/roles").json()["columns"]
    assert [c["roles"] for c in columns if c["name"] == "zip"] == [["quasi"]]
    changed = client.put(f"{study}/roles", json={"roles": {"outcome": ["insensitive"]}})
    assert changed.status_code == 200
    assert client.post(f"{study}/undo").json()["done"] is True
    edit = {"operation": "group", "level": 0, "labels": ["female", "other"], "name": "not male"}
    edited = client.post(f"{study}/hierarchy/edit", params={"column": "sex"}, json=edit)
    assert ["female", "not male", "*"] in edited.json()["rows"]
    text = client.get(f"{study}/hierarchy.csv", params={"column": "sex"}).text
    assert text == "female;not male;*\nmale;male;*\nother;not male;*\n"
    back = client.put(f"{study}/hierarchy", params={"column": "sex"}, json={"text": text})
    assert back.json()["levels"] == [3, 2, 1]
    described = {"description": {"intervals": {"origin": 0, "widths": [10, 50]}}}
    back = client.put(f"{study}/hierarchy", params={"column": "age"}, json=described)
    assert back.json()["description"] == described["description"]
    assert client.get(f"{study}/tree", params={"column": "age"}).json()["rows"] == 800
    assert (
        client.put(f"{study}/levels", params={"column": "age"}, json={"min_level": 1}).status_code == 200
    )
    assert client.get(f"{study}/risk").json()["rows"] == 800

    answer = client.post(
        f"{study}/negotiate", json={"k": 4, "heights": {"age": 1}, "max_suppressed": "1%"}
    )
    failing = client.post(
        f"{study}/explain", json={"k": 4, "heights": {"age": 1}, "max_suppressed": "1%"}
    )
    assert failing.json()["holds"] == (answer.json()["exact"] is not None)
    front = client.post(f"{study}/frontier", json={"suppress": "1%", "metric": "DM"}).json()
    best = client.post(
        f"{study}/optimize", params={"wait": 60}, json={"l": 2, "k": 2, "gap": 0.3}
    ).json()
    flash = client.post(
        f"{study}/anonymize", json={"algorithm": "flash", "k": 3, "suppress": "2%"}
    ).json()
    offers = answer.json()["suggestions"] or {"exact": answer.json()["exact"]}
    offered = next(offer for offer in offers.values() if offer) | {"method": "negotiation"}
    pins = [
        client.post(f"{study}/pins", json={"solution": solution})
        for solution in (front["points"][0] | {"method": "exact"}, best, flash, offered)
    ]
    assert [pin.status_code for pin in pins] == [201] * 4
    compared = client.get(f"{study}/compare").json()["solutions"]
    assert all(one["risk"]["k"] >= 2 for one in compared)

    refused(client.get(f"{study}/release"), 404)
    made = client.post(
        f"{study}/release", params={"wait": 60}, json={"pin": pins[1].json()["key"], "seed": 5}
    )
    assert made.json()["certificate"]["quasi"] == ["age", "sex", "zip", "occupation", "admission-date"]
    content = take_out(client, study, tmp_path)
    status, printed, _ = shoal("verify", tmp_path / "anonymized.csv", "--json")
    assert status == 0
    assert client.post("/api/verify", content=content).json() == json.loads(printed)
    assert client.post(f"{study}/verify").json() == json.loads(printed)

    # The study in the download, asked by the command line, gives the same documents.
    (session_study,) = client.get("/api/studies").json()["studies"]
    table = client.get(f"{study}/rows").json()
    assert session_study["rows"] == 800
    assert len(table["rows"]) == 20


def test_the_documents_are_the_command_lines(server, client, study, tmp_path, shoal):
    (work,) = server.sessions.get(client.cookies[server.place.cookie]).studies.values()
    client.post(f"{study}/release", params={"wait": 60}, json={"solution": {"node": {
        "age": 5, "sex": 1, "zip": 5, "occupation": 3, "admission-date": 4}, "k": 2}})  # fmt: skip
    take_out(client, study, tmp_path)
    (tmp_path / "table.csv").write_bytes((work.bench.folder / "table.csv").read_bytes())
    given = tmp_path / "study.yaml"
    for asked, command in (
        # From a saved index alone, offers do not say what they lose.
        (
            ("negotiate", {"k": 7, "max_suppressed": "5%"}),
            ("--k", "7", "--max-suppressed", "5%", "--no-index"),
        ),
        (
            ("negotiate", {"k": 3, "l": 2, "heights": {"age": 1}}),
            ("--k", "3", "--l", "2", "--heights", "age=1", "--no-index"),
        ),
        (("frontier", {"suppress": "1%"}), ("--suppress", "1%")),
        (("frontier", {"suppress": "1%", "fill": True}), ("--suppress", "1%", "--fill")),
        (("frontier", {"metric": "CM", "method": "poka"}), ("--metric", "CM", "--method", "poka")),
        (
            ("optimize?wait=60", {"theta": "1/2", "scheme": "vioRec"}),
            ("--theta", "1/2", "--scheme", "vioRec"),
        ),
        (("anonymize", {"algorithm": "datafly", "k": 3}), ("--algorithm", "datafly", "--k", "3")),
    ):
        name, body = asked
        answer = client.post(f"{study}/{name}", json=body)
        assert answer.status_code == 200, answer.text
        status, printed, _ = shoal(name.partition("?")[0], given, *command, "--json")
        assert status == 0
        assert same(json.loads(printed), answer.json()), name
    status, printed, _ = shoal("risk", given, "--json")
    assert json.loads(printed) | {"table": ""} == client.get(f"{study}/risk").json() | {"table": ""}


@pytest.fixture(scope="module")
def asked(server):
    """A client and a study that nobody changes."""
    with server.client() as client:
        made = client.post("/api/studies/built-in", json={"rows": 800}).json()
        yield client, f"/api/studies/{made['id']}"


@pytest.mark.parametrize(
    ("path", "body", "status", "sentence"),
    [
        ("negotiate", {}, 422, "nothing is asked for"),
        ("negotiate", {"k": 0}, 422, "k: "),
        ("negotiate", {"k": 2.5}, 422, "k: "),
        ("negotiate", {"k": "5"}, 422, "k: "),
        ("negotiate", {"k": 2, "q": 1}, 422, "q: "),
        ("negotiate", {"k": 2, "heights": {"agee": 1}}, 422, "did you mean age"),
        ("negotiate", {"k": 2, "heights": {"age": 99}}, 422, "has no level 99"),
        ("negotiate", {"k": 2, "max_suppressed": None}, 422, "max_suppressed: "),
        ("negotiate", {"k": 2, "max_suppressed": "lots"}, 422, "not an amount of suppression"),
        ("frontier", {"metric": "MM"}, 422, "MM"),
        ("frontier", {"method": "guess"}, 422, "guess"),
        ("optimize?wait=60", {}, 422, "nothing is to be promised"),
        ("optimize?wait=60", {"l": 2, "limits": {"frogs": "1/2"}}, 422, "no value 'frogs'"),
        ("optimize?wait=60", {"k": 100_000}, 409, "the table has 800 rows"),
        ("optimize?wait=60", {"theta": "0.01", "scheme": "NoSupp"}, 409, "raise its limit"),
        ("anonymize", {"algorithm": "magic", "k": 2}, 422, "magic"),
        ("pins", {"solution": {"node": {}}}, 422, ""),
        ("release", {}, 422, "give a solution"),
        ("release", {"pin": "nothing"}, 422, "this solution is not pinned"),
        ("release/acknowledge", {"codes": ["x"]}, 409, "nothing is released yet"),
        ("hierarchy/edit?column=zip", {"operation": "split", "level": 0}, 422, "needs label"),
        ("hierarchy/edit?column=zipp", {"operation": "split", "level": 1}, 422, "did you mean zip"),
    ],
)  # fmt: skip
def test_a_bad_request_is_refused_with_a_sentence(asked, path, body, status, sentence):
    client, study = asked
    said = refused(client.post(f"{study}/{path}", json=body), status)
    assert sentence in said
    assert "\n" not in said


def test_a_pin_of_another_study_is_not_released(client, study):
    answer = client.post(f"{study}/negotiate", json={"k": 2, "max_suppressed": "20%"}).json()
    pin = client.post(f"{study}/pins", json={"solution": answer["exact"]}).json()["key"]
    changed = client.put(f"{study}/roles", json={"roles": {"zip": ["insensitive"]}})
    assert changed.status_code == 200, changed.text
    released = client.post(f"{study}/release", params={"wait": 60}, json={"pin": pin})
    assert "changed since this was found" in refused(released, 409)
    assert "error" in client.get(f"{study}/compare").json()["solutions"][0]
    # As a document of its own it is refused for what it recodes besides.
    released = client.post(f"{study}/release", params={"wait": 60}, json={"solution": answer["exact"]})
    assert "is not quasi" in released.json()["error"]


def test_what_is_not_json_or_not_there_is_refused(client, study):
    refused(client.post(f"{study}/negotiate", content=b"{nonsense", headers=JSON), 422)
    refused(client.post(f"{study}/negotiate", content=b"[" * 100_000, headers=JSON), 400)
    refused(
        client.post(f"{study}/negotiate", content=b'{"k": 2, "heights": {"\\ud800": 1}}', headers=JSON),
        422,
    )
    refused(client.post(f"{study}/negotiate", content=b'{"k": NaN}', headers=JSON), 422)
    refused(client.post(f"{study}/negotiate", content=b'{"k": 2}'), 422)
    refused(client.get("/api/studies/0123456789abcdef"), 404)
    refused(client.get("/api/jobs/0123456789abcdef"), 404)
    refused(client.get("/api/nothing"), 404)
    answer = client.patch("/api/studies")
    assert "does not take that method" in refused(answer, 405)
    assert answer.headers["allow"] == "GET, POST"
    refused(client.post("/api/studies/given"), 422)


def test_the_journey_on_adult(adult, tmp_path, shoal):
    lines = ["table: " + str(adult / "adult-30162.csv"), "attributes:"]
    folder = adult / "negotiation-3600"
    lines += [f"  {name}: {{role: quasi, hierarchy: {folder / name}.csv}}" for name in ORDER]
    lines.append("  occupation: {role: sensitive}")
    given = tmp_path / "adult.yaml"
    given.write_text("\n".join(lines) + "\n")
    for server in run_server(Limits(), tmp_path, given):
        with server.client() as client:
            made = client.post("/api/studies/given").json()
            study = f"/api/studies/{made['id']}"
            assert made["rows"] == 30162
            asked = {
                "k": 10,
                "heights": dict(zip(ORDER, (2, 1, 1, 1, 2, 1), strict=True)),
                "max_suppressed": 301,
            }
            answer = client.post(f"{study}/negotiate", json=asked).json()
            heights = ",".join(f"{name}={level}" for name, level in asked["heights"].items())
            command = (
                "negotiate",
                given,
                "--k",
                "10",
                "--heights",
                heights,
                "--max-suppressed",
                "301",
                "--json",
            )
            assert same(json.loads(shoal(*command, "--no-index")[1]), answer)
            front = client.post(f"{study}/frontier", json={"suppress": "1%"}).json()
            assert front["certified"]
            assert front["nodes"] == 3600
            solution = front["points"][len(front["points"]) // 2] | {"method": "exact"}
            body = {"solution": solution, "ending": "parquet"}
            made = client.post(f"{study}/release", params={"wait": 60}, json=body)
            assert made.status_code == 200, made.text
            take_out(client, study, tmp_path / "out")
        status, printed, _ = shoal("verify", tmp_path / "out" / "anonymized.parquet", "--json")
        assert status == 0
        assert json.loads(printed)["measured"]["k"] >= solution["k"]


def test_the_example_in_the_docs_runs(server, tmp_path, monkeypatch):
    text = (Path(__file__).parents[2] / "docs" / "web.md").read_text(encoding="utf-8")
    example = text.partition("```python\n")[2].partition("```")[0]
    example = example.replace("http://127.0.0.1:8642", server.url).replace(
        '"..."', repr(server.sessions.token)
    )
    ills = ("flu", "cold", "gout", "tinea", "ague")
    rows = [f"P{i},{20 + i % 50},0213{i % 10},{'abc'[i % 3]} worker,{ills[i % 5]}" for i in range(400)]
    monkeypatch.chdir(tmp_path)
    Path("patients.csv").write_text("name,age,zip,job,diagnosis\n" + "\n".join(rows) + "\n")
    exec(compile(example, "docs/web.md", "exec"), {})
    with zipfile.ZipFile("release.zip") as packed:
        assert "release.py" in packed.namelist()


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.key)
def test_every_step_has_a_module_that_builds_it(step):
    assert callable(step.builder())
