"""Attacks on tables in which persons have several rows count persons, as counting by hand does."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.answering.defended import _scene
from shoal.answers.recoding import Decision, NodeRecoding
from shoal.assess.attacks import homogeneity, joined, linkage, membership, minimality, refinement
from shoal.assess.attacks.crowd_persons import CrowdPersons
from shoal.assess.attacks.held_out import halve
from shoal.assess.attacks.scene import SUPPRESSED
from shoal.data.tally.tally import take_tally
from shoal.describe.promise import Promise
from tests.examples import examples
from tests.release.persons import TOWNS, groups_of, shares, study_of, table_of, tables

LABEL = {row[0]: row for row in TOWNS.rows()}


def released(table, level, k):
    """The groups of one level of towns, sex as it is, in which at least k persons are; and the scene."""
    rows = [
        {**row, "town": LABEL[row["town"]][level], "person": (row["clinic"], row["number"])}
        for row in table.to_pylist()
    ]
    groups = groups_of(rows, ("town", "sex"), ("person",))
    kept = {key: people for key, people in groups.items() if len(people) >= k}
    study = study_of(table, insensitive=(), identifying="day")
    if not kept:
        return None
    decision = Decision(NodeRecoding({"town": level, "sex": 0}), Promise(k))
    return kept, _scene(study.material(), decision), rows


@settings(max_examples=examples(25))
@given(tables(), st.integers(0, 2), st.integers(1, 3))
def test_persons_are_found_and_their_values_guessed_as_by_hand(table, level, k):
    made = released(table, level, k)
    if made is None:
        return
    kept, scene, rows = made
    if not scene.of_persons:
        return
    everybody = {row["person"] for row in rows}
    found = linkage.attack(scene, np.random.default_rng(0)).cases[0]
    chance = {
        person: max((1 / len(people) for people in kept.values() if (person,) in people), default=0.0)
        for person in everybody
    }
    assert found.found.share == pytest.approx(sum(chance.values()) / len(everybody))
    inside = {person for people in kept.values() for person in people}
    assert found.baseline.share == pytest.approx(1 / len(inside))
    guess = homogeneity.attack(scene).cases[0]
    weighed = {key: shares(people, "ill") for key, people in kept.items()}
    best = sum(
        len(people) * max((w for value, w in weighed[key].items() if value is not None), default=0)
        for key, people in kept.items()
    )
    assert guess.found.share == pytest.approx(float(best / sum(map(len, kept.values()))))
    same = [
        people for key, people in kept.items() if len(weighed[key]) == 1 and None not in weighed[key]
    ]
    assert guess.certain == len({person for people in same for person in people})


@settings(max_examples=examples(40))
@given(tables())
def test_everybody_has_their_rows_and_is_counted_once(table):
    study = study_of(table)
    tally = take_tally(study.material().engine, ("town", "sex"), ("ill",), ("clinic", "number"))
    if tally.persons is None:
        return
    crowd = CrowdPersons(tally.persons, tally.cell_counts)
    rows, whose = crowd.each_row(np.arange(crowd.total))
    assert np.bincount(rows, minlength=len(tally.cell_counts)).tolist() == tally.cell_counts.tolist()
    assert set(whose.tolist()) == set(range(crowd.total))
    for person in range(crowd.total):
        assert set(rows[whose == person].tolist()) == set(crowd.entries(person).tolist())
    people = defaultdict(set)
    for row in table.to_pylist():
        people[row["town"]].add((row["clinic"], row["number"]))
    towns = tally.domains[0]
    for a, town in enumerate(towns):
        there = tally.codes[tally.cell_combinations, 0] == a
        assert crowd.among(there) == len(people[town])


def several(persons: int = 40):
    """A table in which everybody has a row in town a, and every other one in c too."""
    rows = []
    for i in range(persons):
        clinic, number, ill = f"clinic {i % 2}", str(i // 2), ("flu", "cold", "gout")[i % 3]
        rows.append((clinic, number, "a", "f", ill, "2024-01-01"))
        if i % 2:
            rows += [(clinic, number, "c", "f", ill, "2024-02-01")] * 2
    return table_of(rows)


def test_values_of_suppressed_persons_weigh_nothing():
    rows = [("one", str(i), "ac"[i >= 10], "f", ("flu", "cold")[i < 5], "") for i in range(13)]
    made = released(table_of([*rows, rows[0]]), 0, 5)
    assert made is not None
    guess = homogeneity.attack(made[1]).cases[0]
    assert (guess.found.tried, guess.found.share) == (10, 0.5)


def test_somebody_is_held_out_with_all_rows():
    made = released(several(), 0, 2)
    assert made is not None
    scene = made[1]
    halves = halve(scene, np.random.default_rng(1))
    # Everybody is asked about once, and a fifth of the 40 is held out.
    assert len(halves.held_out) == 8
    assert len(halves.inside) == 32
    assert len(halves.released) + len(halves.held_out) <= scene.crowd.rows
    assert (scene.crowd.groups[halves.released] != SUPPRESSED).all()


def test_what_counts_rows_says_so_and_minimality_is_not_tried():
    made = released(several(), 0, 2)
    assert made is not None
    scene = made[1]
    assert "it counts rows" in refinement.attack(scene).success
    assert "not tried" in " ".join(
        minimality.attack(_limited(scene), np.random.default_rng(0)).sentences
    )
    assert membership.attack(scene, np.random.default_rng(0)).cases[0].found.tried <= 2 * 8


def _limited(scene):
    from dataclasses import replace

    from shoal.describe.promise import ShareLimits

    promise = Promise(2, None, {"ill": ShareLimits(Fraction(1, 2))})
    return replace(scene, decision=replace(scene.decision, promise=promise, details={"optimal": True}))


def test_crowds_of_two_releases_are_of_persons():
    # One release by sex and one by town: alone, 40 and 40 or 20 persons; nobody is left with fewer than 20.
    table = several()
    study = study_of(table, insensitive=(), identifying="day")
    coarse, fine = (
        _scene(study.material(), Decision(NodeRecoding({"town": level, "sex": 0}), Promise(20)))
        for level in (2, 0)
    )
    found = joined.attack(coarse, [fine], np.random.default_rng(0))
    case = found.cases[0]
    assert case.certain == 0
    assert case.found.tried == 40
    assert case.details["smallest"] >= 20
    assert "persons may be the person" in case.name
