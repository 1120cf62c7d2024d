"""The risk of samples: sdcMicro's figures, the definitions in many digits, and known populations."""

from __future__ import annotations

import csv
import json
from collections import Counter
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.assess.risk import measure_sample, population_uniqueness, stand_for
from shoal.assess.risk.uniqueness import _shlosser
from shoal.criteria.individual_risk import individual_risk
from shoal.data.tally.tally import tally_of
from shoal.describe.units import Units
from shoal.errors import InputError
from shoal.verification.matching import alike
from tests.assess.test_risk import cells_of
from tests.examples import examples

K7 = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def sample_of(rows, keys, weight):
    """The rows' own f and F by the keys and weights, and those by which a missing value is like any other."""
    lines = [tuple(row[name] for name in keys) for row in rows]
    texts = [(*line, row[weight]) for line, row in zip(lines, rows, strict=True)]
    tally = tally_of(cells_of(texts, [*keys, "w"]), len(keys))
    cells = cells_of(lines, list(keys))
    place = {combination: i for i, combination in enumerate(tally.combinations())}
    at = [place[line] for line in lines]
    stands = stand_for(Units(sample_weight="w"), tally)
    own = tally.counts[at], stands[at]
    return own, (alike(cells, cells.counts)[at], alike(cells, stands)[at])


def approximate(f, F):  # noqa: N803  the literature's name
    """sdcMicro's risk: exact for one row and two, an approximation for more."""
    f, p = np.asarray(f, dtype=float), np.asarray(f) / np.asarray(F)
    few = individual_risk(f, F)
    return np.where(f <= 2, few, p / (f - (1 - p)))


def precisely(f: int, persons: float) -> Decimal:
    """The mean of 1 / F, by the recursion from the logarithm in as many digits as it loses."""
    with localcontext() as context:
        context.prec = 60
        p = Decimal(f) / Decimal(persons)
        if p >= 1:
            return 1 / Decimal(f)
        context.prec += f * max(0, -((1 - p) / p).adjusted())  # every step loses as many
        p = Decimal(f) / Decimal(persons)
        a = (1 - p) / p
        found = (1 + a).ln() / a
        for size in range(1, f):
            found = (1 / Decimal(size) - found) / a
        return +found


@pytest.mark.parametrize("f", [1, 2, 3, 7, 38, 39, 40, 41, 150])
@pytest.mark.parametrize("p", [1e-12, 1e-6, 0.01, 0.3, 0.499999, 0.5, 0.6, 0.99, 0.999999, 1.0])
def test_the_risk_of_a_row_is_the_mean_of_its_chances_in_every_corner(f, p):
    found = float(individual_risk([f], [f / p])[0])
    assert found == pytest.approx(float(precisely(f, f / p)), rel=2e-14)


def test_the_risk_is_the_sum_over_all_populations_that_may_be():
    f, p = 3, 0.2
    chance, total = p**f, 0.0
    for persons in range(f, 2000):  # persons - 1 over f - 1, times p^f q^(persons - f)
        total += chance / persons
        chance *= (1 - p) * persons / (persons - f + 1)
    assert individual_risk([f], [f / p])[0] == pytest.approx(total, rel=1e-13)


@given(st.integers(1, 200), st.integers(0, 50), st.floats(0, 1e6), st.floats(0, 1e6), st.floats(1e-6, 1))
def test_the_risk_falls_with_rows_and_with_persons_and_so_does_the_risk_of_a_class(f, more, F, extra, p):  # noqa: N803
    F += f + more  # noqa: N806
    one, rows, persons = individual_risk([f, f + more, f], [F, F, F + extra])
    slack = 1 + 1e-12
    assert rows <= one * slack
    assert persons <= one * slack
    assert 0 < one <= slack / f
    whole = np.array([f, f + more]) * individual_risk([f, f + more], [f / p, (f + more) / p])
    assert whole[1] <= whole[0] * slack


def test_francdat_has_the_frequencies_and_risks_of_sdcmicro(sdcmicro):
    figures = json.loads((sdcmicro / "figures" / "francdat.json").read_text(encoding="utf-8"))
    rows = table(sdcmicro / "tables" / "francdat.csv")
    keys = ["Key1", "Key2", "Key3", "Key4"]
    (f, F), same = sample_of(rows, keys, "w")  # noqa: N806
    told = figures["francdat"]
    assert f.tolist() == same[0].tolist() == told["fk"]
    assert F.tolist() == same[1].tolist() == told["Fk"]
    assert individual_risk(f, F) == pytest.approx(told["rk_exact"], rel=1e-13)
    for row, name in ((2, "Key3"), (3, "Key1"), (3, "Key2"), (4, "Key4"), (5, "Key1")):
        rows[row][name] = None
    near = sample_of(rows, keys, "w")[1]
    told = figures["francdat_with_NA"]["variants"][0]
    assert (near[0].tolist(), near[1].tolist()) == (told["fk"], told["Fk"])
    assert approximate(*near) == pytest.approx(told["indivRisk_approx"], rel=1e-13)


