"""Promises of risk and of gains: their definitions, the two computations of each, and whole releases."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyarrow.csv import write_csv

from shoal import Study, verify
from shoal.criteria import (
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    Groups,
    MaxRisk,
    PopulationUniques,
    criteria_of,
)
from shoal.criteria.gain_limits import nearer
from shoal.criteria.identification_risk import least_rows
from shoal.criteria.individual_risk import individual_risk
from shoal.describe.promise import Promise
from shoal.errors import InputError
from shoal.present.promises import promises
from shoal.verification import verify_release
from shoal.verification.spread.found_rows import mean_risk, measure_found
from shoal.verification.spread.gains import exceeds
from shoal.verification.spread.measure import measure_spread
from tests.criteria.definitions import DOMAIN, cells_of, groups_of, tables
from tests.data.test_person_rows import counted, place_of
from tests.data.test_person_rows import tables as person_tables
from tests.examples import examples

sizes = st.lists(st.integers(1, 12), min_size=1, max_size=9)
limits = st.fractions(Fraction(1, 20), 1, max_denominator=20)
fractions = st.sampled_from([Fraction(1, 1000), Fraction(1, 20), Fraction(1, 3), Fraction(9, 10)])
gains = st.fractions(Fraction(1, 9), 3, max_denominator=9)


def of_sizes(some) -> Groups:
    return Groups(np.array(some, dtype=np.int64))


@pytest.mark.parametrize("n", [1, 2, 5, 39, 40, 500])
@pytest.mark.parametrize("part", [1e-15, 1e-6, 0.01, 0.3, 0.5, 0.9, 0.999999])
def test_the_series_and_the_integral_agree(n, part):
    assert mean_risk(n, part) == pytest.approx(float(individual_risk([n], [n / part])[0]), rel=1e-12)


@given(limits, st.none() | fractions)
def test_the_fewest_rows_are_the_first_that_keep_the_limit(limit, fraction):
    least = least_rows(limit, fraction)
    risk = [
        Fraction(1, n) if fraction is None else mean_risk(n, float(fraction))
        for n in (least, least - 1)
        if n
    ]
    assert risk[0] <= limit
    assert least == 1 or risk[1] > limit * Fraction(1 - 3e-9)
    assert MaxRisk(limit, fraction).kept(of_sizes([least, max(least - 1, 1)])).tolist() == [
        True,
        least == 1,
    ]


@given(sizes, limits, st.none() | st.just(Fraction(1)) | fractions)
def test_what_searches_keep_is_what_verification_measures(some, limit, fraction):
    """Both compute it in their own way; they may differ only where the estimate nearly is the limit."""
    named = {"max_risk": MaxRisk, "average_risk": AverageRisk, "population_uniques": PopulationUniques}
    for name, kind in named.items():
        promise = Promise(**{name: limit}, sampling=fraction)
        found, failures = measure_found(np.array(some), promise)
        figures = {"max_risk": found.highest, "average_risk": found.average}
        figure = figures.get(name, found.uniques)
        assume(fraction in (None, 1) or abs(float(figure) - float(limit)) > 1e-7)
        kept = bool(kind(limit, fraction).kept(of_sizes(some)).all())
        assert kept == (figure <= limit) == (not failures)
        assert all(failure.startswith(kind.name) for failure in failures)


@given(sizes, st.none() | fractions)
def test_the_figures_are_those_of_the_rows_one_by_one(some, fraction):
    found, _ = measure_found(np.array(some), Promise(max_risk=Fraction(1), sampling=fraction))
    part = 1.0 if fraction is None else float(fraction)
    risks = [float(individual_risk([n], [n / part])[0]) for n in some for _ in range(n)]
    assert float(found.highest) == pytest.approx(max(risks), rel=1e-12)
    assert float(found.average) == pytest.approx(sum(risks) / len(risks), rel=1e-12)
    # Bayes: of all classes that show one row, those of one person.
    chances = {n: n * part * (1 - part) ** (n - 1) for n in some}
    unique = some.count(1) * chances.get(1, 0) / sum(chances[n] for n in some) if 1 in some else 0
    assert float(found.uniques) == pytest.approx(some.count(1) * unique / sum(some), rel=1e-9)


def kept_by_definition(table, beta=None, delta=None):
    """Which groups keep a limit of gains, from the shares row by row."""
    everyone = [value for group in table for value in group]
    kept = []
    for group in table:
        good = True
        for value in {value for value in everyone if value is not None}:
            p = Fraction(everyone.count(value), len(everyone))
            q = Fraction(group.count(value), len(group))
            if beta is not None and q > p:
                good &= (q - p) / p <= beta
            if delta is not None:
                good &= q > 0 and abs(math.log(q / p)) < delta
        kept.append(good)
    return kept


@given(tables(), gains)
def test_beta_and_delta_disclosure_are_their_definitions_and_so_is_what_is_measured(table, limit):
    groups, cells = groups_of(table), cells_of(table)
    beta, delta = BetaLikeness("s", DOMAIN, limit), DeltaDisclosure("s", DOMAIN, limit)
    assert beta.kept(groups).tolist() == kept_by_definition(table, beta=limit)
    assert delta.kept(groups).tolist() == kept_by_definition(table, delta=limit)
    for kind, name, promise in (
        (beta, "beta", Promise(beta={"s": limit})),
        (delta, "delta-disclosure", Promise(disclosure={"s": limit})),
    ):
        spread, failures = measure_spread(cells, [0], promise, counts_l=False)
        assert bool(kind.kept(groups).all()) == (not failures)
        assert all(failure.startswith(name) for failure in failures)
        assert (spread.beta is None) == (name != "beta")
        assert (spread.complete is None) == (name == "beta")


def test_gains_are_compared_exactly():
    # A third of all rows, half of the group's: a gain of exactly one half.
    table = [["1", "2", "3"] * 3, ["1", "2"], ["3"]]
    assert BetaLikeness("s", DOMAIN, Fraction(1, 2)).kept(groups_of(table)).tolist() == [
        True,
        True,
        False,
    ]
    less = Fraction(1, 2) - Fraction(1, 10**30)
    assert BetaLikeness("s", DOMAIN, less).kept(groups_of(table)).tolist() == [True, False, False]
    about = Fraction(math.log(2))
    for delta in (about + Fraction(1, 10**13), about - Fraction(1, 10**13), about, about * 2):
        assert nearer(Fraction(2), delta) == nearer(Fraction(1, 2), delta) != exceeds(Fraction(2), delta)
    assert nearer(Fraction(2), about + Fraction(1, 10**13))
    assert exceeds(Fraction(2), about - Fraction(1, 10**13))


def test_a_promise_of_risks_is_kept_in_documents():
    third = Fraction(1, 3)
    promise = Promise(
        max_risk=third,
        average_risk=Fraction(1, 9),
        population_uniques=Fraction(0),
        sampling=Fraction(1, 50),
        beta={"s": Fraction(3, 2)},
        disclosure={"s": third},
    )
    assert Promise.from_dict(json.loads(json.dumps(promise.to_dict()))) == promise
    assert promise.says_something
    assert promise.columns == ("s",)
    alone = promise.of_single_groups()
    assert (alone.k, alone.max_risk, alone.average_risk) == (2, Fraction(1, 9), None)
    assert Promise(4, average_risk=third).of_single_groups() == Promise(4, max_risk=third)


def town(rows=240, seed=3):
    rng = np.random.default_rng(seed)
    ages = rng.integers(20, 60, rows).astype(str)
    zips = [f"{a}{b}" for a, b in zip(rng.integers(1, 4, rows), rng.integers(0, 9, rows), strict=True)]
    ills = rng.choice(["flu", "cold", "gout"], rows, p=[0.5, 0.3, 0.2])
    return pa.table({"age": ages, "zip": zips, "ill": ills, "w": rng.choice(["20", "25"], rows)})


def study_of(table, **units):
    hierarchies = {
        "age": {"intervals": {"origin": 20, "widths": [5, 10, 20, 40]}},
        "zip": {"mask": {"digits": 2}},
    }
    return Study(table, quasi=hierarchies, sensitive=["ill"], **units)


ASKED = {
    "max": {"max_risk": 0.09},
    "average": {"average_risk": 0.05},
    "uniques": {"population_uniques": 0.01},
    "sample": {
        "max_risk": 0.05,
        "average_risk": 0.003,
        "population_uniques": 0,
        "sampling_fraction": "5%",
    },
    "beta": {"beta": 1, "k": 3},
    "disclosure": {"delta_disclosure": 1, "k": 3},
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("algorithm", ["flash", "datafly", "top-down", "mondrian", "local-recoding"])
def test_every_kind_of_search_keeps_it_and_the_release_verifies(name, algorithm, tmp_path):
    with study_of(town()) as study:
        answer = study.anonymize(algorithm, suppress="20%", **ASKED[name])
        release = study.release(answer, seed=1)
        release.write(tmp_path / "out.csv")
        asked = Promise.from_dict(answer.to_dict()["promise"])
    assert asked == release.promise
    verdict = verify_release(tmp_path / "out.csv")
    assert verdict.holds, verdict.failures
    document = json.loads((tmp_path / "out.csv.certificate.json").read_text(encoding="utf-8"))
    assert document["promise"] == asked.to_dict()
    assert set(document["promise"]) == set(ASKED[name])
    lines = promises(document | {"columns": [], "roles": {}})
    assert lines
    assert all(line.kept for line in lines), lines


def test_a_certificate_that_says_too_much_of_risks_is_refuted(tmp_path):
    with study_of(town()) as study:
        answer = study.anonymize("flash", suppress="20%", **ASKED["sample"], beta=2)
        study.release(answer, seed=1).write(tmp_path / "out.csv")
    path = tmp_path / "out.csv.certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    for name, least in (("max_risk", "1/1000"), ("average_risk", "1/1000"), ("sampling_fraction", "1")):
        changed = {**document, "promise": {**document["promise"], name: least}}
        path.write_text(json.dumps(changed), encoding="utf-8")
        assert not verify_release(tmp_path / "out.csv").holds
        assert {line.kept for line in promises(changed | {"columns": []})} >= (
            {True} if name == "sampling_fraction" else {False}
        )
    path.write_text(json.dumps({**document, "promise": {"beta": {"ill": "1/100"}}}), encoding="utf-8")
    assert any(failure.startswith("beta: ") for failure in verify_release(tmp_path / "out.csv").failures)


def test_a_group_that_lacks_a_value_is_told():
    spread = {"l": 1, "largest_share": "1", "disclosure": "1", "complete": False}
    facts = {"promise": {"delta_disclosure": {"ill": "1"}}, "measured": {"sensitive": {"ill": spread}}}
    (line,) = promises(facts)
    assert (line.kept, line.measured) == (False, "a group lacks a value")


def test_risks_are_not_promised_of_two_tables(tmp_path):
    with study_of(town(seed=4)) as study:
        study.release(study.anonymize("anatomy", l=2), seed=1).write(tmp_path / "out.csv")
    path = tmp_path / "out.csv.certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**document, "promise": {"max_risk": "1/2"}}), encoding="utf-8")
    with pytest.raises(InputError, match="cannot be promised for a release in two tables"):
        verify_release(tmp_path / "out.csv")


def test_any_table_is_checked_for_risks(tmp_path, shoal):
    write_csv(town(), tmp_path / "town.csv")
    found = verify(tmp_path / "town.csv", quasi="zip", max_risk=0.25, average_risk=0.2)
    assert found.holds
    assert float(found.measured.risk.average) == pytest.approx(27 / 240)
    found = verify(tmp_path / "town.csv", quasi="zip", max_risk=0.05, average_risk=0.05)
    assert [failure.split(":")[0] for failure in found.failures] == ["max risk", "average risk"]
    drawn = ("--sampling-fraction", "1%")
    status, out, _ = shoal("verify", tmp_path / "town.csv", "--quasi", "zip", "--max-risk", 0.05, *drawn)
    assert status == 0, out
    status, _, errors = shoal("verify", tmp_path / "town.csv", "--quasi", "zip", "--k", 2, *drawn)
    assert (status, "a sampling fraction is about risks" in errors) == (2, True)
    status, _, errors = shoal("verify", tmp_path / "town.csv", "--quasi", "zip", "--max-risk", 0)
    assert (status, "which no released row keeps" in errors) == (2, True)


@pytest.mark.parametrize(
    ("units", "least"), [({"sample_weight": "w"}, "0.05,"), ({"population_size": 10_000}, "0.024")]
)
def test_a_sampling_fraction_is_said_not_counted_because_it_is_published(units, least):
    with study_of(town(), **units) as study:
        with pytest.raises(InputError, match=f"sampling_fraction of at least {least}"):
            study.anonymize("flash", max_risk=0.05)
        with pytest.raises(InputError, match="sampling_fraction of at least"):
            study.anonymize("flash", max_risk=0.05, sampling_fraction=0.02)
        answer = study.anonymize("flash", max_risk=0.05, sampling_fraction=0.05)
        assert answer.to_dict()["promise"]["sampling_fraction"] == "1/20"
    with study_of(town(), sampling_fraction="5%") as study:
        with pytest.raises(InputError, match="sampling_fraction of at least"):
            study.anonymize("flash", max_risk=0.05, sampling_fraction="1%")
        assert study.anonymize("flash", max_risk=0.05).to_dict() == {
            **answer.to_dict(),
            "seconds": pytest.approx(1, abs=10),
        }


def test_k_and_the_highest_risk_are_one_number_of_rows():
    with study_of(town()) as study:
        tally = study.tally()
        criteria = criteria_of(Promise(max_risk=Fraction(9, 100)), tally, ())
        assert criteria[0].k == 12
        by_k = study.anonymize("flash", k=12, suppress="5%").to_dict()
        by_risk = study.anonymize("flash", max_risk=0.09, suppress="5%").to_dict()
        assert by_k["node"] == by_risk["node"]


@settings(max_examples=examples(20))
@given(st.sampled_from([{"max_risk": 0}, {"average_risk": 2}, {"beta": 0}, {"delta_disclosure": -1}]))
def test_limits_that_cannot_be_are_refused(asked):
    with study_of(town(12)) as study, pytest.raises(InputError):
        study.anonymize("flash", **asked)


@given(person_tables(), gains, st.data())
def test_persons_count_once_in_a_group(rows, limit, data):
    tally = counted(rows)
    of = np.array([data.draw(st.integers(0, 2)) for _ in range(len(tally))], dtype=np.int64)
    of = np.unique(of, return_inverse=True)[1].reshape(-1).astype(np.int64)
    groups = Groups.of(tally, of, int(of.max()) + 1, ["s"])
    table = [[] for _ in range(len(groups))]
    for row in rows:
        table[of[place_of(tally, row)]].append(row)
    persons = [{row[-1] for row in group} for group in table]
    assert groups.sizes.tolist() == [len(some) for some in persons]
    mean = Fraction(len(table), sum(len(some) for some in persons))  # one person a group is found
    assert AverageRisk(mean).kept(groups).all()
    assert not AverageRisk(mean * Fraction(99, 100)).kept(groups).all()
    assert measure_found(groups.sizes, Promise(average_risk=mean))[0].average == mean

    def share(group, value):
        of_each = {p: [row[-2] for row in group if row[-1] == p] for p in {row[-1] for row in group}}
        return sum(Fraction(own.count(value), len(own)) for own in of_each.values()) / len(of_each)

    beta, delta = [], []
    for group in table:
        pairs = [(share(group, v), share(rows, v)) for v in {row[-2] for row in rows} - {None}]
        beta.append(all(q <= (1 + limit) * p for q, p in pairs))
        delta.append(all(q and abs(math.log(q / p)) < limit for q, p in pairs))
    domain = tally.domain("s")
    assert BetaLikeness("s", domain, limit).kept(groups).tolist() == beta
    assert DeltaDisclosure("s", domain, limit).kept(groups).tolist() == delta
