"""Blanked cells: the fewest by brute force, bounds below them, and releases that keep what is promised."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from shoal import Study, verify
from shoal.data.person_rows import PersonRows
from shoal.describe.hierarchies import Hierarchy
from shoal.errors import InputError, NoSolutionError
from shoal.kernels import Helping
from shoal.running.clock import Clock
from shoal.search.groups.cell_table import CellTable
from shoal.search.groups.cells_proof import prove_helping, prove_own
from shoal.search.groups.local_suppression import _Search
from shoal.verification import verify_release, verify_table
from tests.examples import examples
from tests.release.test_publish import valid


def shown(table, masks, c, known):
    """What a combination shows of known columns; a blanked cell is None."""
    return tuple(
        None if int(masks[c]) >> a & 1 else int(table.codes[c, a])
        for a in range(len(table.weights))
        if known >> a & 1
    )


def persons_of(whose, rows, c):
    """Who has rows in a combination: those who have no others, and by their numbers those who have."""
    if whose is None:
        return {(c, i) for i in range(rows[c])}
    found = {(c, i) for i in range(whose.cell_persons[c])}
    return found | set(whose.persons[whose.cells == c].tolist())


def people_of(table):
    """For k and for every l: how many are needed, and for each combination the persons, or the values."""
    return [
        (least, [persons_of(whose, table.rows, c) for c in range(len(table.rows))])
        for least, whose in [(table.k, table.whose), *table.values]
    ]


def keeps_own(table, masks, people=None):
    """Whether every row shows what enough show, a blank being a value of its own: counted one by one."""
    for known in table.sets:
        for least, members in people or people_of(table):
            crowds = defaultdict(set)
            for c, persons in enumerate(members):
                crowds[shown(table, masks, c, known)] |= persons
            if min(map(len, crowds.values())) < least:
                return False
    return True


def agreeing(table, masks, others, c, known, people=None):
    """Whether enough agree with a combination wherever neither blanks."""
    mine = shown(table, masks, c, known)
    like = [
        d
        for d in range(len(table.rows))
        if all(
            x is None or y is None or x == y
            for x, y in zip(mine, shown(table, others, d, known), strict=True)
        )
    ]
    return all(
        len(set().union(*(members[d] for d in like))) >= least
        for least, members in people or people_of(table)
    )


def keeps_wild(table, masks, people=None):
    return all(
        agreeing(table, masks, masks, c, known, people)
        for c in range(len(table.rows))
        for known in table.sets
    )


def subsets(free):
    return [mask for mask in range(free + 1) if mask & free == mask]


def fewest_own(table):
    """The least cost over all blankings, None if none keeps the promise."""
    people = people_of(table)
    costs = [
        table.cost(np.array(masks, dtype=np.uint64))
        for masks in product(subsets(table.free), repeat=len(table.rows))
        if keeps_own(table, masks, people)
    ]
    return min(costs, default=None)


def needs(table):
    """For each combination, the smallest sets of columns without which enough of the table agree with it."""
    nothing = [0] * len(table.rows)
    found = []
    for c in range(len(table.rows)):
        enough = []
        for mask in sorted(subsets(table.free), key=int.bit_count):
            alone = [mask if d == c else 0 for d in range(len(table.rows))]
            kept = all(agreeing(table, alone, nothing, c, known) for known in table.sets)
            if kept and not any(one & mask == one for one in enough):
                enough.append(mask)
        found.append(enough)
    return found


def fewest_wild(table):
    """The least cost over all blankings in which no row is blanked beyond its own need."""
    choices, people = [[0, *one] for one in needs(table)], people_of(table)
    costs = [
        table.cost(np.array(masks, dtype=np.uint64))
        for masks in product(*choices)
        if keeps_wild(table, masks, people)
    ]
    return min(costs, default=None)


@st.composite
def tables(draw, most=4):
    columns = draw(st.integers(1, 3))
    cells = st.tuples(*[st.integers(0, 2)] * columns)
    codes = sorted(draw(st.sets(cells, min_size=1, max_size=most)))
    rows = draw(st.lists(st.integers(1, 3), min_size=len(codes), max_size=len(codes)))
    weights = draw(st.lists(st.integers(0, 3), min_size=columns, max_size=columns))
    whole = (1 << columns) - 1
    sets = draw(st.sets(st.integers(1, whole), min_size=1, max_size=3))
    free = whole
    if draw(st.booleans()):
        free = draw(st.integers(0, whole))
    known = 0
    for one in sets:
        known |= one
    k = draw(st.integers(1, 4))
    whose = None
    if draw(st.booleans()):  # whose rows they are, of five persons
        people = draw(st.lists(st.integers(0, 4), min_size=sum(rows), max_size=sum(rows)))
        cells = np.repeat(np.arange(len(rows)), rows)
        alone = np.zeros(len(rows), dtype=np.int64)
        whose = PersonRows.listed(alone, cells, np.array(people), np.ones(len(cells), dtype=np.int64))
    values = []
    if draw(st.booleans()):  # a sensitive column, of which some rows have no value
        of = draw(st.lists(st.integers(0, 3), min_size=sum(rows), max_size=sum(rows)))
        given = np.array(of, dtype=np.int64)
        cells, alone = np.repeat(np.arange(len(rows)), rows), np.zeros(len(rows), dtype=np.int64)
        there = given < 3
        each = PersonRows.listed(alone, cells[there], given[there], np.ones(there.sum(), dtype=np.int64))
        values = [(draw(st.integers(1, 3)), each)]
    return CellTable(
        np.array(codes, dtype=np.int32),
        np.array(rows, dtype=np.int64),
        tuple(weights),
        tuple(sorted(sets)),
        free & known,
        k,
        whose,
        tuple(values),
    )


def searched(table, reading, effort=1.0):
    search = _Search(table, reading, 0, Clock())
    return search, search.run(effort)


@settings(max_examples=examples(150))
@given(table=tables())
def test_the_fewest_cells_are_found_and_proven_on_small_tables(table):
    fewest = fewest_own(table)
    if fewest is None:
        with pytest.raises(NoSolutionError, match="may not be blanked"):
            searched(table, "value")
        return
    search, found = searched(table, "value")
    assert keeps_own(table, found.masks)
    assert table.keeps(found.masks, wildcard=False)
    assert search.choices.bound <= fewest <= found.cost == table.cost(found.masks)
    proof = search.proven(found, None)
    assert (proof.cost, proof.bound) == (fewest, fewest)
    assert keeps_own(table, proof.masks)


@settings(max_examples=examples(150))
@given(table=tables(most=5))
def test_the_fewest_cells_by_need_are_found_and_proven_if_a_blank_is_like_any_value(table):
    fewest = fewest_wild(table)
    assume(fewest is not None)
    search, found = searched(table, "wildcard")
    assert keeps_wild(table, found.masks)
    assert table.keeps(found.masks, wildcard=True)
    assert table.cost(found.masks) == found.cost >= fewest
    choices = needs(table)
    assert all(mask == 0 or mask in one for mask, one in zip(found.masks.tolist(), choices, strict=True))
    proof = search.proven(found, None)
    assert (proof.cost, proof.bound) == (fewest, fewest)


@settings(max_examples=examples(150))
@given(table=tables(most=12))
@example(
    table=CellTable(
        np.array([[0, 1], [1, 0], [2, 1]], np.int32), np.array([1, 1, 2]), (2, 2), (3,), 3, 3
    )
)
def test_what_is_blanked_keeps_what_is_promised_after_any_step(table):
    choices = table.choices(8, minimal=True, seconds=math.inf)
    if choices.hopeless:
        return
    helping = Helping(choices, 0, math.inf)
    for _ in range(5):
        assert keeps_wild(table, helping.masks()[:, 0])
        assert table.cost(helping.masks()[:, 0]) == helping.cost
        helping.run(3, 0.5, 0.1, math.inf)
        helping.settle()


@settings(max_examples=examples(60))
@given(table=tables(), masks=st.lists(st.integers(0, 7), min_size=4, max_size=4))
def test_a_table_is_checked_as_it_is_counted_one_by_one(table, masks):
    given_masks = np.array(masks[: len(table.rows)], dtype=np.uint64) & np.uint64(table.free)
    assert table.keeps(given_masks, wildcard=False) == keeps_own(table, given_masks)
    assert table.keeps(given_masks, wildcard=True) == keeps_wild(table, given_masks)


@settings(max_examples=examples(150))
@given(table=tables(most=4), most=st.integers(4, 16), alone=st.booleans())
def test_a_bound_holds_although_dear_sets_of_columns_are_left_out(table, most, alone):
    if alone:
        table = replace(table, sets=table.sets[:1])
        table = replace(table, free=table.free & table.sets[0])
    fewest = fewest_own(table)
    assume(fewest is not None)
    # A dear answer, so that no bound is cut off at what was found.
    masks = np.full(len(table.rows), table.free, dtype=np.uint64)
    assume(table.keeps(masks, wildcard=False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.search.groups.cells_proof.RELAXED", most)
        proof = prove_own(table, masks, table.cost(masks), 0, None, Clock())
    assert proof.bound <= fewest <= proof.cost


def test_columns_that_nobody_knows_are_not_blanked():
    codes, rows = np.array([[0, 0, 0], [0, 1, 0]], dtype=np.int32), np.array([1, 1])
    table = CellTable.of(codes, rows, (1, 0, 1), [("x",), ("z",)], 0b011, 2, ("x", "y", "z"))
    assert (table.sets, table.free) == ((0b001, 0b100), 0b001)


def test_rows_that_look_like_many_others_need_no_blank():
    # Of the first column alone the last two combinations show the same, and one of them has k rows.
    codes, rows = np.array([[0, 0], [1, 0], [2, 0], [2, 1]], dtype=np.int32), np.array([1, 2, 1, 3])
    table = CellTable(codes, rows, (1, 0), (1,), 1, 3)
    masks = np.full(4, 1, dtype=np.uint64)
    proof = prove_own(table, masks, table.cost(masks), 0, None, Clock())
    assert (proof.cost, proof.bound) == (fewest_own(table), 3) == (3, 3)


def test_rows_that_are_k_only_together_may_be_blanked_apart():
    # The second and the third show the same, three rows together: best is one of them with the first, the
    # other with those that have k rows.
    codes = np.array([[0, 0, 2], [0, 1, 1], [0, 1, 2], [1, 1, 1], [1, 1, 2]], dtype=np.int32)
    table = CellTable(codes, np.array([2, 1, 2, 3, 3]), (0, 2, 4), (3,), 3, 3)
    masks = np.full(5, 3, dtype=np.uint64)
    proof = prove_own(table, masks, table.cost(masks), 0, None, Clock())
    assert (proof.cost, proof.bound) == (fewest_own(table), 6) == (6, 6)


def test_what_is_left_out_costs_as_much_as_the_cheapest_of_it(monkeypatch):
    codes, rows = np.array([[0, 0], [1, 0], [1, 1]], dtype=np.int32), np.array([5, 1, 1])
    table = CellTable(codes, rows, (1, 1), (3,), 3, 2)
    monkeypatch.setattr("shoal.search.groups.cells_proof.RELAXED", 3)  # no room for a blanked column
    masks = np.full(3, 3, dtype=np.uint64)
    assert prove_own(table, masks, table.cost(masks), 0, None, Clock()).bound == fewest_own(table) == 2


def test_what_is_left_out_counts_wherever_it_could_show_something(monkeypatch):
    codes = np.array([[0, 0], [0, 1], [0, 2], [2, 1]], dtype=np.int32)
    table = CellTable(codes, np.array([2, 2, 1, 2]), (1, 1), (1, 2), 3, 3)
    monkeypatch.setattr("shoal.search.groups.cells_proof.RELAXED", 4)
    masks = np.full(4, 3, dtype=np.uint64)
    assert prove_own(table, masks, table.cost(masks), 0, None, Clock()).bound <= fewest_own(table) == 6


def test_a_proof_is_bounded_by_its_work_unless_seconds_are_given(monkeypatch):
    optimize = pytest.importorskip("scipy.optimize")
    asked, solve = [], optimize.milp

    def milp(*given, constraints, integrality, options, **more):
        if integrality.any():
            asked.append((constraints.A.nnz, options.get("node_limit")))
        return solve(*given, constraints=constraints, integrality=integrality, options=options, **more)

    monkeypatch.setattr(optimize, "milp", milp)
    monkeypatch.setattr("shoal.search.groups.cells_proof.WORK", 1000)
    codes = np.array([[0, 0, 2], [0, 1, 1], [0, 1, 2], [1, 1, 1], [1, 1, 2]], dtype=np.int32)
    table = CellTable(codes, np.array([2, 1, 2, 3, 3]), (0, 2, 4), (3,), 3, 3)
    masks = np.full(5, 3, dtype=np.uint64)
    for seconds in (None, 60):
        prove_own(table, masks, table.cost(masks), 0, seconds, Clock())
    (entries, most), (_, unbounded) = asked
    assert most == 1000 // entries > 0
    assert unbounded is None


def test_without_a_proof_the_simple_bound_remains():
    table = CellTable(
        np.array([[0, 0], [1, 0], [2, 1]], dtype=np.int32), np.array([1, 1, 1]), (1, 1), (3,), 3, 2
    )
    search, found = searched(table, "value")
    assert search.proven(found, 0).bound == search.choices.bound == 4  # 1 for two rows, 2 for the third
    assert found.cost == fewest_own(table) == 6
    helped = prove_helping(table, found.masks, found.cost, lambda: pytest.fail("asked"), 0, Clock())
    assert helped.bound == 0


NAMES = ("age", "sex", "job", "place")


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(3)
    table = {
        "age": [str(a) for a in rng.integers(20, 26, 150)],
        "sex": [str(s) for s in rng.choice(["f", "m"], 150)],
        "job": [
            str(j)
            for j in rng.choice(["cook", "nurse", "clerk", "judge"], 150, p=[0.5, 0.3, 0.17, 0.03])
        ],
        "place": [None if p == "?" else str(p) for p in rng.choice(["n", "s", "e", "?"], 150)],
        "illness": [str(i) for i in rng.choice(["flu", "cold"], 150)],
    }
    quasi = {
        name: Hierarchy.from_rows([(v, "*") for v in sorted({v for v in table[name] if v is not None})])
        for name in NAMES
    }
    with Study(pa.table(table), quasi=quasi, sensitive="illness", threads=1) as opened:
        yield opened


def released_counts(rows, columns):
    return Counter(zip(*(rows.column(name).to_pylist() for name in columns), strict=True))


def test_all_columns_are_k_anonymous_and_only_cells_are_blanked(study):
    found = study.anonymize("local-suppression", k=3)
    assert found.decision().promise.to_dict() == {"k": 3}
    rows = study.release(found, seed=1).table()
    assert rows.num_rows == found.rows == 150
    assert min(released_counts(rows, NAMES).values()) >= 3
    blanks = sum(rows.column(name).to_pylist().count("*") for name in NAMES)
    assert blanks == found.details["blanked_cells"] == found.details["cost"] == found.loss
    assert sum(found.details["blanked"].values()) == blanks
    assert 0 < found.details["lower_bound"] <= blanks


@pytest.mark.parametrize(
    ("options", "sets"),
    [
        ({"combination_size": 2}, list(combinations(NAMES, 2))),
        ({"combinations": "age,sex;job,place"}, [("age", "sex"), ("job", "place")]),
        ({"combinations": [["age", "job"], ["sex"]]}, [("age", "job"), ("sex",)]),
    ],
    ids=str,
)
def test_every_combination_that_is_known_has_k_rows(study, options, sets, tmp_path):
    found = study.anonymize("local-suppression", k=4, options=options | {"proof": 0})
    known = found.decision().promise.known
    assert [tuple(one) for one in known.combinations] == sets
    assert found.decision().promise.k is None
    study.release(found, seed=1).write(tmp_path / "out.csv")
    rows = pa.csv.read_csv(tmp_path / "out.csv")
    for columns in sets:
        assert min(released_counts(rows, columns).values()) >= 4
    verdict = verify_release(tmp_path / "out.csv")
    assert verdict.holds
    assert verdict.measured.known.k >= 4
    certificate = json.loads((tmp_path / "out.csv.certificate.json").read_text())
    valid(certificate, "certificate.schema.json")
    assert certificate["promise"] == {"known": known.to_dict()}
    every = study.anonymize("local-suppression", k=4)
    assert found.details["blanked_cells"] <= every.details["blanked_cells"]


def test_a_wildcard_promises_less_and_blanks_less(study, tmp_path):
    strict = study.anonymize("local-suppression", k=3)
    wild = study.anonymize("local-suppression", k=3, options={"missing": "wildcard", "proof": 0})
    assert wild.details["blanked_cells"] < strict.details["blanked_cells"]
    assert not wild.optimal
    assert "lower_bound" not in wild.details
    promise = wild.decision().promise
    assert (promise.known.missing, promise.known.blank) == ("wildcard", dict.fromkeys(NAMES, "*"))
    study.release(wild, seed=1).write(tmp_path / "out.csv")
    verdict = verify_release(tmp_path / "out.csv")
    assert verdict.holds
    rows = pa.csv.read_csv(tmp_path / "out.csv").select(NAMES).to_pylist()
    like = [
        sum(all(x[n] == y[n] or {x[n], y[n]} & {"*", "", None} for n in NAMES) for y in rows)
        for x in rows
    ]
    assert min(like) == verdict.measured.known.k >= 3
    assert verify(tmp_path / "out.csv", missing="wildcard").alike == min(like)
    assert "weaker" in (tmp_path / "out.csv.public.html").read_text()


def test_what_breaks_the_promise_of_known_columns_is_found(study):
    found = study.anonymize("local-suppression", k=4, options={"combination_size": 2, "proof": 0})
    promise, rows = found.decision().promise, study.release(found, seed=1).table()
    column = rows.column("job").to_pylist()
    column[0] = "astronaut"
    broken = rows.set_column(rows.column_names.index("job"), "job", pa.array(column))
    verdict = verify_table(broken, promise, NAMES)
    assert not verdict.holds
    assert "known: of age, job, 1 rows show" in verdict.failures[0]
    assert verdict.measured.known.k == 1


def test_any_table_is_verified_by_combinations(tmp_path):
    file = tmp_path / "any.csv"
    file.write_text("a,b,c\n1,x,p\n1,x,q\n1,y,p\n1,y,q\n")
    assert not verify(file, quasi=["a", "b", "c"], k=2).holds
    assert verify(file, quasi=["a", "b", "c"], k=2, combinations="a,b;a,c").holds
    assert not verify(file, quasi=["a", "b", "c"], k=2, combination_size=2).holds
    file.write_text("a,b\n1,x\n1,\n,y\n")
    assert not verify(file, quasi=["a", "b"], k=2, combinations="a,b").holds
    found = verify(file, quasi=["a", "b"], k=2, combinations="a,b", missing="wildcard")
    assert found.holds
    assert found.measured.known.k == 2
    with pytest.raises(InputError, match="give k"):
        verify(file, quasi=["a", "b"], k_map=2, population=file, combinations="a")
    with pytest.raises(InputError, match="name its quasi columns"):
        verify(file, combination_size=2)


def test_heavy_columns_are_blanked_less(study):
    plain = study.anonymize("local-suppression", k=3)
    spared = study.anonymize("local-suppression", k=3, options={"weights": "age=20,place=20"})
    cells = [
        sum(one.details["blanked"].get(name, 0) for name in ("age", "place")) for one in (plain, spared)
    ]
    assert cells[1] < cells[0]
    assert not spared.optimal  # LM counts other weights


def test_a_column_that_may_not_reach_its_root_is_never_blanked():
    ages = Hierarchy.from_rows([(str(a), f"{a // 10}0s", "*") for a in range(20, 50)])
    flat = Hierarchy.from_rows([(v, "*") for v in "xyz"])
    table = pa.table({"age": ["21", "22", "31", "32", "33"], "kind": ["x", "x", "x", "y", "z"]})
    levels = {"age": (1, 1)}
    with Study(table, quasi={"age": ages, "kind": flat}, levels=levels) as study:
        found = study.anonymize("local-suppression", k=2)
        rows = released_counts(study.release(found, seed=1).table(), ("age", "kind"))
        assert rows == {("20s", "x"): 2, ("30s", "*"): 3}
        assert found.details["proven"]
        assert not found.optimal  # raising the ages costs too, by LM
        with pytest.raises(NoSolutionError, match="2 rows stand out by columns that may not be blanked"):
            study.anonymize("local-suppression", k=3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"combinations": "age,hat"}, "combinations names 'hat'"),
        ({"combinations": ""}, "empty"),
        ({"combinations": "age", "combination_size": 2}, "give one"),
        ({"combination_size": 0}, "combination_size"),
        ({"missing": "maybe"}, "missing 'maybe'"),
        ({"weights": "age"}, "age=2"),
        ({"weights": {"age": 0, "sex": 0, "job": 0, "place": 0}}, "weighs 0"),
        ({"proof": "soon"}, "proof 'soon'"),
    ],
    ids=str,
)
def test_options_that_make_no_sense_are_refused(study, options, said):
    with pytest.raises(InputError, match=said):
        study.anonymize("local-suppression", k=2, options=options)


def test_other_promises_are_refused(study):
    with pytest.raises(InputError, match="looks only at k"):
        study.anonymize("local-suppression", k=2, theta=0.9)
    with pytest.raises(InputError, match="needs k"):
        study.anonymize("local-suppression", max_risk=0.5)


@pytest.mark.parametrize(
    ("options", "sets"),
    [
        ({}, [NAMES]),
        ({"combination_size": 2}, list(combinations(NAMES, 2))),
        ({"missing": "wildcard"}, [NAMES]),
        (
            {"missing": "wildcard", "combinations": "age,sex,job;place"},
            [("age", "sex", "job"), ("place",)],
        ),
    ],
    ids=str,
)
def test_rows_that_are_alike_have_l_values(study, options, sets, tmp_path):
    alone = study.anonymize("local-suppression", k=2, options=options | {"proof": 0})
    found = study.anonymize("local-suppression", k=2, l=2, options=options | {"proof": 0})
    assert found.details["cost"] > alone.details["cost"]
    study.release(found, seed=1).write(tmp_path / "out.csv")
    rows = pa.csv.read_csv(tmp_path / "out.csv").to_pylist()
    wild = "missing" in options
    like = [
        [
            y["illness"]
            for y in rows
            if all(x[n] == y[n] or (wild and {x[n], y[n]} & BLANK) for n in known)
        ]
        for x in rows
        for known in sets
    ]
    verdict = verify_release(tmp_path / "out.csv")
    assert verdict.holds
    certificate = json.loads((tmp_path / "out.csv.certificate.json").read_text())
    valid(certificate, "certificate.schema.json")
    least, values = min(map(len, like)), min(len(set(one)) for one in like)
    assert least >= 2
    assert values >= 2
    if not options:
        assert certificate["promise"] == {"k": 2, "l": 2}
        assert verdict.measured.sensitive["illness"].l == values
        return
    assert (
        certificate["promise"]["known"] | {"k": 2, "l": 2, "about": ["illness"]}
        == (certificate["promise"]["known"])
    )
    assert (verdict.measured.known.k, verdict.measured.known.l) == (least, values)
    assert "2 values of illness" in (tmp_path / "out.csv.public.html").read_text()
    # One value for everybody, and the check says where it fails.
    table = pa.csv.read_csv(tmp_path / "out.csv")
    same = table.set_column(
        table.column_names.index("illness"), "illness", pa.array(["flu"] * table.num_rows)
    )
    broken = verify_table(same, found.decision().promise, NAMES)
    assert [one for one in broken.failures if "1 values of 'illness'" in one] == list(broken.failures)
    assert len(broken.failures) == len(sets)


BLANK = {"*", "", None}


@pytest.mark.parametrize("options", [{"combination_size": 2}, {"missing": "wildcard"}], ids=str)
def test_the_same_seed_blanks_the_same_cells_and_a_limit_ends_the_search(study, options):
    asked = {"k": 3, "l": 2, "options": options | {"proof": 0}}
    first, second = (study.anonymize("local-suppression", seed=5, **asked) for _ in range(2))
    assert first.details == second.details
    limited = study.anonymize("local-suppression", seed=5, time_limit=0.01, **asked)
    # Less time may find fewer cells by luck, but never fewer than a proof allows.
    bound = "bound_by_need" if "missing" in options else "lower_bound"
    known = study.anonymize("local-suppression", seed=5, k=3, l=2, options=options | {"proof": 2})
    assert limited.details["cost"] >= known.details[bound] > 0
    weighed = study.anonymize(
        "local-suppression", seed=5, k=3, l=2, options=options | {"proof": 0, "weights": "age=9"}
    )
    assert weighed.details["blanked"].get("age", 0) < first.details["blanked"]["age"]


def test_l_alone_is_enough(study):
    found = study.anonymize("local-suppression", l=2, options={"proof": 0})
    assert found.decision().promise.to_dict() == {"l": 2}
    released = study.release(found, seed=1).table()
    shown = released_counts(released, NAMES)
    assert (
        min(
            len({r for r in released_counts(released, (*NAMES, "illness")) if r[:-1] == one})
            for one in shown
        )
        >= 2
    )


def test_values_of_persons_with_several_of_them_are_refused():
    table = visits().append_column("ill", pa.array(["a", "b"] * 1000)[: visits().num_rows])
    quasi = {"place": Hierarchy.from_rows([(v, "*") for v in "nsew"])}
    with (
        Study(table, quasi=quasi, sensitive=["ill"], persons="who", threads=1) as study,
        pytest.raises(InputError, match="several values of 'ill'"),
    ):
        study.anonymize("local-suppression", k=2, l=2)
    with Study(table, quasi=quasi, sensitive=["sex"], persons="who", threads=1) as study:
        # Nobody has two of these values, so that they are those of different persons.
        found = study.anonymize("local-suppression", k=2, l=2)
        verdict = verify_table(
            study.release(found, seed=1).table(), found.decision().promise, ["place"], ["sex"], ()
        )
    assert verdict.holds


@pytest.mark.parametrize("missing", ["value", "wildcard"])
def test_any_table_is_verified_by_values_of_combinations(missing, tmp_path):
    file = tmp_path / "any.csv"
    file.write_text("a,b,s\n1,x,p\n1,x,q\n1,y,p\n1,y,\n2,,r\n2,x,p\n")
    asked = {"quasi": ["a", "b"], "sensitive": ["s"], "k": 2, "missing": missing}
    assert verify(file, **asked, l=2, combinations="a").holds
    found = verify(file, **asked, l=2, combinations="a,b")
    wild = missing == "wildcard"
    assert found.measured.known.to_dict() == ({"k": 2, "l": 1} if wild else {"k": 1, "l": 1})
    assert found.holds is False
    assert "values of 's'" in found.failures[-1]


def visits(seed=1, persons=60):
    """Visits of patients who see several places and doctors."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"p{p}", "nsew"[rng.integers(4)], f"d{min(rng.geometric(0.5), 5)}", "fm"[p % 2])
        for p in range(persons)
        for _ in range(rng.integers(1, 4))
    ]
    return pa.table(dict(zip(("who", "place", "doctor", "sex"), zip(*rows, strict=True), strict=True)))