def test_testdata_has_the_frequencies_and_risks_of_sdcmicro_and_no_gaps(sdcmicro):
    rows = table(sdcmicro / "tables" / "testdata.csv")
    figures = table(sdcmicro / "figures" / "testdata_k7_risk.csv")
    (f, F), _ = sample_of(rows, K7, "sampling_weight")  # noqa: N806
    assert f.tolist() == [int(one["fk"]) for one in figures]
    assert F.tolist() == [float(one["Fk"]) for one in figures]
    told = [float(one["indivRisk_approx"]) for one in figures]
    assert approximate(f, F) == pytest.approx(told, rel=1e-12)
    assert sum(told) == pytest.approx(10.7783, abs=5e-5)
    exact = np.array([float(one["indivRisk_exact"]) for one in figures])
    ours = individual_risk(f, F)
    assert np.isnan(exact).sum() == 176
    assert ours[~np.isnan(exact)] == pytest.approx(exact[~np.isnan(exact)], rel=1e-9)
    assert np.isfinite(ours).all()
    assert ours[np.isnan(exact)] == pytest.approx(np.array(told)[np.isnan(exact)], rel=1e-3)


def test_weights_that_differ_and_missing_values_have_sdcmicros_figures(sdcmicro):
    rows = table(sdcmicro / "tables" / "testdata.csv")
    figures = table(sdcmicro / "figures" / "testdata_k7_hhweights_risk.csv")
    (f, F), _ = sample_of(rows, K7, "household_weights")  # noqa: N806
    assert f.tolist() == [int(one["fk"]) for one in figures]
    assert F.tolist() == pytest.approx([float(one["Fk"]) for one in figures], rel=1e-12)
    assert approximate(f, F) == pytest.approx([float(one["risk"]) for one in figures], rel=1e-9)
    for i, row in enumerate(rows, 1):
        row["water"] = None if i % 10 == 0 else row["water"]
        row["relat"] = None if i % 15 == 0 else row["relat"]
    figures = table(sdcmicro / "figures" / "testdata_missing_risk.csv")
    _, (f, F) = sample_of(rows, K7, "sampling_weight")  # noqa: N806
    assert f.tolist() == [int(one["fk"]) for one in figures]
    assert F.tolist() == [float(one["Fk"]) for one in figures]
    assert approximate(f, F) == pytest.approx([float(one["risk"]) for one in figures], rel=1e-12)


values = st.sampled_from(["a", "b", None])


@given(st.lists(st.tuples(values, values, values, st.integers(1, 9)), min_size=1, max_size=12))
def test_rows_are_alike_that_agree_in_what_neither_misses(rows):
    lines = [row[:3] for row in rows]
    counts = Counter(lines)
    cells = cells_of(lines, ["x", "y", "z"])
    shown = [
        tuple(cells.domains[a][code] for a, code in enumerate(codes)) for codes in cells.codes.tolist()
    ]
    found = alike(cells, cells.counts)
    for combination, number in zip(shown, found.tolist(), strict=True):
        assert number == sum(
            many
            for other, many in counts.items()
            if all(None in pair or len(set(pair)) == 1 for pair in zip(combination, other, strict=True))
        )


def test_many_wide_columns_do_not_overflow_the_keys():
    """Twelve columns of 1,024 values: in 64 bits the first would no longer count."""
    rows = [(str(i),) * 12 for i in range(1024)]
    cells = cells_of([*rows, ("7", *rows[5][1:])], [f"c{a}" for a in range(12)])
    assert set(alike(cells, cells.counts).tolist()) == {1.0}


def pitman_population(rng, theta, alpha, people):
    """A population by Pitman's urn: a person joins a class in proportion to its size less alpha."""
    classes = [1]
    members = [0]
    for n in range(1, people):
        if rng.random() * (n + theta) < theta + alpha * len(classes):
            classes.append(1)
            members.append(len(classes) - 1)
            continue
        while True:  # a member at random; its class is kept with the chance 1 - alpha / size
            chosen = members[rng.integers(n)]
            if rng.random() < 1 - alpha / classes[chosen]:
                break
        classes[chosen] += 1
        members.append(chosen)
    return np.array(classes), np.array(members)


def drawn(rng, members, part):
    return np.bincount(rng.choice(members, int(part * len(members)), replace=False))


