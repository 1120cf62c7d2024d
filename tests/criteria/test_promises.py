"""Several criteria about several columns: asked for, released, verified, and written down."""

from __future__ import annotations

import html
import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.answers.recoding import Decision, NodeRecoding, Scheme
from shoal.cli import main
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import (
    Distance,
    DistanceKind,
    PopulationCounts,
    Presence,
    Promise,
    Recursive,
    ShareLimits,
)
from shoal.errors import InputError
from shoal.present.promises import promises as promises_of
from shoal.present.report.html import render_report
from shoal.questions.promised import promise_of
from shoal.questions.searches import AlgorithmQuestion
from shoal.verification import verify_release, verify_table
from tests.criteria.definitions import DISTANCES, ORDER, TREE, shares, tables, values
from tests.examples import examples
from tests.release.test_publish import valid
from tests.strategies import hierarchies

names = st.sampled_from(["s", "t", "ill"])
labels = st.sampled_from(["a", "b", None])


@st.composite
def promises(draw):
    return Promise(
        draw(st.none() | st.integers(1, 9)),
        draw(st.none() | st.integers(1, 9)),
        draw(st.dictionaries(names, st.builds(ShareLimits, st.none() | shares), max_size=2)),
        draw(st.dictionaries(names, shares, max_size=2)),
        draw(st.dictionaries(names, st.sampled_from(DISTANCES), max_size=2)),
        draw(st.dictionaries(names, st.fractions(1, 9), max_size=2)),
        draw(
            st.dictionaries(
                names,
                st.builds(Recursive, st.fractions(Fraction(1, 9), 9), st.integers(1, 9)),
                max_size=2,
            )
        ),
        draw(st.none() | st.integers(1, 9)),
        draw(st.none() | st.just(Presence(Fraction(1, 9), Fraction(2, 3)))),
        draw(
            st.none()
            | st.builds(
                PopulationCounts,
                st.just("town.csv"),
                st.none() | st.just("0" * 64),
                st.integers(0, 99),
                st.none() | st.dictionaries(st.tuples(labels, labels), st.integers(0, 9), max_size=3),
            )
        ),
        draw(st.sampled_from([(), ("s",), ("s", "t")])),
    )


@given(promises())
def test_a_promise_is_read_as_it_was_written(promise):
    document = json.loads(json.dumps(promise.to_dict()))
    assert Promise.from_dict(document) == promise


def test_documents_of_earlier_promises_are_as_they_were():
    promise = Promise(5, 2, {"job": ShareLimits(Fraction(1, 2))}, {"job": Fraction(1, 5)})
    assert promise.to_dict() == {
        "k": 5,
        "l": 2,
        "theta": {"job": {"uniform": "1/2", "values": {}}},
        "t": {"job": "1/5"},
    }


@st.composite
def studies(draw):
    """A table of one quasi column and two sensitive ones; these have hierarchies, or a stated order."""
    tree = draw(hierarchies(most_leaves=4, most_levels=3))
    groups = draw(tables(most_groups=4, most_rows=5))
    rows = [
        (draw(st.sampled_from(tree.leaves)), value, draw(values)) for group in groups for value in group
    ]
    columns = zip("qst", zip(*rows, strict=True), strict=True)
    table = pa.table({name: pa.array(column, pa.string()) for name, column in columns})
    return Study(table, quasi={"q": tree}, sensitive={"s": Hierarchy.from_rows(TREE), "t": list(ORDER)})


questions = st.fixed_dictionaries(
    {},
    optional={
        "k": st.integers(1, 3),
        "l": st.integers(1, 2),
        "theta": shares,
        "t": shares,
        "entropy_l": st.fractions(1, 2, max_denominator=3),
        "recursive_l": st.tuples(st.fractions(1, 3, max_denominator=2), st.integers(1, 2)),
    },
).filter(bool)


