"""Weights of attributes count alike in the searches over cuts and in what a release is said to cost."""

from __future__ import annotations

import random
from fractions import Fraction

import pyarrow as pa
import pytest

from shoal import Hierarchy, Study
from shoal.answering.named import pose
from shoal.answers.recoding import Decision
from shoal.assess.utility import measure_utility
from shoal.describe.promise import Promise
from shoal.questions.searches import AlgorithmQuestion
from shoal.recode.treatment import treat
from shoal.search.cuts.cut_judge import CutJudge

LETTERS = Hierarchy.from_rows(
    [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*"), ("e", "e", "*")]
)
WEIGHTS = {"x": "0.3", "y": 2}


def study(seed, weights):
    draw = random.Random(seed)
    columns = {name: [draw.choice("aabcde") for _ in range(40)] for name in "xyz"}
    return Study(pa.table(columns), quasi=dict.fromkeys("xyz", LETTERS), weights=weights)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("seed", range(4))
def test_a_judge_of_cuts_weighs_as_the_release_does(seed, weights):
    asked = study(seed, weights)
    question = pose(asked.material(), AlgorithmQuestion(k=3, suppress=39))
    judge = CutJudge(question)
    most = judge.judge(frozenset()).loss
    specialized = set()
    draw = random.Random(seed)
    while judge.frontier(specialized):
        specialized.add(draw.choice(judge.frontier(specialized)))
        decision = Decision(judge.recoding(specialized), Promise(3))
        treatment = treat(decision, question.tally, question.hierarchies)
        found = measure_utility(
            decision.recoding,
            treatment,
            question.tally,
            question.hierarchies,
            weights=asked.specification.weights,
        )
        assert float(Fraction(judge.judge(specialized).loss, most)) == pytest.approx(
            found.losses["LM"].share
        )


@pytest.mark.parametrize("metric", ["LM", "NCP"])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_best_cut_of_a_named_algorithm_is_the_best_of_optimize(metric, weights):
    asked = study(7, weights)
    best = asked.optimize(k=3, scheme="NoSupp", metric=metric)
    named = asked.anonymize(algorithm="k-optimize", k=3, metric=metric)
    assert best.optimal
    assert named.losses[metric] == pytest.approx(best.cost)
