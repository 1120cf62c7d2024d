"""A regression on both tables: its coefficients with their intervals, and how far these overlap.

A. Karr et al., "A framework for evaluating the utility of data altered to protect confidentiality", The
American Statistician 60 (2006), measure utility by the overlap of confidence intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

import numpy as np

from shoal.assess.utility.column_classes import classes_for, shown_class
from shoal.assess.utility.two_tables import Floats, TableColumn, TableRows, TwoTables
from shoal.errors import InputError, MissingExtraError, did_you_mean, show
from shoal.running.one_thread import one_thread

MOST_ROWS = 100_000
CONSTANT = "(constant)"
LINEAR, LOGISTIC = "linear", "logistic"


@dataclass(frozen=True)
class Estimate:
    """A coefficient, with the interval that holds it 19 times in 20."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Coefficient:
    """A term of a model before and after; None where the table cannot tell it.

    `overlap` is the average of two shares: of the interval before that lies in the one after, and the other
    way round. It is 1 if they are the same and 0 if they are apart.
    """

    term: str
    before: Estimate | None
    after: Estimate | None
    overlap: float | None


@dataclass(frozen=True)
class Model:
    """A regression on both tables."""

    formula: str
    kind: str
    predicts: str
    rows_before: int
    rows_after: int
    coefficients: tuple[Coefficient, ...]
    overlap: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the model as documents show it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Model:
        """Return the model of a document."""

        def estimate(one: Mapping[str, float] | None) -> Estimate | None:
            return None if one is None else Estimate(**one)

        terms = tuple(
            Coefficient(one["term"], estimate(one["before"]), estimate(one["after"]), one["overlap"])
            for one in given["coefficients"]
        )
        return cls(**{**given, "coefficients": terms})


def interval_overlap(one: Estimate, other: Estimate) -> float:
    """Return how far two intervals overlap, from 0 to 1.

    >>> interval_overlap(Estimate(1, 0, 2), Estimate(2, 1, 3))
    0.5
    """
    shared = min(one.high, other.high) - max(one.low, other.low)
    if shared < 0:
        return 0.0
    widths = one.high - one.low, other.high - other.low
    parts = [shared / width if width > 0 else 1.0 for width in widths]
    return sum(parts) / 2


