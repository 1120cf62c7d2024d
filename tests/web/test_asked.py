"""The API asks what the command line can, populations too."""

from __future__ import annotations

PEOPLE = "age,zip,ill\n" + "\n".join(f"{n % 3},{n % 2},{'ab'[n % 2]}" for n in range(24)) + "\n"


def upload(client, rows):
    made = client.post("/api/studies?name=people.csv", content=rows.encode())
    assert made.status_code == 201, made.text
    key = made.json()["id"]
    roles = {"age": ["quasi"], "zip": ["quasi"], "ill": ["sensitive"]}
    assert client.put(f"/api/studies/{key}/roles", json={"roles": roles}).status_code == 200
    for column in ("age", "zip"):
        given = {"description": {"mask": {"digits": 1}}}
        path = f"/api/studies/{key}/hierarchy?column={column}"
        assert client.put(path, json=given).status_code == 200
    return key


def test_a_population_is_the_table_of_another_study(client):
    table, population = upload(client, PEOPLE), upload(client, PEOPLE + PEOPLE.split("\n", 1)[1])
    asked = {"algorithm": "flash", "k_map": 8, "delta": [0, 0.5]}
    path = f"/api/studies/{table}/anonymize?wait=60"
    answer = client.post(path, json=asked | {"population": population})
    assert answer.status_code == 200, answer.text
    assert answer.json()["asked"]["k_map"] == 8
    without = client.post(path, json=asked)
    assert without.status_code == 422
    assert "need a population" in without.json()["error"]
    nobody = client.post(path, json=asked | {"population": "0123abcd"})
    assert nobody.status_code == 404
    plain = client.post(path, json={"algorithm": "flash", "k": 2})
    assert plain.status_code == 200
