"""Hierarchies in which a label recurs for another group work in every method."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import Study
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.hierarchies.telling_apart import told_apart
from shoal.errors import InputError

RECURRING = [
    ("cook", "Other", "Works", "*"),
    ("clerk", "Office", "Works", "*"),
    ("lawyer", "Office", "Works", "*"),
    ("Other", "None", "Other", "*"),
    ("none", "None", "Other", "*"),
]


def test_every_method_releases_a_table_with_such_a_hierarchy() -> None:
    jobs = ["cook", "clerk", "lawyer", "Other", "none"] * 8
    table = pa.table({"job": jobs, "sex": ["f", "m"] * 20, "ill": ["flu", "gout", "cold", "flu"] * 10})
    quasi = {"job": Hierarchy.from_rows(RECURRING), "sex": Hierarchy.from_rows([("f", "*"), ("m", "*")])}
    with pytest.raises(InputError, match="names two different groups"):
        quasi["job"].tree()
    with Study(table, quasi=quasi, sensitive="ill") as study:
        assert study.optimize(k=4).optimal
        assert study.frontier(recoding="cuts").points
        compared = study.compare(k=4, time_limit=20)
        assert not any("two different groups" in str(row) for row in compared.to_arrow().to_pylist())
        for algorithm in ("mondrian", "top-down", "local-recoding", "flash"):
            assert study.release(study.anonymize(algorithm, k=4)).table().num_rows == 40


labels = st.sampled_from("abxy")


@given(st.lists(st.tuples(labels, labels), min_size=4, max_size=4))
def test_no_label_names_two_groups_and_the_groups_are_the_same(above: list[tuple[str, str]]) -> None:
    rows = [(leaf, *pair, "*") for leaf, pair in zip("abcx", above, strict=True)]
    try:
        given_ = Hierarchy.from_rows(rows)
    except InputError:  # a value with two parents
        return
    found = told_apart(given_)
    found.tree()
    assert found.leaves == given_.leaves
    assert all((a == b).all() for a, b in zip(found.codes, given_.codes, strict=True))


def test_what_needs_no_telling_apart_stays_the_same() -> None:
    padded = Hierarchy.from_rows([("a", "a", "*"), ("b", "x", "*"), ("c", "x", "*")])
    assert told_apart(padded) is padded
