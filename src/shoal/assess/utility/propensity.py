"""pMSE: how well somebody could tell a released row from an original one.

M.-J. Woo, J. Reiter, A. Oganian and A. Karr, "Global measures of data utility for microdata masked for
disclosure limitation", Journal of Privacy and Confidentiality 1 (2009). A logistic regression guesses from
which of the two tables a row comes. pMSE is the mean squared difference of its guess from the even odds. It
is 0 if nothing tells the tables apart, and 1/4 if every row gives away where it is from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.assess.utility.column_classes import ShownClasses
from shoal.assess.utility.two_tables import Floats, TableRows, TwoTables
from shoal.running import stopping

WORST = 0.25
MOST_ROWS = 20_000
"""So many distinct rows of each table are drawn at most."""
STEPS = 25
RIDGE = 1e-6


def propensity_error(
    tables: TwoTables, classes: Sequence[ShownClasses], seed: int = 0, most: int = MOST_ROWS
) -> float:
    """Return pMSE over the classes in which columns are shown, each column for itself (main effects).

    Both tables weigh the same, however many rows are suppressed. A label counts evenly for what it may be.
    If no row is released, the tables are as different as can be.
    """
    if not tables.after.rows or not tables.before.rows:
        return WORST
    draw = np.random.default_rng(seed)
    before, after = [], []
    one, other = _drawn(tables.before, draw, most), _drawn(tables.after, draw, most)
    for c, (column, shown) in enumerate(zip(tables.columns, classes, strict=True)):
        count = len(shown.names)
        if count < 2:
            continue
        before.append(np.eye(count)[shown.of[one.codes[:, c]]][:, 1:])
        after.append(column.label_shares(shown.of, count)[other.codes[:, c]][:, 1:])
    if not before:
        return 0.0
    features = np.vstack([np.hstack(before), np.hstack(after)])
    features = np.hstack([np.ones((len(features), 1)), features])
    weights = np.concatenate([rows.weights / rows.weights.sum() / 2 for rows in (one, other)])
    released = np.concatenate([np.zeros(len(one.codes)), np.ones(len(other.codes))])
    guess = logistic_guess(features, released, weights)
    return float(((guess - 0.5) ** 2 * weights).sum())


def logistic_guess(features: Floats, truth: Floats, weights: Floats) -> Floats:
    """Return the chances that a weighed logistic regression gives, by Newton's steps with a small ridge."""
    size = features.shape[1]
    beta = np.zeros(size)
    for _ in range(STEPS):
        stopping.look()
        guess = 1 / (1 + np.exp(-np.clip(features @ beta, -30, 30)))
        slope = features.T @ (weights * (truth - guess)) - RIDGE * beta
        heavy = features * (weights * guess * (1 - guess))[:, None]
        step = np.linalg.solve(features.T @ heavy + RIDGE * np.eye(size), slope)
        beta = beta + step
        if float(np.abs(step).max()) < 1e-8:
            break
    chances: Floats = 1 / (1 + np.exp(-np.clip(features @ beta, -30, 30)))
    return chances


def _drawn(rows: TableRows, draw: np.random.Generator, most: int) -> TableRows:
    """Return the rows, or a sample of the distinct ones that keeps their weights."""
    some = np.flatnonzero(rows.weights > 0)
    if len(some) > most:
        some = np.sort(draw.choice(some, size=most, replace=False))
    return TableRows(rows.codes[some], rows.counts[some], rows.weights[some])