def read_formula(formula: str, known: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return what a formula predicts, and from which columns.

    >>> read_formula("income ~ age + `hours-per-week`", ["age", "income", "hours-per-week"])
    ('income', ('age', 'hours-per-week'))
    """
    left, tilde, right = formula.partition("~")
    names = [name.strip().strip("`").strip() for name in (left, *right.split("+"))]
    if not tilde or not all(names):
        raise InputError(f"{show(formula)} is no model; write it as: income ~ age + education")
    for name in names:
        if name not in known:
            raise InputError(
                f"the model names {show(name)}, which is no column of both tables; "
                f"{did_you_mean(name, list(known))}"
            )
    if names[0] in names[1:] or len(set(names)) < len(names):
        raise InputError(f"the model {show(formula)} names a column twice; keep one")
    return names[0], tuple(names[1:])


def regression(tables: TwoTables, formula: str, seed: int = 0) -> Model:
    """Return a regression on both tables, logistic if the first column has two values and else linear.

    A column of numbers counts with the middle of what its labels may stand for; of a column of texts every
    class but the most frequent one is a term, and a label counts evenly for the classes that it may be. Rows
    in which a number is missing are left out. Standard errors are robust (HC1); sampling weights count.
    """
    target, names = read_formula(formula, [column.name for column in tables.columns])
    there = tables.columns[tables.place(target)]
    known = [value for value in there.values if value is not None]
    totals = dict(
        zip(there.values, tables.before.totals(tables.place(target), len(there.values)), strict=True)
    )
    if len(known) == 2:
        kind, event = LOGISTIC, min(known, key=lambda value: (totals[value], value))
    elif there.numbers is not None:
        kind, event = LINEAR, target
    else:
        raise InputError(
            f"{show(target)} has {len(known)} values that are no numbers; a model predicts numbers, or "
            "one of two values"
        )
    terms, designs = [CONSTANT], []
    makers = []
    for name in names:
        column = tables.columns[tables.place(name)]
        own, maker = _terms(tables, column)
        terms += own
        makers.append((tables.place(name), maker))
    for rows, original in ((tables.before, True), (tables.after, False)):
        parts = [np.ones((len(rows.codes), 1))]
        parts += [maker(rows.codes[:, c], original) for c, maker in makers]
        truth = _truth(there, rows.codes[:, tables.place(target)], original, event, kind)
        designs.append(_expanded(rows, np.hstack(parts), truth, seed))
    fits = [_fit(kind, terms, *design) for design in designs]
    coefficients = []
    for term in terms:
        one, other = (fit.get(term) for fit in fits)
        both = None if one is None or other is None else interval_overlap(one, other)
        coefficients.append(Coefficient(term, one, other, both))
    told = [one.overlap for one in coefficients if one.before is not None]
    overlap = float(np.mean([one or 0.0 for one in told])) if told else None
    rows_used = [len(design[1]) for design in designs]
    predicts = f"{target} = {event}" if kind == LOGISTIC else target
    return Model(formula, kind, predicts, rows_used[0], rows_used[1], tuple(coefficients), overlap)


def _terms(tables: TwoTables, column: TableColumn) -> tuple[list[str], Any]:
    """Return the terms of a column, and what makes their numbers from codes."""
    if column.numbers is not None:
        numbers, middles = column.numbers, column.middles

        def number(codes: Any, original: bool) -> Floats:
            made: Floats = (numbers if original else middles)[codes][:, None]
            return made

        return [column.name], number
    totals = tables.before.totals(tables.place(column.name), len(column.values))
    classes = classes_for(column, totals)
    count = len(classes.names)
    sizes = np.bincount(classes.of, weights=totals, minlength=count)
    kept = [c for c in range(count) if c != int(sizes.argmax())]
    own, spread = np.eye(count)[classes.of][:, kept], column.label_shares(classes.of, count)[:, kept]

    def shares(codes: Any, original: bool) -> Floats:
        found: Floats = (own if original else spread)[codes]
        return found

    return [f"{column.name} = {shown_class(classes.names[c])}" for c in kept], shares


def _truth(column: TableColumn, codes: Any, original: bool, event: str, kind: str) -> Floats:
    found: Floats
    if kind == LINEAR:
        assert column.numbers is not None
        found = (column.numbers if original else column.middles)[codes]
        return found
    hit = np.array([np.nan if value is None else float(value == event) for value in column.values])
    if original or column.spread is None:
        found = (hit if original else hit[column.place])[codes]
        return found
    known = ~np.isnan(hit)
    weight = column.spread.average(known.astype(np.float64))
    share = column.spread.average(np.where(known, hit, 0.0)) / np.where(weight > 0, weight, np.nan)
    found = share[codes]
    return found


def _expanded(
    rows: TableRows, design: Floats, truth: Floats, seed: int
) -> tuple[Floats, Floats, Floats]:
    """Return one line for each row that has all it needs, with its weight, at most so many."""
    good = np.flatnonzero(~np.isnan(design).any(axis=1) & ~np.isnan(truth) & (rows.counts > 0))
    lines = np.repeat(good, rows.counts[good])
    if len(lines) > MOST_ROWS:
        lines = np.random.default_rng(seed).choice(lines, size=MOST_ROWS, replace=False)
    each = rows.weights / np.maximum(rows.counts, 1)
    return design[lines], truth[lines], each[lines]


def _fit(
    kind: str, terms: Sequence[str], design: Floats, truth: Floats, weights: Floats
) -> dict[str, Estimate]:
    """Return the estimates of those terms that the rows can tell apart."""
    try:
        api = import_module("statsmodels.api")
    except ImportError:
        raise MissingExtraError("models", "statsmodels", "utility") from None
    kept = _independent(design)
    if len(truth) <= len(kept) or (kind == LOGISTIC and truth.min() == truth.max()):
        return {}
    weights = weights / weights.mean()
    chosen = design[:, kept]
    with one_thread():
        if kind == LINEAR:
            fitted = api.WLS(truth, chosen, weights=weights).fit(cov_type="HC1")
        else:
            family = api.families.Binomial()
            fitted = api.GLM(truth, chosen, family=family, var_weights=weights).fit(cov_type="HC1")
        spans = np.asarray(fitted.conf_int())
    found = {}
    for at, value, (low, high) in zip(kept, np.asarray(fitted.params), spans, strict=True):
        if np.isfinite([value, low, high]).all():
            found[terms[at]] = Estimate(float(value), float(low), float(high))
    return found


def _independent(design: Floats) -> list[int]:
    """Return the columns that are no sum of earlier ones, by Gram and Schmidt."""
    kept: list[int] = []
    base: list[Floats] = []
    for c in range(design.shape[1]):
        rest = design[:, c].astype(np.float64)
        size = float(np.linalg.norm(rest))
        for one in base:
            rest = rest - one * float(one @ rest)
        left = float(np.linalg.norm(rest))
        if size and left > 1e-7 * size:
            kept.append(c)
            base.append(rest / left)
    return kept
