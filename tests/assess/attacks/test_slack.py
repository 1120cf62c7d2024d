"""What minimality makes certain under a slack is certain in every table that can have led to the release."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.answers.recoding import Decision, NodeRecoding, Scheme
from shoal.assess.attacks.known_loss import slack_of
from shoal.assess.attacks.minimality import attack
from shoal.describe.promise import Promise, ShareLimits
from tests.assess.attacks.scenes import released_scene
from tests.examples import examples

RAGGED = shoal.Hierarchy.from_rows([("x", "x", "*"), ("y", "b", "*"), ("z", "b", "*")])
TWO = shoal.Hierarchy.from_rows([("p", "*"), ("q", "*")])
COVERED = ((1, 1, 1), (1, 2, 2), (3, 3, 3)), ((1, 1), (2, 2))
LEVELS = ((("x", "y", "z"), ("x", "b", "b"), ("*", "*", "*")), (("p", "q"), ("*", "*")))
HALF = Fraction(1, 2)


TELLING = [[(0, 0), (1, 0), (1, 0)], [(0, 0), (1, 0), (2, 0), (2, 0)], [(0, 0), (0, 1), (0, 1), (0, 1)]]
"""Tables of one group, in which a single row can be what makes a finer recoding impossible."""


def allowed(rows, secrets, node) -> bool:
    """Whether nobody has hiv in more than half of any group."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for row, secret in zip(rows, secrets, strict=True):
        key = tuple(LEVELS[a][node[a]][value] for a, value in enumerate(row))
        groups.setdefault(key, []).append(secret)
    return all(Fraction(sum(inside), len(inside)) <= HALF for inside in groups.values())


def share(rows, node) -> Fraction:
    """The LM of a node, as a share of all detail."""
    cost = Fraction(0)
    for row in rows:
        cost += Fraction(COVERED[0][node[0]][row[0]] - 1, 2) + Fraction(
            COVERED[1][node[1]][row[1]] - 1, 1
        )
    return cost / (2 * len(rows))


NODES = list(product(range(3), range(2)))
WITHIN = [Fraction(0), Fraction(1, 8), Fraction(1, 4), Fraction(3, 5)]


def near(rows, secrets, within) -> list[tuple[int, int]]:
    """The nodes that may be drawn."""
    kept = [node for node in NODES if allowed(rows, secrets, node)]
    best = min((share(rows, node) for node in kept), default=Fraction(0))
    return [node for node in kept if share(rows, node) <= best + within]


@settings(max_examples=examples(40))
@given(st.data())
def test_certain_is_certain_in_every_table(data):
    one = st.tuples(st.integers(0, 2), st.integers(0, 1))
    rows = data.draw(st.lists(one, min_size=3, max_size=6))
    secrets = data.draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))
    within = data.draw(st.sampled_from(WITHIN))
    if drawn := near(rows, secrets, within):
        claimed, sure = certain(rows, secrets, within, data.draw(st.sampled_from(drawn)))
        assert claimed <= sure


@pytest.mark.parametrize("rows", TELLING)
def test_where_one_row_can_forbid_a_finer_recoding(rows):
    secrets = [1] + [0] * (len(rows) - 1)
    cases = [(within, node) for within in WITHIN for node in near(rows, secrets, within)]
    found = [certain(rows, secrets, within, node) for within, node in cases]
    assert all(claimed <= sure for claimed, sure in found)
    assert any(claimed for claimed, _ in found)


def test_a_row_that_two_columns_make_certain_is_counted_once():
    claimed, sure = certain([(0, 1), (0, 1), (1, 0)], [0, 0, 1], Fraction(0), (2, 1))
    assert 0 < claimed <= sure == 3


def certain(rows, secrets, within, node) -> tuple[int, int]:
    """How many rows are said to be certain, and how many are, in all tables that can have led here."""

    def group(i):
        return tuple(LEVELS[a][node[a]][value] for a, value in enumerate(rows[i]))

    worlds = []
    for dealt in set(permutations(secrets)):
        same = all(
            sum(s for i, s in enumerate(dealt) if group(i) == g)
            == sum(s for i, s in enumerate(secrets) if group(i) == g)
            for g in {group(i) for i in range(len(rows))}
        )
        if same and node in near(rows, dealt, within):
            worlds.append(dealt)
    sure = sum(len({world[i] for world in worlds}) == 1 for i in range(len(rows)))

    table = pa.table(
        {
            "a": ["xyz"[a] for a, _ in rows],
            "b": ["pq"[b] for _, b in rows],
            "ill": [("flu", "hiv")[s] for s in secrets],
        }
    )
    details = {"within": float(within), "best_proven": True}
    limits = {"ill": ShareLimits(None, {"hiv": HALF})}
    levels = NodeRecoding({"a": node[0], "b": node[1]})
    decision = Decision(levels, Promise(1, None, limits), Scheme.NO_SUPP, details=details)
    with shoal.Study(table, quasi={"a": RAGGED, "b": TWO}, sensitive="ill") as study:
        scene = _scene(study, decision)
    found = attack(scene, np.random.default_rng(0))
    return found.cases[0].certain or 0, sure


