"""Searches with every criterion: optimal ones equal brute force, and all keep what they promise."""

from __future__ import annotations

from itertools import product

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.answering.named import pose
from shoal.criteria import Groups, broken
from shoal.describe.hierarchies import Hierarchy
from shoal.errors import NoSolutionError
from shoal.questions.searches import AlgorithmQuestion
from tests.criteria.definitions import TREE, values
from tests.examples import examples
from tests.strategies import hierarchies

NAMES = ("q0", "q1")
QUESTIONS = (
    {"entropy_l": 1.5},
    {"recursive_l": (2, 2)},
    {"t": 0.3},
    {"t": 0.2, "distance": "ordered"},
    {"t": 0.2, "distance": "hierarchical"},
    {"k_map": 3},
    {"delta": (0, "1/2")},
    {"delta": ("1/4", "1")},
    {"beta": "3/2"},
    {"delta_disclosure": 1},
    {"max_risk": "1/3"},
    {"average_risk": "2/5"},
    {"population_uniques": "1/5"},
    {"k": 2, "average_risk": 0.2, "max_risk": 0.25, "sampling_fraction": "2/3"},
    {"population_uniques": 0.1, "average_risk": 0.4, "sampling_fraction": 0.5},
    {"k": 2, "l": 2, "theta": 0.7, "entropy_l": 1.2, "k_map": 2},
)


@st.composite
def studies(draw):
    trees = {name: draw(hierarchies(most_leaves=3, most_levels=3)) for name in NAMES}
    quasi = [st.sampled_from(tree.leaves) for tree in trees.values()]
    rows = draw(st.lists(st.tuples(*quasi, values), min_size=1, max_size=10))
    others = draw(st.lists(st.tuples(*quasi), max_size=10))
    names = (*NAMES, "s")

    def table(lines, columns):
        return pa.table({c: pa.array([r[i] for r in lines], pa.string()) for i, c in enumerate(columns)})

    population = table([row[:2] for row in rows] + others, NAMES)
    tree = Hierarchy.from_rows(TREE)
    return Study(table(rows, names), quasi=trees, sensitive={"s": tree}, population=population)


def allowed_nodes(study, question):
    """The suppressed rows of every allowed node, from the groups of a release."""
    found = {}
    heights = [study.hierarchy(name).height for name in NAMES]
    judge = question.judge()
    for node in product(*(range(height + 1) for height in heights)):
        release = study.release(
            {"node": dict(zip(NAMES, node, strict=True)), "promise": question.promise.to_dict()}
        )
        gone = release.treatment.suppressed_rows
        judged = judge.judge(node)
        assert judged.allowed == (gone <= question.limit and gone < question.rows)
        if judged.allowed:
            assert judged.suppressed == gone
            found[node] = gone
    return found


@settings(max_examples=examples(25), deadline=None)
@given(studies(), st.sampled_from(QUESTIONS), st.integers(0, 4))
def test_full_domain_searches_find_an_allowed_node_if_there_is_one_and_the_best_of_them(
    study, asked, limit
):
    with study:
        limit = min(limit, study.tally().rows)
        material = study.material()
        question = pose(material, AlgorithmQuestion(**asked, suppress=limit))
        allowed = allowed_nodes(study, question)
        if question.monotone:  # what lies above an allowed node is allowed
            assert all(
                above in allowed
                for below in allowed
                for above in product(
                    *(range(b, study.hierarchy(n).height + 1) for b, n in zip(below, NAMES, strict=True))
                )
            )
        judge = question.judge()
        cheapest = min((judge.judge(node).loss for node in allowed), default=None)
        for name in ("flash", "incognito", "samarati", "mingen", "datafly"):
            if not allowed and name != "datafly":
                with pytest.raises(NoSolutionError):
                    study.anonymize(name, suppress=limit, **asked)
                continue
            try:
                answer = study.anonymize(name, suppress=limit, **asked)
            except NoSolutionError:
                assert name == "datafly"  # it is greedy
                continue
            node = tuple(answer.to_dict()["node"][n] for n in NAMES)
            if name in ("flash", "incognito"):
                assert judge.judge(node).loss == cheapest
            assert study.release(answer, seed=1).verified_table()[1].holds


def test_groups_keep_their_population_when_some_go():
    groups = Groups(pa.array([1, 2]).to_numpy(), {}, pa.array([3, 4]).to_numpy())
    assert groups.where(groups.sizes > 1).population.tolist() == [4]
    assert not broken(groups, []).any()
