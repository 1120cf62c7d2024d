"""The 18 identifiers that HIPAA's Safe Harbor wants removed (45 CFR 164.514(b)(2)), looked for in a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shoal.data.engine import Engine, Profile
from shoal.data.opening import opened
from shoal.describe.places import holds_a_place, names_a_table
from shoal.describe.study_file import read_study_file
from shoal.describe.table_reading import AS_IT_IS
from shoal.proposal.column_names import Meaning, is_key_of_persons, meaning_of, split_words
from shoal.proposal.evidence import Telling, evidence
from shoal.proposal.fitting import LISTED
from shoal.proposal.guessed_roles import NEARLY_ALL

IDENTIFIERS = {
    "A": "Names",
    "B": "Places smaller than a state",
    "C": "Dates except their year, and ages over 89",
    "D": "Telephone numbers",
    "E": "Fax numbers",
    "F": "E-mail addresses",
    "G": "Social security numbers",
    "H": "Medical record numbers",
    "I": "Health plan beneficiary numbers",
    "J": "Account numbers",
    "K": "Certificate and licence numbers",
    "L": "Vehicle identifiers and licence plates",
    "M": "Device identifiers and serial numbers",
    "N": "Web addresses",
    "O": "Internet addresses (IP)",
    "P": "Biometric identifiers",
    "Q": "Full-face photographs",
    "R": "Any other unique number, characteristic or code",
}
SMALL_AREAS = frozenset(
    {
        *("036", "059", "063", "102", "202", "203", "204", "205", "369", "556", "692", "753", "772"),
        *("790", "821", "823", "830", "831", "878", "879", "884", "890", "893"),
    }
)
"""The three-digit ZIP areas of 20,000 people or fewer: the 17 of the census of 2000, which the department's
guide prints, and the 18 that are said to be those of 2020 by the Health Resources and Services
Administration. We have the latter at second hand, so an area of either list counts; compare with the census
before you rely on it."""
OLDEST = 89
_BY_VALUES = {
    "e-mail": "F",
    "web": "N",
    "IP": "O",
    "phone": "D",
    "social security": "G",
    "IBAN": "J",
    "card numbers": "J",
    "devices": "M",
    "names": "A",
    "map": "B",
    "national": "R",
    "identity": "R",
}
_WORDS = {
    "E": "fax",
    "F": "mail email courriel correo",
    "G": "ssn socsec",
    "H": "mrn chart record",
    "I": "beneficiary member plan versichertennummer",
    "J": "account iban konto kontonummer card",
    "K": "certificate licence license passport",
    "L": "vin plate kennzeichen vehicle kenteken",
    "M": "imei imsi device serial mac udi",
    "N": "url website homepage",
    "O": "ip",
    "P": "fingerprint voiceprint biometric iris retina",
    "Q": "photo image picture face",
    "D": "phone tel telephone mobile telefon telefono handy msisdn",
    "A": "name surname forename firstname lastname fullname nachname vorname nom prenom nombre apellido",
    "B": """street address city county precinct town village zip postal postcode plz neighborhood district
        neighbourhood parish borough lat latitude lon lng longitude commune gemeinde strasse adresse ort
        wohnort tract""",
}
_LETTER_OF = {word: letter for letter, words in _WORDS.items() for word in words.split()}
_ZIP = re.compile(r"(\d{3})(\d{2}|[*xX0]{2})?(-\d{4})?")
_PART_OF_DATE = re.compile(
    r"\d{4}-(\d{2}|Q[1-4]|W\d{2})(-\d{2})?([ T].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
)
_AGE = re.compile(r"\[?(\d+)(?:\.0*)?(?:\s*[-–,]\s*(\d+)\)?)?(\+)?")


@dataclass(frozen=True)
class SafeHarbor:
    """What was found of each of the 18 identifiers, by its letter: sentences that name columns."""

    table: str
    columns: tuple[str, ...]
    found: dict[str, tuple[str, ...]]

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as a JSON document."""
        return {
            "table": self.table,
            "columns": list(self.columns),
            "identifiers": [
                {"letter": letter, "identifier": name, "found": list(self.found.get(letter, ()))}
                for letter, name in IDENTIFIERS.items()
            ],
            "small_areas": sorted(SMALL_AREAS),
        }


