"""What stands in the columns of the made-up tables: one small function for each kind of value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

Cell = Callable[[Random, int], Any]
"""A value of a row, from a source of chance and the row's number."""


def _words(text: str) -> list[str]:
    return text.split()


GIVEN = [
    "Anna",
    "Lukas",
    "Marie",
    "Paul",
    "Sophie",
    "Jonas",
    "Emma",
    "Felix",
    "Laura",
    "Maximilian",
    "Claire",
    "Antoine",
    "Camille",
    "Hugo",
    "Lucía",
    "Javier",
    "Carmen",
    "Diego",
    "Giulia",
    "Marco",
    "Ingrid",
    "Sven",
    "Fatima",
    "Omar",
    "Wei",
    "Priya",
    "Olga",
    "Dmitri",
    "Grace",
    "Samuel",
    "Chloe",
    "Noah",
]
FAMILY = [
    "Müller",
    "Schmidt",
    "Weber",
    "Fischer",
    "Dupont",
    "Moreau",
    "Laurent",
    "García",
    "Fernández",
    "López",
    "Rossi",
    "Bianchi",
    "Jansen",
    "Larsen",
    "Novák",
    "Kowalski",
    "Okafor",
    "Nguyen",
    "Patel",
    "Kim",
    "Smith",
    "Johnson",
    "Baker",
    "Turner",
    "O'Neill",
    "Petrov",
    "Haddad",
]
TOWNS = [
    "Lindau",
    "Bremen",
    "Köln",
    "Erfurt",
    "Lyon",
    "Nantes",
    "Grenoble",
    "Sevilla",
    "Málaga",
    "Torino",
    "Bergen",
    "Gdańsk",
    "Utrecht",
    "Salem",
    "Dayton",
    "Boise",
    "Fresno",
    "Leeds",
    "Perth",
    "Ghent",
]
STREETS = [
    "Hauptstraße",
    "Rue de la Gare",
    "Calle Mayor",
    "Main Street",
    "Oak Avenue",
    "Via Roma",
    "Kerkstraat",
]
CODES = _words("I10 E11.9 J45.0 F32.1 C50.9 M54.5 K35.8 J18.9 N39.0 S72.0 G43.9 I21.4")
NOTES = """asked for a second opinion;lives alone since the accident;was brought in by the neighbour;refuses
all medication;speaks little German;works nights at the depot;has moved twice this year;came with
a daughter;wants the report sent to the lawyer;complains about the noise;lost the job in
spring;was very tired and a little confused"""
SAID = [" ".join(part.split()) for part in NOTES.split(";")]


def pick(*values: Any, weights: Sequence[float] | None = None) -> Cell:
    """One of some values, the first ones more often unless weights say otherwise."""
    shares = weights or [1 / (i + 1) for i in range(len(values))]
    return lambda chance, _: chance.choices(values, shares)[0]


def whole(low: int, high: int) -> Cell:
    """A whole number."""
    return lambda chance, _: chance.randint(low, high)


def hump(middle: float, width: float, low: float, high: float, places: int = 0) -> Cell:
    """A number near the middle."""

    def cell(chance: Random, _: int) -> Any:
        number = min(max(chance.gauss(middle, width), low), high)
        return round(number, places) if places else round(number)

    return cell


def money(middle: float, places: int = 0) -> Cell:
    """An amount: many small ones, few large ones."""

    def cell(chance: Random, _: int) -> Any:
        amount = chance.lognormvariate(math.log(middle), 0.7)
        return round(amount, places) if places else round(amount)

    return cell


def number(prefix: str = "", start: int = 1000, digits: int = 0) -> Cell:
    """A number that each row has of its own."""
    return lambda _, row: f"{prefix}{start + 7 * row:0{digits}d}"


def shared(prefix: str, rows: int, start: int = 1) -> Cell:
    """A key that some rows in a row have in common."""
    return lambda _, row: f"{prefix}{start + row // rows}"


def drawn(prefix: str, most: int, start: int = 0) -> Cell:
    """A key that rows have in common by chance."""
    return lambda chance, _: f"{prefix}{start + chance.randint(1, most)}"


def day(first: str, last: str, form: str = "%Y-%m-%d") -> Cell:
    """A day between two."""
    begin = date.fromisoformat(first)
    span = (date.fromisoformat(last) - begin).days
    return lambda chance, _: (begin + timedelta(chance.randint(0, span))).strftime(form)


def moment(first: str, days: int) -> Cell:
    """A day with a time."""
    begin = datetime.fromisoformat(first)
    return lambda chance, _: str(begin + timedelta(seconds=chance.randint(0, 86_400 * days)))


def or_missing(cell: Cell, code: Any = None, share: float = 0.05) -> Cell:
    """The same, at times a code for missing."""
    return lambda chance, row: code if chance.random() < share else cell(chance, row)


