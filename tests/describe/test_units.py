"""Whom the rows stand for, as studies say it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from shoal import Study
from shoal.describe.study_file import read_study_file
from shoal.describe.units import Units
from shoal.errors import InputError

STUDY = "table: visits.csv\nattributes:\n  age: {role: quasi, hierarchy: {intervals: {widths: [5]}}}\n"


def written(tmp_path, more):
    path = tmp_path / "study.yaml"
    path.write_text(STUDY + more)
    return path


def test_a_study_says_who_its_rows_are_about(tmp_path):
    path = written(tmp_path, "persons: patient\nhouseholds: home\nsample_weight: w\n")
    assert read_study_file(path).units == Units(("patient",), "home", "w")
    path = written(tmp_path, "persons: [hospital, patient]\nsampling_fraction: 2%\n")
    units = read_study_file(path).units
    assert units == Units(("hospital", "patient"), sampling_fraction=Fraction(1, 50))
    assert units.columns == ("hospital", "patient")
    assert (
        read_study_file(written(tmp_path, "population_size: 450000\n")).units.population_size == 450000
    )


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("persons:\n", "line 4: persons is a column, or a list of columns"),
        ("persons: [a, [b]]\n", "persons is a column, or a list of columns"),
        ("persons: age\n", "line 3: the column 'age' says who a row is about, so it is never released"),
        ("households: [a]\n", "households is a single value"),
        ("population_size: many\n", "a population size is a whole number such as 450000, not 'many'"),
        ("population_size: 0\n", "a population size is a whole number"),
        ("population_size: 1.5\n", "a population size is a whole number"),
        ("sampling_fraction: 1.5\n", "above 0 and at most 1, such as 0.01 or 1%, not '1.5'"),
        ("sampling_fraction: 0\n", "above 0 and at most 1"),
        ("sample_weight: w\npopulation_size: 9\n", "sample_weight and population_size both say"),
        ("person: a\n", "unknown entry 'person' of a study; did you mean persons"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(tmp_path, more, sentence):
    with pytest.raises(InputError) as refusal:
        read_study_file(written(tmp_path, more))
    assert sentence in str(refusal.value)
    assert "study.yaml, line" in str(refusal.value)


def test_persons_may_be_named_beside_the_file(tmp_path):
    study = read_study_file(written(tmp_path, "persons: patient\n"))
    assert study.about(None) is study
    assert study.about("person").units.persons == ("person",)
    assert study.about(("a", "b")).units.persons == ("a", "b")
    with pytest.raises(InputError, match="never released"):
        study.about("age")


def test_a_column_that_the_table_lacks_is_refused(tmp_path):
    (tmp_path / "visits.csv").write_text("age,home\n30,1\n")
    with pytest.raises(InputError, match="has no column 'hoem'; did you mean home"):
        Study.open(written(tmp_path, "households: hoem\n"))
