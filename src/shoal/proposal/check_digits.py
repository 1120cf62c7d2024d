"""Numbers that states and banks give to persons, recognized by their form and their check digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_SSN = re.compile(r"(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}")
_NINO = re.compile(r"(?![DFIQUV])[A-Z](?![DFIQUVO])[A-Z]\d{6}[A-D]")
_DNI = re.compile(r"[XYZ0-9]\d{7}[A-Z]")
_FISCAL = re.compile(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]")
_NIR = re.compile(r"[12]\d{2}(0[1-9]|1[0-2]|[2-9]\d)(\d{2}|2[AB])\d{6}(\d{2})")
_AHV = re.compile(r"756\d{10}")
_CHINESE = re.compile(r"\d{17}[0-9X]")
_PERSONNUMMER = re.compile(r"(\d{2})?\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])[-+]\d{4}")


def _weighed(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def luhn(digits: str) -> bool:
    """Return whether digits pass the check of payment cards.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    total = 0
    for i, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 + i % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def iban(text: str) -> bool:
    """Return whether a text is an account number with correct check digits.

    >>> iban("DE89 3704 0044 0532 0130 00"), iban("DE88370400440532013000")
    (True, False)
    """
    plain = text.replace(" ", "").upper()
    moved = plain[4:] + plain[:4]
    return bool(_IBAN.fullmatch(plain)) and int("".join(str(int(mark, 36)) for mark in moved)) % 97 == 1


def card(text: str) -> bool:
    """Return whether a text is the number of a payment card."""
    plain = re.sub(r"[ -]", "", text)
    return bool(re.fullmatch(r"[3-6]\d{12,18}", plain)) and luhn(plain)


def _dni(text: str) -> bool:
    if not _DNI.fullmatch(text):
        return False
    number = text[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == text[-1]


def _french(text: str) -> bool:
    found = _NIR.fullmatch(text)
    if found is None:
        return False
    body = text[:13].replace("2A", "19").replace("2B", "18")
    return 97 - int(body) % 97 == int(text[13:])


def _swiss(text: str) -> bool:
    return bool(_AHV.fullmatch(text)) and _weighed(text, (1, 3) * 6 + (1,)) % 10 == 0


def _chinese(text: str) -> bool:
    weights = [2 ** (17 - i) % 11 for i in range(17)]
    return bool(_CHINESE.fullmatch(text)) and "10X98765432"[_weighed(text, weights) % 11] == text[17]


def _swedish(text: str) -> bool:
    return bool(_PERSONNUMMER.fullmatch(text)) and luhn(re.sub(r"[-+]", "", text)[-10:])


def _eleven_digits(text: str) -> bool:
    """Return whether digits are a Polish, a German or a Brazilian number."""
    if not re.fullmatch(r"\d{11}", text) or len(set(text)) == 1:
        return False
    polish = _weighed(text, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0
    rest = 10
    for digit in text[:10]:
        rest = ((int(digit) + rest) % 10 or 10) * 2 % 11
    german = text[0] != "0" and (11 - rest) % 10 == int(text[10])
    first = _weighed(text, range(10, 1, -1)) * 10 % 11 % 10
    second = _weighed(text, range(11, 1, -1)) * 10 % 11 % 10
    return polish or german or (first, second) == (int(text[9]), int(text[10]))


def _ten_digits(text: str) -> bool:
    """Return whether digits are a British health number."""
    return bool(re.fullmatch(r"\d{10}", text)) and _weighed(text, (*range(10, 1, -1), 1)) % 11 == 0


def _nine_digits(text: str) -> bool:
    """Return whether digits are a Dutch citizen's number, or a Canadian one."""
    if not re.fullmatch(r"\d{9}", text):
        return False
    return _weighed(text, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0 or luhn(text)


_FORMS: dict[str, Callable[[str], object]] = {
    "US social security numbers": _SSN.fullmatch,
    "British insurance numbers": _NINO.fullmatch,
    "Italian fiscal codes": _FISCAL.fullmatch,
    "Spanish identity numbers": _dni,
    "French social security numbers": _french,
    "Swiss insurance numbers": _swiss,
    "Chinese identity numbers": _chinese,
    "Swedish personal numbers": _swedish,
    "national numbers of eleven digits": _eleven_digits,
    "national numbers of ten digits": _ten_digits,
    "national numbers of nine digits": _nine_digits,
}
_SPACED = re.compile(r"[ .]")


def national_ids(values: Sequence[str], enough: float) -> str:
    """Return which national numbers at least the share `enough` of some values are; "" for none.

    >>> national_ids(["123-45-6789", "078-05-1120"], 0.9), national_ids(["12345678Z"], 0.9)
    ('US social security numbers', 'Spanish identity numbers')
    """
    plain = [_SPACED.sub("", value).upper() for value in values]
    for name, form in _FORMS.items():
        if sum(bool(form(value)) for value in plain) >= enough * len(plain):
            return name
    return ""
