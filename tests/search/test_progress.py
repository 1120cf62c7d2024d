"""Every search that has a best so far tells what it loses, and goes on to improve it as long as it runs."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest

from shoal import Hierarchy, Study
from shoal.answering.named import pose
from shoal.questions.searches import AnonymizeQuestion
from shoal.running.clock import Clock
from shoal.search.algorithms import ALGORITHMS
from shoal.search.groups.group_loss import known_loss
from shoal.search.groups.grouping import Grouping
from shoal.search.groups.in_parts import InParts
from shoal.search.groups.regroup import Regrouper
from shoal.search.lattice.anytime import Anytime
from tests.search.test_clocks import ENDED, hard, set_hopeless  # noqa: F401

NOTHING_YET = {"datafly", "mu-argus", "bottom-up", "anatomy", "mondrian", "local-recoding"}
"""These have no answer before their end, or no step to tell of; what improves groups is tested by itself."""
BY = {"mingen": "Prec"}


@pytest.fixture(autouse=True)
def told(monkeypatch):
    """All that is told is heard."""
    monkeypatch.setattr("shoal.running.clock.EVERY", 0.0)


def shares(words):
    found = [re.search(r"([0-9.<>]+)% lost", each) for each in words]
    return [float(each[1].strip("<>")) / 100 for each in found if each]


@pytest.mark.parametrize(
    "name", [one.name for one in ALGORITHMS if one.name not in NOTHING_YET], ids=str
)
def test_every_algorithm_tells_the_share_lost_by_its_best_so_far(hard, name):  # noqa: F811
    words = []

    def heard(_, text):
        words.append(text)
        return len(words) > (10 if name == "local-suppression" else 300)

    found = hard.anonymize(name, k=5, suppress="10%", progress=heard)
    least = found.shares[BY.get(name, "LM")]
    assert shares(words)
    # Nobody tells of less than is found in the end, within what rounding takes.
    assert min(shares(words)) >= least - 0.0006
    if name in ("flash", "genetic", "k-optimize", "top-down"):
        assert shares(words) == sorted(shares(words), reverse=True)


FRONTIERS = {
    "nodes": {},
    "cuts": {"recoding": "cuts"},
    "groups": {"recoding": "groups", "max_k": 10},
    "all": {"recoding": "all", "max_k": 10},
    "poka": {"method": "poka", "fill": True},
    "exhaustive": {"method": "exhaustive", "fill": True},
    "boxes": {"method": "exhaustive"},
    "k,l,loss": {"objectives": "k,l,loss"},
    "suppressed,loss": {"objectives": "suppressed,loss", "k": 5},
    "l,loss": {"objectives": "l,loss"},
    "t,loss": {"objectives": "t,loss", "suppress": 0},
}


@pytest.fixture(scope="module")
def small():
    """A study of few nodes: every method comes to its end."""
    rng = np.random.default_rng(3)
    tree = Hierarchy.from_rows([str(code), f"{code // 2}-", f"{code // 4}--", "*"] for code in range(8))
    columns = {f"a{a}": rng.integers(0, 8, 300).astype(str) for a in range(5)}
    ill = rng.integers(0, 4, 300).astype(str)
    with Study(
        pa.table({**columns, "ill": ill}), quasi=dict.fromkeys(columns, tree), sensitive="ill", threads=1
    ) as study:
        yield study


@pytest.mark.parametrize("kind", [Regrouper, InParts])
def test_what_improves_groups_tells_the_share_they_lose(small, kind):
    task = pose(small.material(), AnonymizeQuestion(algorithm="local-recoding", k=3))
    ground = Grouping.of(task, "hierarchy")
    words = []
    clock = Clock(None, lambda _, text: words.append(text))
    regrouper = kind(ground, 0, clock)
    found = regrouper.improved(regrouper.gathered(), 1.0, clock)
    share = known_loss(ground, found.groups, found.cost) / task.metric.largest
    assert abs(shares(words)[-1] - share) <= 0.0006
    assert shares(words)[0] > share


@pytest.mark.parametrize("name", FRONTIERS)
def test_every_frontier_tells_the_share_lost_for_what_people_ask(small, name, monkeypatch):
    monkeypatch.setattr("shoal.search.lattice.exhaustive.BATCH", 64)
    words = []
    small.frontier(progress=lambda _, text: words.append(text), **{"suppress": "10%", **FRONTIERS[name]})
    assert shares(words)
    if name not in ("suppressed,loss", "t,loss"):
        kind = "l" if name == "l,loss" else "k"
        assert any(f"% lost at {kind} = " in each for each in words)


def test_a_negotiation_tells_it_too(hard):  # noqa: F811
    words = []
    hard.negotiate(
        k=5, max_suppressed="10%", progress=lambda _, text: words.append(text) or len(words) > 50
    )
    assert shares(words)


UNLIMITED = {
    **ENDED,
    "flash": lambda study, **asked: study.anonymize("flash", k=5, suppress="10%", **asked),
    "mingen": lambda study, **asked: study.anonymize("mingen", k=5, suppress="10%", **asked),
    "k-optimize": lambda study, **asked: study.anonymize("k-optimize", k=5, suppress="10%", **asked),
}


@pytest.mark.parametrize("name", UNLIMITED)
def test_without_a_limit_the_best_is_improved_beside_the_proof(hard, name, monkeypatch):  # noqa: F811
    """However long the proof takes: none of the searches for better answers ends by itself."""
    set_hopeless(monkeypatch)
    for place in ("cuts.cut_frontier", "cuts.l_plus_optimize", "lattice.exact_frontier"):
        monkeypatch.setattr(f"shoal.search.{place}.FIRST", 10)
    monkeypatch.setattr("shoal.answering.objective_trade_off.FIRST", 10)
    starts, words = [], []
    descend = Anytime.descend

    def descended(search, *given, **named):
        starts.append(search)
        descend(search, *given, **named)

    monkeypatch.setattr(Anytime, "descend", descended)

    def heard(_, text):
        words.append(text)
        return len(starts) > 150 or len(words) > 20_000

    found = UNLIMITED[name](hard, progress=heard)
    assert found is not None
    assert len(starts) > 150
