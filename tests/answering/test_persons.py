"""Studies that name persons: every answer counts distinct persons, and what cannot refuses."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest

from shoal import Frontier, Study, verify
from shoal.errors import InputError, NoSolutionError
from shoal.search.algorithms import ALGORITHMS

QUASI = {"zip": {"mask": {"digits": 5}}, "sex": {"*": ["f", "m"]}}
ILLNESSES = ["flu", "cold", "gout"]
BY_NODES = [one.name for one in ALGORITHMS if one.recodes == "node"]


def rows(seed=3, persons=40, most=4):
    """Visits of patients: a patient's rows are often in one place, sometimes in several."""
    rng = np.random.default_rng(seed)
    found = []
    for person in range(persons):
        home = f"021{rng.integers(3, 5)}{rng.integers(0, 4)}"
        sex = "fm"[rng.integers(2)]
        for _ in range(rng.integers(1, most + 1)):
            place = home if rng.random() < 0.6 else f"021{rng.integers(3, 5)}{rng.integers(0, 4)}"
            found.append((place, sex, ILLNESSES[rng.integers(3)], f"p{person}"))
    return found


def table(given):
    names = ("zip", "sex", "illness", "patient")
    return pa.table({name: [row[i] for row in given] for i, name in enumerate(names)})


def study(given, **more):
    return Study(table(given), quasi=QUASI, sensitive="illness", persons="patient", **more)


def groups(given, node):
    """The rows of every class of a node."""
    found = defaultdict(list)
    for row in given:
        kept = 5 - node["zip"]
        shown = (row[0][:kept], row[1] if node["sex"] == 0 else "*")
        found[shown].append(row)
    return list(found.values())


def people(group):
    return len({row[3] for row in group})


@pytest.mark.parametrize("asked", [{}, {"fill": True}, {"method": "exhaustive"}, {"method": "poka"}])
def test_every_point_of_a_frontier_has_k_persons_in_each_class(asked):
    given = rows()
    with study(given) as opened:
        front = opened.frontier(suppress=0.1, **asked)
    assert len(front.points) >= 2
    for point in front:
        classes = groups(given, point.node)
        kept = [group for group in classes if people(group) >= point.k]
        assert min(map(people, kept)) == point.k
        assert len(given) - sum(map(len, kept)) == point.suppressed <= len(given) // 10


@pytest.mark.parametrize(
    ("objectives", "suppress"), [("l,loss", 0.2), ("t,loss", None), ("k,l,loss", 0.1)]
)
def test_the_first_and_last_points_of_objectives_are_released_and_verified(
    tmp_path, objectives, suppress
):
    with study(rows()) as opened:
        front = opened.frontier(objectives=objectives, suppress=suppress)
        for point in {1, len(front)}:
            out = tmp_path / f"{point}.csv"
            opened.release(front, point=point, pseudonyms="fresh").write(out)
            found = verify(out)
            assert found.holds
            assert found.measured.smallest == front.points[point - 1].k


def test_a_crowd_of_one_persons_rows_is_no_crowd():
    given = [("02138", "f", "flu", "p1")] * 5
    with study(given) as opened:
        assert [point.k for point in opened.frontier()] == [1]
        assert opened.negotiate(k=2, max_suppressed=4).exact is None
        with pytest.raises(NoSolutionError, match="the table has 1 person,"):
            opened.anonymize(algorithm="flash", k=2)
        with pytest.raises(NoSolutionError, match="the table has 1 person;"):
            opened.frontier(min_k=2)


@pytest.mark.parametrize("name", BY_NODES)
@pytest.mark.parametrize("promise", [{"k": 3}, {"k": 2, "l": 2}, {"k": 2, "theta": "2/3"}])
def test_every_full_domain_algorithm_counts_persons(name, promise):
    given = rows()
    with study(given) as opened:
        answer = opened.anonymize(algorithm=name, suppress=0.3, **promise)
    node = answer.to_dict()["node"]
    kept = [group for group in groups(given, node) if people(group) >= promise["k"]]
    assert answer.k >= promise["k"]
    assert answer.k in map(people, kept)
    assert answer.suppressed >= len(given) - sum(map(len, kept))


def test_every_method_is_compared_by_the_persons_of_its_release():
    given = rows()
    with study(given) as opened:
        found = opened.compare(k=3, suppress=0.2)
    answers = {entry.algorithm.name: entry.answer for entry in found.entries if entry.answer is not None}
    assert {one.name for one in ALGORITHMS} - answers.keys() == {"anatomy"}
    for name in BY_NODES:
        node = answers[name].to_dict()["node"]
        assert answers[name].k in [people(group) for group in groups(given, node)]


def test_one_row_a_person_is_as_if_nobody_were_named():
    given = [(*row[:3], f"p{i}") for i, row in enumerate(rows())]
    with study(given) as opened, Study(table(given), quasi=QUASI, sensitive="illness") as plain:
        assert opened.tally().fingerprint() == plain.tally().fingerprint()
        assert opened.frontier(suppress=5).points == plain.frontier(suppress=5).points
        assert opened.optimize(l=2).cost == plain.optimize(l=2).cost
        opened.release(opened.frontier())