def _scene(study, decision):
    from shoal.answering.defended import _scene as in_memory

    return in_memory(study.material(), decision)


def test_what_is_known_of_the_loss():
    node, promise = NodeRecoding({"a": 1}), Promise(k=2)
    assert slack_of(Decision(node, promise, details={"certified": True})) == 0
    assert slack_of(Decision(node, promise, details={"certified": True, "top": 5})) is None
    assert slack_of(Decision(node, promise, details={"within": 0.5, "best_proven": False})) is None
    assert slack_of(Decision(node, promise, metric="CM", details={"optimal": True})) is None
    assert slack_of(Decision(node, promise)) is None


class TestDrawn:
    @pytest.fixture
    def study(self):
        # Only the single row of x can have made p and q inseparable: by having hiv.
        people = pa.table({"b": ["p", "q", "q", "q"], "ill": ["hiv", "flu", "flu", "cold"]})
        return shoal.Study(people, quasi={"b": TWO}, sensitive="ill")

    def test_a_slack_smaller_than_what_a_finer_recoding_saves_hides_nothing(self, study, tmp_path):
        drawn = study.optimize(limits={"hiv": HALF}, scheme="NoSupp", robust=0.5)
        assert drawn.cut == {"b": ("*",)}
        with pytest.raises(shoal.InputError, match="accept the attack minimality"):
            study.release(drawn).write(tmp_path / "out.csv")
        assert list(tmp_path.iterdir()) == []

    def test_a_larger_one_hides_whether_the_finer_one_was_allowed(self, study, tmp_path):
        drawn = study.optimize(limits={"hiv": HALF}, scheme="NoSupp", robust=1)
        told = {case["attack"]: case for case in drawn.near["robust"]["attacks"]}["minimality"]
        assert told["before"]["certain"] == 1
        assert told["after"]["certain"] == 0
        made = study.release(drawn).write(tmp_path / "out.csv")
        assert "accepted_attacks" not in made.record

    def test_one_of_the_best_is_tried_with_what_lies_between_them(self, study, tmp_path):
        # With two kept there is no second allowed cut, so it is known to be the best.
        drawn = study.optimize(limits={"hiv": HALF}, scheme="NoSupp", top=2, seed=1)
        assert drawn.near == {"within": 0.0, "best_proven": True}
        with pytest.raises(shoal.InputError, match="accept the attack minimality"):
            study.release(drawn).write(tmp_path / "out.csv")

    def test_persons_with_one_row_each_are_rows(self, tmp_path):
        people = pa.table(
            {"who": list("abcd"), "b": ["p", "q", "q", "q"], "ill": ["hiv", "flu", "flu", "cold"]}
        )
        study = shoal.Study(people, quasi={"b": TWO}, sensitive="ill", persons="who")
        best = study.optimize(limits={"hiv": HALF}, scheme="NoSupp")
        with pytest.raises(shoal.InputError, match="accept the attack minimality"):
            study.release(best).write(tmp_path / "out.csv")


def test_labels_that_may_have_been_widened_tell_nothing(tmp_path):
    from shoal.assess.attacks.downcoding import certain_parts

    ages = shoal.Hierarchy.from_rows([(str(a), "*") for a in range(20)])
    people = pa.table({"age": [str(a % 20) for a in range(60)], "ill": ["flu", "cold", "hiv"] * 20})
    study = shoal.Study(people, quasi={"age": ages}, sensitive="ill")
    plain = study.anonymize("mondrian", k=9)
    scene = released_scene(study, plain, tmp_path / "plain.csv")
    assert certain_parts(scene)
    robust = study.anonymize("mondrian", k=9, robust=0.2)
    assert certain_parts(released_scene(study, robust, tmp_path / "robust.csv")) == []
