"""The metrics of cuts are monotone, and one that is not is found out."""

from __future__ import annotations

from fractions import Fraction

import pytest

from shoal.errors import InputError
from shoal.metrics.on_cuts import CUT_COSTS, CutMetric, check_metric, cut_metric_named

NAMES = ("age", "sex")


@pytest.mark.parametrize("weights", [None, {"age": Fraction("3.5"), "sex": Fraction(0)}])
@pytest.mark.parametrize("metric", CUT_COSTS)
def test_the_metrics_are_monotone(metric, weights):
    check_metric(metric(NAMES, 100, 2, weights))


class Made(CutMetric):
    name = "Made"
    title = "made up"

    def record_cost(self):
        return 100


class Cheaper(Made):
    def value_cost(self, attribute, covered, leaves):
        return 1 / covered


class Dear(Made):
    def value_cost(self, attribute, covered, leaves):
        return 51 if covered > 1 else 0


class Roots(Made):
    sized = True

    def size_cost(self, rows):
        return rows**0.5


class Odd(Made):
    sized = True

    def size_cost(self, rows):
        return rows + (rows > 5) - (rows > 6)


class Rare(Made):
    labelled = True

    def label_cost(self, rows):
        return rows % 2


@pytest.mark.parametrize(
    ("metric", "what"),
    [
        (Cheaper, "less than one over 1"),
        (Dear, "at the root, suppressed"),
        (Roots, "splitting would cost more"),
        (Odd, "splitting would cost more|a row costs"),
        (Rare, "splitting would cost more"),
    ],
)
def test_a_metric_that_is_not_monotone_is_found_out(metric, what):
    with pytest.raises(ValueError, match=what):
        check_metric(metric(NAMES, 100, 2))


def test_a_metric_must_say_what_a_deleted_row_costs():
    with pytest.raises(TypeError, match="record_cost"):
        CutMetric(NAMES, 10)


def test_the_metrics_of_nodes_are_known_not_to_be_those_of_cuts():
    with pytest.raises(
        InputError, match="Height is a metric of nodes, not of cuts; use one of LM, DM, CM"
    ):
        cut_metric_named("Height")
    with pytest.raises(InputError, match=r"unknown metric 'NPC'; did you mean NCP\?"):
        cut_metric_named("NPC")
