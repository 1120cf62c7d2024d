"""Reads the facts of a report with care: any part may be missing, and no text is trusted."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from fractions import Fraction
from pathlib import PureWindowsPath
from typing import Any

Facts = Mapping[str, Any]

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def printable(text: str) -> str:
    r"""Return a text with an escape for each character that hides, breaks or reverses other text.

    >>> print(printable("a\x00b\u202ec\ud800"))
    a\x00b\u202ec\ud800
    """
    return "".join(
        sign if unicodedata.category(sign) not in {"Cc", "Cs"} and sign not in _BIDI else _escaped(sign)
        for sign in text
    )


def _escaped(sign: str) -> str:
    return " " if sign in "\t\n" else sign.encode("unicode_escape").decode("ascii")


def clean(value: Any) -> Any:
    """Return facts with all texts and names made printable."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {printable(str(name)): clean(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [clean(inner) for inner in value]
    return value


def part(facts: Facts, *names: str) -> Facts:
    """Return a nested part, or an empty one if it is missing.

    >>> part({"risk": {"before": None}}, "risk", "before")
    {}
    """
    for name in names:
        inner = facts.get(name)
        if not isinstance(inner, Mapping):
            return {}
        facts = inner
    return facts


def parts(facts: Facts, name: str) -> list[Facts]:
    """Return the parts in a list."""
    return [inner for inner in listed(facts, name) if isinstance(inner, Mapping)]


def listed(facts: Facts, name: str) -> list[Any]:
    """Return a list, or an empty one if it is missing."""
    inner = facts.get(name)
    return list(inner) if isinstance(inner, list | tuple) else []


def texts(facts: Facts, name: str) -> list[str]:
    """Return a list of values as people read them."""
    return [shown(value) for value in listed(facts, name)]


def text(facts: Facts, name: str) -> str | None:
    """Return a text that is not empty."""
    inner = facts.get(name)
    return inner if isinstance(inner, str) and inner else None


def number(facts: Facts, name: str) -> float | None:
    """Return a finite number."""
    inner = facts.get(name)
    if isinstance(inner, bool) or not isinstance(inner, int | float) or not math.isfinite(inner):
        return None
    return inner


def whole(facts: Facts, name: str) -> int | None:
    """Return a whole number."""
    found = number(facts, name)
    return int(found) if found is not None and found == int(found) else None


def fraction(given: Any) -> Fraction | None:
    """Return a share written as a decimal, a fraction or a number.

    >>> fraction("1/4"), fraction("much")
    (Fraction(1, 4), None)
    """
    try:
        return Fraction(str(given))
    except (ValueError, ZeroDivisionError):
        return None


def shown(value: Any) -> str:
    """Return a value of a table as people read it.

    >>> shown(None), shown("39"), shown(40)
    ('(missing)', '39', '40')
    """
    return "(missing)" if value is None else str(value)


def file_name(facts: Facts) -> str | None:
    r"""Return the name of the released file without its folders, which say something about the curator.

    >>> file_name({"file": "/home/ann/out.csv"}), file_name({"file": "C:\\out.csv"})
    ('out.csv', 'out.csv')
    """
    given = text(facts, "file")
    return None if given is None else PureWindowsPath(given).name or None


def certified_facts(certificate: Facts, made: str) -> dict[str, Any]:
    """Return the facts of a certificate and the day it was made: all that the public page needs."""
    columns, split = texts(certificate, "columns"), part(certificate, "buckets")
    table, measured = part(certificate, "table"), part(certificate, "measured")
    group, sensitive, *_ = [*texts(split, "columns"), "", ""]
    named = {"quasi": texts(certificate, "quasi"), "sensitive": texts(certificate, "sensitive")}
    named["group"] = [group]
    named["person"] = [text(part(certificate, "persons"), "column") or ""]
    buckets = {"file": split.get("file"), "group": group, "sensitive": sensitive}
    return {
        "file": certificate.get("file"),
        "table": table.get("name"),
        "fingerprint": table.get("fingerprint"),
        "sha256": certificate.get("sha256"),
        "made": made,
        "version": certificate.get("shoal"),
        "columns": columns,
        "roles": {name: [role for role in named if name in named[role]] for name in columns},
        "promise": certificate.get("promise"),
        "measured": measured,
        "buckets": buckets | dict(part(measured, "buckets")) if split else {},
        **{name: certificate[name] for name in ("persons", "shifted") if name in certificate},
    }


