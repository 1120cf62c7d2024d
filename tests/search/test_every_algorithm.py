"""Every named algorithm: what it answers can be released, and the release keeps what is promised."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from shoal import Study
from shoal.describe import Role
from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError, NoSolutionError
from shoal.search.algorithms import ALGORITHMS, algorithm_named
from shoal.verification import verify_release, verify_table

NAMES = [algorithm.name for algorithm in ALGORITHMS]
BUCKETS = {algorithm.name for algorithm in ALGORITHMS if algorithm.recodes == "buckets"}
"""Those that keep l alone, and release two tables."""
GENERALIZING = [name for name in NAMES if name not in BUCKETS]
WITHOUT_LIMIT = {"datafly"}
"""Those that suppress more than the default of none: see their guarantees."""
WITHOUT_GUARANTEE = {"mu-argus"}
"""Those that may promise less than they were asked for."""

AGES = Hierarchy.from_rows(
    [(str(a), f"{a // 5 * 5}+5", f"{a // 20 * 20}+20", "*") for a in range(20, 60)]
)
PLACES = Hierarchy.from_rows([(f"{i}{j}", f"{i}*", "*") for i in range(4) for j in range(4)])
SEXES = Hierarchy.from_rows([("f", "*"), ("m", "*")])


@pytest.fixture(scope="module")
def study():
    """A study over a random table; some places are missing."""
    chance = random.Random(1)
    rows = 160
    table = {
        "age": [str(min(max(int(chance.gauss(38, 9)), 20), 59)) for _ in range(rows)],
        "place": [chance.choice([*PLACES.leaves, None]) for _ in range(rows)],
        "sex": [chance.choice("fm") for _ in range(rows)],
        "illness": [chance.choice(["flu", "flu", "cold", "gout", "ache"]) for _ in range(rows)],
    }
    quasi = {"age": AGES, "place": PLACES, "sex": SEXES}
    with Study(pa.table(table), quasi=quasi, sensitive="illness", threads=1) as opened:
        yield opened


def usual(name):
    """A question that the algorithm answers."""
    return {"l": 2} if name in BUCKETS else {"k": 3, "suppress": "5%"}


def asked_and_released(study, name, **asked):
    """Release an algorithm's answer, verify it from the released rows alone, and return the answer."""
    found = study.anonymize(name, **asked)
    promise = found.decision().promise
    released = study.release(found, seed=1).table()
    verdict = verify_table(released, promise, study.quasi, study.specification.having(Role.SENSITIVE))
    check(name, found, verdict)
    return found


def check(name, found, verdict):
    """The released rows keep what is promised, which is what was asked for, within the suppression."""
    promise = found.decision().promise
    assert verdict.holds, verdict.failures
    assert verdict.measured.k == found.k >= (promise.k or 1)
    assert found.suppressed + verdict.measured.rows == found.rows
    if name not in WITHOUT_GUARANTEE | BUCKETS:
        assert promise.to_dict() == found.to_dict()["asked"]
    if name not in WITHOUT_LIMIT or found.suppression_limit:
        assert found.suppressed <= found.suppression_limit


@pytest.mark.parametrize("name", GENERALIZING)
@pytest.mark.parametrize(
    "asked",
    [
        {"k": 3},
        {"k": 4, "suppress": "10%"},
        {"k": 2, "l": 3, "suppress": 0.2},
        {"k": 3, "theta": "2/3", "suppress": "10%"},
        {"k": 2, "t": "0.4"},
    ],
    ids=str,
)
def test_what_an_algorithm_answers_is_released_and_verified(study, name, asked):
    try:
        asked_and_released(study, name, **asked)
    except InputError as error:
        # An algorithm may refuse a criterion that it does not know, never k.
        assert set(asked) - {"k", "suppress"}, error  # noqa: PT017
        assert name in str(error)  # noqa: PT017


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_verified(study, name, tmp_path):
    found = study.anonymize(name, **usual(name))
    study.release(found, seed=1).write(tmp_path / "released.csv")
    check(name, found, verify_release(tmp_path / "released.csv"))


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_is_the_same_again(study, name):
    one, two = (study.anonymize(name, **usual(name), seed=4).to_dict() for _ in range(2))
    assert {**one, "seconds": 0} == {**two, "seconds": 0}


@pytest.mark.parametrize("name", NAMES)
def test_more_than_the_table_can_give_has_no_solution(study, name):
    with pytest.raises(NoSolutionError):
        study.anonymize(name, **({"l": 9} if name in BUCKETS else {"k": 200}))


@pytest.mark.parametrize("name", NAMES)
def test_an_option_that_it_has_not_is_refused(study, name):
    with pytest.raises(InputError, match="has no option 'colour'"):
        study.anonymize(name, k=2, options={"colour": "red"})


def test_names_are_found_however_they_are_written():
    assert algorithm_named("MU_Argus").name == "mu-argus"
    assert len(set(NAMES)) == len(NAMES)
    with pytest.raises(InputError, match="did you mean flash"):
        algorithm_named("flush")


@pytest.fixture(scope="module")
def adult_study(adult):
    quasi = {
        name: adult / "negotiation-3600" / f"{name}.csv"
        for name in ("education", "marital-status", "race", "workclass")
    }
    with Study(adult / "adult-30162.csv", quasi=quasi, sensitive="occupation", threads=1) as opened:
        yield opened


@pytest.mark.parametrize("name", GENERALIZING)
def test_adult_is_released_and_verified(adult_study, name):
    found = asked_and_released(adult_study, name, k=5, suppress="1%")
    assert found.guarantees
    assert all(loss >= 0 for loss in found.losses.values())