@settings(max_examples=examples(30), deadline=None)
@given(studies(), questions, st.sampled_from(["equal", "ordered", "hierarchical", "both"]), st.data())
def test_what_is_released_keeps_everything_at_once_on_every_node(study, asked, distance, data):
    if "t" in asked:
        asked["distance"] = {"s": "hierarchical", "t": "ordered"} if distance == "both" else distance
    about = asked.keys() - {"k"}
    if about:
        asked["sensitive"] = data.draw(st.sampled_from([(), ("s",), ("t", "s")]))
    if distance == "hierarchical" and "t" in asked:  # t has an order only
        asked["sensitive"] = "s"
    if distance == "both" and "t" in asked:
        asked["sensitive"] = ()
    with study:
        promise = promise_of(study.material(), AlgorithmQuestion(**asked))
        level = data.draw(st.integers(0, study.hierarchy("q").height))
        release = study.release(Decision(NodeRecoding({"q": level}), promise), seed=1)
        if release.treatment.released_rows:
            # The release raises unless verification, which counts for itself, finds it kept.
            rows, verdict = release.verified_table()
            assert verdict.holds
            written = Promise.from_dict(json.loads(json.dumps(release.certificate["promise"])))
            assert verify_table(rows, written, ["q"], ["s", "t"]).holds


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Twelve patients; ills have a hierarchy, grades a stated order, pay is a number."""
    path: Path = tmp_path_factory.mktemp("promises")
    ills = ["flu", "cold", "gout", "flu", "gout", "cold", "flu", "gout", "cold", "flu", "cold", "gout"]
    grades = ["low", "high", "mid"] * 4
    lines = [
        f"{20 + i},{ill},{grade},{1000 + 100 * (i % 5)}"
        for i, (ill, grade) in enumerate(zip(ills, grades, strict=True))
    ]
    (path / "patients.csv").write_text("age,ill,grade,pay\n" + "\n".join(lines) + "\n")
    (path / "ill.csv").write_text("flu;lungs;*\ncold;lungs;*\ngout;joints;*\nhiv;blood;*\n")
    (path / "study.yaml").write_text(
        "table: patients.csv\nattributes:\n"
        "  age: {role: quasi, hierarchy: {intervals: {widths: [4, 12]}}}\n"
        "  ill: {role: sensitive, hierarchy: ill.csv}\n"
        "  grade: {role: sensitive, order: [low, mid, high]}\n"
        "  pay: {role: sensitive}\n"
    )
    return path


class Done(NamedTuple):
    """A command's exit status, and what it wrote."""

    status: int
    out: str
    err: str


@pytest.fixture
def shoal(monkeypatch, capsys):
    def run(*words) -> Done:
        monkeypatch.setattr(sys, "argv", ["shoal", *map(str, words)])
        with pytest.raises(SystemExit) as done:
            main()
        return Done(done.value.code, *capsys.readouterr())

    return run


def test_the_command_line_goes_from_every_criterion_to_a_verified_release(folder, shoal):
    asked = shoal(
        "anonymize", folder / "study.yaml", "--algorithm", "mingen", "--k", 3, "--t", "0.6",
        "--distance", "ordered", "--entropy-l", "1.5", "--recursive-l", "3,2", "--l", 2, "--theta", "3/4",
        "--sensitive", "grade", "--sensitive", "pay", "--save", folder / "answer.json", "--force",
    )  # fmt: skip
    assert asked.status == 0, asked.err
    out = folder / "out.csv"
    made = shoal(
        "release", folder / "study.yaml", "--solution", folder / "answer.json", "-o", out, "--force"
    )
    assert made.status == 0, made.err
    certificate = json.loads((folder / "out.csv.certificate.json").read_text())
    valid(certificate, "certificate.schema.json")
    valid(json.loads((folder / "out.csv.record.json").read_text()), "record.schema.json")
    assert certificate["promise"] == {
        "k": 3,
        "l": 2,
        "about": ["grade", "pay"],
        "theta": {name: {"uniform": "3/4", "values": {}, "of_known": True} for name in ("grade", "pay")},
        "t": dict.fromkeys(["grade", "pay"], "3/5"),
        "distances": {
            "grade": {"kind": "ordered", "order": ["low", "mid", "high"]},
            "pay": {"kind": "ordered"},
        },
        "entropy_l": dict.fromkeys(["grade", "pay"], "3/2"),
        "recursive_l": {name: {"c": "3", "l": 2} for name in ("grade", "pay")},
    }
    assert shoal("verify", out).status == 0
    page = (folder / "out.csv.public.html").read_text()
    for sentence in (
        "In every group, grade has at least 2 different values",
        "No value of pay makes up more than 3/4",
        "In every group, pay is at least as hard to guess as among 3/2 equally frequent values",
        "the most frequent value of grade has fewer rows than 3 times all but the most frequent value",
        "at a distance of at most 3/5, where values are as far apart as in their order",
    ):
        assert sentence in page


