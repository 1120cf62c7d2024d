"""What can still be predicted: models that learn from released rows, tested on original rows held out.

The release is made of all rows and names nobody, so the rows that are held out could not be found in it. What
each original row is released as is known from the recoding, though: models learn from the released form of
the rows that are not held out, suppressed ones left out, and are tested on the held-out rows as they were.
The recoding itself was chosen on all rows; `benchmarks/prediction.py` chooses it without the held-out ones.

A released label stands for several values. As an analyst might, models take one of them at random, in several
copies of each row, so that they can be asked about original rows whatever the recoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from shoal.assess.utility.two_tables import NOT_RELEASED, Floats, Ints, Mask, TableColumn, TwoTables
from shoal.errors import InputError, MissingExtraError, did_you_mean, show
from shoal.running import stopping
from shoal.running.one_thread import one_thread

MOST_ROWS = 15_000
HELD_OUT = 1 / 3
COPIES = 2
MOST_VALUES = 40
"""So many values of a text are told apart, the most frequent ones."""
LEAST_ROWS = 30
BOOSTING = "gradient boosting"
MODELS = ("logistic regression", BOOSTING)


@dataclass(frozen=True)
class Score:
    """Of the held-out rows, the share that is guessed wrong, and F1 averaged over the classes."""

    error: float
    f1: float


@dataclass(frozen=True)
class Prediction:
    """How well a model predicts a column on held-out original rows.

    `original` learnt from original rows, `released` from the same rows as they are released; `majority`
    always says the most frequent class.
    """

    column: str
    model: str
    original: Score
    released: Score
    majority: Score
    trained: int
    trained_released: int
    tested: int

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as documents show it."""
        return asdict(self)


@dataclass(frozen=True)
class HeldOut:
    """The rows that were held out, as places in the original rows, and which guesses were wrong."""

    column: str
    rows: Ints
    wrong_before: Mask
    wrong_after: Mask


@dataclass(frozen=True)
class Learnt:
    """The predictions of one column, and what was guessed of whom."""

    predictions: tuple[Prediction, ...]
    held_out: HeldOut | None = field(default=None, repr=False)


def predict(tables: TwoTables, target: str, seed: int = 0, most: int = MOST_ROWS) -> Learnt:
    """Return how well every model predicts a column before and after."""
    names = [column.name for column in tables.columns]
    if target not in names:
        raise InputError(
            f"{show(target)} is no column of both tables, so it cannot be predicted; "
            f"{did_you_mean(target, names)}"
        )
    at = tables.place(target)
    column = tables.columns[at]
    if column.spread is not None:
        raise InputError(f"{show(target)} is itself generalized, so a release cannot teach it")
    if len(column.values) > MOST_VALUES:
        raise InputError(
            f"{show(target)} has {len(column.values):,} values; at most {MOST_VALUES} can be predicted"
        )
    others = [c for c in range(len(names)) if c != at and (tables.image[:, c] != NOT_RELEASED).any()]
    draw = np.random.default_rng(seed)
    counts = tables.before.counts
    total = int(counts.sum())
    rows = draw.choice(total, size=min(total, most), replace=False)
    rows = np.searchsorted(np.cumsum(counts), rows, side="right").astype(np.int64)
    tested = int(len(rows) * HELD_OUT)
    learning, asked = rows[tested:], rows[:tested]
    stays = draw.random(len(learning)) < tables.kept[learning]
    stays &= (tables.image[learning][:, [*others, at]] != NOT_RELEASED).all(axis=1)
    staying = np.repeat(learning[stays], COPIES)
    truth = tables.before.codes[:, at]
    classes = np.unique(truth[learning])
    if not tested or len(classes) < 2 or not others:
        raise InputError(
            f"too little is there to learn {show(target)} from: it needs rows, other columns and two values"
        )
    if len(np.unique(truth[staying])) < 2:
        raise InputError(
            f"fewer than two values of {show(target)} are released, so nothing can be learnt"
        )
    original = {c: tables.before.codes[:, c] for c in others}
    drawn = {c: drawn_values(tables.columns[c], tables.image[staying, c], draw) for c in others}
    makers = [
        Feature(tables.columns[c], tables.before.totals(c, len(tables.columns[c].values)))
        for c in others
    ]

    def features(codes: dict[int, Ints], models: str) -> Floats:
        pairs = zip(others, makers, strict=True)
        return np.hstack([maker.made(codes[c], models == BOOSTING) for c, maker in pairs])

    predictions, guesses = [], {}
    most_frequent = np.bincount(truth[learning]).argmax()
    majority = scored(truth[asked], np.full(tested, most_frequent))
    for name in MODELS:
        stopping.look()
        test = features({c: original[c][asked] for c in others}, name)
        scores: list[Score] = []
        for codes, labels in (
            ({c: original[c][learning] for c in others}, truth[learning]),
            (drawn, truth[staying]),
        ):
            learner = learner_named(name, [maker.categories for maker in makers], seed)
            with one_thread():  # here, since it holds for the libraries that are loaded
                learner.fit(features(codes, name), labels)
                guess = learner.predict(test)
            guesses[name, len(scores)] = guess != truth[asked]
            scores.append(scored(truth[asked], guess))
        predictions.append(
            Prediction(
                target, name, scores[0], scores[1], majority, len(learning), int(stays.sum()), tested
            )
        )
    held = HeldOut(target, asked, guesses[BOOSTING, 0], guesses[BOOSTING, 1])
    return Learnt(tuple(predictions), held)


