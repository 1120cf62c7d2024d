"""Optimizing as a curator asks for it: wishes, answers, reasons, and the release of what was found."""

from __future__ import annotations

import json
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.answering import best_cut
from shoal.answering.best_cut import pose
from shoal.answers.recoding import Scheme
from shoal.answers.solution import CutSolution
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import ShareLimits
from shoal.errors import InputError, NoSolutionError
from shoal.metrics.on_cuts import CutMetric
from shoal.questions.searches import OptimizeQuestion
from shoal.running.clock import Clock
from shoal.verification.release_check import verify_release
from tests.examples import examples
from tests.release.cases import study_of, tables
from tests.search.cuts.cases import Case
from tests.search.cuts.oracle import all_cuts, price

CUTS = ("age-band", "education", "native-country", "workclass", "marital-status", "sex", "race")
LETTERS = Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")])


def small(rows, **more):
    """A study of rows of a letter, an illness and an outcome."""
    columns = dict(zip(("letter", "illness", "outcome"), zip(*rows, strict=True), strict=True))
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    roles = {"sensitive": "illness", "class_": "outcome"} | more
    return Study(table, quasi={"letter": LETTERS}, **roles)


def letters(text):
    """Rows from words such as `aflu`: the letter, then the illness."""
    return [(word[0], word[1:] or None, "well") for word in text.split()]


@pytest.fixture(scope="module")
def cuts(adult):
    quasi = {name: adult / "cuts-356440500" / f"{name}.csv" for name in CUTS}
    with Study(
        adult / "adult.csv", quasi=quasi, sensitive="occupation", class_="salary-class"
    ) as opened:
        yield opened


@pytest.mark.parametrize(
    ("metric", "scheme", "cost"),
    [
        ("LM", "NoSupp", 230_917.5),
        ("LM", "allRec", 168_193.425),
        ("LM", "vioRec", 96_026.18),
        ("DM", "NoSupp", 133_003_186.0),
        ("DM", "allRec", 124_994_556.0),
        ("DM", "vioRec", 91_058_234.0),
        ("CM", "NoSupp", 10_503.0),
        ("CM", "allRec", 10_364.0),
        ("CM", "vioRec", 8_504.0),
    ],
)
def test_questions_of_the_paper_are_answered_and_proven(cuts, metric, scheme, cost):
    best = cuts.optimize(l=4, metric=metric, scheme=scheme)
    assert best.optimal
    assert (best.gap, best.lower_bound) == (0.0, best.cost)
    assert best.space == 356_440_500
    assert best.rows == 45_222
    assert best.cost == pytest.approx(cost, rel=1e-4)
    assert best.examined < best.space / 1000


def test_an_answer_about_adult_is_released_and_verified(cuts, tmp_path):
    for scheme in ("allRec", "vioSA"):
        best = cuts.optimize(l=5, k=10, scheme=scheme, time_limit=20, gap=0.02)
        out = cuts.release(best, seed=1).write(tmp_path / f"{scheme}.csv").path
        assert verify_release(out).holds
        record = json.loads((tmp_path / f"{scheme}.csv.record.json").read_text())
        assert record["suppressed"]["rows"] == best.suppressed_records
        assert record["suppressed"]["values"] == best.suppressed_values


@settings(max_examples=examples(60))
@given(
    given=tables(most_rows=16),
    scheme=st.sampled_from(list(Scheme)),
    metric=st.sampled_from(["LM", "DM", "CM"]),
    uniform=st.sampled_from([None, "1/2", "1/3", "0.4", "1"]),
    gout=st.sampled_from([None, "0.5", "0.1"]),
    k=st.sampled_from([None, 2, 3]),
)
def test_what_is_found_is_what_is_released(given, scheme, metric, uniform, gout, k):
    table, trees = given
    if scheme in (Scheme.ALL_SA, Scheme.VIO_SA):
        metric = "LM"
    if (uniform, gout, k) == (None, None, None) or (gout and "gout" not in table["illness"].to_pylist()):
        return
    with study_of(table, trees) as study:
        limits = {} if gout is None else {"gout": gout}
        try:
            best = study.optimize(theta=uniform, limits=limits, k=k, scheme=scheme, metric=metric)
        except NoSolutionError:
            return
        release = study.release(best, seed=3)
        assert release.treatment.suppressed_rows == best.suppressed_records
        assert release.treatment.suppressed_values == best.suppressed_values
        rows = release.frame()
        assert len(rows) == best.rows - best.suppressed_records
        document = json.loads(best.to_json())
        assert study.release(document).decision.promise == release.decision.promise