def as_float(cell: Cell) -> Cell:
    """Whole numbers as many tools write them: 3.0."""
    return lambda chance, row: f"{float(cell(chance, row)):.1f}"


def full_name(chance: Random, _: int) -> str:
    """A first and a last name."""
    return f"{chance.choice(GIVEN)} {chance.choice(FAMILY)}"


def last_first(chance: Random, _: int) -> str:
    """A name as registers have it."""
    return f"{chance.choice(FAMILY)}, {chance.choice(GIVEN)}"


def given(chance: Random, _: int) -> str:
    """A first name."""
    return chance.choice(GIVEN)


def family(chance: Random, _: int) -> str:
    """A last name."""
    return chance.choice(FAMILY)


def mail(chance: Random, row: int) -> str:
    """An address of e-mail."""
    return f"{chance.choice(GIVEN).lower()}.{row}@{chance.choice(['post.example', 'mail.example'])}"


def phone(chance: Random, _: int) -> str:
    """A number with its country's."""
    return f"+{chance.choice([49, 33, 34, 44])} {chance.randint(100, 999)} {chance.randint(10**6, 10**7 - 1)}"


def us_phone(chance: Random, _: int) -> str:
    """A number as Americans write it."""
    return f"({chance.randint(201, 989)}) {chance.randint(200, 999)}-{chance.randint(0, 9999):04d}"


def street(chance: Random, _: int) -> str:
    """A street with a number."""
    return f"{chance.choice(STREETS)} {chance.randint(1, 180)}"


def note(chance: Random, _: int) -> str:
    """Free text."""
    return (
        f"{chance.choice(SAID).capitalize()}; {chance.choice(SAID)}, {chance.randint(1, 28)} days ago."
    )


def german_iban(chance: Random, _: int) -> str:
    """An account whose check digits are right."""
    account = f"{chance.randint(10**7, 10**8 - 1)}{chance.randint(0, 10**10 - 1):010d}"
    return f"DE{98 - int(account + '131400') % 97:02d}{account}"


def social_security(chance: Random, _: int) -> str:
    """An American number of social security."""
    return f"{chance.randint(1, 665):03d}-{chance.randint(1, 99):02d}-{chance.randint(1, 9999):04d}"


def dni(chance: Random, _: int) -> str:
    """A Spanish identity card."""
    digits = chance.randint(10**7, 10**8 - 1)
    return f"{digits}{'TRWAGMYFPDXBNJZSQVHLCKE'[digits % 23]}"


def bsn(chance: Random, _: int) -> str:
    """A Dutch citizen's number: nine digits that pass the eleven test."""
    while True:
        digits = [chance.randint(0, 9) for _ in range(9)]
        total = sum(digit * (9 - i) for i, digit in enumerate(digits[:8])) - digits[8]
        if digits[0] and total % 11 == 0:
            return "".join(map(str, digits))


def address_of_computer(chance: Random, _: int) -> str:
    """An IP address."""
    return ".".join(str(chance.randint(1, 254)) for _ in range(4))


def uuid(chance: Random, _: int) -> str:
    """A random identifier."""
    text = f"{chance.getrandbits(128):032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def plate(chance: Random, _: int) -> str:
    """A licence plate."""
    letters = chance.choice("ABCDEFG") + chance.choice("KLMNOP")
    return f"{chance.choice(['B', 'HH', 'M', 'K'])}-{letters} {chance.randint(10, 9999)}"


def postcode(*prefixes: str, digits: int = 2) -> Cell:
    """A postal code with one of some beginnings."""
    return lambda chance, _: (
        f"{chance.choice(prefixes)}{chance.randint(0, min(30, 10**digits - 1)):0{digits}d}"
    )


def british(chance: Random, _: int) -> str:
    """A British postcode."""
    area = chance.choice(["SW1A", "LS2", "M14", "EH8", "CB2"])
    return f"{area} {chance.randint(1, 9)}{chance.choice('ABDEF')}{chance.choice('HJLNP')}"


def dutch(chance: Random, _: int) -> str:
    """A Dutch postcode."""
    return f"{chance.randint(1011, 1098)} {chance.choice('ABCD')}{chance.choice('EGH')}"


def icd(chance: Random, _: int) -> str:
    """A code of a diagnosis."""
    return chance.choice(
        [
            "I10",
            "E11.9",
            "J45.0",
            "F32.1",
            "C50.9",
            "M54.5",
            "K35.8",
            "J18.9",
            "N39.0",
            "S72.0",
            "G43.9",
            "I21.4",
        ]
    )


def town(chance: Random, _: int) -> str:
    """A town."""
    return chance.choice(TOWNS)


def opinion(chance: Random, _: int) -> int:
    """An answer from 1 to 5."""
    return chance.choices([1, 2, 3, 4, 5], [1, 2, 4, 3, 2])[0]


def degrees(middle: float) -> Cell:
    """A coordinate."""
    return lambda chance, _: f"{middle + chance.gauss(0, 0.2):.5f}"
