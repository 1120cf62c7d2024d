"""Negotiations over Adult, 3,600 nodes: what the index says is what a group-by over the rows says."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from shoal import Hierarchy, Study
from shoal.describe.hierarchies import read_hierarchy

ORDER = ("age", "workclass", "race", "native-country", "education", "marital-status")


@pytest.fixture(scope="module")
def rows(adult):
    with (adult / "adult-30162.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def hierarchies(adult) -> dict[str, Hierarchy]:
    return {name: read_hierarchy(adult / "negotiation-3600" / f"{name}.csv") for name in ORDER}


@pytest.fixture(scope="module")
def study(adult, hierarchies):
    with Study(adult / "adult-30162.csv", quasi=hierarchies, sensitive="occupation") as study:
        yield study


@pytest.fixture(scope="module")
def negotiator(study):
    return study.negotiator()


def suppressed(rows, hierarchies, node, k, l):
    """The rows that go, from the rows themselves."""
    labels = {
        name: {row[0]: row[level] for row in hierarchies[name].rows()} for name, level in node.items()
    }
    classes: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        key = tuple(labels[name][row[name]] for name in ORDER)
        classes.setdefault(key, []).append(row["occupation"])
    return sum(len(jobs) for jobs in classes.values() if len(jobs) < k or len(set(jobs)) < l)


def test_the_index_is_small_and_the_same_for_any_number_of_threads(study, negotiator):
    index = negotiator.histograms.index
    assert index.nodes == 3600
    assert index.size < 4_000_000
    study.threads = 3
    assert study.negotiator().histograms.index.dump() == index.dump()


def test_random_nodes_suppress_what_the_rows_say(rows, hierarchies, negotiator):
    rng = np.random.default_rng(7)
    maps = {
        (k, l): negotiator.map(k, l or None) for k, l in ((3, 0), (10, 3), (1, 9), (50, 6), (2000, 14))
    }
    for _ in range(6):
        node = tuple(int(rng.integers(0, top + 1)) for top in negotiator.shape.top)
        for (k, l), found in maps.items():
            assert found[node] == suppressed(
                rows, hierarchies, dict(zip(ORDER, node, strict=True)), k, l
            )


@pytest.mark.parametrize("request_", [
    {"k": 3, "heights": {"age": 1, "workclass": 2, "race": 1}, "max_suppressed": 20},
    {"k": 10, "heights": dict.fromkeys(ORDER, 1), "max_suppressed": "1%"},
    {"l": 6, "heights": dict.fromkeys(ORDER, 2) | {"age": 1}, "max_suppressed": 301},
    {"k": 50, "l": 9, "heights": {"age": 0}, "max_suppressed": 30},
])  # fmt: skip
def test_answers_by_height_are_the_best_of_the_whole_map(negotiator, study, request_):
    request_ = request_ | {"prefer": "height"}
    answer = negotiator.ask(**request_)
    shape = negotiator.shape
    top, rows = shape.within(request_["heights"]), shape.rows
    limit = 301 if request_["max_suppressed"] == "1%" else request_["max_suppressed"]
    found = negotiator.map(request_.get("k"), request_.get("l"))
    nodes = [(sum(node), int(found[node]), node) for node in np.ndindex(found.shape)]
    within = [entry for entry in nodes if all(x <= y for x, y in zip(entry[2], top, strict=True))]

    def is_best(offer, candidates):
        height, gone, node = min(candidates)
        return (offer.height, offer.suppressed, tuple(offer.node.values())) == (height, gone, node)

    accepted = [entry for entry in within if entry[1] <= limit]
    if accepted:
        assert is_best(answer.exact, accepted)
        return
    assert answer.exact is None
    fewest = min(gone for _, gone, _ in within)
    assert fewest < rows
    assert is_best(answer.suggestions.suppression, [entry for entry in within if entry[1] == fewest])
    high = [entry for entry in nodes if entry[0] >= sum(top) and entry[1] <= limit]
    assert is_best(answer.suggestions.height, high)
    assert answer.suggestions.privacy.suppressed <= limit
    # Without an index the answers are the same.
    other = study.negotiator(lazy=True).ask(**request_)
    assert (other.exact, other.suggestions) == (answer.exact, answer.suggestions)


@pytest.mark.parametrize(("request_", "share"), [
    ({"k": 5, "max_suppressed": 301}, 0.2406),
    ({"k": 10, "heights": dict.fromkeys(ORDER, 2) | {"age": 1}, "max_suppressed": "1%"}, None),
    ({"k": 5, "l": 3, "max_suppressed": 301}, 0.2408),
    ({"k": 5, "max_suppressed": 301, "metric": "DM"}, 0.0094),
])  # fmt: skip
def test_the_index_and_the_search_by_boxes_find_the_same_least_loss(negotiator, study, request_, share):
    answer = negotiator.ask(**request_)
    other = study.negotiator(lazy=True).ask(**request_)
    assert (other.exact, other.suggestions) == (answer.exact, answer.suggestions)
    if share is not None:
        assert answer.exact.share == pytest.approx(share, abs=5e-5)
        assert answer.exact.share < negotiator.ask(**request_ | {"prefer": "height"}).exact.share