@pytest.mark.parametrize(("theta", "alpha"), [(50.0, 0.3), (200.0, 0.6)])
def test_pitmans_estimate_comes_near_in_populations_of_its_kind(theta, alpha):
    rng = np.random.default_rng(7)
    classes, members = pitman_population(rng, theta, alpha, 20_000)
    true = (classes == 1).sum() / len(members)
    sizes = drawn(rng, members, 0.1)
    found = population_uniqueness(sizes[sizes > 0], len(members))
    assert found.pitman == pytest.approx(true, rel=0.2)
    assert (found.rule, found.chosen) == (found.pitman, "pitman")


def test_the_slide_negative_binomial_estimate_comes_near_in_populations_of_its_kind():
    rng = np.random.default_rng(3)
    classes = 1 + rng.negative_binomial(0.6, 0.25, 15_000)
    members = np.repeat(np.arange(len(classes)), classes)
    true = (classes == 1).sum() / len(members)
    sizes = drawn(rng, members, 0.4)
    found = population_uniqueness(sizes[sizes > 0], len(members))
    assert found.snb == pytest.approx(true, rel=0.1)
    assert (found.rule, found.chosen) == (found.snb, "snb")


def test_zayatz_estimates_by_bayes_and_comes_near_in_large_samples():
    found = population_uniqueness([1, 1, 2], 8)  # half of eight: chances 1/2 and 4/7 to show one row
    assert found.zayatz == pytest.approx(2 * (2 * 0.5 / (2 * 0.5 + 4 / 7)) / 4)
    rng = np.random.default_rng(5)
    members = rng.choice(8000, 20_000, p=rng.dirichlet(np.full(8000, 0.5)))
    true = (np.bincount(members) == 1).sum() / len(members)
    sizes = drawn(rng, members, 0.8)
    assert population_uniqueness(sizes[sizes > 0], 20_000).zayatz == pytest.approx(true, rel=0.1)


def test_shlosser_estimates_the_classes_by_his_formula():
    # Four classes of one row, one of two, half of the population: 5 + 4 * (1.375 / 1.3125) * 0.9^2.
    assert _shlosser(np.array([1, 2]), np.array([4, 1]), 0.5) == pytest.approx(
        5 + 4 * 1.375 / 1.3125 * 0.81
    )


def test_estimates_of_samples_that_say_nothing():
    assert population_uniqueness([2, 2, 5], 90).to_dict()["dankar"] == {"share": 0.0, "by": "zayatz"}
    assert population_uniqueness([1, 3], 4).rule == 0.25  # everybody is in the sample
    alone = population_uniqueness([1] * 50, 5000)  # no pair to learn from
    assert (alone.pitman, alone.snb, alone.chosen) == (None, None, "zayatz")
    assert alone.zayatz == pytest.approx(1.0)


@settings(max_examples=examples(60))
@given(st.lists(st.integers(1, 40), min_size=1, max_size=40), st.floats(0.001, 1))
def test_every_estimate_is_a_share_or_none(sizes, part):
    found = population_uniqueness(sizes, sum(sizes) / part)
    assert 0 <= found.zayatz <= 1
    for share in (found.pitman, found.snb):
        assert share is None or 0 <= share <= 1
    assert found.rule in (found.zayatz, found.pitman, found.snb)


PEOPLE = {"age": ["1", "1", "2", "3"], "w": ["10", "30", "16", "0.5"], "sex": ["f", "f", None, "m"]}


def test_a_table_is_weighed_by_its_column_by_a_size_or_by_a_fraction():
    people = pa.table(PEOPLE)
    weighed = shoal.risk(people, quasi="age", sample_weight="w")
    assert weighed.sample.population == 40 + 16 + 1  # a row stands for itself at least
    assert weighed.sample.highest == 1
    assert weighed.sample.expected == pytest.approx(
        2 * float(precisely(2, 40)) + float(precisely(1, 16)) + 1
    )
    assert [one.rows for one in weighed.sample.above] == [1, 1, 2, 2, 4]
    assert [one.of_population for one in weighed.sample.above[1:3]] == [1 / 57, 17 / 57]
    by_size = shoal.risk(people, quasi="age", population_size=400).sample
    by_fraction = shoal.risk(people, quasi="age", sampling_fraction="1%").sample
    assert by_size.to_dict() | {"drawn": ""} == by_fraction.to_dict() | {"drawn": ""}
    assert (by_size.drawn, by_fraction.drawn) == ("population_size", "sampling_fraction")
    assert shoal.risk(people, quasi="age").sample is None


