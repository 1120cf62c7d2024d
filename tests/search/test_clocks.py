"""Every search ends soon after its clock: one that is over after so many looks counts those that follow."""

from __future__ import annotations

import os
import signal
from collections import Counter
from contextlib import suppress
from fractions import Fraction
from itertools import islice

import numpy as np
import pyarrow as pa
import pytest

from shoal import Hierarchy, Study
from shoal.answering import best_cut, cut_trade_off
from shoal.answering.named import pose
from shoal.answers.recoding import Scheme
from shoal.errors import NoSolutionError
from shoal.kernels import CutWalk
from shoal.questions.searches import AnonymizeQuestion, OptimizeQuestion
from shoal.running.clock import Clock
from shoal.search.algorithms import ALGORITHMS
from shoal.search.cuts import cut_judge, from_nodes
from shoal.search.cuts.cut_judge import CutJudge
from shoal.search.cuts.full_domain import cut_of_node
from shoal.search.cuts.posing import cut_problem
from shoal.search.lattice.anytime import Anytime
from shoal.search.lattice.evaluator import Evaluator
from shoal.search.lattice.every_k import ks_between
from shoal.search.lattice.exact_frontier import exact_frontier
from shoal.search.lattice.poka import poka

MORE = 40
"""Looks that may follow: loops inside each other, each of which looks once more, and the answer's making."""
COLUMNS = 14


class Expiring(Clock):
    """A clock that is over after so many looks, whatever the time; parts of it are itself."""

    def __init__(self, looks: int) -> None:
        super().__init__(3600.0)
        self.looks, self.most = 0, looks

    @property
    def over(self) -> bool:
        self.looks += 1
        return self.looks > self.most

    @property
    def left(self) -> float:
        return 0.0 if self.looks >= self.most else 3600.0

    def part(self, share: float, *, heard: bool = False) -> Clock:
        return self


@pytest.fixture(scope="module")
def hard():
    """A study of many columns that hang together, none of which tells much."""
    rng = np.random.default_rng(1)
    kinds = rng.integers(0, 9, 400)
    table, quasi = {}, {}
    for a in range(COLUMNS):
        codes = np.where(rng.random(400) < 0.6, (kinds * (a + 2)) % 8, rng.integers(0, 8, 400))
        table[f"a{a}"] = pa.array([str(code) for code in codes])
        quasi[f"a{a}"] = Hierarchy.from_rows(
            [str(code), f"{code // 2}-", f"{code // 4}--", "*"] for code in range(8)
        )
    table["illness"] = pa.array([str(code) for code in kinds % 4])
    with Study(pa.table(table), quasi=quasi, sensitive="illness", threads=1) as study:
        yield study


def asked(study, **promise):
    promise = promise or {"k": 5}
    return pose(study.material(), AnonymizeQuestion(algorithm="flash", suppress="10%", **promise))


@pytest.mark.parametrize("looks", [1, 30])
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda one: one.name)
def test_no_algorithm_goes_on_when_its_time_is_over(hard, algorithm, looks):
    clock = Expiring(looks)
    task = asked(hard, l=2) if algorithm.name == "anatomy" else asked(hard)
    with suppress(NoSolutionError):  # none was found in time
        assert algorithm(task, clock).recoding is not None
    assert clock.looks <= looks + MORE


@pytest.mark.parametrize("name", ["flash", "genetic", "samarati", "top-down", "bottom-up"])
def test_a_search_looks_at_its_clock_again_and_again(hard, name):
    algorithm = next(one for one in ALGORITHMS if one.name == name)
    clock = Expiring(100)
    with suppress(NoSolutionError):
        algorithm(asked(hard), clock)
    assert clock.looks >= 100


@pytest.mark.parametrize("looks", [1, 30])
@pytest.mark.parametrize("search", [exact_frontier, poka])
def test_no_frontier_goes_on_when_its_time_is_over(hard, search, looks):
    task = asked(hard)
    evaluator, clock = Evaluator(task.problem, task.metric, task.limit), Expiring(looks)
    outcome = search(evaluator, clock=clock)
    assert not outcome.certified
    assert outcome.points
    assert clock.looks <= looks + MORE


def test_mu_argus_ends_with_what_it_has_tested(hard):
    algorithm = next(one for one in ALGORITHMS if one.name == "mu-argus")
    found = algorithm(asked(hard), Expiring(60))
    assert found.details["sets_tested"] == 60
    assert found.promise.k == found.details["k_reached"]