def public_facts(facts: Facts) -> dict[str, Any]:
    """Return what everybody may know, picked name by name; everything else stays with the curator.

    Only roles that a promise mentions are kept, and only for released columns.
    """
    columns = texts(facts, "columns")
    roles = part(facts, "roles")
    measured = part(facts, "measured")
    buckets = part(facts, "buckets")
    split = {
        "file": file_name(buckets),
        **{name: text(buckets, name) for name in ("sensitive", "group")},
        **{name: whole(buckets, name) for name in ("groups", "smallest", "largest")},
    }
    return {
        "file": file_name(facts),
        "table": text(facts, "table"),
        "fingerprint": text(facts, "fingerprint"),
        "sha256": text(facts, "sha256"),
        "made": text(facts, "made"),
        "version": text(facts, "version"),
        "columns": columns,
        "roles": {
            name: [
                role for role in texts(roles, name) if role in {"quasi", "sensitive", "group", "person"}
            ]
            for name in columns
        },
        "promise": _public_promise(part(facts, "promise")),
        "measured": {
            **{name: whole(measured, name) for name in ("rows", "groups")},
            **_public_figures(measured),
            **({"persons": _public_persons(part(measured, "persons"))} if "persons" in measured else {}),
        },
        "buckets": split if buckets else {},
        **(
            {"persons": {"column": text(part(facts, "persons"), "column")}} if "persons" in facts else {}
        ),
        "shifted": {name: whole(part(facts, "shifted"), name) for name in part(facts, "shifted")},
    }


def counted(facts: Facts) -> Facts:
    """Return the figures that count what the promise is about: persons if it names them, or else rows."""
    measured = part(facts, "measured")
    return part(measured, "persons") if "persons" in facts else measured


def unit(facts: Facts) -> str:
    """Return what the promise counts: a person, or a row."""
    return "person" if "persons" in facts else "row"


def _public_persons(measured: Facts) -> dict[str, Any]:
    dealt = part(measured, "buckets")
    sizes = {name: whole(dealt, name) for name in ("groups", "smallest", "largest")}
    return {"count": whole(measured, "count"), **_public_figures(measured), "buckets": sizes}


def _public_figures(measured: Facts) -> dict[str, Any]:
    """Return the figures of groups, in rows or in persons."""
    sensitive, population = part(measured, "sensitive"), part(measured, "population")
    return {
        "k": whole(measured, "k"),
        "sensitive": {
            column: {name: part(sensitive, column).get(name) for name in _SPREAD} for column in sensitive
        },
        "population": {name: population.get(name) for name in ("smallest", "lowest", "highest")},
        "risk": {name: part(measured, "risk").get(name) for name in _RISK},
        "known": {"k": whole(part(measured, "known"), "k")},
    }


_PROMISED = (
    *("k", "l", "about", "theta", "t", "entropy_l", "recursive_l", "k_map", "delta", "beta", "known"),
    *("delta_disclosure", "max_risk", "average_risk", "population_uniques", "sampling_fraction"),
)
_RISK = ("highest", "average", "population_uniques")
_SPREAD = (
    *("l", "largest_share", "t", "t_ordered", "t_hierarchical", "entropy_l", "recursive_c"),
    *("disclosure", "beta", "complete"),
)


def _public_promise(promise: Facts) -> dict[str, Any]:
    """Return the promise without the parts that only programs read: trees, orders, counts."""
    distances = part(promise, "distances")
    return {
        **{name: promise.get(name) for name in _PROMISED},
        "distances": {column: {"kind": text(part(distances, column), "kind")} for column in distances},
        "population": {
            "file": file_name(part(promise, "population")),
            "rows": whole(part(promise, "population"), "rows"),
        },
    }
