"""Reads the options of algorithms: Python objects, or text from the command line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from shoal.errors import InputError, did_you_mean, show
from shoal.running.clock import Clock


def whole_number(given: object, what: str, least: int = 1) -> int:
    """Return a whole number, or refuse what is not one or is too small.

    >>> whole_number("40", "the population")
    40
    """
    try:
        number = int(str(given).strip())
    except ValueError:
        number = least - 1
    if number < least or isinstance(given, bool):
        raise InputError(f"{what} is {given}; use a whole number, {least} or more")
    return number


def names_of(given: str | Iterable[str] | None, known: Iterable[str], what: str) -> tuple[str, ...]:
    """Return the attributes that an option names, in its order; text has commas between them.

    >>> names_of("sex, age", ["age", "sex"], "most")
    ('sex', 'age')
    """
    known = tuple(known)
    if given is None or given == "":
        return ()
    if isinstance(given, str):
        given = [given] if given in known else [part.strip() for part in given.split(",")]
    names = tuple(given)
    for name in names:
        if name not in known:
            raise InputError(
                f"{what} names {show(str(name))}, which is not a quasi attribute; "
                + did_you_mean(str(name), known)
            )
    if len(set(names)) < len(names):
        raise InputError(f"{what} names an attribute twice; name it once")
    return names


def choice(name: str, given: str, known: Sequence[str]) -> str:
    """Return the given word, or refuse an unknown one.

    >>> choice("regions", "Strict", ("strict", "relaxed"))
    'strict'
    """
    word = str(given).lower()
    if word not in known:
        raise InputError(f"{name} {show(str(given))} is unknown; {did_you_mean(word, known)}")
    return word


def effort_of(given: float | str | None, clock: Clock) -> float:
    """Return the effort, 1 by default; `all` means as much as the time limit allows.

    >>> effort_of("2.5", Clock()), effort_of(None, Clock(10)), effort_of("all", Clock(10))
    (2.5, 1.0, inf)
    """
    if given is None:
        return 1.0
    if given == "all":
        if not clock.limited:
            raise InputError("effort all has no end without a time limit; give one")
        return math.inf
    try:
        effort = float(given)
    except (TypeError, ValueError):
        effort = math.nan
    if not 0 <= effort < math.inf:
        raise InputError(f"effort {show(str(given))}; use a number, 0 or more, or all")
    return effort