def drawn_values(column: TableColumn, labels: Ints, draw: np.random.Generator) -> Ints:
    """Return a value for each label, drawn from those that it may stand for."""
    if column.spread is None:
        return column.place[labels]
    found = np.empty(len(labels), dtype=np.int64)
    chances = draw.random(len(labels))
    order = np.argsort(labels, kind="stable")
    used, firsts = np.unique(labels[order], return_index=True)
    for label, here in zip(used.tolist(), np.split(order, firsts[1:]), strict=True):
        found[here] = column.spread.drawn(label, chances[here])
    return found


class Feature:
    """A column as models take it: a number, or one of its more frequent values."""

    def __init__(self, column: TableColumn, totals: Floats) -> None:
        self._numbers = column.numbers
        self.categories = 0
        if self._numbers is None:
            order = np.argsort(-totals, kind="stable")
            self._places = np.full(len(totals), min(MOST_VALUES, len(totals)), dtype=np.int64)
            self._places[order[:MOST_VALUES]] = np.arange(min(MOST_VALUES, len(totals)))
            self.categories = int(self._places.max(initial=0)) + 1
        else:
            known = ~np.isnan(self._numbers)
            heavy = totals[known] if totals[known].sum() else np.ones(int(known.sum()))
            self._middle = float(np.average(self._numbers[known], weights=heavy)) if known.any() else 0.0
            varied = (
                np.average((self._numbers[known] - self._middle) ** 2, weights=heavy)
                if known.any()
                else 1
            )
            self._scale = float(np.sqrt(varied)) or 1.0

    def made(self, codes: Ints, whole: bool) -> Floats:
        """Return the numbers that a model is given; a text is one number if it takes it `whole`."""
        if self._numbers is None:
            places = self._places[codes]
            return places[:, None].astype(np.float64) if whole else np.eye(self.categories)[places]
        numbers = (self._numbers[codes] - self._middle) / self._scale
        if whole:
            return numbers[:, None]
        missing = np.isnan(numbers)
        return np.column_stack([np.where(missing, 0.0, numbers), missing.astype(np.float64)])


def scored(truth: Ints, guess: Ints) -> Score:
    """Return the error, and F1 averaged over the classes that occur or are guessed.

    A class that is never guessed rightly has an F1 of 0.
    """
    parts = []
    for one in np.unique(np.concatenate([truth, guess])):
        hit = float(((truth == one) & (guess == one)).sum())
        said, there = float((guess == one).sum()), float((truth == one).sum())
        parts.append(2 * hit / (said + there))
    return Score(float((truth != guess).mean()), float(np.mean(parts)))


def learner_named(name: str, categories: Sequence[int], seed: int) -> Any:
    """Return a model that has learnt nothing yet; `categories` are those of each column, 0 for numbers."""
    try:
        linear, ensemble = (import_module(f"sklearn.{part}") for part in ("linear_model", "ensemble"))
    except ImportError:
        raise MissingExtraError("predictions", "scikit-learn", "utility") from None
    if name == BOOSTING:
        texts = [i for i, count in enumerate(categories) if count]
        return ensemble.HistGradientBoostingClassifier(
            categorical_features=texts or None, random_state=seed, max_iter=50, early_stopping=False
        )
    return linear.LogisticRegression(max_iter=100, tol=1e-3)
