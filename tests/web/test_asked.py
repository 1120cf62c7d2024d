"""The API asks what the command line can, populations too."""

from __future__ import annotations

import io
import json
import zipfile

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


def test_a_release_takes_the_population_and_a_point_of_a_frontier(client):
    table, population = upload(client, PEOPLE), upload(client, PEOPLE + PEOPLE.split("\n", 1)[1])
    path = f"/api/studies/{table}"
    asked = {"algorithm": "flash", "k_map": 8, "population": population}
    found = client.post(f"{path}/anonymize?wait=60", json=asked).json()
    release = f"{path}/release?wait=60"
    without = client.post(release, json={"solution": found})
    assert without.status_code == 422
    assert "population" in without.json()["error"]
    made = client.post(release, json={"solution": found, "population": population})
    assert made.status_code == 200, made.text
    assert made.json()["certificate"]["promise"]["k_map"] == 8
    front = client.post(f"{path}/frontier?wait=60", json={"suppress": 0}).json()
    last = len(front["points"])
    point = client.post(release, json={"solution": front, "point": last})
    assert point.status_code == 200, point.text
    assert point.json()["certificate"]["promise"]["k"] == front["points"][-1]["k"]
    beyond = client.post(release, json={"solution": front, "point": last + 1})
    assert beyond.status_code == 422
    assert "there is no point" in beyond.json()["error"]
    single = client.post(release, json={"solution": found, "population": population, "point": 1})
    assert single.status_code == 422
    assert "a single solution" in single.json()["error"]
    assert client.post(release, json={"solution": found, "secret": "/etc/passwd"}).status_code == 422


def test_a_release_that_an_attack_breaks_is_refused_until_it_is_accepted(client):
    # Half of a group may have hiv. Apart, only the single row of age 0 can break that: by having it.
    rows = "age,zip,ill\n0,1,hiv\n1,1,flu\n1,1,flu\n1,1,cold\n"
    path = f"/api/studies/{upload(client, rows)}"
    asked = {"limits": {"hiv": "1/2"}, "scheme": "NoSupp"}
    best = client.post(f"{path}/optimize?wait=60", json=asked).json()
    release = f"{path}/release?wait=60"
    refused = client.post(release, json={"solution": best})
    assert refused.status_code == 422
    assert "or accept the attack minimality" in refused.json()["error"]
    assert client.get(f"{path}/release").status_code == 404
    made = client.post(release, json={"solution": best, "accept_attack": ["minimality"]})
    assert made.status_code == 200, made.text
    codes = client.get(f"{path}/release").json()["to_acknowledge"]
    assert client.post(f"{path}/release/acknowledge", json={"codes": codes}).status_code == 200
    with zipfile.ZipFile(io.BytesIO(client.get(f"{path}/release.zip").content)) as packed:
        record = json.loads(packed.read("anonymized.csv.record.json"))
        assert record["accepted_attacks"] == ["minimality"]
        assert "accept_attack=('minimality',)" in packed.read("release.py").decode()


def test_whom_the_rows_stand_for_is_said_entry_by_entry(client):
    rows = "home,who,age,w\n" + "".join(f"h{n // 3},p{n},{n % 4},{n % 2 + 1}\n" for n in range(24))
    key = client.post("/api/studies?name=people.csv", content=rows.encode()).json()["id"]
    path = f"/api/studies/{key}/units"
    roles = {"age": ["quasi"], "w": ["insensitive"]}
    assert client.put(f"/api/studies/{key}/roles", json={"roles": roles}).status_code == 200

    def say(**said):
        answer = client.put(path, json=said)
        return answer.json()["units"] if answer.status_code == 200 else answer.json()["error"]

    assert say(households="home", sample_weight="w") == {"households": "home", "sample_weight": "w"}
    shown = client.get(f"/api/studies/{key}").json()["columns"]
    assert next(one["roles"] for one in shown if one["name"] == "home") == ["identifying"]
    assert "both say how the table was drawn" in say(population_size=500)
    assert say(sample_weight=None, population_size=500) == {"households": "home", "population_size": 500}
    found = client.get(f"/api/studies/{key}/risk").json()
    assert found["sample"]["population"] == 500
    assert found["households"]["households"] == 8
    assert "no column 'nowhere'" in say(households="nowhere")
    assert "is quasi, so it is no weight" in say(population_size=None, sample_weight="age")
    assert say(households=None, population_size=None) == {}
