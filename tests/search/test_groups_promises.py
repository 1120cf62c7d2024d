"""Every promise, metric and limit by groups: tried, released, verified; docs/groups.md has the same table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from shoal import InputError, Study

WAYS = {
    "local-recoding": ("local-recoding", {"effort": 0}),
    "mondrian": ("mondrian", {}),
    "mondrian, relaxed": ("mondrian", {"regions": "relaxed", "effort": 0}),
    "mondrian, labels of the hierarchies": ("mondrian", {"labels": "hierarchy"}),
}
PROMISES = {
    "`k`, `l`": {"l": 2},
    "`theta`": {"theta": "0.8"},
    "`entropy_l`": {"entropy_l": 1.5},
    "`recursive_l`": {"recursive_l": (3, 2)},
    "`t`, equal": {"t": 0.5},
    "`t`, ordered": {"t": 0.5, "distance": "ordered"},
    "`t`, hierarchical": {"t": 0.5, "distance": "hierarchical"},
    "`beta`": {"beta": 2},
    "`delta_disclosure`": {"delta_disclosure": 2},
    "`max_risk`, `average_risk`, `population_uniques`": {
        "max_risk": 0.5,
        "average_risk": 0.4,
        "population_uniques": 0.05,
    },
    "`k_map`": {"k_map": 4},
    "`delta` with a low of 0": {"delta": (0, "1/2")},
}
REFUSED = {
    ("`delta` with a low of 0", "local-recoding"),
    ("`delta` with a low of 0", "mondrian, relaxed"),
}
PERSONS_TOO = [name for name in PROMISES if "delta` with" not in name]
QUASI = {
    "age": {"intervals": {"origin": 20, "widths": [3, 6]}},
    "town": {"*": {"x": ["a", "b", "c"], "y": ["d", "e", "f"]}},
    "sex": {"*": ["f", "m"]},
}
STAGES = {"*": {"early": ["1", "2"], "late": ["3", "4"]}}


def rows_of(size, seed):
    rng = np.random.default_rng(seed)
    return {
        "age": [str(age) for age in rng.integers(20, 26, size)],
        "town": rng.choice(list("abcdef"), size).tolist(),
        "sex": rng.choice(["f", "m"], size).tolist(),
        "stage": rng.choice(list("1234"), size).tolist(),
        "pay": rng.choice(["low", "high"], size).tolist(),
    }


def study_of(*, persons=False, population=False, **more):
    rows = rows_of(72, 1)
    if persons:
        rows["who"] = [f"p{i // 2}" for i in range(72)]
        more["persons"] = "who"
    if population:
        # Everybody of the table twice over, and others.
        others = rows_of(100, 2) | ({"who": [f"q{i}" for i in range(100)]} if persons else {})
        again = rows | ({"who": [f"r{i}" for i in range(72)]} if persons else {})
        more["population"] = pa.concat_tables([pa.table(one) for one in (rows, again, others)])
    return Study(pa.table(rows), quasi=QUASI, sensitive={"stage": STAGES}, class_="pay", **more)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.parametrize("persons", [False, True])
def test_every_promise_is_kept_by_groups(promise, way, persons):
    algorithm, options = WAYS[way]
    asked = {"k": 2} | PROMISES[promise]
    with study_of(persons=persons, population={"k_map", "delta"} & asked.keys()) as study:
        several_rows = persons and promise not in PERSONS_TOO
        if several_rows or (promise, way) in REFUSED:
            why = "who have rows in several groups" if several_rows else "fits several groups"
            with pytest.raises(InputError, match=why):
                study.anonymize(algorithm, options=options, **asked)
            return
        found = study.anonymize(algorithm, options=options, **asked)
        assert found.groups > 1
        study.release(found, seed=1).verified_table()  # raises where the released rows break it


@pytest.mark.parametrize("way", WAYS)
def test_no_label_goes_above_the_highest_level_or_below_the_lowest(way):
    algorithm, options = WAYS[way]
    levels = {"age": (0, 1), "sex": (0, 0), "town": (1, 2)}
    with Study(pa.table(rows_of(200, 4)), quasi=QUASI, levels=levels) as study:
        found = study.anonymize(algorithm, k=2, suppress=20, options=options)
        shown = study.release(found, seed=1).table()
        assert set(shown["sex"].to_pylist()) <= {"f", "m"}
        assert not set(shown["town"].to_pylist()) & set("abcdef")
        # Intervals of three years that begin at 20 are the highest level of the age.
        for label in set(shown["age"].to_pylist()):
            ends = [int(end) for end in label.split("-")]
            assert (ends[0] - 20) // 3 == (ends[-1] - 20) // 3


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("metric", ["LM", "NCP", "Prec", "NUE", "CM", "DM", "ClassSize"])
def test_every_metric_may_be_asked_for(metric, way):
    algorithm, options = WAYS[way]
    with study_of() as study:
        by_lm = study.anonymize(algorithm, k=3, options=options)
        found = study.anonymize(algorithm, k=3, metric=metric, options=options)
        assert found.metric == metric
        if metric == "CM":
            # The search by LM is one of those that are tried.
            assert found.losses["CM"] <= by_lm.losses["CM"]


@pytest.mark.parametrize("way", WAYS)
def test_columns_that_weigh_more_keep_more_detail(way):
    algorithm, options = WAYS[way]

    def hidden(**weights):
        with study_of(weights=weights) as study:
            found = study.anonymize(algorithm, k=4, options=options)
            labels = study.release(found, seed=1).table()
        return {
            name: sum(len(cell) > 2 or cell == "*" for cell in labels[name].to_pylist())
            for name in QUASI
        }

    assert hidden(age=20)["age"] < hidden()["age"]
    assert hidden(sex=20)["sex"] < hidden(town=20)["sex"]


def test_the_docs_say_what_was_tried():
    page = (Path(__file__).parents[2] / "docs" / "groups.md").read_text("utf-8")
    assert table() in page


def table():
    """The table of promises and ways, as the docs show it."""
    lines = [
        "| " + " | ".join(["promise", *WAYS, "of persons"]) + " |",
        "|" + " --- |" * (len(WAYS) + 2),
    ]
    for promise in PROMISES:
        cells = ["refused" if (promise, way) in REFUSED else "yes" for way in WAYS]
        cells.append("yes" if promise in PERSONS_TOO else "refused")
        lines.append("| " + " | ".join([promise, *cells]) + " |")
    return "\n".join(lines)
