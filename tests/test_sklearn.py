"""The step of scikit-learn's pipelines: k-anonymous, deterministic, and what the library's own checks ask."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed (the extra utility)")

from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

from shoal.sklearn import ShoalAnonymizer, _levels  # noqa: E402


def test_fitted_rows_are_k_anonymous_and_keep_their_means() -> None:
    draw = np.random.default_rng(3)
    rows = np.column_stack(
        [draw.normal(40, 12, 300).round(), draw.integers(0, 3, 300), draw.gamma(2, 9, 300)]
    )
    for k in (2, 5, 40, 300):
        step = ShoalAnonymizer(k=k)
        found = step.fit_transform(rows)
        assert min(Counter(map(tuple, found.tolist())).values()) >= k
        np.testing.assert_allclose(found.mean(axis=0), rows.mean(axis=0))
    assert (found == found[0]).all()


def test_no_finer_levels_would_do() -> None:
    draw = np.random.default_rng(5)
    for _ in range(5):
        rows = draw.integers(0, 9, (60, 2)).astype(float)
        step = ShoalAnonymizer(k=4).fit(rows)
        for column in range(2):
            if level := step.levels_[column]:
                edges = list(step.edges_)
                edges[column] = _levels(rows[:, column])[level - 1]
                bins = [np.searchsorted(*pair, "right") for pair in zip(edges, rows.T, strict=True)]
                assert min(Counter(zip(*(one.tolist() for one in bins), strict=True)).values()) < 4


def test_new_rows_go_into_the_fitted_bins() -> None:
    step = ShoalAnonymizer(k=2).fit([[1.0], [2.0], [10.0], [11.0]])
    assert step.transform([[-100.0], [1.4], [99.0]]).ravel().tolist() == [1.5, 1.5, 10.5]


@pytest.mark.parametrize(
    "values",
    [
        (1.0, np.nextafter(1, 2), np.nextafter(np.nextafter(1, 2), 2)),
        (0.0, 5e-324, 1e-323),
        (1e16, 1e16 + 2, 1e16 + 4),
        (-1.7e308, 1.6e308, 1.7e308),
    ],
)
def test_values_at_the_ends_of_what_numbers_can_say_have_bins_of_their_own(values) -> None:
    rows = np.repeat(values, 2)[:, None]
    step = ShoalAnonymizer(k=2).fit(rows)
    assert step.levels_.tolist() == [0]
    assert len(set(step.transform(rows).ravel().tolist())) == 3
    np.testing.assert_allclose(step.transform(rows), rows, rtol=1e-15, atol=1e-323)
    assert np.isfinite(step.transform([[-1e308], [0.5], [1e308]])).all()


def test_groups_are_counted_in_the_bins_that_values_go_into() -> None:
    values = (1.0, np.nextafter(1, 2), np.nextafter(np.nextafter(1, 2), 2))
    rows = np.repeat(values, (2, 1, 2))[:, None]
    found = ShoalAnonymizer(k=2).fit_transform(rows)
    assert min(Counter(found.ravel().tolist()).values()) >= 2


def test_of_many_columns_the_best_in_the_time_is_taken_and_not_called_proven() -> None:
    rows = np.random.default_rng(1).normal(size=(300, 24))
    step = ShoalAnonymizer(k=5, time_limit=0.5)
    found = step.fit_transform(rows)
    assert min(Counter(map(tuple, found.tolist())).values()) >= 5
    assert not step.proven_
    assert ShoalAnonymizer(k=5).fit(rows[:, :2]).proven_


@pytest.mark.parametrize(
    "wrong", [{"k": "5"}, {"k": None}, {"k": 0}, {"k": 2.5}, {"metric": None}, {"metric": "none"}]
)
def test_wrong_parameters_are_errors_of_values(wrong) -> None:
    with pytest.raises(ValueError, match=rf"{next(iter(wrong))}"):
        ShoalAnonymizer(**wrong).fit([[1.0], [2.0], [3.0], [4.0], [5.0]])


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="n_samples=3, fewer than k=5"):
        ShoalAnonymizer(k=5).fit([[1.0], [2.0], [3.0]])


def test_a_pipeline_learns_from_what_is_anonymous() -> None:
    draw = np.random.default_rng(7)
    rows = draw.normal(size=(200, 2))
    target = rows[:, 0] > 0
    model = make_pipeline(ShoalAnonymizer(k=10), LogisticRegression()).fit(rows, target)
    assert model.score(rows, target) > 0.8


CHECKS = [
    check
    for _, check in estimator_checks_generator(ShoalAnonymizer(k=2))
    if "array_api" not in check.func.__name__  # about arrays on graphics cards
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.func.__name__)
def test_the_library_s_own_checks_pass(check) -> None:
    check(ShoalAnonymizer(k=2))
