"""The made-up hospital table: the same every time, plausible, and whole on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.demo import chunk, hospital, write_hospital
from shoal.demo.choice import Choice, uniforms
from shoal.demo.diagnoses import DIAGNOSES
from shoal.demo.occupations import OCCUPATIONS
from shoal.demo.patients import REGIONS, by_band, zip_codes
from shoal.demo.person_names import FEMALE_NAMES, MALE_NAMES, SURNAMES
from shoal.demo.study_texts import hierarchy_texts
from tests.examples import examples

COLUMNS = [
    "record-number",
    "name",
    "birth-date",
    "age",
    "sex",
    "zip",
    "occupation",
    "admission-date",
    "diagnosis",
    "outcome",
]

seeds = st.integers(0, 2**70)
sizes = st.integers(1, 400)


@pytest.fixture(scope="module")
def stays() -> pa.Table:
    """A table large enough for shares to be near their aims."""
    return hospital(200_000, seed=3)


def plain(table: pa.Table) -> pa.Table:
    """The table without dictionaries, in one piece: what the rows say."""
    columns = [
        column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names).combine_chunks()


def hierarchy(text: str) -> list[list[str]]:
    return [line.split(";") for line in text.splitlines()]


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


# The same every time


@given(rows=sizes, seed=seeds)
@settings(max_examples=15, deadline=None)
def test_the_same_size_and_seed_give_the_same_table(rows: int, seed: int) -> None:
    assert hospital(rows, seed).equals(hospital(rows, seed))


def test_another_seed_gives_another_table() -> None:
    assert not hospital(100, seed=1).equals(hospital(100, seed=2))


@given(rows=sizes, more=sizes, seed=seeds)
@settings(max_examples=15, deadline=None)
def test_a_larger_table_begins_with_the_smaller(rows: int, more: int, seed: int) -> None:
    assert hospital(rows + more, seed).slice(0, rows).equals(hospital(rows, seed))


@pytest.mark.parametrize("rows", [1, 99, 100, 101, 250, 300])
def test_the_prefix_holds_across_chunks(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk, "CHUNK_ROWS", 100)
    whole = hospital(400)
    assert plain(whole.slice(0, rows)).equals(plain(hospital(rows)))
    assert whole["record-number"].to_pylist() == [f"R{n:08d}" for n in range(1, 401)]
    first, second = plain(whole.slice(0, 100)), plain(whole.slice(100, 100))
    assert not first["name"].equals(second["name"])


def test_a_real_chunk_ends_where_the_next_begins() -> None:
    small = hospital(chunk.CHUNK_ROWS - 1)
    large = hospital(chunk.CHUNK_ROWS + 1)
    assert large.num_rows == chunk.CHUNK_ROWS + 1
    assert plain(large.slice(0, small.num_rows)).equals(plain(small))


def test_record_numbers_go_on_beyond_eight_digits() -> None:
    last_chunk = (10**8 - 1) // chunk.CHUNK_ROWS
    numbers = chunk.chunk(7, last_chunk, 10**8 - last_chunk * chunk.CHUNK_ROWS)["record-number"]
    assert numbers[-2:].to_pylist() == ["R99999999", "R100000000"]


# What is in it


def test_columns_and_types(stays: pa.Table) -> None:
    assert stays.column_names == COLUMNS
    assert pa.types.is_integer(stays.schema.field("age").type)
    for name in COLUMNS[4:]:
        kind = stays.schema.field(name).type
        assert pa.types.is_dictionary(kind)
        assert pa.types.is_string(kind.value_type)
    stays.validate(full=True)


def test_record_numbers_are_unique(stays: pa.Table) -> None:
    assert pc.count_distinct(stays["record-number"]).as_py() == stays.num_rows


def test_the_lists_are_long_enough_and_have_no_doubles() -> None:
    first_names = FEMALE_NAMES + MALE_NAMES
    assert len(first_names) >= 120
    assert len(SURNAMES) >= 150
    assert len(DIAGNOSES) >= 45
    assert len(OCCUPATIONS) >= 30
    assert len(zip_codes()) >= 250
    assert {code[:2] for code in zip_codes()} == set(REGIONS)
    for words in (first_names, SURNAMES, REGIONS):
        assert len(set(words)) == len(words)


def test_age_agrees_with_the_dates(stays: pa.Table) -> None:
    for row in stays.slice(0, 20_000).select(["birth-date", "age", "admission-date"]).to_pylist():
        birth = date.fromisoformat(row["birth-date"])
        admission = date.fromisoformat(row["admission-date"])
        to_come = (admission.month, admission.day) < (birth.month, birth.day)
        assert row["age"] == admission.year - birth.year - to_come
        assert birth <= admission


def test_ages_and_admissions_keep_to_their_range(stays: pa.Table) -> None:
    ages = pc.min_max(stays["age"]).as_py()
    assert ages["min"] == 0
    assert 95 <= ages["max"] <= 105
    admissions = pc.min_max(plain(stays)["admission-date"]).as_py()
    assert admissions == {"min": "2024-01-01", "max": "2025-12-31"}


def test_births_on_leap_days_happen(stays: pa.Table) -> None:
    assert pc.any(pc.ends_with(plain(stays)["birth-date"], "-02-29")).as_py()


def test_every_age_finds_a_diagnosis_and_an_occupation() -> None:
    for items in (DIAGNOSES, OCCUPATIONS):
        weights = chunk._person_weights(items)
        assert np.isfinite(weights).all()
        assert (weights >= 0).all()
        assert (weights.sum(axis=1) > 0).all()


def test_missing_shares_are_near_their_aims(stays: pa.Table) -> None:
    share = {name: stays[name].null_count / stays.num_rows for name in COLUMNS}
    assert share.pop("sex") == pytest.approx(0.003, rel=0.2)
    assert share.pop("zip") == pytest.approx(0.005, rel=0.2)
    assert share.pop("occupation") == pytest.approx(0.010, rel=0.2)
    assert set(share.values()) == {0}


def test_populations_are_skewed(stays: pa.Table) -> None:
    zips = Counter(stays["zip"].drop_null().to_pylist())
    assert max(zips.values()) > 20 * median(zips.values())
    assert set(zips) <= set(zip_codes())
    names = Counter(stays["name"].to_pylist())
    assert max(names.values()) > 10 * median(names.values())
    diagnoses = Counter(stays["diagnosis"].to_pylist())
    assert max(diagnoses.values()) > 20 * min(diagnoses.values())


def test_winter_and_weekdays_are_busier(stays: pa.Table) -> None:
    days = pc.cast(plain(stays)["admission-date"], pa.date32())
    months = Counter(pc.month(days).to_pylist())
    assert months[1] > 1.15 * months[7]
    weekdays = Counter(pc.day_of_week(days).to_pylist())
    assert weekdays[0] > 1.4 * weekdays[6]


# What goes with what


def only(table: pa.Table, column: str, *values: str) -> pa.Table:
    return table.filter(pc.is_in(table[column], pa.array(values)))


def test_pregnancy_is_for_women_from_15_to_49(stays: pa.Table) -> None:
    pregnant = only(plain(stays), "diagnosis", "childbirth", "pregnancy complication")
    assert pregnant.num_rows > 5_000
    assert set(pregnant["sex"].to_pylist()) == {"female"}
    assert pc.min(pregnant["age"]).as_py() >= 15
    assert pc.max(pregnant["age"]).as_py() <= 49


@pytest.mark.parametrize(
    ("diagnosis", "sex"),
    [("prostate cancer", "male"), ("enlarged prostate", "male"), ("endometriosis", "female")],
)
def test_some_diagnoses_have_one_sex(stays: pa.Table, diagnosis: str, sex: str) -> None:
    assert set(only(plain(stays), "diagnosis", diagnosis)["sex"].to_pylist()) == {sex}


@pytest.mark.parametrize(
    ("column", "value", "youngest", "oldest"),
    [
        ("diagnosis", "childhood asthma", 1, 17),
        ("diagnosis", "premature birth", 0, 0),
        ("diagnosis", "hip fracture", 50, 105),
        ("occupation", "child", 0, 5),
        ("occupation", "pupil", 6, 17),
        ("occupation", "student", 18, 39),
        ("occupation", "nurse", 18, 69),
        ("occupation", "retired", 60, 105),
    ],
)
def test_some_values_have_their_age(
    stays: pa.Table, column: str, value: str, youngest: int, oldest: int
) -> None:
    ages = only(plain(stays), column, value)["age"]
    assert len(ages) > 100
    assert youngest <= pc.min(ages).as_py()
    assert pc.max(ages).as_py() <= oldest


def test_occupations_lean_to_a_sex(stays: pa.Table) -> None:
    def share_of_women(job: str) -> float:
        sexes = only(plain(stays), "occupation", job)["sex"].to_pylist()
        return float(sexes.count("female") / len(sexes))

    assert share_of_women("nurse") > 0.7
    assert share_of_women("bricklayer") < 0.1


def test_first_names_fit_the_sex(stays: pa.Table) -> None:
    women = only(plain(stays), "sex", "female")["name"].to_pylist()
    assert {name.split()[0] for name in women} == set(FEMALE_NAMES)


def test_deaths_rise_with_age(stays: pa.Table) -> None:
    rates = []
    for first, beyond in [(18, 40), (40, 60), (60, 70), (70, 80), (80, 90), (90, 106)]:
        ages = stays["age"]
        outcomes = stays.filter(pc.and_(pc.less_equal(first, ages), pc.less(ages, beyond)))
        deaths = outcomes["outcome"].to_pylist().count("died")
        rates.append(deaths / outcomes.num_rows)
    assert rates == sorted(rates)
    assert rates[-1] > 0.05


def test_the_outcome_depends_on_the_diagnosis(stays: pa.Table) -> None:
    def share(diagnosis: str, outcome: str) -> float:
        outcomes = only(plain(stays), "diagnosis", diagnosis)["outcome"].to_pylist()
        return float(outcomes.count(outcome) / len(outcomes))

    assert share("stroke", "died") > 0.05
    assert share("childbirth", "died") < 0.005
    assert share("worn hip joint", "rehabilitation") > 0.3


# Hierarchies


@pytest.mark.parametrize("file", ["sex.csv", "occupation.csv", "diagnosis.csv"])
def test_hierarchies_are_valid_and_cover_every_value(file: str, stays: pa.Table) -> None:
    rows = hierarchy(hierarchy_texts()[file])
    depth = {"sex.csv": 2, "occupation.csv": 4, "diagnosis.csv": 3}[file]
    assert {len(row) for row in rows} == {depth}
    assert {row[-1] for row in rows} == {"*"}
    assert all(label == label.strip() != "" for row in rows for label in row)
    leaves = [row[0] for row in rows]
    assert len(set(leaves)) == len(leaves)
    for level in range(depth - 1):
        parent_of: dict[str, str] = {}
        for row in rows:
            assert parent_of.setdefault(row[level], row[level + 1]) == row[level + 1]
    levels = [{row[level] for row in rows} for level in range(depth)]
    assert sum(map(len, levels)) == len(set().union(*levels)), "a label on two levels"
    dictionary = stays[file.removesuffix(".csv")].chunk(0).dictionary
    assert set(dictionary.to_pylist()) == set(leaves)


# On disk


def test_csv_holds_the_table(tmp_path: Path) -> None:
    study = write_hospital(tmp_path / "new" / "folder", rows=3_000, seed=5)
    file = study.parent / "hospital.csv"
    back = pa.csv.read_csv(
        file,
        convert_options=pa.csv.ConvertOptions(
            column_types={**dict.fromkeys(COLUMNS, pa.string()), "age": pa.int16()},
            strings_can_be_null=True,
            null_values=[""],
        ),
    )
    assert back.combine_chunks().equals(plain(hospital(3_000, seed=5)))
    text = file.read_bytes()
    assert text.startswith(b"record-number,name,birth-date,age,")
    assert b'"' not in text
    assert b"\r" not in text


def test_parquet_holds_the_table(tmp_path: Path) -> None:
    study = write_hospital(tmp_path, rows=3_000, seed=5, format="parquet")
    back = pa.parquet.read_table(study.parent / "hospital.parquet")
    assert plain(back).equals(plain(hospital(3_000, seed=5)))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_folder_holds_the_whole_study(kind: str, tmp_path: Path) -> None:
    study = write_hospital(tmp_path, rows=50, format=kind)
    assert study == tmp_path / "study.yaml"
    text = study.read_text(encoding="utf-8")
    content: dict[str, Any] = yaml.safe_load(text)
    assert content["table"] == f"hospital.{kind}"
    assert list(content["attributes"]) == COLUMNS
    named = {
        attribute["hierarchy"]
        for attribute in content["attributes"].values()
        if isinstance(attribute.get("hierarchy"), str)
    }
    assert files_in(tmp_path) == {"study.yaml", f"hospital.{kind}", *named}
    for name in named:
        assert (tmp_path / name).read_text() == hierarchy_texts()[Path(name).name]


def test_the_roles_are_the_promised_ones(tmp_path: Path) -> None:
    content = yaml.safe_load(write_hospital(tmp_path, rows=1).read_text(encoding="utf-8"))
    roles = [attribute["role"] for attribute in content["attributes"].values()]
    assert roles == ["identifying"] * 3 + ["quasi"] * 5 + ["sensitive", "class"]
    assert content["attributes"]["age"]["hierarchy"] == {
        "intervals": {"origin": 0, "widths": [5, 10, 20, 40]}
    }
    assert content["attributes"]["zip"]["hierarchy"] == {"mask": {"digits": 5}}
    assert content["attributes"]["admission-date"]["hierarchy"] == {
        "dates": ["month", "quarter", "year"]
    }


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_progress_tells_the_rows_so_far(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunk, "CHUNK_ROWS", 100)
    told: list[int] = []
    write_hospital(tmp_path, rows=250, format=kind, progress=told.append)
    assert told == [100, 200, 250]


@pytest.mark.parametrize("name", ["hospital.csv", "study.yaml", "hierarchies/sex.csv"])
def test_an_existing_file_is_kept(name: str, tmp_path: Path) -> None:
    existing = tmp_path / name
    existing.parent.mkdir(exist_ok=True)
    existing.write_text("mine")
    with pytest.raises(FileExistsError, match=existing.name):
        write_hospital(tmp_path, rows=10)
    assert files_in(tmp_path) == {name}
    assert existing.read_text() == "mine"
    write_hospital(tmp_path, rows=10, force=True)
    assert existing.read_text() != "mine"


def test_a_broken_off_write_leaves_no_file(tmp_path: Path) -> None:
    def give_up(rows: int) -> None:
        raise KeyboardInterrupt

    for kind in ("csv", "parquet"):
        with pytest.raises(KeyboardInterrupt):
            write_hospital(tmp_path, rows=10, format=kind, progress=give_up)
    assert files_in(tmp_path) == set()


# What is refused


@pytest.mark.parametrize("rows", [0, -1])
def test_a_table_has_rows(rows: int, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least 1 row"):
        hospital(rows)
    with pytest.raises(ValueError, match="at least 1 row"):
        write_hospital(tmp_path / "new", rows)
    assert not (tmp_path / "new").exists()


def test_a_seed_is_not_negative() -> None:
    with pytest.raises(ValueError, match="seed is -1"):
        hospital(1, seed=-1)


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="csv or parquet; 'xlsx'"):
        write_hospital(tmp_path / "new", format="xlsx")
    assert not (tmp_path / "new").exists()


def test_a_step_must_begin_with_a_band() -> None:
    with pytest.raises(ValueError, match=r"\[17\]"):
        by_band({17: 1.0})


# How it is made


@given(st.data())
@settings(max_examples=examples(50), deadline=None)
def test_a_weight_of_nought_is_never_drawn(data: st.DataObject) -> None:
    categories = data.draw(st.integers(1, 6))
    weight = st.sampled_from([0.0, 1e-9, 0.1, 1.0, 3.0])
    line = st.lists(weight, min_size=categories, max_size=categories).filter(any)
    weights = np.array(data.draw(st.lists(line, min_size=1, max_size=800)))
    groups = np.repeat(np.arange(len(weights)), 3)
    edges_and_middle = np.tile([0.0, 0.5, 1.0 - 2.0**-32], len(weights))
    drawn = Choice(weights).draw(edges_and_middle, groups)
    assert ((drawn >= 0) & (drawn < categories)).all()
    assert (weights[groups, drawn] > 0).all()


def test_fewer_rows_draw_the_start_of_the_same_numbers() -> None:
    many = uniforms(seed=1, chunk=2, rows=1_001, columns=7)
    for rows in (1, 2, 500, 1_000):
        assert np.array_equal(uniforms(1, 2, rows, 7), many[:, :rows])


def test_importing_needs_neither_numpy_nor_pyarrow() -> None:
    program = "import sys, shoal.demo; print({'numpy', 'pyarrow'} & set(sys.modules))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    answer = subprocess.run(
        [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
    )
    assert answer.stdout.strip() == "set()"
