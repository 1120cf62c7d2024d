"""Anonymization as a step of a scikit-learn pipeline; needs the extra `utility`."""

from __future__ import annotations

from itertools import pairwise
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shoal.errors import MissingExtraError, ShoalError
from shoal.study import Study

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise MissingExtraError("steps of pipelines", "scikit-learn", "utility") from None

if TYPE_CHECKING:
    import pyarrow as pa

Floats = npt.NDArray[np.float64]
_HALVINGS = 5
"""How often the whole is halved for the lowest level, of 32 bins at most."""


class ShoalAnonymizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Makes numbers coarser until every row that was fitted looks like k - 1 others, and loses least so.

    Each column is cut into bins of about equally many fitted values, on levels of 1, 2, 4, 8, 16 and 32
    bins. `fit` searches all combinations of levels for the one that loses least (by `metric`) and leaves
    groups of at least `k` rows, and `transform` gives each value the mean of its bin. So what is
    learned from fitted rows has seen no one alone: `fit_transform` is k-anonymous in all its columns.
    That holds for the fitted rows; others are put into the same bins, and may be alone in theirs.

    The search has `time_limit` seconds, without end if that is None. `proven_` says whether it had enough
    to prove that no other combination of levels loses less; with many columns it has not.

    >>> ages = [[31, 1], [32, 1], [33, 1], [60, 2], [61, 2], [62, 2]]
    >>> ShoalAnonymizer(k=3).fit_transform(ages).tolist()
    [[32.0, 1.0], [32.0, 1.0], [32.0, 1.0], [61.0, 2.0], [61.0, 2.0], [61.0, 2.0]]
    """

    def __init__(self, k: int = 5, *, metric: str = "LM", time_limit: float | None = 10.0) -> None:
        self.k = k
        self.metric = metric
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any = None) -> ShoalAnonymizer:  # noqa: N803  scikit-learn's name
        """Find the levels that lose least; `y` is not looked at."""
        rows: Floats = validate_data(self, X, dtype=np.float64, ensure_min_samples=1)
        _check(self.k, self.metric)
        if len(rows) < self.k:
            raise ValueError(f"n_samples={len(rows)}, fewer than k={self.k}: no group can have k rows")
        bins = [_levels(column) for column in rows.T]
        node = self._search(rows, bins)
        self.levels_ = np.array(node)
        self.edges_ = [levels[level] for levels, level in zip(bins, node, strict=True)]
        self.means_ = [_means(*pair) for pair in zip(rows.T, self.edges_, strict=True)]
        return self

    def transform(self, X: Any) -> Floats:  # noqa: N803
        """Return the mean of the bin of every value."""
        check_is_fitted(self)
        rows: Floats = validate_data(self, X, dtype=np.float64, reset=False)
        columns = zip(rows.T, self.edges_, self.means_, strict=True)
        return np.column_stack(
            [means[np.searchsorted(edges, column, "right")] for column, edges, means in columns]
        )

    def _search(self, rows: Floats, bins: list[list[Floats]]) -> list[int]:
        """Return the level of every column in the cheapest node."""
        table, quasi = _as_study(rows, bins)
        with Study(table, quasi=quasi) as study:
            try:
                found = study.anonymize(
                    "flash", k=self.k, metric=self.metric, time_limit=self.time_limit
                )
            except ShoalError as problem:
                raise ValueError(str(problem)) from None
        self.proven_ = found.optimal
        node = found.to_dict()["node"]
        return [node[name] for name in table.column_names]


def _check(k: Any, metric: Any) -> None:
    """Refuse parameters of the wrong kind, as scikit-learn does: when they are used."""
    if not isinstance(k, Integral) or k < 1:
        raise ValueError(f"k={k!r}: a group has a whole number of rows, 1 or more")
    if not isinstance(metric, str):
        raise ValueError(f"metric={metric!r}: name one, such as 'LM'")


def _levels(column: Floats) -> list[Floats]:
    """Return the edges between the bins of each level, the finest first.

    A bin is halved where its values allow it best, so that those of a level lie inside those of the next.
    """
    ordered = np.sort(column)
    places = np.flatnonzero(ordered[1:] > ordered[:-1]) + 1
    cuts: list[int] = []
    levels = [np.array([])]
    for _ in range(_HALVINGS):
        ends = [0, *sorted(cuts), len(ordered)]
        for begin, end in pairwise(ends):
            inside = places[(places > begin) & (places < end)]
            if len(inside):
                cuts.append(int(inside[np.abs(2 * inside - begin - end).argmin()]))
        found = np.array(sorted(cuts), dtype=np.int64)
        if len(found) > len(levels[-1]):
            levels.append(_between(ordered[found - 1], ordered[found]))
    return levels[::-1]


def _between(low: Floats, high: Floats) -> Floats:
    """Return edges that part the higher values from the lower: halfway, or the higher where nothing is."""
    edges = low / 2 + high / 2
    return np.where((low < edges) & (edges <= high), edges, high)


def _means(column: Floats, edges: Floats) -> Floats:
    """Return the mean of the fitted values in each bin."""
    inside = np.searchsorted(edges, column, "right")
    largest = np.abs(column).max() or 1.0  # so that no sum is too large
    shares = np.bincount(inside, column / largest) / np.bincount(inside)
    return np.clip(shares, -1, 1) * largest


def _as_study(rows: Floats, bins: list[list[Floats]]) -> tuple[pa.Table, dict[str, Any]]:
    """Return the bins of the lowest level as a table, with the higher levels as hierarchies."""
    import pyarrow as pa

    from shoal.describe.hierarchies import Hierarchy

    columns, quasi = {}, {}
    for i, (column, levels) in enumerate(zip(rows.T, bins, strict=True)):
        name = f"x{i}"
        lowest = np.searchsorted(levels[0], column, "right")
        columns[name] = pa.array([f"b{place}" for place in lowest.tolist()])
        # A bin of the lowest level begins after one of its edges; the first has none before it.
        begins = np.concatenate([[-np.inf], levels[0]])
        paths = [[f"b{place}" for place in range(len(begins))]]
        for level, edges in enumerate(levels[1:], 1):
            paths.append(
                [f"{level}.{place}" for place in np.searchsorted(edges, begins, "right").tolist()]
            )
        quasi[name] = Hierarchy.from_rows([list(path) for path in zip(*paths, strict=True)], name)
    return pa.table(columns), quasi