def test_a_missing_value_is_one_of_its_own_or_like_any_other():
    people = pa.table(PEOPLE)
    own = shoal.risk(people, quasi="sex", sampling_fraction=1)
    wild = shoal.risk(people, quasi="sex", sampling_fraction=1, missing="wildcard")
    assert (own.measured.uniques, wild.measured.uniques) == (2, 0)
    assert (own.measured.k, wild.measured.k) == (1, 2)
    assert [one.rows for one in wild.measured.sizes[:3]] == [0, 1, 3]
    assert wild.measured.prosecutor.average == pytest.approx((2 / 3 + 1 / 4 + 1 / 2) / 4)
    assert wild.sample.average == pytest.approx(wild.measured.prosecutor.average)
    assert (own.to_dict()["missing"], wild.to_dict()["missing"]) == ("value", "wildcard")


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        ({"sample_weight": "w", "population_size": 9}, "keep one"),
        ({"sampling_fraction": "2"}, "at most 1"),
        ({"population_size": 3}, "fewer than the table has rows"),
        ({"sample_weight": "age"}, "quasi and the weight"),
        ({"sample_weight": "sex"}, "missing|not a number"),
        ({"missing": "wildcard", "population": pa.table(PEOPLE)}, "leave the population out"),
    ],
)
def test_what_cannot_be_said_of_a_sample_is_refused(asked, refusal):
    with pytest.raises(InputError, match=refusal):
        shoal.risk(pa.table(PEOPLE), quasi="age", **asked)


def test_a_study_says_how_its_table_was_drawn_and_the_command_may_say_otherwise(tmp_path, shoal):
    (tmp_path / "people.csv").write_text("age,w\n1,10\n1,30\n2,16\n3,4\n", encoding="utf-8")
    (tmp_path / "study.yaml").write_text(
        "table: people.csv\nsample_weight: w\n"
        "attributes:\n  age: {role: quasi, hierarchy: {mask: {digits: 1}}}\n",
        encoding="utf-8",
    )
    status, out, _ = shoal("risk", tmp_path / "study.yaml", "--json")
    document = json.loads(out)
    assert (status, document["sample"]["population"]) == (0, 60.0)
    assert "prosecutor" in document["assumptions"]
    status, out, _ = shoal("risk", tmp_path / "study.yaml", "--population-size", 400)
    assert status == 0
    assert "these 4 rows stand for 400 persons" in " ".join(out.split())
    assert "Dankar's rule takes" in out


def test_a_class_whose_rows_stand_for_less_than_themselves_is_the_prosecutors():
    assert individual_risk([4], [2.0]).tolist() == [0.25]
    found = measure_sample("sample_weight", [4, 1], [2.0, 1.0])
    assert (found.highest, found.expected, found.population) == (1.0, 2.0, 5.0)


def test_attackers_look_for_persons_where_a_person_has_several_rows(tmp_path, shoal):
    """A patient with three visits is no crowd of three."""
    visits = "age,who,w\n" + "31,a,10\n" * 3 + "42,b,10\n42,c,30\n42,c,30\n"
    (tmp_path / "visits.csv").write_text(visits, encoding="utf-8")
    asked = ("risk", tmp_path / "visits.csv", "--quasi", "age")
    status, out, _ = shoal(*asked, "--json")
    assert (status, json.loads(out)["k"], json.loads(out)["persons"]) == (0, 3, None)
    status, out, notices = shoal(*asked, "--persons", "who", "--weights", "w", "--json")
    found = json.loads(out)
    assert (status, found["k"], found["uniques"], found["persons"]) == (0, 1, 1, 3)
    assert "persons have several rows" not in notices  # nothing counts rows in their place
    assert found["prosecutor"]["highest"] == 1
    assert found["prosecutor"]["average"] == pytest.approx((3 * 1 + 3 / 2) / 6)
    # One person who stands for 10, and two who stand for 2 / 3 of 70.
    risks = float(precisely(1, 10)), float(precisely(2, 140 / 3))
    assert found["sample"]["highest"] == pytest.approx(risks[0])
    assert found["sample"]["expected_reidentifications"] == pytest.approx(risks[0] + 2 * risks[1])
    text = shoal(*asked, "--persons", "who")[1]
    assert "6 rows about 3 persons in 2 classes; 1 of these hold the rows of one person" in " ".join(
        text.split()
    )
    (tmp_path / "study.yaml").write_text(
        "table: visits.csv\npersons: who\n"
        "attributes:\n  age: {role: quasi, hierarchy: {mask: {digits: 2}}}\n",
        encoding="utf-8",
    )
    assert json.loads(shoal("risk", tmp_path / "study.yaml", "--json")[1])["k"] == 1
    refused = shoal(*asked, "--persons", "who", "--missing", "wildcard")
    assert (refused[0], "wildcards count rows" in refused[2]) == (2, True)
