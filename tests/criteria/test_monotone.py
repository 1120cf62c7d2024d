"""What a search may rely on is so; and where it may not, an example says why."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.criteria import (
    AverageRisk,
    BetaLikeness,
    Criterion,
    DeltaDisclosure,
    DeltaPresence,
    DistinctDiversity,
    EntropyDiversity,
    Groups,
    KAnonymity,
    KMap,
    MaxRisk,
    PopulationUniques,
    RecursiveDiversity,
    ShareLimit,
    TCloseness,
    broken,
)
from shoal.criteria.criterion import Weighing
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import Presence, Recursive, ShareLimits
from shoal.metrics import metric_named
from shoal.search.lattice.node_judge import Judge
from shoal.verification.spread.found_rows import mean_risk
from tests.criteria.definitions import DISTANCES, DOMAIN, groups_of, shares, tables
from tests.examples import examples
from tests.strategies import problem_of

CLASSES = (
    KAnonymity,
    DistinctDiversity,
    ShareLimit,
    EntropyDiversity,
    RecursiveDiversity,
    TCloseness,
    DeltaPresence,
    KMap,
    BetaLikeness,
    DeltaDisclosure,
    MaxRisk,
    AverageRisk,
    PopulationUniques,
)


def everyone(kind=Criterion):
    return {kind} | {one for child in kind.__subclasses__() for one in everyone(child)}


def test_no_criterion_is_left_out_here():
    ours = {one for one in everyone() if one.__module__.startswith("shoal.")}
    assert ours - {Criterion, Weighing} == set(CLASSES)


drawn = st.none() | st.sampled_from([Fraction(1, 100), Fraction(1, 3), Fraction(9, 10), Fraction(1)])


@st.composite
def criteria(draw):
    rows = 10**6 if draw(st.booleans()) else 0
    return draw(
        st.sampled_from(
            [
                KAnonymity(draw(st.integers(1, 6))),
                DistinctDiversity("s", DOMAIN, draw(st.integers(1, 4))),
                ShareLimit(
                    "s",
                    DOMAIN,
                    ShareLimits(draw(shares), {"1": draw(shares)}, known=draw(st.booleans())),
                ),
                EntropyDiversity("s", DOMAIN, draw(st.fractions(1, 3, max_denominator=4))),
                RecursiveDiversity(
                    "s",
                    DOMAIN,
                    Recursive(
                        draw(st.fractions(Fraction(1, 2), 3, max_denominator=3)), draw(st.integers(1, 3))
                    ),
                ),
                TCloseness("s", draw(shares), DOMAIN, draw(st.sampled_from(DISTANCES))),
                DeltaPresence(Presence(*sorted([draw(shares), draw(shares)])), rows),
                KMap(draw(st.integers(1, 9))),
                BetaLikeness("s", DOMAIN, draw(st.fractions(Fraction(1, 9), 4, max_denominator=9))),
                DeltaDisclosure("s", DOMAIN, draw(st.fractions(Fraction(1, 9), 3, max_denominator=9))),
                *(
                    kind(draw(st.fractions(Fraction(1, 12), 1, max_denominator=12)), draw(drawn))
                    for kind in (MaxRisk, AverageRisk, PopulationUniques)
                ),
            ]
        )
    )


@st.composite
def crowded_tables(draw):
    table = draw(tables(most_groups=5))
    return table, [draw(st.integers(len(rows), len(rows) + 6)) for rows in table]


def merged(table, population, places):
    """The groups that go to one place are one group."""
    found = {}
    for rows, crowd, place in zip(table, population, places, strict=True):
        some, more = found.get(place, ([], 0))
        found[place] = (some + rows, more + crowd)
    return groups_of([rows for rows, _ in found.values()], [crowd for _, crowd in found.values()])


@settings(max_examples=examples(200))
@given(criteria(), crowded_tables(), st.data())
def test_merging_groups_keeps_what_is_said_to_be_kept(criterion, crowded, data):
    table, population = crowded
    places = [data.draw(st.integers(0, 2)) for _ in table]
    groups, fewer = groups_of(table, population), merged(table, population, places)
    if isinstance(criterion, DeltaPresence) and criterion.rows == 0:
        criterion = DeltaPresence(criterion.limits, sum(population))
    if criterion.monotone and criterion.kept(groups).all():
        assert criterion.kept(fewer).all()
    if criterion.monotone_with_suppression:
        assert criterion.monotone
        before, after = broken(groups, [criterion]), broken(fewer, [criterion])
        assert fewer.sizes[after].sum() <= groups.sizes[before].sum()


@settings(max_examples=examples(100))
@given(criteria(), crowded_tables(), st.data())
def test_a_criterion_that_is_local_looks_at_one_group_alone(criterion, crowded, data):
    table, population = crowded
    some = np.array([data.draw(st.booleans()) for _ in table])
    groups = groups_of(table, population)
    if criterion.local:
        assert criterion.kept(groups.where(some)).tolist() == criterion.kept(groups)[some].tolist()


@settings(max_examples=examples(100))
@given(st.lists(criteria(), min_size=1, max_size=3), crowded_tables())
def test_what_is_left_keeps_every_criterion(several, crowded):
    groups = groups_of(*crowded)
    gone = broken(groups, several)
    rest = groups.where(~gone)
    assert all(criterion.kept(rest).all() for criterion in several if len(rest))


# good_with_bad: two rows "1", "2" keep the criterion, eight rows "1" break it and are suppressed. In a more
# general node they are one group, which breaks it, and all ten rows are suppressed. Many rows beside them
# keep the table's shares where they are for t-closeness.
GOOD, BAD, MANY = ["1", "2"], ["1"] * 8, ["1", "2"] * 100
NOT_WITH_SUPPRESSION = [
    ShareLimit("s", DOMAIN, ShareLimits(Fraction(1, 2))),
    EntropyDiversity("s", DOMAIN, Fraction(2)),
    RecursiveDiversity("s", DOMAIN, Recursive(Fraction(2), 2)),
    *(TCloseness("s", Fraction(1, 5), DOMAIN, distance) for distance in DISTANCES[:2]),
    TCloseness("s", Fraction(1, 9), DOMAIN, DISTANCES[2]),
    TCloseness("s", Fraction(1, 9), DOMAIN, DISTANCES[3]),
    DeltaPresence(Presence(Fraction(0), Fraction(1, 2)), 216),
    BetaLikeness("s", DOMAIN, Fraction(1, 2)),
    DeltaDisclosure("s", DOMAIN, Fraction(1, 2)),
]


@pytest.mark.parametrize("criterion", NOT_WITH_SUPPRESSION, ids=lambda one: one.name)
def test_good_with_bad_is_bad(criterion):
    # All of the eight are in the table, of the others every second one of the population.
    below = groups_of([GOOD, BAD, MANY], [4, 8, 400])
    above = groups_of([GOOD + BAD, MANY], [12, 400])
    assert not criterion.monotone_with_suppression
    assert below.sizes[broken(below, [criterion])].sum() == 8
    assert above.sizes[broken(above, [criterion])].sum() == 10


def test_every_criterion_that_is_not_monotone_with_suppression_has_its_example():
    shown = {type(criterion) for criterion in NOT_WITH_SUPPRESSION} | {AverageRisk, PopulationUniques}
    assert shown == {kind for kind in CLASSES if not kind.monotone_with_suppression}


def sized(*sizes):
    return Groups(np.array(sizes))


def test_small_groups_join_those_that_are_released_and_raise_the_average():
    """At 1/4 two groups of eight rows are kept. Two suppressed rows join, and pairs are too many."""
    criterion = AverageRisk(Fraction(1, 4))
    below, above = sized(1, 1, 2, 6), sized(2, 2, 6)
    assert criterion.monotone
    assert not criterion.monotone_with_suppression
    assert below.sizes[broken(below, [criterion])].tolist() == [1, 1]
    assert above.sizes[broken(above, [criterion])].tolist() == [2, 2]


def test_large_groups_join_whose_persons_are_the_same_and_the_average_rises():
    """Ten persons in two groups, and twenty alone: 22 of 40 are found; when the groups join, 21 of 30."""
    below, above = sized(10, 10, *[1] * 20), sized(10, *[1] * 20)
    criterion = AverageRisk(Fraction(22, 40), spread=True)
    assert not criterion.monotone
    assert criterion.kept(below).all()
    assert not criterion.kept(above).all()


def test_pairs_join_and_a_unique_row_is_more_likely_unique_in_the_population():
    """Of half of a population, pairs hide many that show one row, and a class of four hides few."""
    criterion = PopulationUniques(Fraction(1, 10), Fraction(1, 2))
    assert not criterion.monotone
    assert criterion.kept(sized(1, 2, 2)).all()
    assert criterion.kept(sized(1, 4)).tolist() == [False, True]
    # Three unique rows of eight, each with the chance 3 / (3 + 5 / 16): 9 / 3.3125 / 8 of the rows.
    about = Fraction(9) / (3 + Fraction(5, 16)) / 8
    for limit, all_kept in ((about * Fraction(101, 100), True), (about * Fraction(99, 100), False)):
        kept = PopulationUniques(limit, Fraction(1, 2)).kept(sized(1, 1, 1, 5))
        assert kept.tolist() == ([True] * 4 if all_kept else [False] * 3 + [True])


def test_values_that_a_group_lacks_count_or_merging_could_break_delta_disclosure():
    """A group with the value "2" at the table's share, merged with one that lacks it, is too far from it."""
    criterion = DeltaDisclosure("s", DOMAIN, Fraction(1, 2))
    table = [["1", "2"], ["1", "1"], ["1", "2"] * 4, ["2", "2"]]
    assert criterion.kept(groups_of(table)).tolist() == [True, False, True, False]
    assert not criterion.kept(groups_of([table[0] + table[1], *table[2:]]))[0]


