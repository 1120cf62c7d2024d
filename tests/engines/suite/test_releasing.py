"""Every engine releases the rows that DuckDB releases from memory, for every kind of release and seed."""

from __future__ import annotations

import csv

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.answers.recoding import Decision, NodeRecoding
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import Promise
from shoal.errors import InputError, ShoalError
from tests.engines.conftest import home_of
from tests.engines.suite.tables import (
    HOSTILE,
    VALUES,
    fetched,
    multiset,
    on_every_home,
    same_cells,
    texts,
)
from tests.release.cases import cases, study_of

ENDINGS = ["csv", "tsv", "parquet", "arrow"]
# What the tools of every engine read back as the same object of Python's.
PLAIN = [pa.string(), pa.int64(), pa.float64(), pa.decimal128(9, 2), pa.bool_(), pa.date32()]


@st.composite
def typed_cases(draw, kinds=tuple(VALUES)):
    """A table with a decision about it, and further columns of any type that are released as they are."""
    table, trees, decision = draw(cases())
    extra = []
    for i in range(draw(st.integers(0, 2))):
        kind = draw(st.sampled_from(kinds))
        values = VALUES[kind] | st.none()
        drawn = draw(st.lists(values, min_size=len(table), max_size=len(table)))
        extra.append(f"as it is {i}")
        table = table.append_column(extra[-1], pa.array(drawn, kind))
    if draw(st.booleans()):  # equal rows
        table = table.set_column(1, "id", pa.array(["same"] * len(table)))
    return table, trees, decision, extra


def outcome(study, decision, seed, safe):
    """The released rows and what was measured on them, or what is raised instead."""
    with study:
        try:
            made = study.release(decision, seed=seed, spreadsheet_safe=safe)
            rows, verdict = made.verified_table()
            return multiset(rows), verdict.measured.to_dict()
        except ShoalError as problem:
            return type(problem), str(problem)


@on_every_home(25, case=typed_cases(), seed=st.integers(0, 3), safe=st.booleans())
def test_the_same_rows_are_released_and_measured(home, case, seed, safe):
    table, trees, decision, extra = case
    here = outcome(study_of(home.put(table), trees, extra), decision, seed, safe)
    assert here == outcome(study_of(table, trees, extra), decision, seed, safe)


@on_every_home(15, case=typed_cases(PLAIN), seed=st.integers(0, 3))
def test_a_new_table_holds_the_released_rows(home, case, seed):
    table, trees, decision, extra = case
    truth = outcome(study_of(table, trees, extra), decision, seed, safe=False)
    place = home.put(table)
    with study_of(place, trees, extra) as study:
        made = study.release(decision, seed=seed)
        if isinstance(truth[0], type):
            with pytest.raises(truth[0]), made.into("released"):
                pass
            return
        with made.into(home.new_table, replace=True) as engine:
            assert made.check(engine).measured.to_dict() == truth[1]
            held = engine.cells(engine.columns)
            there = engine.place
    assert multiset(home.read(there)) == truth[0]
    with study_of(table, trees, extra) as study:
        twin = DuckDBEngine(study.release(decision, seed=seed).table())
    assert same_cells(held, twin.cells(twin.columns))


@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=5)
@given(case=typed_cases(), seed=st.integers(0, 3))
def test_files_are_the_same_but_for_the_order(quick_home, ending, tmp_path_factory, case, seed):
    table, trees, decision, extra = case
    if isinstance(outcome(study_of(table, trees, extra), decision, seed, safe=False)[0], type):
        return
    folder = tmp_path_factory.mktemp("files")
    lines = []
    for number, source in enumerate((quick_home.put(table), table)):
        path = folder / f"{number}.{ending}"
        with study_of(source, trees, extra) as study:
            study.release(decision, seed=seed).write_rows(path)
        lines.append(contents(path))
    assert lines[0] == lines[1]


def test_rows_of_spark_are_never_fetched_to_be_written(tmp_path):
    with Study(home_of("spark").put(TABLE), quasi=TREES) as study:
        made = study.release(DECISION, seed=1)
        for ending in ENDINGS:
            with pytest.raises(InputError, match=r"into"):
                made.write_rows(tmp_path / f"x.{ending}")
    assert not list(tmp_path.iterdir())


