"""Studies that name persons: cuts and groups count them, in every answer and every sentence."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product

import pytest

from shoal import verify
from shoal.answers.recoding import CutRecoding
from shoal.errors import InputError, NoSolutionError
from tests.answering.test_persons import people, rows, study
from tests.oracles import weights


def classes(given, recoding):
    """The rows of each group of a cut, or of a recoding by groups."""
    found = defaultdict(list)
    if hasattr(recoding, "groups"):
        place = {c: g for g, group in enumerate(recoding.groups) for c in group.combinations}
        for row in given:
            found[place[row[:2]]].append(row)
        return list(found.values())
    for row in given:
        paths = {"zip": [row[0][: 5 - i] + "*" * i for i in range(5)] + ["*"], "sex": [row[1], "*"]}
        labels = recoding.labels
        shown = tuple(
            next(label for label in path if label in labels[name]) for name, path in paths.items()
        )
        found[shown].append(row)
    return list(found.values())


def kept_by(given, recoding, k):
    return [group for group in classes(given, recoding) if people(group) >= k]


def gone(given, kept):
    """Of how many persons no row is left."""
    return people(given) - people([row for group in kept for row in group])


@pytest.mark.parametrize("scheme", ["allRec", "NoSupp", "vioRec", "vioSA"])
def test_the_best_cut_has_k_persons_in_every_group_that_it_releases(scheme):
    given = rows()
    with study(given) as opened:
        found = opened.optimize(k=3, scheme=scheme)
    kept = kept_by(given, found.decision().recoding, 3)
    assert found.optimal
    assert found.suppressed_records == len(given) - sum(map(len, kept))
    assert (found.persons, found.suppressed_persons) == (people(given), gone(given, kept))
    assert f"k counts the 40 persons of {len(given)} rows, no row left of" in str(found)
    assert found.to_dict()["suppressed_persons"] == found.suppressed_persons
    assert scheme != "NoSupp" or found.suppressed_records == 0


def test_a_cut_within_a_limit_of_rows_suppresses_no_more():
    given = rows()
    with study(given) as opened:
        free, limited = opened.optimize(k=4), opened.optimize(k=4, suppress=3)
    assert free.suppressed_records > 3 >= limited.suppressed_records
    kept = kept_by(given, limited.decision().recoding, 4)
    assert len(given) - sum(map(len, kept)) == limited.suppressed_records


@pytest.mark.parametrize("name", ["mondrian", "local-recoding", "top-down", "bottom-up", "annealing"])
def test_named_algorithms_say_how_many_persons_share_a_group(name):
    given = rows()
    with study(given) as opened:
        found = opened.anonymize(name, k=3, suppress=10)
    kept = kept_by(given, found.decision().recoding, 3)
    assert found.k == min(map(people, kept)) >= 3
    assert found.suppressed == len(given) - sum(map(len, kept)) <= 10


def test_the_curves_of_all_recodings_count_persons():
    given = rows()
    with study(given) as opened:
        found = opened.frontier(recoding="all", max_k=12)
        cuts = opened.frontier(recoding="cuts", max_k=12, suppress=12)
    bound = {k: loss for k, loss, _ in found.lower_bound}
    assert {curve.name for curve in found.curves} == {"nodes", "cuts", "local-recoding", "mondrian"}
    for curve in found.curves:
        assert curve.points
        for point in curve.points:
            if curve.name != "mondrian":  # whose sets may cost less than labels
                assert all(loss <= point.loss for k, loss in bound.items() if k <= point.k)
    for point in cuts.points:
        kept = kept_by(given, CutRecoding(point.cut), point.k)
        assert min(map(people, kept)) == point.k
        assert len(given) - sum(map(len, kept)) == point.suppressed
        assert point.suppressed_persons == gone(given, kept)
    assert any(point.suppressed_persons for point in cuts.points)
    assert cuts.persons == found.persons == people(given)
    # No curve can reach what the whole table does not have.
    assert max(k for k, *_ in found.lower_bound) <= people(given)


def test_what_cannot_be_kept_is_told_in_persons():
    with study(rows()) as opened:
        with pytest.raises(NoSolutionError, match="the table has 40 persons, fewer than k"):
            opened.optimize(k=41)
        with pytest.raises(NoSolutionError, match="the table has 40 persons; lower it"):
            opened.frontier(recoding="cuts", min_k=41)
        with pytest.raises(NoSolutionError, match="the table has 40 persons; lower min_k"):
            opened.frontier(recoding="groups", min_k=41)


def largest(group):
    """The largest share of an illness, where each person counts once."""
    persons = [row[3] for row in group]
    found = weights([0] * len(group), persons, [row[2] for row in group])
    return max(found.values()) / len(set(persons))


@pytest.mark.parametrize("scheme", ["NoSupp", "allRec", "allSA", "vioSA"])
def test_shares_of_persons_are_kept_in_every_group_and_counted_again_from_the_release(scheme, tmp_path):
    given, limit = rows(), Fraction("0.45" if scheme == "NoSupp" else "0.36")
    with study(given) as opened:
        found = opened.optimize(theta=limit, k=2, scheme=scheme)
        made = opened.release(found, pseudonyms="fresh", seed=1)
        made.write(tmp_path / "out.csv")
    assert found.optimal
    all_groups = classes(given, found.decision().recoding)
    broken = [group for group in all_groups if largest(group) > limit or people(group) < 2]
    assert bool(broken) == (scheme != "NoSupp")
    if scheme == "allRec":
        assert found.suppressed_records == sum(map(len, broken))
        assert found.suppressed_persons == gone(given, [g for g in all_groups if g not in broken])
    if scheme == "allSA":
        assert found.suppressed_values == sum(map(len, broken))
    verdict = verify(tmp_path / "out.csv")
    assert verdict.holds
    assert verdict.measured.persons is not None


@pytest.mark.parametrize("objective", ["l", "theta"])
def test_the_frontier_of_cuts_says_what_its_groups_keep_and_who_is_lost(objective):
    given = rows(persons=12)
    with study(given) as opened:
        found = opened.frontier(recoding="cuts", objectives=f"{objective},loss", suppress=6)
    assert found.certified
    assert len(found.points) > 1
    for point in found.points:
        groups = classes(given, CutRecoding(point.cut))
        if objective == "l":
            kept = [group for group in groups if different(group) >= point.l]
            assert min(map(different, kept)) == point.l
        else:
            kept = [group for group in groups if largest(group) <= point.theta]
            assert max(map(largest, kept)) == point.theta
        assert len(given) - sum(map(len, kept)) == point.suppressed
        assert point.suppressed_persons == gone(given, kept)
    assert any(point.suppressed_persons for point in found.points)


def different(group):
    having = defaultdict(set)
    for row in group:
        having[row[2]].add(row[3])
    return max(
        len(set(chosen) - {None})
        for chosen in product(*({None, *persons} for persons in having.values()))
        if len(set(chosen) - {None}) == sum(person is not None for person in chosen)
    )


def test_k_optimize_keeps_shares_of_persons():
    given = rows()
    with study(given) as opened:
        found = opened.anonymize("k-optimize", k=2, theta="1/2", suppress=10)
    kept = [g for g in kept_by(given, found.decision().recoding, 2) if largest(g) <= Fraction(1, 2)]
    assert found.suppressed == len(given) - sum(map(len, kept)) <= 10


def test_what_shares_of_persons_cannot_have_is_told():
    with study(rows()) as opened:
        with pytest.raises(InputError, match="vioRec suppresses single rows"):
            opened.optimize(l=2, scheme="vioRec")
        with pytest.raises(NoSolutionError, match="each person counting once"):
            opened.optimize(theta="1/4", scheme="NoSupp")