@pytest.mark.parametrize(
    "options", [{}, {"combination_size": 2}, {"missing": "wildcard"}], ids=lambda one: str([*one])
)
def test_persons_with_several_rows_count_once(options, tmp_path):
    names = ("place", "doctor", "sex")
    table = visits()
    quasi = {
        name: Hierarchy.from_rows([(v, "*") for v in sorted(set(table[name].to_pylist()))])
        for name in names
    }
    with Study(table, quasi=quasi, persons="who", threads=1) as study:
        found = study.anonymize("local-suppression", k=4, options=options | {"proof": 0})
        study.release(found, seed=1, pseudonyms="fresh").write(tmp_path / "out.csv")
    with Study(table, quasi=quasi, threads=1) as of_rows:
        of_rows_alone = of_rows.anonymize("local-suppression", k=4, options=options | {"proof": 0})
    assert found.details["cost"] == found.details["blanked_cells"]
    more = found.details["cost"] - of_rows_alone.details["cost"]
    assert more >= 0 if "combination_size" in options else more > 0
    verdict = verify_release(tmp_path / "out.csv")
    assert verdict.holds
    rows = pa.csv.read_csv(tmp_path / "out.csv").to_pylist()
    wild = "missing" in options
    least = min(
        len(
            {
                y["person"]
                for y in rows
                if all(x[n] == y[n] or (wild and "*" in (x[n], y[n])) for n in known)
            }
        )
        for x in rows
        for known in (combinations(names, 2) if "combination_size" in options else [names])
    )
    assert least >= 4
    if options:
        assert verdict.measured.known.k == least


