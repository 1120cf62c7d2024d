"""Every option with a fixed set of words says what each means, and the sets are those that commands take."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
import typer

from shoal import Study
from shoal.answers.recoding import Scheme
from shoal.assess.attacks import minimality
from shoal.assess.attacks.attacking import NAMES
from shoal.cli.app import COMMANDS, app
from shoal.errors import InputError
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
NAMED = ("algorithm", "algorithms", "attack", "objectives", "options", "accept_attack")
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
        (words.ACCEPTED, [minimality.NAME]),
        (words.OBJECTIVES, [",".join(choice) for choice in CHOICES]),
    ],
)
def test_the_words_are_those_that_are_taken(said: words.Words, there: list[str]) -> None:
    assert sorted(said) == sorted(there)


GROUPS = ("mondrian", "local-recoding")
GIVEN = {
    "A,B": "age,sex",
    "A,B;A,C": "age,sex;age,zip",
    "A=2,B=0.5": "age=2,sex=0.5",
    "NUMBER": "2",
    "SECONDS": "1",
    "SHARE": "0.1",
    "COLUMN": "illness",
}
"""What is filled in for the words in capitals."""


def algorithms_of(meaning: str) -> tuple[str, ...]:
    """The algorithms that the words before the colon name."""
    whose = meaning.partition(":")[0].split(", ")
    return tuple(name for one in whose for name in (GROUPS if one == "groups" else (one,)))


def test_every_option_of_every_algorithm_has_words() -> None:
    told = {
        (name, word.partition("=")[0])
        for word, meaning in words.ALGORITHM_OPTIONS.items()
        for name in algorithms_of(meaning)
    }
    assert told == {(algorithm.name, name) for algorithm in ALGORITHMS for name in algorithm.options}


@pytest.fixture(scope="module")
def study() -> Iterator[Study]:
    rows = range(120)
    table = {
        "age": [str(20 + i % 24) for i in rows],
        "sex": ["fm"[i % 5 % 2] for i in rows],
        "zip": [str(100 + i % 7) for i in rows],
        "illness": [f"ill {i % 6}" for i in rows],
    }
    quasi = {
        "age": {"intervals": {"widths": [5, 20]}},
        "sex": {"*": ["f", "m"]},
        "zip": {"mask": {"digits": 3}},
    }
    with Study(pa.table(table), quasi=quasi, sensitive="illness", threads=1) as opened:
        yield opened


@pytest.mark.parametrize("word", [word for word in words.ALGORITHM_OPTIONS if word != "choose=ask"])
def test_algorithms_take_what_the_words_say(study: Study, word: str) -> None:
    """All but being asked on a terminal, which `tests/search/test_mu_argus.py` has."""
    name, _, value = word.partition("=")
    for algorithm in algorithms_of(words.ALGORITHM_OPTIONS[word]):
        asked = {"l": 2} if algorithm == "anatomy" else {"k": 3, "suppress": "50%"}
        options = {name: GIVEN.get(value, value)}
        study.anonymize(algorithm, time_limit=1, options=options, **asked)
        if value not in {*GIVEN, "all"}:
            known = [w.partition("=")[2] for w in words.ALGORITHM_OPTIONS if w.startswith(f"{name}=")]
            with pytest.raises(InputError) as refused:
                study.anonymize(algorithm, options={name: "qqqqqq"}, **asked)
            assert all(one in str(refused.value) for one in known)


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
