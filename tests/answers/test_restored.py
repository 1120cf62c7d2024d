"""Answers come back from their documents as they were."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.answers.recoding import Decision
from shoal.answers.restored import restored


@pytest.fixture(scope="module")
def study() -> shoal.Study:
    table = pa.table(
        {
            "age": [str(20 + i % 12) for i in range(60)],
            "sex": ["f" if i % 2 else "m" for i in range(60)],
            "illness": [f"ill {i % 5}" for i in range(60)],
            "person": [f"p{i // 2}" for i in range(60)],
        }
    )
    quasi = {"age": {"intervals": {"widths": [3, 6]}}, "sex": {"*": ["f", "m"]}}
    return shoal.Study(table, quasi=quasi, sensitive="illness", persons="person")


def written(answer: Any) -> Any:
    """Return a document as a file has it."""
    return json.loads(json.dumps(answer.to_dict()))


def test_answers_of_algorithms_and_of_optimize_are_the_same_again(study: shoal.Study) -> None:
    drawn = study.optimize(k=3, top=3, seed=1, suppress="10%")
    for answer in (study.anonymize("flash", k=3), study.anonymize("mondrian", k=3), drawn):
        again = restored(written(answer))
        assert type(again) is type(answer)
        assert written(again) == written(answer)
        assert written(again.decision()) == written(answer.decision())


def test_a_negotiation_gives_its_offer(study: shoal.Study) -> None:
    answer = study.negotiate(k=3, max_suppressed=10)
    assert restored(written(answer)) == answer.exact
    assert restored(json.loads(json.dumps(answer.exact.solution()))) == answer.exact


def test_a_point_of_a_frontier_is_a_decision(study: shoal.Study) -> None:
    front = study.frontier()
    decision = front.decision(front[0])
    again = restored(written(decision))
    assert isinstance(again, Decision)
    assert written(again) == written(decision)


def test_what_is_restored_can_be_released(study: shoal.Study) -> None:
    for answer in (study.anonymize("mondrian", k=3), study.optimize(k=3), study.negotiate(k=3)):
        made = study.release(restored(written(answer)), seed=1)
        assert made.frame().equals(study.release(answer, seed=1, order_key=made.order_key).frame())