@settings(max_examples=examples(40))
@given(given=tables(most_rows=10), l=st.sampled_from([1, 2, 3]), k=st.sampled_from([None, 2]))
def test_a_study_poses_what_the_oracle_prices(given, l, k):  # noqa: E741
    table, trees = given
    with study_of(table, trees) as study:
        problem = pose(study.material(), OptimizeQuestion(l=l, k=k))
        if problem.forest(merged=True).space > 300:
            return
        names = [*trees, "illness", "outcome"]
        rows = list(zip(*(table[name].to_pylist() for name in names), strict=True))
        places = {name: i for i, name in enumerate(names)}
        domains = {name: problem.tally.domain(name) for name in trees}
        case = Case(rows, list(trees), domains, places, "LM", problem, trees, {})
        costs = [price(case, cut)[:2] for cut in all_cuts(case)]
        try:
            best = study.optimize(l=l, k=k)
        except NoSolutionError:
            assert all(deleted == len(rows) for _, deleted in costs)
            return
        assert best.cost == pytest.approx(float(min(cost for cost, _ in costs)))


@pytest.mark.parametrize(
    ("theta", "fits"),
    [
        ("1/3", True),
        ("0.3333333333333333", False),
        ("0.33333333333333333334", True),
        (0.3, False),
        ("0.4", True),
    ],
)
def test_shares_compare_exactly(theta, fits):
    # Two of six rows are a third, exactly.
    study = small(letters("aflu aflu acold acold agout agout"))
    if fits:
        assert study.optimize(theta=theta, scheme="NoSupp").suppressed_records == 0
    else:
        with pytest.raises(NoSolutionError, match="2 of 6 rows"):
            study.optimize(theta=theta, scheme="NoSupp")


def test_one_tenth_is_one_of_ten():
    study = small(letters(" ".join(f"a{i}" for i in range(10))))
    assert study.optimize(theta=0.1, scheme="NoSupp").suppressed_records == 0
    assert study.optimize(l=10).suppressed_records == 0
    with pytest.raises(NoSolutionError, match="add up to"):
        study.optimize(l="10.0000000001")


def test_a_limit_by_value_overrides_the_uniform_one_and_others_are_free_without():
    rows = letters("aflu aflu aflu acold cflu ccold cgout cgout")
    only = small(rows).optimize(limits={"gout": "1/4"}, scheme="vioRec")
    assert only.promise.theta["illness"] == ShareLimits(None, {"gout": Fraction(1, 4)})
    both = small(rows).optimize(theta="1/2", limits={"flu": "3/4"}, scheme="NoSupp")
    assert both.promise.theta["illness"].of("flu") == Fraction(3, 4)
    assert both.promise.theta["illness"].of("cold") == Fraction(1, 2)


def test_limits_by_frequency_follow_the_paper():
    rows = letters("aflu aflu aflu aflu aflu aflu acold acold agout")
    best = small(rows).optimize(theta_by_frequency="1/3", scheme="vioSA")
    limits = best.promise.theta["illness"]
    assert (limits.of("flu"), limits.of("cold"), limits.of("gout")) == (
        Fraction(2, 3), Fraction(1, 3), Fraction(1, 3),
    )  # fmt: skip


def test_k_alone_needs_no_sensitive_column():
    study = small(letters("aflu bflu cflu cflu"), sensitive=(), insensitive="illness")
    best = study.optimize(k=2)
    assert best.cut == {"letter": ("ab", "c")}
    assert best.promise.to_dict() == {"k": 2}
    assert study.optimize(k=2, scheme="vioRec").cost == best.cost
    assert study.release(study.optimize(k=2, scheme="vioRec")).certificate["measured"]["k"] >= 2


def test_every_sensitive_column_is_limited_unless_some_are_named():
    table = pa.table({"letter": list("aabbcc"), "one": list("xyxyxy"), "two": list("ppppqq")})
    study = Study(table, quasi={"letter": LETTERS}, sensitive=["one", "two"])
    assert study.optimize(l=2, sensitive="one").suppressed_records == 0
    both = study.optimize(l=2, scheme="vioSA")
    assert set(both.promise.theta) == {"one", "two"}
    some = study.optimize(l=2, scheme="vioRec")
    assert some.suppressed_records == 2
    assert study.release(some).table().num_rows == 4
    with pytest.raises(InputError, match="no sensitive column"):
        study.optimize(l=2, sensitive="letter")


