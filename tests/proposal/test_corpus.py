"""The corpus of made-up tables: nothing that identifies is released, and the score does not fall."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def scoring() -> Any:
    """The module that scores proposals; the benchmarks are no part of the installed package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from benchmarks.corpus import scoring as found

        yield found


@pytest.fixture(scope="module")
def found(scoring: Any) -> Any:
    return scoring.scored()


def test_the_corpus_is_large_and_varied(scoring: Any) -> None:
    assert len(scoring.CORPUS) >= 25
    assert len({made.name for made in scoring.CORPUS}) == len(scoring.CORPUS)
    assert sum(made.weight is not None for made in scoring.CORPUS) >= 5
    assert sum(made.households is not None for made in scoring.CORPUS) >= 4
    assert sum(made.persons is not None for made in scoring.CORPUS) >= 4


def test_no_identifying_column_is_released_exactly(found: Any) -> None:
    assert {one.made.name: one.leaked for one in found if one.leaked} == {}


def test_none_is_released_exactly_in_tables_that_no_rule_was_written_for(scoring: Any) -> None:
    from benchmarks.corpus.held_out_tables import HELD_OUT

    assert {one.made.name: one.leaked for one in scoring.scored(HELD_OUT) if one.leaked} == {}


def test_nothing_is_released_exactly_because_nothing_is_known_of_it(found: Any) -> None:
    assert not any(column.role == "insensitive" for one in found for column in one.proposal.columns)


def test_the_score_does_not_fall(scoring: Any, found: Any) -> None:
    figures = scoring.of_roles(found)
    assert all(min(figures[role][:2]) >= 0.95 for role in ("identifying", "quasi", "sensitive", "class"))
    assert min(figures["undecided"][:2]) >= 0.9
    assert sum(not one.wrong and not one.units_wrong for one in found) >= 27


def test_persons_households_and_weights_are_found(found: Any) -> None:
    assert {one.made.name: one.units_wrong for one in found if one.units_wrong} == {}