def test_any_table_is_checked_for_every_criterion(folder, shoal):
    groups = folder / "groups.csv"
    groups.write_text("age,ill\na,flu\na,cold\na,gout\nb,flu\nb,gout\nb,gout\n")
    town = folder / "town.csv"
    town.write_text("age\n" + "a\n" * 6 + "b\n" * 4 + "c\n")
    base = ["verify", groups, "--quasi", "age", "--sensitive", "ill", "--json"]

    def failures(*words):
        done = shoal(*base, *words)
        document = json.loads(done.out)
        assert done.status == (0 if document["holds"] else 1)
        return [failure.split(":")[0] for failure in document["failures"]]

    # b: entropy of (2, 1) is that of 1.889 values; r = (2, 1) keeps (c, 2) for c > 2.
    assert failures("--entropy-l", "1.88", "--recursive-l", "2.1,2") == []
    assert failures("--entropy-l", "1.89", "--recursive-l", "2,2") == ["entropy l", "recursive l"]
    # The table is (flu 2, cold 1, gout 3) / 6; a is 1/6 from it, and b too.
    assert failures("--t", "1/6") == []
    assert failures("--t", "0.16") == ["t"]
    tree = ["--distance", "hierarchical", "--hierarchy", folder / "ill.csv"]
    # b: flu 1/6 too much, cold 1/6 too little... of the lungs 1/6 goes to gout, over the root.
    assert failures("--t", "1/6", *tree) == []
    assert failures("--t", "0.16", *tree) == ["t"]
    assert failures("--t", "1/6", "--distance", "ordered", "--order", "flu,gout,cold") == []
    assert failures("--k-map", 4, "--delta", "1/3,3/4", "--population", town) == ["delta"]  # c is absent
    assert failures("--k-map", 5, "--delta", "0,3/4", "--population", town) == ["k-map"]
    assert failures("--delta", "0,0.74", "--population", town) == ["delta"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--t", "0.1", "--distance", "near"], "unknown distance 'near'"),
        (["--t", "0.1", "--distance", "hierarchical"], "a hierarchy go together"),
        (["--t", "0.1", "--distance", "ordered"], "'cold' is not a number"),
        (["--t", "0.1", "--order", "a,b"], "an order is for the distance ordered"),
        (["--entropy-l", "0.5"], "--entropy-l is 0.5; use 1 or more"),
        (["--recursive-l", "3"], "--recursive-l is '3'; write it as C,L"),
        (["--recursive-l", "0,2"], "recursive c is 0; use more than 0"),
        (["--recursive-l", "1,x"], "recursive l is 'x'"),
        (["--delta", "0,1"], "name its table as population"),
        (["--k-map", "0"], "--k-map is 0; use a whole number, 1 or more"),
    ],
)
def test_bad_checks_are_refused_in_one_line(folder, shoal, words, message):
    done = shoal("verify", folder / "patients.csv", "--quasi", "age", "--sensitive", "ill", *words)
    assert done.status == 2
    assert message in done.err
    assert len(done.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "nothing is to be promised"),
        ({"k": 2, "distance": "ordered"}, "a distance is about t"),
        ({"k": 2, "sensitive": "ill"}, "nothing is promised of it"),
        ({"l": 2, "sensitive": "il"}, "'il' is no sensitive column; did you mean ill"),
        ({"t": 0.1, "distance": "ordered"}, "'ill': the value 'cold' is not a number"),
        ({"t": 0.1, "distance": "hierarchical"}, "needs a hierarchy of 'grade'"),
        ({"t": 0.1, "distance": {"age": "ordered"}}, "a distance of 'age', of which no t is promised"),
        ({"t": 2}, "t 2 is not between 0 and 1"),
        ({"entropy_l": "x"}, "entropy_l 'x' is not a number"),
        ({"recursive_l": "2"}, "recursive_l is '2'; write it as C,L"),
        ({"delta": "0,1"}, "need a population"),
        ({"k_map": True}, "k_map is True"),
    ],
)
def test_bad_questions_are_refused(folder, asked, message):
    with Study.open(folder / "study.yaml") as study, pytest.raises(InputError, match=message):
        study.anonymize("mingen", **asked)