def safe_harbor(table: Any) -> SafeHarbor:
    """Return which of the 18 identifiers a table has, by its columns' names and values.

    Of a study, only the columns that would be released are looked at.

    >>> import pyarrow as pa
    >>> found = safe_harbor(pa.table({"age": [31, 93], "state": ["OH", "TX"]})).found
    >>> found["C"]
    ("'age' has the age 93, over 89",)
    """
    kept, reading = None, AS_IT_IS
    named = isinstance(table, (str, Path)) and names_a_table(Path(table))
    if named and not holds_a_place(Path(table)):
        study = read_study_file(table)
        table, reading = study.table, study.reading
        kept = [name for name, given in study.attributes.items() if given.released]
    with opened(table, reading) as engine:
        rows = engine.count()
        found: dict[str, list[str]] = {}
        profiles = [one for one in engine.profile(LISTED) if kept is None or one.column in kept]
        for profile in profiles:
            for letter, why in _identifiers(profile, engine, rows):
                found.setdefault(letter, []).append(f"{profile.column!r} {why}")
        name = engine.name
    columns = tuple(profile.column for profile in profiles)
    return SafeHarbor(name, columns, {letter: tuple(found[letter]) for letter in sorted(found)})


def _identifiers(profile: Profile, engine: Engine, rows: int) -> Iterator[tuple[str, str]]:
    """Yield a column's letters with reasons: at most one for its values and one for its name."""
    if profile.nested is not None:
        yield "R", f"holds {profile.nested}, which may hold anything"
        return
    if profile.distinct == 0:
        return
    values = profile.values or engine.first_values(profile.column, LISTED)
    meaning = meaning_of(profile.column)
    topic = meaning.topic if meaning is not None else ""
    if dated := next((value for value in values if _PART_OF_DATE.fullmatch(value)), None):
        yield "C", f"has dates with more than their year, such as {dated}"
        return
    if topic == "postal":
        yield from _areas(values)
        return
    if topic in {"age", "birth"}:
        yield from _ages(values, births=topic == "birth")
        return
    seen = evidence(values, profile.digits, True)
    yield from _by_kind(profile, seen, meaning, rows)


def _by_kind(
    profile: Profile, seen: Telling | None, meaning: Meaning | None, rows: int
) -> Iterator[tuple[str, str]]:
    if seen is not None and seen.role == "identifying":
        yield next((of for part, of in _BY_VALUES.items() if part in seen.reason), "R"), seen.reason
        return
    if seen is not None and seen.topic == "postal":
        yield "B", seen.reason
        return
    words = split_words(profile.column)
    letter = next((_LETTER_OF[word] for word in reversed(words) if word in _LETTER_OF), None)
    several = profile.distinct > 2
    if letter is not None and several:
        yield letter, f"is called {profile.column!r}, so it may be one of these"
        return
    unique = profile.once / max(rows - profile.missing, 1)
    keyed = is_key_of_persons(profile.column) or (meaning is not None and meaning.numbered)
    if several and (keyed or (unique >= NEARLY_ALL and not (profile.decimal and not profile.whole))):
        yield "R", "has values that are unique, or number persons"


def _areas(values: Sequence[str]) -> Iterator[tuple[str, str]]:
    for value in values:
        match = _ZIP.fullmatch(value)
        if match is None:
            if set(value) - set("*") and value.upper() not in {"OTHER", "UNKNOWN"}:
                yield "B", f"has the area {value}, which is no three-digit ZIP area"
                return
        elif match[2] and match[2].isdigit() and match[2] != "00":
            yield "B", f"has the whole ZIP code {value}; only its first three digits may stay"
            return
        elif match[1] in SMALL_AREAS:
            yield (
                "B",
                f"has the ZIP area {match[1]}, of 20,000 people or fewer in 2000 or 2020; write 000",
            )
            return


def _ages(values: Sequence[str], births: bool) -> Iterator[tuple[str, str]]:
    """Yield ages over 89 that are not in one open class, and years of birth that imply them."""
    this_year = datetime.now(UTC).year
    for value in values:
        match = _AGE.fullmatch(value.strip())
        if match is None:
            continue
        low = int(match[1])
        if births:
            if 1800 < low < this_year - OLDEST:
                yield "C", f"has the year of birth {low}, which tells of an age over {OLDEST}"
                return
        elif low > OLDEST and match[3] is None:
            yield "C", f"has the age {value}, over {OLDEST}"
            return