@pytest.fixture(scope="module")
def wide():
    """A study of so many columns that a key of sixteen bits for each would be too long."""
    rng = np.random.default_rng(2)
    columns = {f"a{a}": rng.integers(0, 4, 30).astype(str) for a in range(40)}
    tree = Hierarchy.from_rows([str(code), f"{code // 2}-", "*"] for code in range(4))
    with Study(pa.table(columns), quasi=dict.fromkeys(columns, tree), threads=1) as study:
        yield study


@pytest.mark.parametrize("name", ["k-optimize", "top-down", "bottom-up"])
def test_cuts_are_searched_where_there_are_many_columns(wide, name):
    assert wide.anonymize(name, k=2, suppress="50%", time_limit=0.3).k >= 2


@pytest.mark.parametrize("scheme", ["NoSupp", "allRec", "vioSA"])
def test_the_best_cut_is_searched_from_the_best_node(hard, scheme, monkeypatch):
    nodes = []

    def noted(*given):
        nodes.append(cut_of_node(*given))
        return nodes[-1]

    monkeypatch.setattr(from_nodes, "cut_of_node", noted)
    monkeypatch.setattr(from_nodes, "HOPELESS", 1)
    k = None if scheme == "vioSA" else 5
    question = OptimizeQuestion(k=k, l=2, scheme=scheme, suppress="50%" if k else None, time_limit=0.5)
    found = best_cut.optimize(hard.material(), question)
    node = nodes[-1]
    problem = best_cut.pose(hard.material(), question)
    forest = problem.forest(merged=False)
    forbidden, cost, *_ = CutWalk(problem.question(forest)).measure(forest.specialized(node))
    assert not forbidden
    assert found.cost <= cost / problem.unit


def kept_by(study, cut, k):
    """The smallest group of a cut that has k rows, and the rows of the others, counted one by one."""
    tally, sizes = study.tally(), Counter()
    label_of = [
        {row[0]: next(label for label in row if label in cut[name]) for row in tree.rows()}
        for name, tree in ((name, study.material().hierarchies[name]) for name in tally.attributes)
    ]
    for codes, count in zip(tally.codes.tolist(), tally.counts.tolist(), strict=True):
        values = (domain[code] for domain, code in zip(tally.domains, codes, strict=True))
        sizes[tuple(labels[value] for labels, value in zip(label_of, values, strict=True))] += count
    large = [size for size in sizes.values() if size >= k]
    return min(large), sum(sizes.values()) - sum(large)


def every_k_near(study, clock):
    """What is found without proof for every k, and the problem."""
    task = asked(study)
    problem = cut_problem(task, Scheme.ALL_REC, "the frontier of cuts")
    evaluator = Evaluator(task.problem, task.metric, task.limit)
    return from_nodes.CutsOfEveryK(problem, evaluator, task.hierarchies, (5, None), clock), task


@pytest.mark.parametrize("steps", [None, 120])
def test_cuts_near_nodes_lose_no_more_than_these(hard, steps, monkeypatch):
    """With a limit nodes come first, and cuts at its end; without one in turns, as long as it is gone on."""
    monkeypatch.setattr(from_nodes, "SOON", 0.0)
    near, task = every_k_near(hard, Clock(2.0) if steps is None else Clock())
    for _ in islice(near.steps(), steps):
        pass
    for found in near.cuts:
        assert kept_by(hard, found.cut, found.k) == (found.k, found.suppressed)
    best = {
        k: min((cut.loss for cut in near.cuts if cut.k >= k), default=None) for k in ks_between(5, 50)
    }
    nodes = {k: Fraction(near.stairs.cheapest(k).loss, task.metric.unit) for k in best}
    assert best[5] is not None
    if steps is None:
        assert all(best[k] is None or best[k] <= nodes[k] for k in best)
    else:  # the last turn may have been that of a node, which cuts come to in the next
        assert len(near.cuts) > 2 * len(best)
        assert any(best[k] < nodes[k] for k in best)


def test_cuts_near_nodes_are_not_looked_for_when_the_time_is_over(hard):
    near, _ = every_k_near(hard, Expiring(0))
    assert list(near.steps()) == []
    assert near.cuts == []


