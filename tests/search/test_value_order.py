"""Numbers and dates make intervals, also in less usual forms, and beside one value that is neither."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal import Hierarchy, Study

FORMS = {
    "months": [f"{2020 + m // 12}-{m % 12 + 1:02d}" for m in range(24)],
    "quarters": [f"{year}-Q{part}" for year in range(2018, 2024) for part in range(1, 5)],
    "weeks": [f"2023-W{week:02d}" for week in range(1, 25)],
    "commas": [f"{i},25" for i in range(24)],
    "powers": [f"{i}e2" for i in range(24)],
    "signs": [f"{'+' if i > 9 else '-'}{abs(i - 10)}" for i in range(24)],
    "unknown": [*map(str, range(23)), "unknown"],
    "unknown date": [*(f"{day:02d}.03.2024" for day in range(1, 24)), "no date"],
}


@pytest.mark.parametrize("form", FORMS)
def test_groups_of_ordered_values_are_intervals(form):
    """Every label's values are a stretch of the order that they were listed in, and whoever is in a group is
    covered by its label."""
    values = FORMS[form]
    rng = np.random.default_rng(5)
    rows = rng.permutation(values * 4).tolist()
    tree = Hierarchy.from_rows([(value, "*") for value in values])
    with Study(
        pa.table({"x": rows, "sex": ["f", "m"] * 48}), quasi={"x": tree, "sex": {"*": ["f", "m"]}}
    ) as study:
        found = study.anonymize("mondrian", k=9)
        recoding = found.decision().recoding
        assert recoding.meanings["x"]
        for label, meant in recoding.meanings["x"].items():
            assert not label.startswith("{")
            ordered = [
                values.index(value) for value in meant if not value.isalpha() and value != "no date"
            ]
            assert ordered == list(range(ordered[0], ordered[-1] + 1))
        for group in recoding.each():
            covered = recoding.meanings["x"].get(group.labels["x"])
            if covered is not None:
                assert {row[0] for row in group.combinations} <= set(covered)
        study.release(found, seed=1).verified_table()


def test_an_odd_value_is_named_beside_its_interval():
    rows = ["1"] * 2 + ["2"] * 2 + ["3"] * 2 + ["unknown"] * 2
    tree = Hierarchy.from_rows([(value, "*") for value in ("1", "2", "3", "unknown")])
    with Study(pa.table({"x": rows}), quasi={"x": tree}) as study:
        shown = study.release(study.anonymize("mondrian", k=4), seed=1).table()["x"].to_pylist()
    assert set(shown) == {"1-2", "3 or unknown"}


def test_two_odd_values_leave_sets():
    rows = ["1", "2", "3", "4", "unknown", "none"] * 2
    tree = Hierarchy.from_rows([(value, "*") for value in dict.fromkeys(rows)])
    with Study(pa.table({"x": rows}), quasi={"x": tree}) as study:
        found = study.anonymize("mondrian", k=4)
        assert all(label.startswith("{") for label in found.decision().recoding.meanings["x"])
