"""Chances under minimality are counted as brute force over all ways to deal the values counts them."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.assess.attacks.minimality import _counted, attack
from shoal.assess.attacks.value_limits import ValueLimits
from tests.assess.attacks.scenes import released_scene
from tests.examples import examples

TWO = shoal.Hierarchy.from_rows([("x", "*"), ("y", "*")])


@settings(max_examples=examples(100))
@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=3).filter(lambda values: 2 <= sum(values) <= 6),
    st.data(),
)
def test_chances_are_those_of_all_ways_to_deal(values, data):
    rows = sum(values)
    first = data.draw(st.integers(1, rows - 1))
    limits = [data.draw(st.sampled_from([None, Fraction(1, 2), Fraction(1, 3)])) for _ in values]
    dealt = [v for v, count in enumerate(values) for _ in range(count)]
    broken, joint, ways = 0, np.zeros((2, len(values))), 0
    for order in permutations(dealt):
        ways += 1
        parts = order[:first], order[first:]
        if any(
            limit is not None and Fraction(part.count(v), len(part)) > limit
            for part in parts
            for v, limit in enumerate(limits)
        ):
            broken += 1
            joint += [[part.count(v) / len(part) for v in range(len(values))] for part in parts]
    found = _counted((first, rows - first), tuple(values), ValueLimits(tuple(limits)))
    assert found.broken == pytest.approx(broken / ways)
    assert found.joint == pytest.approx(joint / ways)


def test_wongs_example_is_found(tmp_path):
    # Two persons of each quasi value; one value may be half of a group. The values were put together, so in
    # one of the finer groups both have the same disease.
    people = pa.table({"a": ["x", "x", "y", "y"], "ill": ["hiv", "hiv", "flu", "cold"]})
    study = shoal.Study(people, quasi={"a": TWO}, sensitive="ill")
    best = study.optimize(theta=0.5, scheme="NoSupp")
    assert best.cut == {"a": ("*",)}
    scene = released_scene(study, best, tmp_path / "out.csv")
    found = attack(scene, np.random.default_rng(0))
    # The shares give hiv a half. The finer groups broke the limit only if both of one value have hiv.
    assert found.cases[0].baseline.share == pytest.approx((0.5 + 0.5 + 0.25 + 0.25) / 4)
    assert found.cases[0].certain == 0
    joint = _counted((2, 2), (2, 1, 1), ValueLimits((Fraction(1, 2),) * 3))
    assert joint.broken == pytest.approx(1 / 3)  # 2 of the 6 pairs of rows
    assert joint.joint[:, 0] / joint.broken == pytest.approx([0.5, 0.5])


def test_a_value_that_minimality_makes_certain_is_said_to_be_certain(tmp_path):
    # Half of a group may have hiv. Apart, only the single row of x can break that: by having it.
    people = pa.table({"a": ["x", "y", "y", "y"], "ill": ["hiv", "flu", "flu", "cold"]})
    study = shoal.Study(people, quasi={"a": TWO}, sensitive="ill")
    best = study.optimize(limits={"hiv": Fraction(1, 2)}, scheme="NoSupp")
    assert best.cut == {"a": ("*",)}
    found = attack(
        released_scene(study, best, tmp_path / "out.csv", accept_attack=["minimality"]),
        np.random.default_rng(0),
    )
    assert found.cases[0].certain == 1
    assert found.breaks == "the limit of ill"


class TestRelease:
    @pytest.fixture
    def study(self):
        people = pa.table({"a": ["x", "y", "y", "y"], "ill": ["hiv", "flu", "flu", "cold"]})
        return shoal.Study(people, quasi={"a": TWO}, sensitive="ill")

    def test_a_release_that_an_attack_breaks_is_refused(self, study, tmp_path):
        best = study.optimize(limits={"hiv": Fraction(1, 2)}, scheme="NoSupp")
        with pytest.raises(shoal.InputError, match="accept the attack minimality"):
            study.release(best).write(tmp_path / "out.csv")
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(shoal.InputError, match="unknown accept_attack 'minimalty'; did you mean"):
            study.release(best, accept_attack="minimalty")

    def test_it_is_made_if_the_attack_is_accepted_and_the_record_says_so(self, study, tmp_path):
        best = study.optimize(limits={"hiv": Fraction(1, 2)}, scheme="NoSupp")
        made = study.release(best, accept_attack=["minimality"]).write(tmp_path / "out.csv")
        assert made.record["accepted_attacks"] == ["minimality"]

    def test_and_it_is_made_again_without_asking(self, tmp_path):
        (tmp_path / "in.csv").write_text("a,ill\nx,hiv\ny,flu\ny,flu\ny,cold\n")
        study = shoal.Study(tmp_path / "in.csv", quasi={"a": TWO}, sensitive="ill")
        best = study.optimize(limits={"hiv": Fraction(1, 2)}, scheme="NoSupp")
        study.release(best, accept_attack=["minimality"]).write(tmp_path / "out.csv")
        again = shoal.remake(tmp_path / "out.csv.record.json", tmp_path / "again.csv")
        assert again.record["accepted_attacks"] == ["minimality"]

    def test_a_recoding_drawn_from_several_is_not_known_to_be_the_best(self, study, tmp_path):
        drawn = study.optimize(limits={"hiv": Fraction(3, 4)}, scheme="allRec", top=2, seed=1)
        made = study.release(drawn).write(tmp_path / "out.csv")
        assert "accepted_attacks" not in made.record

    def test_one_that_withstands_is_made_as_ever(self, study, tmp_path):
        best = study.optimize(k=4, scheme="NoSupp")
        assert "accepted_attacks" not in study.release(best).write(tmp_path / "out.csv").record

    def test_a_metric_by_which_finer_need_not_be_cheaper_tells_nothing(self, tmp_path):
        people = pa.table(
            {"a": ["x", "y", "y", "y"], "ill": ["hiv", "flu", "flu", "cold"], "paid": ["no"] * 4}
        )
        study = shoal.Study(people, quasi={"a": TWO}, sensitive="ill", class_="paid")
        best = study.optimize(limits={"hiv": Fraction(1, 2)}, scheme="NoSupp", metric="CM")
        assert "accepted_attacks" not in study.release(best).write(tmp_path / "out.csv").record

    def test_a_column_without_weight_may_be_coarse_for_no_reason(self, tmp_path):
        people = pa.table(
            {"a": ["x", "y", "y", "y"], "b": ["x", "y", "y", "y"], "ill": ["hiv", "flu", "flu", "cold"]}
        )
        study = shoal.Study(people, quasi={"a": TWO, "b": TWO}, sensitive="ill", weights={"a": 0})
        best = study.optimize(limits={"hiv": Fraction(1, 2)}, scheme="NoSupp")
        scene = released_scene(study, best, tmp_path / "out.csv", accept_attack=["minimality"])
        assert scene.coarse == {"a"}
