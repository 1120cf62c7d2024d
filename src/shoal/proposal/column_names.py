"""What a column's name says. Only whole words count: "hospital-id" contains id, "provider" does not."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from shoal.describe import Role
from shoal.proposal import vocabulary as words_for


@dataclass(frozen=True)
class Meaning:
    """The role that a name suggests, the words that suggest it, and the topic, for its hierarchy.

    `weak` words (name, id, class) say little next to other words; `numbered` names contain a word for
    something that numbers persons or things, such as id.
    """

    role: Role
    words: str
    topic: str = ""
    weak: bool = False
    numbered: bool = False


def _phrases(text: str) -> Iterator[str]:
    return (" ".join(phrase.split()) for phrase in text.split(","))


def _entries(
    role: Role, text: str, topic: str = "", weak: bool = False
) -> Iterator[tuple[str, Meaning]]:
    return ((words, Meaning(role, words, topic, weak)) for words in _phrases(text))


# A phrase beats a word, and of several words the last counts ("admission diagnosis"), or the first
# where the name goes on with "of", "at" and the like ("age at diagnosis").
_KNOWN: dict[str, Meaning] = dict(
    (
        *_entries(Role.IDENTIFYING, words_for.POINTING),
        *_entries(Role.IDENTIFYING, words_for.POINTING_ELSEWHERE),
        *_entries(Role.IDENTIFYING, words_for.POINTING_WEAKLY, weak=True),
        *_entries(Role.QUASI, words_for.KNOWN),
        *_entries(Role.QUASI, words_for.KINDS, "kind"),
        *_entries(Role.QUASI, words_for.COUNTS, "count"),
        *_entries(Role.QUASI, words_for.INDUSTRY, "industry"),
        *_entries(Role.QUASI, words_for.STATE, "state"),
        *_entries(Role.QUASI, words_for.COUNTRY, "country"),
        *_entries(Role.QUASI, words_for.OCCUPATION, "occupation"),
        *_entries(Role.QUASI, words_for.POSTAL, "postal"),
        *_entries(Role.QUASI, words_for.BIRTH, "birth"),
        *_entries(Role.QUASI, words_for.AGE, "age"),
        *_entries(Role.SENSITIVE, words_for.HEALTH, "health"),
        *_entries(Role.SENSITIVE, words_for.MONEY, "money"),
        *_entries(Role.SENSITIVE, words_for.BELIEFS),
        *_entries(Role.SENSITIVE, words_for.CONDUCT),
        *_entries(Role.CLASS, words_for.OUTCOMES),
        *_entries(Role.CLASS, words_for.OUTCOMES_WEAKLY, weak=True),
    )
)
_ENDINGS = (
    *((ending, Role.IDENTIFYING) for ending in words_for.POINTING_ENDINGS),
    *((ending, Role.SENSITIVE) for ending in words_for.SENSITIVE_ENDINGS),
    *((ending, Role.QUASI) for ending in words_for.QUASI_ENDINGS),
)
_LONGEST = max(phrase.count(" ") + 1 for phrase in _KNOWN)
_JOINTS = frozenset({"of", "at", "by", "for", "from", "in", "on", "per"})
_NUMBERS = frozenset({"id", "no", "nr", "nbr", "num", "number", "pid", "uid"})
_ABOUT_AGE = """age ages aged at in of on the year years yr date day month group groups band bands bracket
    class category range birth birthdate birthday birthyear born dob yob patient person alter edad eta
    leeftijd geburtsdatum geburtsjahr geburtstag naissance nacimiento nascita geboortedatum fecha"""
_ONE_AGE = frozenset(_ABOUT_AGE.split())


def split_words(name: str) -> tuple[str, ...]:
    """Return the words of a name, in lower case: split at punctuation, digits and capitals.

    >>> split_words("hospital-id"), split_words("ZIPCode5"), split_words("firstName")
    (('hospital', 'id'), ('zip', 'code', '5'), ('first', 'name'))
    >>> split_words("Staatsangehörigkeit"), split_words("Straße")
    (('staatsangehorigkeit',), ('strasse',))
    """
    words: list[str] = []
    name = unicodedata.normalize("NFC", name)
    for i, mark in enumerate(name):
        before = name[i - 1] if i else ""
        if not mark.isalnum():
            continue
        capital = mark.isupper() and (before.islower() or name[i + 1 : i + 2].islower())
        if not before.isalnum() or mark.isdigit() != before.isdigit() or capital:
            words.append("")
        words[-1] += mark
    return tuple(_plain(word) for word in words)


def _plain(word: str) -> str:
    """Return a word in lower case, without accents."""
    apart = unicodedata.normalize("NFD", word.casefold())
    return "".join(mark for mark in apart if not unicodedata.combining(mark))


def meaning_of(name: str) -> Meaning | None:
    """Return what a name says about its column; None if no word of it is known.

    >>> meaning_of("hospital-id").role.value, meaning_of("provider"), meaning_of("native-country").words
    ('identifying', None, 'native country')
    >>> meaning_of("Haushaltsnettoeinkommen").role.value
    'sensitive'
    """
    words = split_words(name)
    found: list[tuple[int, int, Meaning]] = []
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            phrase = " ".join(words[at : at + length])
            known = next(filter(None, map(_KNOWN.get, _singulars(phrase))), None)
            if known is None and length == 1:
                known = _compound(phrase)
            if known is not None:
                found.append((length, at, known))
                at += length - 1
                break
        at += 1
    if not found:
        return None
    # "of" makes the first word the main one, unless the name begins with it.
    first = any(word in _JOINTS for word in words[1:])
    _, _, best = max(found, key=lambda one: (not one[2].weak, one[0], -one[1] if first else one[1]))
    numbered = any(word in _NUMBERS for word in words)
    return Meaning(best.role, best.words, best.topic, best.weak, numbered)


def _singulars(phrase: str) -> Iterator[str]:
    """Yield a phrase, and what it may be the plural of."""
    yield phrase
    yield phrase.removesuffix("s")
    if phrase.endswith("ies"):
        yield phrase.removesuffix("ies") + "y"


def _compound(word: str) -> Meaning | None:
    """Return what the end of a compound word says, as in German and Dutch."""
    for ending, role in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 3:
            return Meaning(role, word)
    return None


def is_own_age(name: str) -> bool:
    """Return whether a name means only the age or birth of the row's own person.

    >>> is_own_age("age-band"), is_own_age("Date of Birth"), is_own_age("mother-age")
    (True, True, False)
    """
    meaning = meaning_of(name)
    known = meaning is not None and meaning.topic in {"age", "birth"}
    return known and all(word in _ONE_AGE or word.isdigit() for word in split_words(name))


_PERSONS, _ALONE, _HOMES, _KEYS, _WEIGHTS, _WEIGHTS_PERHAPS = (
    frozenset(_phrases(text))
    for text in (
        words_for.PERSON,
        words_for.PERSON_ALONE,
        words_for.HOUSEHOLD,
        words_for.KEY,
        words_for.WEIGHT,
        words_for.WEIGHT_PERHAPS,
    )
)


def is_key_of_persons(name: str) -> bool:
    """Return whether a column, by its name, says who a row is about.

    >>> [is_key_of_persons(name) for name in ("patient_id", "Patient", "PID", "hospital-id", "first name")]
    [True, True, True, False, False]
    """
    return _is_key(name, _PERSONS) or " ".join(split_words(name)) in _ALONE


def is_key_of_households(name: str) -> bool:
    """Return whether a column, by its name, says which rows live together.

    >>> [is_key_of_households(name) for name in ("hhid", "household_id", "id_hogar", "household size")]
    [True, True, True, False]
    """
    return _is_key(name, _HOMES)


def _is_key(name: str, of: frozenset[str]) -> bool:
    """Return whether a name is one of these words, with or without a word for keys."""
    words = split_words(name)
    named = " ".join(word for word in words if word not in _KEYS)
    return (named or " ".join(words)) in of or " ".join(words) in of


def is_weight(name: str) -> bool | None:
    """Return whether a column, by its name, says how many people a row stands for; None if it may.

    >>> is_weight("sampling_weight"), is_weight("fnlwgt"), is_weight("weight"), is_weight("height")
    (True, True, None, False)
    """
    phrase = " ".join(split_words(name))
    if phrase in _WEIGHTS or phrase.removesuffix("s") in _WEIGHTS:
        return True
    return None if phrase in _WEIGHTS_PERHAPS or phrase.startswith("weight") else False
