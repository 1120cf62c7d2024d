"""Attacks over the API: refused without a release, and judged only by the study that it is of."""

from __future__ import annotations

import pytest

from tests.web.test_guard import refused


@pytest.fixture
def study(server):
    with server.client() as client:
        rows = "".join(f"{20 + i % 10},{('flu', 'hiv', 'cold')[i % 3]}\n" for i in range(60))
        made = client.post("/api/studies?name=ill.csv", content=f"age,ill\n{rows}".encode())
        path = f"/api/studies/{made.json()['id']}"
        roles = {"age": ["quasi"], "ill": ["sensitive"]}
        assert client.put(f"{path}/roles", json={"roles": roles}).status_code == 200
        tree = {"description": {"intervals": {"origin": 0, "widths": [5, 40]}}}
        assert client.put(f"{path}/hierarchy?column=age", json=tree).status_code == 200
        yield client, path


def test_the_release_is_attacked_and_a_changed_study_is_no_judge(study):
    client, path = study
    assert "nothing is released yet" in refused(client.post(f"{path}/attack?wait=60"), 409)
    best = client.post(f"{path}/optimize?wait=60", json={"k": 3}).json()
    released = client.post(f"{path}/release?wait=60", json={"solution": best})
    assert released.status_code == 200, released.text
    found = client.post(f"{path}/attack?wait=60").json()
    assert found["file"] == "anonymized.csv"
    assert found["broken"] == []
    assert {one["attack"] for one in found["attacks"]} >= {"linkage", "homogeneity", "refinement"}
    assert client.put(f"{path}/roles", json={"roles": {"ill": ["insensitive"]}}).status_code == 200
    assert "the study has changed" in client.post(f"{path}/attack?wait=60").text
