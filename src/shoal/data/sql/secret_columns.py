"""Released columns that only a secret explains: names of persons, and dates that are shifted.

A name is a digest of the secret and a digest of the secret and the key, as HMAC nests its digests, of which
half is shown: without the secret nobody can tell whose it is, nor test a guess. Every engine gives the same
names. The days by which dates are shifted come from such a digest too.
"""

from __future__ import annotations

from sqlglot import exp

NAME_LENGTH = 24
"""Characters of a name: 96 bits, so that two of a billion persons share one with a chance of 1 in 10**11."""
_DIGITS = "0123456789abcdef"
_DRAWN = 12
"""Digits of the digest from which days are drawn: their remainder is even to one part in a billion."""


def keyed(secret: str, purpose: str, text: exp.Expression) -> exp.Expression:
    """Return a text's digest under a secret, for one purpose."""
    inner = _digest(exp.func("CONCAT", exp.Literal.string(f"{secret}:{purpose}:"), text))
    return _digest(exp.func("CONCAT", exp.Literal.string(f"{secret}:{purpose}:"), inner))


def name_of(digest: exp.Expression) -> exp.Expression:
    """Return the name that a digest gives a person."""
    return exp.func("LEFT", digest, exp.Literal.number(NAME_LENGTH))


def days_of(digest: exp.Expression, most: int) -> exp.Expression:
    """Return the number of days, from -most to most, that a digest gives."""
    number: exp.Expression = exp.cast(exp.Literal.number(0), "BIGINT")
    for place in range(1, _DRAWN + 1):
        digit = exp.Substring(
            this=digest.copy(), start=exp.Literal.number(place), length=exp.Literal.number(1)
        )
        found = exp.StrPosition(this=exp.Literal.string(_DIGITS), substr=digit)
        number = exp.paren(number) * 16 + (found - 1)
    drawn = exp.Mod(this=exp.paren(number), expression=exp.Literal.number(2 * most + 1))
    return exp.cast(exp.paren(drawn) - most, "INT")


def shifted(text: exp.Expression, days: exp.Expression, type_: str | None) -> exp.Expression:
    """Return a date that is written as text, moved by days, with the time of day that may follow it.

    It is of the type DATE or TIMESTAMP if the column is, and a text otherwise.
    """
    moved = exp.DateAdd(
        this=_date(exp.func("LEFT", text.copy(), "10")), expression=days, unit=exp.var("DAY")
    )
    day = exp.func("LEFT", exp.cast(moved, "TEXT"), "10")  # a time of day may be added, by midnight
    if type_ == "DATE":
        return _date(day)
    rest = exp.Substring(this=text.copy(), start=exp.Literal.number(11))
    # CONCAT would take a missing date for an empty text in some engines.
    whole = exp.Case().when(text.copy().is_(exp.null()), exp.null()).else_(exp.func("CONCAT", day, rest))
    return whole if type_ is None else exp.cast(whole, type_)


def _date(text: exp.Expression) -> exp.Expression:
    return exp.StrToDate(this=text, format=exp.Literal.string("%Y-%m-%d"))


def _digest(text: exp.Expression) -> exp.Expression:
    return exp.SHA2(this=text, length=exp.Literal.number(256))