def test_the_top_few_hide_which_is_best_and_a_seed_repeats_the_draw(cuts):
    drawn = {cuts.optimize(l=6, scheme="NoSupp", top=4, seed=seed).cost for seed in range(12)}
    assert len(drawn) > 1
    one, again = (cuts.optimize(l=6, scheme="NoSupp", top=4, seed=7) for _ in range(2))
    assert (one.cost, one.cut, one.solutions) == (again.cost, again.cut, again.solutions)
    assert one.cost in one.solutions
    assert list(one.solutions) == sorted(one.solutions)
    assert drawn <= set(one.solutions)
    fresh = cuts.optimize(l=6, scheme="NoSupp", top=4)
    assert fresh.seed is not None
    assert fresh.decision().details["top"] == len(fresh.solutions)


def test_why_there_is_no_solution():
    study = small(letters("aflu aflu bflu ccold"))
    with pytest.raises(NoSolutionError, match=r"'flu' of illness to 1/2.*3 of 4 rows"):
        study.optimize(l=2, scheme="NoSupp")
    with pytest.raises(NoSolutionError, match="4 rows, fewer than k"):
        study.optimize(k=5, scheme="vioSA", l=1)
    with pytest.raises(NoSolutionError, match="add up to 2/3"):
        study.optimize(l=3)
    with pytest.raises(NoSolutionError, match="4 rows, fewer than k"):
        study.optimize(k=9)


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({}, "nothing is to be promised"),
        ({"l": 2, "theta": 0.5}, "both limit every value"),
        ({"l": 0.5}, "use 1 or more"),
        ({"l": "many"}, "is not a number"),
        ({"theta": "1.5"}, "not between 0 and 1"),
        ({"theta": "1/0"}, "is not a share"),
        ({"k": 0}, "1 or more"),
        ({"l": 2, "scheme": "someRec"}, "unknown scheme"),
        ({"l": 2, "metric": "XM"}, "unknown metric"),
        ({"l": 2, "metric": "DM", "scheme": "allSA"}, "works with NoSupp, allRec, vioRec"),
        ({"l": 2, "limits": {"flue": 0.5}}, "no value 'flue'"),
        ({"l": 2, "top": 0}, "top is 0; use a whole number from 1 to 10,000"),
        ({"l": 2, "gap": 1}, "less than 1"),
        ({"l": 2, "time_limit": 0}, "more than 0"),
        ({"k": 2, "sensitive": "illness"}, "no limit"),
    ],
)
def test_bad_questions_are_refused_in_one_line(asked, what):
    with pytest.raises(InputError, match=what) as refused:
        small(letters("aflu bcold")).optimize(**asked)
    assert "\n" not in str(refused.value)


def test_cm_needs_a_class_column():
    study = small(letters("aflu bcold"), class_=None, insensitive="outcome")
    with pytest.raises(InputError, match="role class"):
        study.optimize(l=2, metric="CM")


def test_a_metric_of_ones_own_goes_in():
    class Height(CutMetric):
        """A row costs 1 where its value is not a leaf."""

        name = "Height"
        title = "generalized values"

        def value_cost(self, attribute, covered, leaves):
            return 1 if covered > 1 else 0

        def record_cost(self):
            return 1

    best = small(letters("aflu bcold cflu ccold")).optimize(l=2, metric=Height)
    assert best.metric == "Height"
    assert best.cost == 2.0
    assert best.cut == {"letter": ("ab", "c")}


def test_a_notebook_shows_the_cut():
    best = small(letters("aflu bcold cflu ccold")).optimize(l=2)
    assert isinstance(best, CutSolution)
    page = best._repr_html_()
    assert ">ab, c</td>" in page
    assert "optimal, proven" in page


def test_the_report_tells_the_cost_and_the_draw_and_no_other_seed(tmp_path):
    study = small(letters("aflu bcold cflu ccold"))
    study.release(study.optimize(l=2), seed=77).write(tmp_path / "best.csv")
    page = (tmp_path / "best.csv.report.html").read_text()
    assert "generalization and suppression together cost" in page
    assert "seed 77" in page
    drawn = study.optimize(l=2, top=2, seed=5)
    warnings = study.release(drawn, seed=78).write(tmp_path / "drawn.csv").warnings
    page = (tmp_path / "drawn.csv.report.html").read_text()
    assert "picked at random from the 2 cheapest" in page
    assert "seed 78" in page
    assert not any(warning.code == "minimality" for warning in warnings)


def test_a_label_above_a_single_value_is_released(tmp_path):
    tree = Hierarchy.from_rows([("a", "A", "*"), ("b", "B", "*"), ("c", "B", "*")])
    table = pa.table(
        {"letter": list("aabbcc"), "illness": ["flu", "cold"] * 3, "outcome": list("xyxyyx")}
    )
    study = Study(
        table, quasi={"letter": tree}, sensitive="illness", class_="outcome", levels={"letter": (1, 2)}
    )
    best = study.optimize(l=2)
    assert best.cut == {"letter": ("A", "B")}
    assert set(study.release(best).frame()["letter"].to_pylist()) == {"A", "B"}
    assert study.release(best, seed=1).write(tmp_path / "out.csv").record["suppressed"]["rows"] == 0