def contents(path):
    """The rows of a file in no order, but the header first."""
    if path.suffix in {".csv", ".tsv"}:
        with path.open(newline="") as file:
            header, *rows = csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ",")
        return [header, *sorted(rows)]
    from pyarrow import feather, parquet

    rows = parquet.read_table(path) if path.suffix == ".parquet" else feather.read_table(path)
    return [rows.schema.names, [str(kind) for kind in rows.schema.types], multiset(rows)]


@on_every_home(15, data=st.data())
def test_both_tables_of_anatomy_are_the_same(home, data):
    rows = data.draw(st.integers(1, 25))
    kind = data.draw(st.sampled_from([pa.string(), pa.bool_(), pa.float64(), pa.date32(), pa.int64()]))
    few = data.draw(st.lists(VALUES[kind], min_size=1, max_size=4))
    values = st.lists(st.sampled_from([*few, None]), min_size=rows, max_size=rows)
    table = pa.table(
        {
            "id": data.draw(st.lists(texts, min_size=rows, max_size=rows)),
            "zip": data.draw(st.lists(st.sampled_from(["10", "11"]), min_size=rows, max_size=rows)),
            "ill": pa.array(data.draw(values), kind),
        }
    )
    seed, safe = data.draw(st.integers(0, 3)), data.draw(st.booleans())
    found = []
    for source in (home.put(table), table):
        mask = {"zip": {"mask": {"digits": 2}}}
        with Study(source, quasi=mask, sensitive="ill", insensitive="id") as study:
            try:
                solution = study.anonymize("anatomy", l=2)
                made = study.release(solution, seed=seed, spreadsheet_safe=safe)
                found.append([multiset(part) for part in made.tables()])
            except ShoalError as problem:
                found.append([type(problem), str(problem)])
    assert found[0] == found[1]


@on_every_home(8, data=st.data())
def test_both_tables_of_anatomy_are_the_same_where_persons_have_several_rows(home, data):
    rows = data.draw(st.integers(2, 25))
    kind = data.draw(st.sampled_from([pa.string(), pa.int64(), pa.date32()]))
    few = data.draw(st.lists(VALUES[kind], min_size=2, max_size=6))
    drawn = lambda values: data.draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))  # noqa: E731
    table = pa.table(
        {
            "who is it": pa.array([0, *drawn(range(rows))[1:]], pa.int64()),
            "no": [str(i) for i in range(rows)],
            "zip": drawn(["10", "11"]),
            "ill": pa.array(drawn([*few, None]), kind),
        }
    )
    seed, safe = data.draw(st.integers(0, 3)), data.draw(st.booleans())
    found = []
    for source in (home.put(table), table):
        mask = {"zip": {"mask": {"digits": 2}}}
        with Study(source, quasi=mask, sensitive="ill", insensitive="no", persons="who is it") as study:
            try:
                solution = study.anonymize("anatomy", l=2)
                made = study.release(solution, seed=seed, spreadsheet_safe=safe)
                found.append([multiset(part) for part in made.tables()])
            except ShoalError as problem:
                found.append([type(problem), str(problem)])
    assert found[0] == found[1]


def hostile_case():
    values = [value for value in HOSTILE if value]
    rows = [(value, f"label {value}", "*") for value in values]
    table = pa.table({"q": values * 2, "s": values[::-1] * 2, "select": values * 2})
    return table, {"q": Hierarchy.from_rows(rows)}