def test_values_without_a_place_are_refused_before_anything_is_searched(folder):
    def refused(sensitive, **asked):
        study = Study(
            folder / "patients.csv", quasi={"age": {"mask": {"digits": 2}}}, sensitive=sensitive
        )
        with study, pytest.raises(InputError) as problem:
            study.anonymize("mingen", t=0.5, **asked)
        return str(problem.value)

    short = Hierarchy.from_rows([("flu", "*"), ("cold", "*")])
    assert "'ill': the value 'gout' has no place in the hierarchy" in refused(
        {"ill": short}, distance="hierarchical"
    )
    assert "'grade': the value 'mid' has no place in the stated order" in refused(
        {"grade": ["low", "high"]}, distance="ordered"
    )


def test_a_quasi_column_has_one_value_a_group_so_nothing_is_promised_of_it():
    table = pa.table({"q": ["a", "b"], "s": ["x", "y"]})
    tree = Hierarchy.from_rows([("a", "*"), ("b", "*")])
    with Study(table, quasi={"q": tree}, sensitive=["q", "s"]) as study:
        with pytest.raises(InputError, match="'q' is quasi and sensitive"):
            study.anonymize("mingen", l=2)
        assert study.anonymize("mingen", l=2, sensitive="s").k == 2


@pytest.mark.parametrize("scheme", [Scheme.VIO_REC, Scheme.ALL_SA, Scheme.VIO_SA])
def test_schemes_that_keep_part_of_a_bad_group_keep_k_l_and_shares_alone(folder, scheme):
    with Study.open(folder / "study.yaml") as study:
        for promise in (
            Promise(entropy={"ill": Fraction(2)}),
            Promise(recursive={"ill": Recursive(Fraction(2), 2)}),
            Promise(t={"ill": Fraction(1, 2)}),
        ):
            decision = Decision(NodeRecoding({"age": 1}), promise, scheme)
            with pytest.raises(InputError, match="use allRec"):
                study.release(decision).treatment  # noqa: B018


def test_a_value_that_nobody_released_has_is_not_in_the_certificate(folder):
    """The hierarchy of ills has hiv; the released rows have none, and the public learns of none."""
    with Study.open(folder / "study.yaml") as study:
        answer = study.anonymize("mingen", t="1/2", distance="hierarchical", sensitive="ill")
        certificate = study.release(answer).certificate
    rows = certificate["promise"]["distances"]["ill"]["rows"]
    assert sorted(row[0] for row in rows) == ["cold", "flu", "gout"]


def test_certificates_with_fewer_figures_still_verify_and_wrong_ones_do_not(folder):
    with Study.open(folder / "study.yaml") as study:
        study.release(study.anonymize("mingen", k=3), seed=1).write(folder / "plain.csv", force=True)
    path = folder / "plain.csv.certificate.json"
    document = json.loads(path.read_text())
    for spread in document["measured"]["sensitive"].values():
        for name in ("entropy_l", "recursive_c", "disclosure"):
            del spread[name]
    path.write_text(json.dumps(document))
    assert verify_release(folder / "plain.csv").holds
    document["measured"]["sensitive"]["ill"]["entropy_l"] = "9.000"
    path.write_text(json.dumps(document))
    assert verify_release(folder / "plain.csv").failures == (
        "measured: the figures are not the certified ones",
    )


def test_a_value_that_the_certified_order_lacks_is_a_failure_not_an_accident(folder, shoal):
    with Study.open(folder / "study.yaml") as study:
        answer = study.anonymize("mingen", t="1/2", distance="ordered", sensitive="grade")
        study.release(answer, seed=1).write(folder / "graded.csv", force=True)
    text = (folder / "graded.csv").read_text()
    (folder / "graded.csv").write_text(text.replace("mid", "none", 1))
    done = shoal("verify", folder / "graded.csv")
    assert done.status == 1
    assert "BROKEN promise: the value 'none' has no place in the stated order" in done.out