def test_a_frontier_of_cuts_without_proof_is_no_worse_than_that_of_nodes(hard, monkeypatch):
    taken = []

    def noted(*given):
        taken.extend(nodes(*given))
        return taken

    nodes = cut_trade_off._nodes
    monkeypatch.setattr(cut_trade_off, "_nodes", noted)
    monkeypatch.setattr(cut_trade_off, "HOPELESS", 1)
    found = hard.frontier(recoding="cuts", suppress="10%", time_limit=1)
    assert not found.certified
    assert len(taken) > 5
    for point in taken:
        assert any(one.k >= point.k and one.loss <= point.loss for one in found)
    ks, losses = [one.k for one in found], [one.loss for one in found]
    assert ks == sorted(set(ks), reverse=True)
    assert losses == sorted(set(losses), reverse=True)
    for one in list(found)[::7]:
        assert kept_by(hard, one.cut, one.k) == (one.k, one.suppressed)
    middle = len(ks) // 2
    rows = hard.release(found, point=middle).table().select(sorted(hard.quasi)).to_pylist()
    assert min(Counter(tuple(row.values()) for row in rows).values()) >= ks[middle - 1]


def test_keys_too_long_for_the_kernels_are_counted_too(wide, monkeypatch):
    judge = CutJudge(asked(wide, k=2))
    cuts = [judge.inner[: many * 9] for many in range(5)]
    by_kernel = [judge.judge(cut) for cut in cuts]
    monkeypatch.setattr(cut_judge, "MOST_WORDS", 0)
    assert [judge.judge(cut) for cut in cuts] == by_kernel


def test_the_first_ctrl_c_ends_a_search_with_its_best_so_far(hard):
    pressed = []

    def progress(share, words):
        if not pressed:
            pressed.append(words)
            os.kill(os.getpid(), signal.SIGINT)

    found = hard.anonymize("flash", k=5, suppress="10%", time_limit=600, progress=progress)
    assert pressed
    assert found.k >= 5
    assert not found.optimal
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def set_hopeless(monkeypatch):
    """Let lattices of any size be too large for a proof and for a map."""
    monkeypatch.setattr("shoal.search.lattice.allowed.MOST_NODES", 1)
    for place in (
        "answering.cut_trade_off",
        "answering.objective_trade_off",
        "search.cuts.from_nodes",
        "search.lattice.exact_frontier",
        "search.lattice.flash",
        "search.negotiation.cheapest_in_boxes",
    ):
        monkeypatch.setattr(f"shoal.{place}.HOPELESS", 1)


@pytest.fixture
def pressing(monkeypatch):
    """Press Ctrl-C in the middle of the search without proof, which lattices of any size now begin with."""
    set_hopeless(monkeypatch)
    descend, starts = Anytime.descend, []

    def descended(search, *given, **named):
        starts.append(search)
        if len(starts) == 30:
            os.kill(os.getpid(), signal.SIGINT)
        descend(search, *given, **named)

    monkeypatch.setattr(Anytime, "descend", descended)
    yield starts
    assert 30 <= len(starts) < 100


ENDED = {
    "cuts": lambda study, **asked: study.frontier(recoding="cuts", suppress="10%", **asked),
    "nodes": lambda study, **asked: study.frontier(suppress="10%", **asked),
    "three": lambda study, **asked: study.frontier(objectives="k,l,loss", suppress="10%", **asked),
    "optimize": lambda study, **asked: study.optimize(k=5, scheme="allRec", suppress="10%", **asked),
    "negotiate": lambda study, **asked: study.negotiate(k=5, max_suppressed="10%", **asked).exact,
}


@pytest.mark.usefixtures("pressing")
@pytest.mark.parametrize("name", ENDED)
def test_every_search_keeps_what_it_had_found_when_ctrl_c_was_pressed(hard, name):
    """The most general node, which all of these know at once, loses everything."""
    found = ENDED[name](hard, time_limit=600)
    if name in ("optimize", "negotiate"):
        share = found.shares["LM"] if name == "optimize" else found.share
        assert not (found.optimal if name == "optimize" else found.proven)
    else:
        assert not found.certified
        share = min(point.share for point in found if point.k >= 5)
    assert share < 0.9
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_ctrl_c_has_ended_claims_no_more_than_was_found(hard):
    def pressed(clock):
        with clock:
            os.kill(os.getpid(), signal.SIGINT)
            assert clock.over
            assert clock.left == 0
        return clock

    assert pressed(Clock()).over
    assert not pressed(Clock()).part(1.0).left
    (flash,) = (one for one in ALGORITHMS if one.name == "flash")
    found = hard.anonymize("flash", k=5, suppress="10%", progress=lambda *_: _press_once())
    assert found.guarantees == flash.guarantees


def _press_once():
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        os.kill(os.getpid(), signal.SIGINT)


def test_the_second_ctrl_c_ends_at_once():
    def press_twice():
        with Clock():
            os.kill(os.getpid(), signal.SIGINT)
            assert Clock().over
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        press_twice()
