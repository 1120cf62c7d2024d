"""Populations: counted in nodes and releases as loops over rows count them, and verified from papers."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.answers.recoding import CutRecoding, Decision, NodeRecoding
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import Presence, Promise
from shoal.errors import InputError, NoSolutionError
from shoal.search.lattice.classes import NodeClasses
from shoal.verification import verify_release
from tests.examples import examples
from tests.release.cases import cuts
from tests.strategies import hierarchies

NAMES = ("q0", "q1")


@st.composite
def cases(draw):
    """A table, a population with values of its own, some of which no hierarchy knows, and hierarchies."""
    trees = {name: draw(hierarchies(most_leaves=4, most_levels=3)) for name in NAMES}
    known = {name: st.sampled_from(tree.leaves) | st.none() for name, tree in trees.items()}
    wild = {name: values | st.just("nowhere") for name, values in known.items()}
    rows = draw(st.lists(st.tuples(*(known[name] for name in NAMES)), min_size=1, max_size=8))
    others = draw(st.lists(st.tuples(*(wild[name] for name in NAMES)), max_size=8))
    return trees, rows, rows + others


def table_of(rows):
    columns = {name: [row[a] for row in rows] for a, name in enumerate(NAMES)}
    columns["s"] = ["x"] * len(rows)
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def study_of(trees, rows, population):
    return Study(table_of(rows), quasi=trees, sensitive="s", population=table_of(population))


def shown(tree, level, value):
    """What a value is released as; None stays itself until the root, an unknown one is nothing else."""
    for row in tree.rows():
        if row[0] == value:
            return row[level]
    return tree.labels[-1][0] if level == tree.height else (value and f"unknown {value}")


@settings(max_examples=examples(20), deadline=None)
@given(cases())
def test_every_node_counts_the_population_as_a_loop_over_its_rows_does(case):
    trees, rows, population = case
    with study_of(trees, rows, population) as study:
        problem, tally = study.problem(), study.tally()
        classes = NodeClasses(problem, tally, (), study.population())
        for node in product(*(range(tree.height + 1) for tree in trees.values())):
            key = [
                tuple(shown(trees[n], level, v) for n, level, v in zip(NAMES, node, row, strict=True))
                for row in population
            ]
            mine = key[: len(rows)]
            crowd = Counter(key)
            expected = sorted((count, crowd[labels]) for labels, count in Counter(mine).items())
            found = classes.at(node).groups
            pairs = zip(found.sizes.tolist(), found.population.tolist(), strict=True)
            assert sorted(pairs) == expected
            decision = Decision(NodeRecoding(dict(zip(NAMES, node, strict=True))), Promise(k_map=1))
            treatment = study.release(decision).treatment
            assert treatment.crowds.tolist() == [crowd[labels] for labels in treatment.labels]


@settings(max_examples=examples(20), deadline=None)
@given(cases(), st.data())
def test_a_cut_counts_the_population_as_a_loop_over_its_rows_does(case, data):
    trees, rows, population = case
    whole = {
        name: tree.with_missing() if any(row[a] is None for row in rows) else tree
        for a, (name, tree) in enumerate(trees.items())
    }
    cut = {name: tuple(data.draw(cuts(tree.tree()))) for name, tree in whole.items()}

    def label(name, value):
        for row in whole[name].rows():
            if row[0] == value:
                return next(one for one in cut[name] if one in row)
        alone = set(cut[name]) == {whole[name].labels[-1][0]}
        return cut[name][0] if alone else f"unknown {value}"

    crowd = Counter(tuple(label(n, v) for n, v in zip(NAMES, row, strict=True)) for row in population)
    with study_of(trees, rows, population) as study:
        treatment = study.release(Decision(CutRecoding(cut), Promise(k_map=1))).treatment
        assert treatment.crowds.tolist() == [crowd[labels] for labels in treatment.labels]


AGES = Hierarchy.from_rows([(str(age), f"{age // 10}0s", "*") for age in range(20, 50)])


@pytest.fixture
def folder(tmp_path):
    """A clinic of 30 persons in a town of 120, and a study of it."""
    rng = np.random.default_rng(3)
    ages = [str(age) for age in rng.integers(20, 50, 120)]
    town = pa.table({"age": ages, "sex": [str(s) for s in rng.choice(["M", "F"], 120)]})
    clinic = town.slice(0, 30).append_column("ill", pa.array(["flu", "cold", "gout"] * 10))
    for name, table in (("town", town), ("clinic", clinic)):
        rows = [
            table.column_names,
            *zip(*(table[c].to_pylist() for c in table.column_names), strict=True),
        ]
        (tmp_path / f"{name}.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    (tmp_path / "age.csv").write_text("".join(";".join(row) + "\n" for row in AGES.rows()))
    (tmp_path / "study.yaml").write_text(
        "table: clinic.csv\npopulation: town.csv\nattributes:\n"
        "  age: {role: quasi, hierarchy: age.csv}\n"
        "  sex: {role: quasi, hierarchy: {mask: {digits: 1}}}\n"
        "  ill: {role: sensitive}\n"
    )
    return tmp_path


def test_a_release_says_how_many_of_the_population_fit_each_group(folder):
    with Study.open(folder / "study.yaml") as study:
        answer = study.anonymize("mingen", k_map=10, delta=(0, "1/2"), suppress="20%")
        study.release(answer, seed=1).write(folder / "out.csv")
        again = study.release(json.loads(answer.to_json()), seed=1).write(folder / "again.csv")
    certificate = json.loads((folder / "out.csv.certificate.json").read_text())
    promise, measured = certificate["promise"], certificate["measured"]["population"]
    assert (promise["k_map"], promise["delta"]) == (10, {"low": "0", "high": "1/2"})
    assert (promise["population"]["file"], promise["population"]["rows"]) == ("town.csv", 120)
    crowds = [count for _, count in promise["population"]["groups"]]
    assert measured["smallest"] == min(crowds) >= 10
    assert Fraction(measured["highest"]) <= Fraction(1, 2)
    assert verify_release(folder / "out.csv").holds
    assert verify_release(again.path).holds
    public = (folder / "out.csv.public.html").read_text()
    assert "At least 10 persons of the population fit every group" in public
    assert "with a chance between 0% and 1/2 (50%)" in public


def test_papers_that_claim_a_larger_population_than_promised_are_found_out(folder):
    with Study.open(folder / "study.yaml") as study:
        study.release(study.anonymize("mingen", k_map=10), seed=1).write(folder / "out.csv")
    path = folder / "out.csv.certificate.json"
    document = json.loads(path.read_text())
    document["promise"]["population"]["groups"][0][1] = 3
    path.write_text(json.dumps(document))
    failures = verify_release(folder / "out.csv").failures
    assert any(failure.startswith("k-map: 3 rows of the population") for failure in failures)
    assert any(failure.startswith("measured") for failure in failures)
    del document["promise"]["population"]["groups"][0]
    path.write_text(json.dumps(document))
    assert any("k-map: 0 rows" in failure for failure in verify_release(folder / "out.csv").failures)
    del document["promise"]["population"]
    path.write_text(json.dumps(document))
    assert "need the population's rows" in verify_release(folder / "out.csv").failures[0]


def test_groups_of_the_population_have_a_label_for_each_column(folder):
    with Study.open(folder / "study.yaml") as study:
        study.release(study.anonymize("mingen", k_map=10), seed=1).write(folder / "out.csv")
    path = folder / "out.csv.certificate.json"
    document = json.loads(path.read_text())
    document["promise"]["population"]["groups"][0][0].append("M")
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="wrong number of columns"):
        verify_release(folder / "out.csv")


def test_a_record_finds_its_population_again_and_refuses_another(folder):
    from shoal.again import apply, remake

    with Study.open(folder / "study.yaml") as study:
        study.release(study.anonymize("mingen", k_map=10), seed=1).write(folder / "out.csv")
    remade = remake(folder / "out.csv.record.json", folder / "again.csv")
    assert remade.path.read_bytes() == (folder / "out.csv").read_bytes()
    reused = apply(folder / "out.csv.record.json", folder / "clinic.csv", folder / "new.csv")
    assert verify_release(reused.published.path).holds
    with (folder / "town.csv").open("a") as town:
        town.write("20,M\n")
    with pytest.raises(InputError, match="not the one that the promise is about"):
        remake(folder / "out.csv.record.json", folder / "third.csv")


def test_what_cannot_be_compared_with_a_population_is_refused(folder):
    with Study.open(folder / "study.yaml") as study:
        with pytest.raises(NoSolutionError):  # there are 120 in town
            study.anonymize("mingen", k_map=121)
        with pytest.raises(NoSolutionError):  # a quarter of the town is in the table, more or less
            study.anonymize("mingen", delta="0,1/10")
        with pytest.raises(InputError, match="choose a full-domain one, such as mingen"):
            study.anonymize("top-down", k_map=5)
    for population, message in (
        (None, "name its table"),
        (folder / "age.csv", "the population has no column 'age'"),
    ):
        study = Study(folder / "clinic.csv", quasi={"age": AGES}, population=population)
        with study, pytest.raises(InputError, match=message):
            study.anonymize("mingen", k_map=5)


def test_a_low_chance_can_be_promised_where_nobody_is_surely_absent(folder):
    """All of the town falls into the one group of 30 in 120; suppressing or splitting would tell."""
    with Study.open(folder / "study.yaml") as study:
        answer = study.anonymize("mingen", delta=("1/5", "1/3"), suppress="50%")
        assert study.release(answer, seed=1).verified_table()[1].holds
        delta = Presence(Fraction(1, 5), Fraction(1, 3))
        for node in product(range(3), range(2)):
            levels = dict(zip(("age", "sex"), node, strict=True))
            decision = Decision(
                NodeRecoding(levels), Promise(delta=delta, population=study.population().named)
            )
            treatment = study.release(decision).treatment
            if treatment.deleted:
                assert treatment.released_rows == 0
