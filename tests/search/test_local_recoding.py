"""Local recoding: hierarchy labels of its own for every group, never worse than the best full-domain node."""

from __future__ import annotations

import signal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal import InputError, NoSolutionError, Study
from shoal.answering.named import pose
from shoal.describe.hierarchies import Hierarchy
from shoal.metrics import LM
from shoal.questions.searches import AlgorithmQuestion
from shoal.running.clock import Clock
from shoal.search.groups.grouping import Grouping
from shoal.search.groups.regroup import Regrouper
from tests.examples import examples
from tests.oracles import all_nodes, classes
from tests.release.cases import full, study_of, tables

PROMISES = [{"k": 2}, {"k": 3, "l": 2}, {"k": 2, "theta": "1/2"}, {"k": 2, "t": 0.3}]


def question_of(study, **promise):
    return pose(study.material(), AlgorithmQuestion(**promise))


def found_by(study, promise, **options):
    try:
        return study.anonymize("local-recoding", options=options, **promise)
    except NoSolutionError:
        return None


def kept_nodes(question):
    """Every node whose classes all keep the promise, and what it costs, one by one."""
    problem = question.problem
    losses = LM(problem).level_losses()
    for node in all_nodes(problem):
        of = np.zeros(len(problem.codes), dtype=np.int64)
        found = classes(problem, node)
        for c, members in enumerate(found.values()):
            of[members] = c
        groups = question.groups(of, len(found))
        if all(criterion.kept(groups).all() for criterion in question.criteria):
            yield sum(own[level] for own, level in zip(losses, node, strict=True)), node


def partitions(things):
    """Every way to part things into groups."""
    if not things:
        yield []
        return
    first, rest = things[0], things[1:]
    for parts in partitions(rest):
        yield [[first], *parts]
        for i in range(len(parts)):
            yield [*parts[:i], [first, *parts[i]], *parts[i + 1 :]]


@settings(max_examples=examples(20))
@given(
    tables(), st.sampled_from(PROMISES), st.sampled_from(["nearest", "rounds"]), st.sampled_from([0, 2])
)
def test_what_is_released_keeps_the_promise_under_labels_of_the_hierarchy(
    given_, promise, start, effort
):
    table, trees = given_
    with study_of(table, trees) as study:
        found = found_by(study, promise, start=start, effort=effort)
        assume(found is not None)
        assert found.suppressed == 0
        recoding = found.decision().recoding
        assert not recoding.meanings
        rows = {
            name: {row[0]: row for row in full(tree, table[name].to_pylist()).rows()}
            for name, tree in trees.items()
        }
        for group in recoding.groups:
            for combination in group.combinations:
                for name, value in zip(recoding.attributes, combination, strict=True):
                    assert group.labels[name] in rows[name][value]
        assert study.release(found).table().num_rows == table.num_rows


@settings(max_examples=examples(30))
@given(tables(most_rows=20), st.sampled_from(PROMISES), st.sampled_from(["nearest", "rounds"]))
def test_it_is_never_worse_than_the_cheapest_of_all_nodes(given_, promise, start):
    table, trees = given_
    with study_of(table, trees) as study:
        question = question_of(study, **promise)
        kept = sorted(kept_nodes(question))
        assume(kept)
        least = kept[0][0]
        found = found_by(study, promise, start=start, effort=0)
        assert found.losses["LM"] <= least / LM(question.problem).unit + 1e-9


def test_effort_finds_the_best_of_all_partitions_of_small_tables():
    rng = np.random.default_rng(5)
    reached = tried = 0
    for _ in range(12):
        table, trees = small_table(rng)
        with study_of(table, trees) as study:
            question = question_of(study, k=2)
            ground = Grouping.of(question, "hierarchy")
            regrouper = Regrouper(ground, 0, Clock())
            points = range(len(ground))
            sizes = ground.points.sizes
            best = min(
                regrouper.cost(
                    np.array([[next(g for g, part in enumerate(parts) if c in part)] for c in points])
                )
                for parts in partitions(list(points))
                if all(sizes[part].sum() >= 2 for part in parts)
            )
            found = regrouper.improved(regrouper.gathered(), 100, Clock())
            assert found.cost >= best
            reached += found.cost == best
            tried += 1
    assert reached >= tried - 1