def test_disarmed_cells_keep_their_places():
    """A spreadsheet would run these labels and values; with an apostrophe before them they are the same."""
    table = pa.table({"q": ["a", "a", "b", "b"], "s": ["=x", "=y", "=x", "=y"], "t": ["@1", "@2"] * 2})
    tree = Hierarchy.from_rows([("a", "-a", "*"), ("b", "-b", "*")])
    ills = Hierarchy.from_rows([("=x", "*"), ("=y", "*")])
    study = Study(table, quasi={"q": tree}, sensitive={"s": ills, "t": ["@1", "@2"]}, population=table)
    with study:
        far = {"s": Distance(DistanceKind.HIERARCHICAL, rows=tuple(ills.rows()))}
        far["t"] = Distance(DistanceKind.ORDERED, order=("@1", "@2"))
        promise = Promise(t=dict.fromkeys("st", Fraction(0)), distances=far, k_map=2)
        decision = Decision(NodeRecoding({"q": 1}), promise)
        rows, verdict = study.release(decision, seed=1, spreadsheet_safe=True).verified_table()
    assert set(rows["q"].to_pylist()) == {"'-a", "'-b"}
    assert set(rows["s"].to_pylist()) == {"'=x", "'=y"}
    assert verdict.measured.population.smallest == 2


def test_every_promise_is_worded_and_its_breach_is_seen():
    facts = {
        "roles": {"q": ["quasi"], "s": ["sensitive"]},
        "columns": ["q", "s"],
        "promise": {
            "entropy_l": {"s": "3"},
            "recursive_l": {"s": {"c": "2", "l": 3}},
            "t": {"s": "1/10"},
            "k_map": 9,
            "delta": {"low": "0", "high": "1/10"},
        },
        "measured": {
            "sensitive": {"s": {"l": 2, "entropy_l": "1.500", "recursive_c": "1", "t": "1/2"}},
            "population": {"smallest": 2, "lowest": "0", "highest": "1/2"},
        },
    }
    lines = promises_of(facts)
    assert [line.kept for line in lines] == [False] * 5
    page = render_report(facts, public=True)
    for line in lines:
        assert html.escape(line.promise) in page
        assert html.escape(line.measured) in page
    facts["measured"] = {
        "sensitive": {"s": {"l": 4, "entropy_l": "3.000", "recursive_c": "1", "t": "1/10"}},
        "population": {"smallest": 9, "lowest": "0", "highest": "1/10"},
    }
    assert [line.kept for line in promises_of(facts)] == [True] * 5
    facts["measured"] = {}
    assert [line.kept for line in promises_of(facts)] == [None] * 5


def test_distances_are_of_a_known_kind():
    assert [DistanceKind.of(word) for word in ("equal", "ordered", "hierarchical")] == list(DistanceKind)
    assert Distance.from_dict({"kind": "equal"}) == Distance()


@pytest.mark.parametrize(
    ("dates", "hierarchy"),
    [
        (["30/01/2024", "02/03/2024", "03/02/2024", "12/12/2023"], None),
        (["01/02/2024", "02/03/2024", "03/02/2024", "12/11/2023"], "dd/mm/yyyy"),
    ],
)
def test_dates_in_local_forms_are_as_far_apart_as_in_their_order(tmp_path, dates, hierarchy):
    # The first date is suppressed with its row, after which nobody could tell the form of the others.
    table = pa.table(
        {"q": ["a", *["b", "c"] * 3], "day": [dates[0], *[d for d in dates[1:] for _ in "bc"]]}
    )
    tree = Hierarchy.from_rows([("a", "a", "*"), ("b", "x", "*"), ("c", "x", "*")])
    described = {"dates": {"units": ["year"], "format": hierarchy}} if hierarchy else None
    with Study(table, quasi={"q": tree}, sensitive={"day": described}) as study:
        found = study.anonymize("mingen", k=3, t="1/2", distance="ordered", suppress=1)
        release = study.release(found)
        release.write(tmp_path / "out.csv")
        promised = release.certificate["promise"]["distances"]["day"]
    assert promised == {"kind": "ordered", "order": [dates[3], dates[2], dates[1]]}
    assert verify_release(tmp_path / "out.csv").holds