def test_rows_without_a_person_are_refused():
    given = [("02138", "f", "flu", "p1"), ("02138", "f", "flu", None), ("02139", "f", "flu", "")]
    with study(given) as opened, pytest.raises(InputError) as refusal:
        opened.frontier()
    assert "2 rows name no person: 'patient' is missing there" in str(refusal.value)


def test_an_index_of_rows_is_not_taken_for_one_of_persons(tmp_path):
    given = [("02138", "f", "flu", "p1"), ("02138", "f", "cold", "p1"), ("02139", "m", "flu", "p2")]
    text = "table: visits.csv\nattributes:\n  zip: {role: quasi, hierarchy: {mask: {digits: 5}}}\n"
    lines = ["zip,sex,illness,patient", *(",".join(row) for row in given)]
    (tmp_path / "visits.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "study.yaml").write_text(text)
    with Study.open(tmp_path / "study.yaml") as opened:
        assert opened.negotiate(k=2, max_suppressed=1).exact.node == {"zip": 0}
    with Study.open(tmp_path / "study.yaml", persons="patient") as opened:
        assert opened.negotiate(k=2, max_suppressed=1).exact.node == {"zip": 1}


def test_k_map_counts_distinct_persons_of_the_population():
    given = [("02138", "f", "flu", "p1"), ("02138", "f", "cold", "p1"), ("02139", "m", "flu", "p2")]
    crowd = [
        *given,
        ("02138", "f", "flu", "p3"),
        ("02139", "f", "flu", "p3"),
        ("02139", "m", "flu", "p2"),
    ]
    with study(given, population=table(crowd)) as opened:
        answer = opened.anonymize(algorithm="flash", k_map=2)
        # p1 and p3 are two in 02138; in 02139 there is one man, however often he is listed.
        assert answer.to_dict()["node"] != {"zip": 0, "sex": 0}
        classes = groups(crowd, answer.to_dict()["node"])
        mine = {row[3] for row in given}
        assert all(people(group) >= 2 for group in classes if mine & {row[3] for row in group})
        with pytest.raises(InputError, match="delta-presence cannot tell persons"):
            opened.anonymize(algorithm="flash", delta="0,1")
    rows_only = table(crowd).drop_columns(["patient"])
    with study(given, population=rows_only) as opened:
        assert opened.anonymize(algorithm="flash", k_map=2).to_dict()["node"] == {"zip": 0, "sex": 0}


def test_rows_of_a_population_without_a_person_are_refused():
    given = [("02138", "f", "flu", "p1"), ("02138", "f", "cold", "p2")]
    crowd = [*given, ("02138", "f", "flu", None), ("02138", "f", "flu", "")]
    with study(given, population=table(crowd)) as opened, pytest.raises(InputError) as refusal:
        opened.anonymize(algorithm="flash", k_map=2)
    assert "2 rows of the population name no person in 'patient'" in str(refusal.value)


def test_rows_of_a_population_with_half_of_the_key_are_persons_each():
    given = table([("02138", "f", "flu", "p1"), ("02138", "f", "cold", "p1")])
    keyed = given.append_column("clinic", pa.array(["x", "x"]))
    asked = {"quasi": QUASI, "sensitive": "illness", "persons": ["clinic", "patient"]}
    with Study(keyed, **asked, population=given) as opened:
        assert opened.population().tally.people == 2


def left_without(given, gone):
    """The persons of whom no row is left."""
    kept = {row[3] for row in given if row not in gone}
    return len({row[3] for row in given} - kept)


def test_answers_say_rows_and_persons():
    given = [(*row[:2], f"{row[2]}{i}", row[3]) for i, row in enumerate(rows())]  # every row is its own
    with study(given) as opened:
        front = opened.frontier(suppress=0.2)
        by_boxes = opened.frontier(suppress=0.2, method="exhaustive")
        answer = opened.anonymize(algorithm="flash", k=4, suppress=0.3)
        offer = opened.negotiate(k=4, max_suppressed="30%", prefer="height")
    assert front.to_dict()["persons"] == front.persons == 40
    assert Frontier.from_dict(front.to_dict()) == front
    assert by_boxes.points == front.points
    assert any(point.suppressed_persons for point in front)
    for point in front:
        small = [group for group in groups(given, point.node) if people(group) < point.k]
        lost = left_without(given, [row for group in small for row in group])
        assert point.suppressed_persons == point.to_dict()["suppressed_persons"] == lost
    assert "k counts the 40 persons of 103 rows" in str(front)
    assert "suppressed_persons" in front.to_arrow().column_names
    for found, k in ((answer.to_dict(), 4), (offer.exact.to_dict(), 4)):
        small = [group for group in groups(given, found["node"]) if people(group) < k]
        lost = left_without(given, [row for group in small for row in group])
        assert found["suppressed_persons"] == lost
    assert answer.to_dict()["persons"] == offer.to_dict()["persons"] == 40
    assert f"no row left of {answer.suppressed_persons} of 40 persons" in str(answer)
    assert "by 40 persons" in str(offer)


def test_answers_about_rows_say_nothing_of_persons():
    with Study(table(rows()), quasi=QUASI, sensitive="illness") as plain:
        found = [plain.frontier(), plain.anonymize(algorithm="flash", k=2), plain.negotiate(k=2)]
    assert all("persons" not in answer.to_json() for answer in found)