def small_table(rng):
    trees = {
        "q0": Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*")]),
        "q1": Hierarchy.from_rows([("1", "*"), ("2", "*"), ("3", "*")]),
    }
    rows = [(rng.choice(list("abcd")), rng.choice(list("123"))) for _ in range(9)]
    columns = {
        "q0": [str(a) for a, _ in rows],
        "q1": [str(b) for _, b in rows],
        "name": [str(i) for i in range(9)],
        "id": [str(i) for i in range(9)],
        "illness": ["flu"] * 9,
        "outcome": ["well"] * 9,
    }
    return pa.table(columns), trees


def test_levels_of_the_study_are_kept(adult):
    names = ("age", "education", "sex")
    trees = {name: adult / "arx-12960" / f"{name}.csv" for name in names}
    levels = {"age": (1, 3), "education": (0, 2)}
    with Study(adult / "adult-30162.csv", quasi=trees, levels=levels) as study:
        found = study.anonymize("local-recoding", k=20, suppress=500)
        assert found.k >= 20
        labels = {
            name: {group.labels[name] for group in found.decision().recoding.groups} for name in names
        }
        assert "*" not in labels["age"] | labels["education"]
        assert all("-" in label for label in labels["age"])
        assert study.release(found).table().num_rows == 30_162 - found.suppressed


def test_rounds_go_on_with_the_rows_that_are_left(adult):
    names = ("age", "education", "sex", "race")
    trees = {name: adult / "arx-12960" / f"{name}.csv" for name in names}
    with Study(adult / "adult-30162.csv", quasi=trees) as study:
        found = study.anonymize("local-recoding", k=10, options={"start": "rounds", "effort": 0})
        assert found.details["start"] == "rounds"
        node = study.anonymize("mingen", k=10, metric="LM")
        assert found.losses["LM"] < node.losses["LM"] / 2


@settings(max_examples=15)
@given(tables(most_rows=12), st.data())
def test_a_tally_of_some_combinations_counts_their_rows(given_, data):
    table, trees = given_
    with study_of(table, trees) as study:
        tally = study.material().tally("illness")
        mask = np.array([data.draw(st.booleans()) for _ in range(len(tally))], dtype=np.bool_)
        part = tally.where(mask)
        assert part.rows == tally.counts[mask].sum()
        assert (part.histogram("illness") == tally.histogram("illness")[mask]).all()


@pytest.mark.parametrize("start", ["near", "3"])
def test_an_unknown_start_is_refused(start):
    table, trees = small_table(np.random.default_rng(1))
    with study_of(table, trees) as study, pytest.raises(InputError, match="nearest"):
        study.anonymize("local-recoding", k=2, options={"start": start})


class Impatient(Clock):
    """A clock whose user presses Ctrl-C at the first sight of progress."""

    def show(self, share, words, *_):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("clock", [Clock(1e-9), Clock(0.02), Impatient()])
def test_what_ends_early_is_no_worse_than_its_start(clock):
    table, trees = small_table(np.random.default_rng(2))
    with study_of(table, trees) as study:
        ground = Grouping.of(question_of(study, k=3), "hierarchy")
        regrouper = Regrouper(ground, 0, Clock())
        start = np.zeros((len(ground), 1), dtype=np.int64)
        effort = float("inf") if clock.limited else 10
        with clock:
            found = regrouper.improved(start, effort, clock)
        assert found.steps > 0 or clock.over
        assert clock.over or clock.limited
        assert found.cost == regrouper.cost(found.groups) <= regrouper.cost(start)
        assert ground.groups(found.groups.reshape(-1)).sizes.max() >= 3


@pytest.mark.parametrize("options", [{}, {"regions": "relaxed"}])
def test_mondrian_uses_the_time_it_is_given(options):
    table, trees = small_table(np.random.default_rng(3))
    with study_of(table, trees) as study:
        plain = study.anonymize("mondrian", k=2, options={"effort": 0, **options})
        timed = study.anonymize("mondrian", k=2, options={"effort": "all", **options}, time_limit=0.5)
        assert timed.losses["LM"] <= plain.losses["LM"]
        assert timed.k >= 2
