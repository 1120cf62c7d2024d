"""A study of a frame needs no more than the names of its quasi columns."""

from __future__ import annotations

import pyarrow as pa
import pytest

from shoal import InputError, Study

PEOPLE = pa.table(
    {
        "age": ["31", "34", "38", "52", "57", "59"],
        "zip": ["02138", "02139", "02139", "02141", "02142", "02142"],
        "note": [f"{i}{'x' * 10_001}" for i in range(6)],
    }
)


def test_names_alone_get_the_hierarchies_that_init_would_propose() -> None:
    study = Study(PEOPLE, quasi=["age", "zip"])
    assert study.hierarchy("age").labels[1] == ("30-34", "35-39", "50-54", "55-59")
    assert study.hierarchy("zip").labels[1] == ("0213*", "0214*")
    assert study.frontier().points[0].k == 6
    assert Study(PEOPLE, quasi="age").quasi == ("age",)


def test_a_column_that_is_not_there_is_named_with_the_nearest_one() -> None:
    with pytest.raises(InputError, match="has no column 'agee'; did you mean age"):
        Study(PEOPLE, quasi=["agee"])


def test_a_column_that_no_hierarchy_suits_needs_one_of_its_own() -> None:
    given = r"the 6 values of 'note'; give it one, as in quasi=\{'note': 'hierarchy.csv'\}"
    with pytest.raises(InputError, match=given):
        Study(PEOPLE, quasi=["age", "note"])
