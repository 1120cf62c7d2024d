"""What the values of a column say about it, whatever it is called."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shoal.describe import Role
from shoal.proposal.check_digits import card, iban, national_ids
from shoal.proposal.column_names import split_words
from shoal.proposal.common_names import COMMON_NAMES

ENOUGH = 0.9
"""A column is of a kind if this share of its values is; the others may be typing errors."""
NAMED = 0.4
"""This share of names among values is no accident: every list of first names is short."""
ANY_TEXT = 6
"""Texts with a median of this many words may say anything."""


@dataclass(frozen=True)
class Telling:
    """The role that values suggest, why, and the topic, for a hierarchy."""

    role: Role
    reason: str
    topic: str = ""


def _form(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern, re.IGNORECASE).fullmatch


_PHONE = re.compile(r"(\+|00|\(?0|\(?[2-9]\d{2}\)?[ .-])[\d ()/.-]{5,20}")
_DAY = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}([ T].*)?")


def _phone(text: str) -> bool:
    digits = sum(mark.isdigit() for mark in text)
    marked = text[:1] in "+(" or any(mark in text for mark in " -/.")
    return bool(_PHONE.fullmatch(text)) and not _DAY.fullmatch(text) and marked and 7 <= digits <= 15


def _person(text: str) -> bool:
    """Return whether a text could be a person's name, with a common first name."""
    words = split_words(text)
    plain = len(words) <= 4 and not any(mark.isdigit() for mark in text)
    return plain and any(word in COMMON_NAMES for word in words)


# What points at somebody, in the order in which it is looked for.
_POINTING: dict[str, Callable[[str], object]] = {
    "e-mail addresses": _form(r"[^@\s]+@[^@\s]+\.[a-z]{2,}"),
    "web addresses": _form(r"(https?://|www\.)\S+"),
    "account numbers (IBAN)": iban,
    "addresses of devices": _form(r"([0-9a-f]{2}[:-]){5}[0-9a-f]{2}"),
    "IP addresses": _form(r"((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}|([0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}"),
    "random identifiers": _form(r"\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?"),
    "digests": _form(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{32,128}"),
    "points on the map": _form(r"-?\d{1,2}\.\d{3,}\s*[,;]\s*-?\d{1,3}\.\d{3,}"),
    "card numbers": card,
    "phone numbers": _phone,
}
_POSTAL: dict[str, Callable[[str], object]] = {
    "British postcodes": _form(r"[a-z]{1,2}\d[a-z\d]? ?\d[a-z]{2}"),
    "Canadian postcodes": _form(r"[a-z]\d[a-z] ?\d[a-z]\d"),
    "Dutch postcodes": _form(r"[1-9]\d{3} ?[a-z]{2}"),
    "long ZIP codes": _form(r"\d{5}-\d{4}"),
}
_ICD = _form(r"[A-Z]\d[0-9AB](\.?[0-9A-Z]{1,4})?[+*!]?")
_ATC = _form(r"[A-DGHJL-NPRSV]\d{2}[A-Z]{2}\d{2}")
_ILLS = re.compile(
    r"diabet|cancer|tumou?r|asthma|hypertens|depress|\bhiv\b|epilep|hepatit|schizo|pneumon|stroke|arthrit|"
    r"migraine|influenza|\bflu\b|carcinom|krebs|grippe|dementia|alzheimer|anaemi|anemi|fractur|infarct"
)
_FAITHS = re.compile(
    r"catholi|katholi|cathol|catolic|protestan|evangel|muslim|islam|jewish|judai|buddh|hindu|atheis"
)


def evidence(
    values: Sequence[str], digits_of_one_length: bool, mostly_different: bool
) -> Telling | None:
    """Return what some values of a column say; None if they say nothing.

    Check digits alone prove nothing where a few values repeat, since one number in ten or eleven passes
    by chance: `mostly_different` says that the column has many values for its rows.

    >>> evidence(["ann@post.example", "bob@post.example"], False, True).reason
    'holds e-mail addresses'
    >>> evidence(["I10", "E11.9", "J45.0"], False, False).role.value
    'sensitive'
    """
    present = [value.strip() for value in values if value.strip()]
    if not present:
        return None
    for name, form in _POINTING.items():
        if _most(present, form):
            return Telling(Role.IDENTIFYING, f"holds {name}")
    if (mostly_different or not digits_of_one_length) and (name := national_ids(present, ENOUGH)):
        return Telling(Role.IDENTIFYING, f"holds {name}")
    for name, form in _POSTAL.items():
        if _most(present, form):
            return Telling(Role.QUASI, f"holds {name}, which others may know", "postal")
    lettered = sum(value[:1].isalpha() for value in present) == len(present)
    if lettered and len(present) >= 3:
        if _most(present, _ATC):
            return Telling(Role.SENSITIVE, "holds codes of medicines (ATC)")
        dotted = any("." in value for value in present)
        if _most(present, _ICD) and (dotted or len({value[0] for value in present}) >= 3):
            return Telling(Role.SENSITIVE, "holds codes of diagnoses (ICD-10)")
    return _texts(present)


def _texts(present: Sequence[str]) -> Telling | None:
    """Return what words say: names, free text, illnesses, faiths."""
    words = sorted(value.count(" ") + 1 for value in present)
    if words[len(words) // 2] >= ANY_TEXT and len(present) > 10:
        return Telling(Role.IDENTIFYING, "free text, which may say anything")
    if any(value[:1].isalpha() for value in present):
        if len(present) >= 8 and sum(map(_person, present)) >= NAMED * len(present):
            return Telling(Role.IDENTIFYING, "holds names of persons", "names")
        lower = [value.casefold() for value in present]
        for what, pattern in (("illnesses", _ILLS), ("beliefs", _FAITHS)):
            if sum(bool(pattern.search(value)) for value in lower) >= max(2, 0.2 * len(lower)):
                return Telling(Role.SENSITIVE, f"names {what}, which are private")
    return None


def _most(present: Sequence[str], form: Callable[[str], object]) -> bool:
    return sum(bool(form(value)) for value in present) >= ENOUGH * len(present)