@on_every_home(15, data=st.data())
def test_the_same_households_are_suppressed(home, data):
    rows = data.draw(st.integers(1, 25))
    kind = data.draw(st.sampled_from([pa.string(), pa.int64(), pa.float64(), pa.date32()]))
    homes = data.draw(st.lists(VALUES[kind], min_size=1, max_size=6))
    if kind == pa.string():
        homes = [one or "an empty text is missing" for one in homes]
    drawn = lambda values: data.draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))  # noqa: E731
    table = pa.table({"zip": drawn(["10", "11", "20"]), "home of": pa.array(drawn(homes), kind)})
    decision, found = Decision(NodeRecoding({"zip": 1}), Promise(2)), []
    for source in (home.put(table), table):
        with Study(source, quasi={"zip": {"mask": {"digits": 2}}}, households="home of") as study:
            try:
                made = study.release(decision, household_k=2)
                found.append((multiset(made.table()), made.treatment.homes))
            except ShoalError as problem:
                found.append((type(problem), str(problem)))
    assert found[0] == found[1]


def test_hostile_values_and_labels_come_through_unchanged(home):
    table, trees = hostile_case()
    with Study(home.put(table), quasi=trees, sensitive="s", insensitive="select") as study:
        decision = Decision(NodeRecoding({"q": 1}), Promise(2))
        made = study.release(decision, seed=3)
        released = fetched(made.table())
        with made.into("released", replace=True) as engine:
            place = engine.place
    assert sorted(released["q"].to_pylist()) == sorted(
        f"label {value}" for value in table["q"].to_pylist()
    )
    assert multiset(home.read(place)) == multiset(released)
    assert sorted(released["select"].to_pylist()) == sorted(table["select"].to_pylist())


def test_a_label_with_a_nul_is_released_or_refused_in_a_sentence(home):
    trees = {"q": Hierarchy.from_rows([("a", "x\0y", "*"), ("b", "x\0y", "*")])}
    with Study(home.put(pa.table({"q": ["a", "b"]})), quasi=trees) as study:
        made = study.release(Decision(NodeRecoding({"q": 1}), Promise(2)), seed=1)
        if home.name != "postgres":
            assert fetched(made.table())["q"].to_pylist() == ["x\0y"] * 2
        else:
            with pytest.raises(InputError, match=r"^[^\n]*NUL byte[^\n]*$"):
                made.table()
        # The engine goes on.
        other = study.release(Decision(NodeRecoding({"q": 2}), Promise(2)), seed=1)
        assert fetched(other.table())["q"].to_pylist() == ["*", "*"]


TREES = {"q": Hierarchy.from_rows([("a", "*"), ("b", "*")])}
DECISION = Decision(NodeRecoding({"q": 1}), Promise(2))
TABLE = pa.table({"q": ["a", "b"]})


class TestANewTable:
    @pytest.fixture
    def made(self, home):
        with Study(home.put(TABLE), quasi=TREES) as study:
            yield study.release(DECISION, seed=1)

    def older(self, home, made):
        """An older table of the name, beside the one that is released."""
        with made.into("older", replace=True) as engine:
            place = engine.place
        return place, multiset(home.read(place))

    def test_an_older_table_is_refused_unless_it_is_to_be_replaced(self, home, made):
        place, before = self.older(home, made)
        with pytest.raises(InputError, match="already exists") as refused, made.into("older"):
            pass
        assert "\n" not in str(refused.value)
        assert multiset(home.read(place)) == before
        with made.into("older", replace=True) as engine:
            assert engine.count() == 2
        assert multiset(home.read(place)) == before

    def test_a_broken_block_leaves_everything_as_it_was(self, home, made):
        place, before = self.older(home, made)
        for replace, target in ((True, "older"), (False, "fresh"), (True, "fresh")):
            with pytest.raises(KeyboardInterrupt), made.into(target, replace=replace):
                raise KeyboardInterrupt
            assert multiset(home.read(place)) == before
            with pytest.raises(InputError):
                home.open(place.at("fresh"))
        # The release goes on after that.
        assert fetched(made.table())["q"].to_pylist() == ["*", "*"]

    def test_the_original_is_never_replaced(self, home):
        place = home.put(TABLE)
        with Study(place, quasi=TREES) as study:
            made = study.release(DECISION, seed=1)
            for target in (place.table, place.table.split(".", 1)[-1]):
                with pytest.raises(InputError), made.into(target, replace=True):
                    pass
        assert multiset(home.read(place)) == multiset(TABLE)
