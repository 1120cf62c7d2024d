"""Every option with a fixed set of words says what each means, and the sets are those that commands take."""

from __future__ import annotations

import pytest
import typer

from shoal.answers.recoding import Scheme
from shoal.assess.attacks.attacking import NAMES
from shoal.cli.app import COMMANDS, app
from shoal.metrics import METRICS
from shoal.metrics.on_cuts import CUT_COSTS
from shoal.questions import option_words as words
from shoal.questions.fields import fields_of
from shoal.questions.kinds import Looked, Word
from shoal.questions.searches import CHOICES
from shoal.search.algorithms import ALGORITHMS

FIELDS = {
    (command.__name__, one.name): one
    for command in COMMANDS
    for question in command.__dict__.get("questions", ())
    for one in fields_of(question)
}
NAMED = ("algorithm", "algorithms", "attack", "objectives")
"""Fields that take some of a fixed set, whatever their kind."""


def test_every_fixed_set_has_words() -> None:
    fixed = [one for one in FIELDS.values() if isinstance(one.kind, (Word, Looked)) or one.name in NAMED]
    assert len(fixed) > 15
    assert [one.name for one in fixed if not one.words] == []


@pytest.mark.parametrize(
    ("said", "there"),
    [
        (words.METRICS, [*(metric.name for metric in METRICS), "target:COLUMN"]),
        (words.CUT_METRICS, [metric.name for metric in CUT_COSTS]),
        (words.SCHEMES, [scheme.value for scheme in Scheme]),
        (words.ALGORITHMS, [algorithm.name for algorithm in ALGORITHMS]),
        (words.ATTACKS, NAMES),
        (words.OBJECTIVES, [",".join(choice) for choice in CHOICES]),
    ],
)
def test_the_words_are_those_that_are_taken(said: words.Words, there: list[str]) -> None:
    assert sorted(said) == sorted(there)


def test_help_shows_every_word_with_its_meaning() -> None:
    shown = {
        (command.name.replace("-", "_"), option.name): option.help
        for command in typer.main.get_command(app).commands.values()
        for option in command.params
    }
    told = [(place, one) for place, one in FIELDS.items() if one.words]
    assert {"frontier", "optimize", "attack", "verify", "statements"} <= {place[0] for place, _ in told}
    for place, one in told:
        for word, meaning in one.words.items():
            assert f"{word}: {meaning}" in shown[place]


def test_words_are_short_and_plain() -> None:
    for one in FIELDS.values():
        for word, meaning in one.words.items():
            assert 0 < len(meaning) <= 60, word
            assert not meaning.endswith(".")
