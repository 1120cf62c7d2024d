"""Where several things are promised, minimality concludes only what follows whichever of them was broken."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.answering.defended import _scene
from shoal.answers.recoding import Decision, NodeRecoding, Scheme
from shoal.assess.attacks.minimality import attack
from shoal.describe.promise import Promise, ShareLimits
from tests.assess.attacks.scenes import released_scene
from tests.examples import examples

TWO = shoal.Hierarchy.from_rows([("x", "*"), ("y", "*")])
JOINT = ("hiv", "p"), ("hiv", "q"), ("flu", "p"), ("cold", "q")


def keeps(groups, promise) -> bool:
    """Whether groups of pairs of values keep the limits on both columns."""
    for inside in groups:
        if len(inside) < (promise.k or 1):
            return False
        for s, column in enumerate(("ill", "job")):
            values = [pair[s] for pair in inside]
            limits = promise.theta.get(column, ShareLimits())
            if any(
                (most := limits.of(v)) is not None and Fraction(values.count(v), len(values)) > most
                for v in values
            ):
                return False
            if column in promise.distinct(("ill", "job")) and len(set(values)) < promise.l:
                return False
    return True


@settings(max_examples=examples(60))
@given(st.data())
def test_certain_is_certain_whichever_column_forbade_the_finer_recoding(data):
    size = data.draw(st.integers(1, 3))
    rows = data.draw(st.lists(st.sampled_from(JOINT), min_size=size + 1, max_size=6))
    share = st.sampled_from([Fraction(1, 2), Fraction(2, 3), None])
    theta = {name: ShareLimits(data.draw(share)) for name in ("ill", "job")}
    least = data.draw(st.sampled_from([None, 2]))
    promise = Promise(data.draw(st.integers(1, 2)), least, {n: t for n, t in theta.items() if t.uniform})

    def finer_is_allowed(dealt):
        return keeps([dealt[:size], dealt[size:]], promise)

    if not keeps([rows], promise) or finer_is_allowed(rows):
        return
    worlds = {dealt for dealt in permutations(rows) if not finer_is_allowed(list(dealt))}
    decision = Decision(NodeRecoding({"a": 1}), promise, Scheme.NO_SUPP, details={"optimal": True})
    ill, job = zip(*rows, strict=True)
    people = pa.table({"a": ["x"] * size + ["y"] * (len(rows) - size), "ill": ill, "job": job})
    with shoal.Study(people, quasi={"a": TWO}, sensitive=["ill", "job"]) as study:
        scene = _scene(study.material(), decision)
    found = attack(scene, np.random.default_rng(0))
    for s, column in enumerate(("ill", "job")):
        sure = sum(len({world[i][s] for world in worlds}) == 1 for i in range(len(rows)))
        claimed = sum(case.certain or 0 for case in found.cases if case.name.startswith(column))
        assert claimed <= sure


PEOPLE = {"a": ["x", "x", "y", "y", "y"], "ill": ["hiv", "flu", "hiv", "cold", "gout"]}


def test_another_column_may_have_forbidden_it(tmp_path):
    # Alone, two thirds of ill could only be exceeded by both of x having hiv. But it was the jobs of x.
    people = pa.table(PEOPLE | {"job": ["p", "p", "q", "q", "p"]})
    study = shoal.Study(people, quasi={"a": TWO}, sensitive=["ill", "job"])
    best = study.anonymize("flash", k=2, theta="2/3")
    scene = released_scene(study, best, tmp_path / "out.csv")
    assert [case.certain for case in attack(scene, np.random.default_rng(0)).cases] == [0, 0]


def test_another_promise_may_have_forbidden_it(tmp_path):
    people = pa.table(PEOPLE)
    study = shoal.Study(people, quasi={"a": TWO}, sensitive="ill")
    best = study.anonymize("flash", k=2, theta="2/3", t="0.3")
    assert best.decision().recoding.levels == {"a": 1}
    found = attack(released_scene(study, best, tmp_path / "out.csv"), np.random.default_rng(0))
    assert found.cases == ()
    assert found.sentences[0].startswith("t may have forbidden")


@pytest.fixture
def alike():
    """Two rows with one value, which distinct l = 2 keeps from being told apart."""
    people = pa.table({"a": ["x", "x", "y", "y", "y"], "ill": ["hiv", "hiv", "flu", "cold", "gout"]})
    return shoal.Study(people, quasi={"a": TWO}, sensitive="ill")


def test_distinct_values_can_make_a_value_certain(alike, tmp_path):
    best = alike.anonymize("flash", k=2, l=2)
    assert best.decision().recoding.levels == {"a": 1}
    with pytest.raises(shoal.InputError, match="accept the attack minimality"):
        alike.release(best).write(tmp_path / "out.csv")
    scene = released_scene(alike, best, tmp_path / "out.csv", accept_attack=["minimality"])
    found = attack(scene, np.random.default_rng(0))
    assert found.cases[0].certain == 2
    assert found.breaks == "the limit of ill"


def test_nothing_is_concluded_of_groups_with_blanked_values(tmp_path):
    # Another part may have been what needed more values blanked, and which they were is not known.
    four = shoal.Hierarchy.from_rows(
        [("w", "u", "*"), ("x", "u", "*"), ("y", "v", "*"), ("z", "v", "*")]
    )
    people = {"a": list("wwxyw"), "b": list("yyyyx"), "ill": ["cold", "cold", "hiv", "flu", "hiv"]}
    study = shoal.Study(pa.table(people), quasi={"a": four, "b": TWO}, sensitive="ill")
    best = study.optimize(limits={"hiv": Fraction(2, 3)}, scheme="vioSA")
    assert best.suppressed_values == 1
    scene = released_scene(study, best, tmp_path / "out.csv")
    assert all(not case.certain for case in attack(scene, np.random.default_rng(0)).cases)