@given(st.lists(st.integers(1, 8), min_size=1, max_size=7), shares, drawn)
def test_an_average_is_kept_by_leaving_out_the_smallest_groups_and_hardly_fewer_rows_would_do(
    sizes, limit, fraction
):
    if not limit:
        return
    criterion = AverageRisk(limit, fraction)
    groups = sized(*sizes)
    gone = broken(groups, [criterion])
    left = groups.sizes[~gone]
    assert not len(left) or average(left, fraction) <= limit * (1 + 1e-12)
    fewest = min(
        sum(n for n, keep in zip(sizes, chosen, strict=True) if not keep)
        for chosen in product((True, False), repeat=len(sizes))
        if not any(chosen)
        or average([n for n, keep in zip(sizes, chosen, strict=True) if keep], fraction)
        <= limit * (1 - 2e-9)
    )
    last = max(groups.sizes[gone].tolist(), default=0)
    ties = sum(n for n in sizes if n == last) - last if last else 0
    assert groups.sizes[gone].sum() <= fewest + ties


def average(sizes, fraction):
    risks = [
        n * (Fraction(1, int(n)) if fraction in (None, 1) else mean_risk(int(n), float(fraction)))
        for n in sizes
    ]
    return sum(risks) / int(sum(sizes))


def test_a_judge_says_that_allowed_nodes_have_allowed_generalizations_only_where_it_is_so():
    """The same example on a lattice: with eight rows to suppress the bottom is allowed, the top is not."""
    tree = Hierarchy.from_rows([("a", "ab"), ("b", "ab")])
    rows = [("a", "1"), ("a", "2"), *[("b", "1")] * 8]
    problem = problem_of([tree], [("a", 0), ("a", 0), *[("b", 0)] * 8])

    class Column:
        """What a judge asks of a tally."""

        def histogram(self, _):
            return np.array([[sum(r == (q, s) for r in rows) for s in ("1", "2")] for q in "ab"])

    limited = ShareLimit("s", ("1", "2"), ShareLimits(Fraction(1, 2)))
    metric = metric_named("LM")(problem)
    judge = Judge(problem, Column(), [limited], 8, metric, ["s"])
    assert [judge.judge((level,)).allowed for level in (0, 1)] == [True, False]
    assert not judge.monotone
    assert Judge(problem, Column(), [limited], 0, metric, ["s"]).monotone
    assert Judge(problem, Column(), [KAnonymity(2)], 8, metric, ["s"]).monotone


def test_with_a_low_above_nothing_a_population_outside_of_all_groups_is_a_breach():
    """Else a generalization, which takes them in, could break what its specialization kept."""
    limits = Presence(Fraction(1, 2), Fraction(1))
    below, above = (
        Groups(np.array([2]), population=np.array([2])),
        Groups(np.array([2]), population=np.array([9])),
    )
    assert not DeltaPresence(limits, 9).kept(below).any()
    assert not DeltaPresence(limits, 9).kept(above).any()
    assert DeltaPresence(limits, 2).kept(below).all()