@pytest.mark.parametrize(
    "options",
    [{}, {"combinations": "place;doctor"}, {"missing": "wildcard"}],
    ids=lambda one: str([*one]),
)
def test_a_release_that_does_not_tell_whose_its_rows_are_has_more_of_them_than_persons(
    options, tmp_path
):
    table = pa.concat_tables([visits(), visits()])
    quasi = {
        name: Hierarchy.from_rows([(v, "*") for v in sorted(set(table[name].to_pylist()))])
        for name in ("place", "doctor")
    }
    with Study(table, quasi=quasi, persons="who", threads=1) as study:
        found = study.anonymize("local-suppression", k=2, options=options | {"proof": 0})
        study.release(found, seed=1).write(tmp_path / "out.csv")
    verdict = verify_release(tmp_path / "out.csv")
    assert verdict.holds
    if options:
        certified = json.loads((tmp_path / "out.csv.certificate.json").read_text())
        assert certified["measured"]["known"]["k"] < verdict.measured.known.k


def test_what_does_not_fit_into_memory_is_refused_before_it_is_begun():
    draw = np.random.default_rng(1)
    table = {f"a{a}": [str(value) for value in draw.integers(0, 60, 2000)] for a in range(12)}
    tree = Hierarchy.from_rows([(str(value), "*") for value in range(60)])
    with Study(pa.table(table), quasi=dict.fromkeys(table, tree), tally_memory="4MB") as study:
        asked = {"k": 2, "time_limit": 0.01}
        assert study.anonymize("local-suppression", **asked).suppressed == 0
        with pytest.raises(InputError, match=r"66 sets of columns would take .* MB of memory"):
            study.anonymize("local-suppression", options={"combination_size": 2}, **asked)
