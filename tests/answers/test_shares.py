"""In every document a share of all detail stands beside each loss, and beside the cost of optimize."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from shoal import Hierarchy, Study
from shoal.answers.recoding import Decision
from shoal.answers.solution import Frontier, NodeSolution
from shoal.release.solutions import decision_of

LETTERS = Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")])


@pytest.fixture(scope="module")
def study():
    table = pa.table(
        {
            "x": list("aabbccdd" * 3 + "a"),
            "y": list("abcdabcd" * 3 + "d"),
            "illness": list("pqr" * 8 + "p"),
            "pay": ["low", "high", "low", "low", "high"] * 5,
        }
    )
    with Study(table, quasi={"x": LETTERS, "y": LETTERS}, sensitive="illness", class_="pay") as made:
        yield made


def walk(document, place=""):
    """Check every part of a document; return where losses and costs stand."""
    found = []
    if isinstance(document, list):
        for i, part in enumerate(document):
            found += walk(part, f"{place}[{i}]")
    if not isinstance(document, dict):
        return found
    for name in ("loss", "cost"):
        if isinstance(document.get(name), (int, float)):
            assert 0 <= document["share"] <= 1, f"{place}.{name}"
            found.append(f"{place}.{name}")
    losses = document.get("losses")
    if isinstance(losses, dict) and not any(isinstance(one, dict) for one in losses.values()):
        assert losses.keys() == document["shares"].keys(), place
        assert "LM" in losses
        assert all(0 <= share <= 1 for share in document["shares"].values()), place
        found.append(f"{place}.losses")
    for point in document.get("frontier") or () if isinstance(document.get("frontier"), list) else ():
        if isinstance(point, list):
            k, loss, share = point
            assert (k >= 1, loss >= 0, 0 <= share <= 1) == (True, True, True)
    for name, part in document.items():
        found += walk(part, f"{place}.{name}")
    return found


def shown(answer):
    return json.loads(json.dumps(answer.to_dict()))


def answers(study):
    yield "frontier", study.frontier(suppress=0.1)
    yield "three objectives", study.frontier(objectives="k,suppressed,loss", suppress=0.2)
    yield "l and loss", study.frontier(objectives="l,loss")
    for scheme in ("NoSupp", "allRec", "vioRec", "allSA", "vioSA"):
        yield scheme, study.optimize(k=2, theta="2/3", scheme=scheme)
    for metric in ("DM", "CM", "NCP", "Entropy"):
        yield metric, study.optimize(k=3, metric=metric)
    yield "top", study.optimize(k=3, top=3, seed=1)
    yield "exact", study.negotiate(k=3)
    yield "suggestions", study.negotiate(k=20, heights={"x": 1, "y": 1})
    yield "l", study.negotiate(l=2, heights={"x": 1, "y": 1})
    for algorithm in ("flash", "k-optimize", "mondrian", "local-recoding"):
        yield algorithm, study.anonymize(algorithm, k=3)
    yield "compare", study.compare(["flash", "top-down", "mondrian"], k=3)


def test_every_answer_has_its_shares(study):
    for name, answer in answers(study):
        assert walk(shown(answer)), name


def test_every_record_and_every_pin_has_them_too(study, tmp_path):
    made = [study.optimize(k=3), study.anonymize("mondrian", k=3), study.negotiate(k=3)]
    front = study.frontier(suppress=0.1)
    made.append(front.decision(front.knee))
    for i, answer in enumerate(made):
        out = tmp_path / f"{i}.csv"
        study.release(answer, seed=1, order_key="").write(out)
        record = json.loads((tmp_path / f"{i}.csv.record.json").read_text())
        assert walk(record), i
        # What is public tells nothing of losses, which would help an attacker.
        certificate = (tmp_path / f"{i}.csv.certificate.json").read_text()
        assert all(f'"{word}"' not in certificate for word in ("loss", "cost", "losses"))


def test_a_share_is_the_loss_of_the_most_that_can_be_lost(study):
    for point in study.frontier(suppress=0.1):
        assert point.share == pytest.approx(point.loss / (25 * 2))
    assert {study.frontier(metric="DM")[0].share} == {1.0}


def test_the_cost_of_optimize_is_not_its_loss(study):
    """A suppressed row pays for its sensitive value too, and once an attribute in the loss."""
    best = study.optimize(k=4, theta="2/3", scheme="allRec")
    plain = study.optimize(k=3, scheme="NoSupp")
    assert plain.losses["LM"] == pytest.approx(plain.cost)
    deleted = best.suppressed_records
    assert best.cost == pytest.approx(best.losses["LM"] + 2 * deleted)
    assert best.share == best.shares["LM"] == pytest.approx(best.losses["LM"] / 50)
    assert best.decision().details["share"] == best.share
    assert decision_of(shown(best)).details["share"] == best.share
    entropy = study.optimize(k=3, metric="Entropy")
    assert (entropy.measure, entropy.share) == ("LM", entropy.shares["LM"])


def test_documents_without_shares_still_read():
    old = {
        "method": "exact", "metric": "LM", "rows": 10, "suppression_limit": 0, "nodes": 4, "evaluated": 4,
        "certified": True, "seconds": 0.1,
        "points": [{"k": 2, "loss": 7.5, "node": {"x": 1}, "suppressed": 0}],
    }  # fmt: skip
    front = Frontier.from_dict(old)
    assert front.points == (NodeSolution(2, 7.5, {"x": 1}, 0),)
    assert front.suppression == "fill"
    assert front.to_dict() == {**old, "suppression": "fill"}
    assert "not known" in front._repr_html_()
    assert "share" not in front.decision(front[0]).details
    cut = {"cut": {"x": ["*"]}, "k": 2, "cost": 7.5, "lower_bound": 7.5, "optimal": True, "metric": "LM"}
    assert Decision.from_dict(cut).details == {"cost": 7.5, "lower_bound": 7.5, "optimal": True}