def test_a_column_that_is_quasi_and_sensitive_cannot_be_limited():
    table = pa.table({"letter": list("abc")})
    study = Study(table, quasi={"letter": LETTERS}, sensitive="letter")
    with pytest.raises(InputError, match="quasi and sensitive"):
        study.optimize(l=2)


@pytest.mark.parametrize(
    ("rows", "quasi_class"), [("aflu", False), ("aflu bcold", False), ("aflu bcold cflu ccold", True)]
)
def test_a_release_needs_no_tree_to_be_grown(tmp_path, rows, quasi_class):
    found = letters(rows)
    table = pa.table(
        {
            "letter": [r[0] for r in found],
            "illness": [r[1] for r in found],
            "outcome": ["x"] * len(found),
        }
    )
    roles = {"class_": "letter"} if quasi_class else {"class_": "outcome"}
    study = Study(table, quasi={"letter": LETTERS}, sensitive="illness", **roles)
    best = study.optimize(k=min(len(found), 4))
    assert study.release(best, seed=1).write(tmp_path / "out.csv").verdict.holds


def test_a_cut_that_releases_nothing_is_no_solution_even_where_it_costs_as_much():
    rows = [("a", "flu", "P"), ("a", "cold", "Q"), ("c", "flu", "P"), ("c", "flu", "Q")]
    best = small(rows).optimize(l=2, metric="Entropy")
    assert best.suppressed_records == 2
    assert "*" not in best.cut["letter"]


@pytest.mark.parametrize(
    "asked",
    [
        {"k": 2.5}, {"k": "3"}, {"k": True}, {"l": 2, "top": 2.5}, {"l": 2, "seed": "x"},
        {"l": 2, "gap": "x"}, {"l": 2, "limits": {1: 0.5}}, {"theta": "1e-99999999"}, {"l": "1e99999999"},
    ],
)  # fmt: skip
def test_silly_numbers_are_refused(asked):
    with pytest.raises(InputError):
        small(letters("aflu bcold")).optimize(**asked)


def test_large_numbers_are_taken():
    study = small(letters("aflu bcold"))
    with pytest.raises(NoSolutionError, match="fewer than k"):
        study.optimize(k=10**20)
    assert study.optimize(l=2, seed=-1).cost == study.optimize(l=2, seed=10**30).cost


def test_a_list_that_was_cut_short_says_so(cuts):
    short = cuts.optimize(l=4, top=50, seed=3, time_limit=0.2)
    assert not short.complete
    assert short.to_dict()["complete"] is False
    assert short.gap > 0
    assert cuts.optimize(l=6, scheme="NoSupp", top=2).complete


def test_a_cost_that_meets_its_bound_is_proven_however_little_time_there_was():
    best = small(letters("aflu acold bflu bcold cflu ccold")).optimize(l=2, time_limit=1e-9)
    assert best.cost > 0 or best.optimal


def test_the_table_is_counted_once(monkeypatch):
    study = small(letters("aflu bcold cflu ccold"))
    asked = []
    cells = study._engine.cells

    def counted(columns, *others):
        asked.append(columns)
        return cells(columns, *others)

    monkeypatch.setattr(study._engine, "cells", counted)
    study.optimize(l=2)
    assert asked == [["letter", "illness"]]


def test_values_and_levels_that_the_hierarchy_does_not_hold_are_refused():
    with pytest.raises(InputError, match="no row for the value 'd'"):
        small(letters("aflu dcold")).optimize(l=2)
    with pytest.raises(InputError, match="max_level 7"):
        small(letters("aflu bcold"), levels={"letter": (0, 7)}).optimize(l=2)


def test_limits_that_no_group_can_keep_are_refused_before_the_search(monkeypatch):
    monkeypatch.setattr(best_cut, "l_plus_optimize", None)
    with small(letters("aflu acold bflu")) as study:
        for scheme in ("AllRec", "VioRec"):
            with pytest.raises(NoSolutionError, match="no group can keep the limits of the 2 values"):
                study.optimize(l=3, scheme=scheme)


def test_a_search_that_was_stopped_says_so():
    with small(letters("aflu aflu bcold")) as study:
        problem = pose(study.material(), OptimizeQuestion(l=2))
    assert "time was over" in best_cut._why_none(problem, complete=False)
    assert "was stopped before" in best_cut._why_none(problem, complete=False, ended=True)
    clock = Clock(60)
    assert not clock.ended
    clock.end()
    assert clock.ended
    late = Clock(0)
    late.end()
    assert not late.ended
