"""Inference by learning: models trained on the released rows alone predict persons' sensitive values.

Naive Bayes and boosted trees see recoded values only. What they get right about the persons they learnt
from, beyond what they get right about persons who were held out, is disclosure; the rest is knowledge
about the world (Cormode 2011), which is what a release is for.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from shoal.assess.attacks.attack_report import Case, Finding, rate
from shoal.assess.attacks.held_out import halve
from shoal.assess.attacks.scene import Ints, Scene
from shoal.errors import MissingExtraError
from shoal.numbers import percent
from shoal.running import stopping

NAME = "learning"
MOST_ROWS = 12_000
MOST_VALUES = 50
"""This many of a column's most frequent values are told apart; all others count as one."""


def attack(scene: Scene, draw: np.random.Generator) -> Finding:
    """Return how well two models predict sensitive columns, for their own persons and for others."""
    cases: list[Case] = []
    if scene.sensitive and not scene.buckets:
        threads = _part("threadpoolctl").threadpool_limits
        halves = halve(scene, draw, MOST_ROWS)
        known = _features(scene)
        for s, column in enumerate(scene.sensitive):
            secrets = _frequent(scene.crowd.secrets[:, s])
            learnt, own, others = halves.released, halves.inside, halves.held_out
            if not len(others) or len(np.unique(secrets[learnt])) < 2:
                continue
            for name, model in _models(int(draw.integers(2**31))):
                stopping.look()
                # On a busy machine several threads wait for each other far longer than they work.
                with threads(1, "openmp"):
                    model.fit(known[learnt], secrets[learnt])
                    guesses = [model.predict(known[who]) == secrets[who] for who in (own, others)]
                right = [int(guess.sum()) for guess in guesses]
                case = f"{column}: {name}"
                cases.append(Case(case, rate(right[0], len(own)), rate(right[1], len(others))))
    said = [
        f"{case.name} is right for {percent(case.found.share)} of its own persons, and for "
        f"{percent(case.baseline.share)} of others: "
        + ("the difference is disclosed." if case.shows else "no more than chance explains.")
        for case in cases
    ] or ["No sensitive column is released with the quasi columns, so there is nothing to learn from."]
    return Finding(
        NAME,
        "the released rows, and the recoded quasi values of a person",
        "the sensitive value is predicted; the baseline are persons who are not in the release",
        "Kifer 2009; Cormode 2011",
        tuple(cases),
        tuple(said),
    )


def _features(scene: Scene) -> Ints:
    """Return what is released of every person besides the sensitive columns, as codes of frequent values."""
    labels = scene.labels[np.maximum(scene.crowd.groups, 0)]
    columns = [*labels.T, *scene.crowd.others.T]
    return np.stack([_frequent(column) for column in columns], axis=1)


def _frequent(codes: Ints) -> Ints:
    """Return the codes, with all but the most frequent values merged into one."""
    counts = np.bincount(codes)
    order = np.argsort(-counts, kind="stable")
    place = np.full(len(counts), MOST_VALUES, dtype=np.int64)
    place[order[:MOST_VALUES]] = np.arange(min(len(counts), MOST_VALUES))
    found: Ints = place[codes]
    return found


def _models(seed: int) -> Iterator[tuple[str, Any]]:
    yield "naive Bayes", _part("sklearn.naive_bayes").CategoricalNB(min_categories=MOST_VALUES + 1)
    yield (
        "boosted trees",
        _part("sklearn.ensemble").HistGradientBoostingClassifier(
            max_iter=20, early_stopping=False, random_state=seed
        ),
    )


def _part(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError("attacks by learning", "scikit-learn", "utility") from None
