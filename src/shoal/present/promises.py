"""Each promise in a sentence, next to what was measured on the released rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Any

from shoal.numbers import count, many, rounded
from shoal.present.report.facts import Facts, counted, fraction, part, text, texts, unit, whole
from shoal.present.words import exact_share, having

SHOWN = 6
"""The most sets of columns that are listed."""


@dataclass(frozen=True)
class PromiseLine:
    """One promise, what was measured, and whether it is kept (None if the figures alone cannot say)."""

    promise: str
    measured: str
    kept: bool | None


def promises(facts: Facts) -> list[PromiseLine]:
    """Return every promise next to what was measured on the released rows."""
    promise, measured = part(facts, "promise"), counted(facts)
    persons = unit(facts) == "person"
    lines = []
    k, smallest = whole(promise, "k"), whole(measured, "k")
    if k is not None:
        found = "not measured" if smallest is None else f"the smallest has {count(smallest)}"
        lines.append(
            PromiseLine(
                f"Every group has at least {many(k, unit(facts))} (k = {count(k)}).",
                found,
                _at_least(smallest, k),
            )
        )
    if part(promise, "known"):
        lines.append(_known(part(promise, "known"), part(measured, "known")))
    spread = part(measured, "sensitive")
    different = whole(promise, "l")
    if different is not None:
        every = list(spread) or having(facts, "sensitive") or ["the sensitive column"]
        for column in texts(promise, "about") or every:
            fewest = whole(part(spread, column), "l")
            found = "not measured" if fewest is None else f"the fewest in a group: {count(fewest)}"
            least = f"{many(different, 'different value')} (l = {different})"
            whose = ", each of another person" if persons else ""
            said = f"In every group, {column} has at least {least}{whose}."
            lines.append(PromiseLine(said, found, _at_least(fewest, different)))
    for column in part(promise, "theta"):
        lines += _shares(column, part(promise, "theta", column), part(spread, column))
    for column, least in part(promise, "entropy_l").items():
        lines.append(_entropy(column, least, part(spread, column)))
    for column in part(promise, "recursive_l"):
        lines.append(_recursive(column, part(promise, "recursive_l", column), part(spread, column)))
    for column, limit in part(promise, "t").items():
        kind = text(part(promise, "distances", column), "kind") or "equal"
        lines.append(_closeness(column, limit, kind, part(spread, column)))
    for column, limit in part(promise, "beta").items():
        lines.append(_gain(column, limit, part(spread, column)))
    for column, limit in part(promise, "delta_disclosure").items():
        lines.append(_disclosure(column, limit, part(spread, column)))
    lines += _risks(promise, part(measured, "risk"))
    return lines + _population(promise, part(measured, "population"))


def _known(known: Facts, measured: Facts) -> PromiseLine:
    """Return what is promised of somebody who knows some columns."""
    k, sets = whole(known, "k") or 1, list(known.get("combinations") or ())
    smallest, least, values = whole(measured, "k"), whole(known, "l"), whole(measured, "l")
    shown = "; ".join(", ".join(map(str, one)) for one in sets[:SHOWN])
    if len(sets) > SHOWN:
        shown += f"; and {count(len(sets) - SHOWN)} more"
    alike = "show the same values, a blanked cell being a value of its own"
    if known.get("missing") == "wildcard":
        alike = "agree where neither is blanked or missing, which is weaker than showing the same"
    said = (
        f"For every row, at least {many(k, 'row')} {alike}, in each of these sets of columns: {shown}."
    )
    found = "not measured" if smallest is None else f"the fewest: {count(smallest)}"
    kept = _at_least(smallest, k)
    if least is not None:
        about = " and ".join(map(str, known.get("about") or ()))
        said += f" These rows have at least {many(least, 'value')} of {about}."
        if values is not None:
            found += f", with {many(values, 'value')}"
        enough = _at_least(values, least)
        kept = False if False in (kept, enough) else (None if None in (kept, enough) else True)
    return PromiseLine(said, found, kept)


def _entropy(column: str, least: Any, spread: Facts) -> PromiseLine:
    found, limit = fraction(spread.get("entropy_l")), fraction(least)
    kept = None
    if found is not None and limit is not None:
        # The measured value is rounded down to three digits.
        kept = True if found >= limit else (False if found + Fraction(1, 1000) <= limit else None)
    said = (
        f"In every group, {column} is at least as hard to guess as among {least} equally frequent values "
        f"(entropy l = {least})."
    )
    measured = "not measured" if found is None else f"entropy l = {rounded(found, 3)} or more"
    return PromiseLine(said, measured, kept)


def _recursive(column: str, limit: Facts, spread: Facts) -> PromiseLine:
    c, place = fraction(limit.get("c")), whole(limit, "l")
    values, found = whole(spread, "l"), fraction(spread.get("recursive_c"))
    kept, measured = None, "not measured"
    if values is not None and place is not None and values < place:
        kept, measured = False, f"a group has {count(values)} values"
    elif found is not None and c is not None and place is not None:
        measured = f"at most {found} times {_but(values)}"
        # Fewer values have fewer rows, so a limit that holds for them holds for more values, too.
        kept = True if found < c else (False if values == place else None)
    said = (
        f"In every group, the most frequent value of {column} has fewer rows than {limit.get('c')} times "
        f"{_but(place)} together (recursive (c, l)-diversity)."
    )
    return PromiseLine(said, measured, kept)


def _but(place: int | None) -> str:
    """Return the values from the one at a place on, by falling frequency.

    >>> _but(1), _but(2), _but(4)
    ('all values', 'all but the most frequent value', 'all but the 3 most frequent values')
    """
    before = (place or 1) - 1
    if before > 1:
        return f"all but the {count(before)} most frequent values"
    return "all but the most frequent value" if before else "all values"


_DISTANCES = {
    "equal": "where all values are equally far apart",
    "ordered": "where values are as far apart as in their order",
    "hierarchical": "where values are as far apart as their common group is high in the hierarchy",
}


def _closeness(column: str, limit: Any, kind: str, spread: Facts) -> PromiseLine:
    found, most = fraction(spread.get("t" if kind == "equal" else f"t_{kind}")), fraction(limit)
    said = (
        f"In every group, {column} is distributed nearly as in the whole file: at a distance of at most "
        f"{limit}, {_DISTANCES.get(kind, kind)} (t = {limit})."
    )
    measured = "not measured" if found is None else f"the farthest group: {rounded(found, 4)}"
    return PromiseLine(said, measured, _at_most(found, most, alone=True))


def _gain(column: str, limit: Any, spread: Facts) -> PromiseLine:
    found = fraction(spread.get("beta"))
    said = (
        f"In no group is a value of {column} more than {limit} times its share more frequent than in the "
        f"whole file (beta = {limit})."
    )
    measured = (
        "not measured" if found is None else f"the largest gain: {rounded(found, 4)} times the share"
    )
    return PromiseLine(said, measured, _at_most(found, fraction(limit), alone=True))


def _disclosure(column: str, limit: Any, spread: Facts) -> PromiseLine:
    found, most = fraction(spread.get("disclosure")), fraction(limit)
    said = (
        f"Every group has every value of {column}, each with a share that differs from that in the whole "
        f"file by less than the factor e^{limit} (delta-disclosure)."
    )
    if spread.get("complete") is False:
        return PromiseLine(said, "a group lacks a value", False)
    if found is None or most is None:
        return PromiseLine(said, "not measured", None)
    apart = log(found)
    # A tie is for verification, which computes more digits.
    kept = None if abs(apart - float(most)) < 1e-9 else apart < float(most)
    return PromiseLine(said, f"the largest factor: {rounded(found, 4)}", kept)


def _risks(promise: Facts, measured: Facts) -> list[PromiseLine]:
    part_drawn = promise.get("sampling_fraction")
    whose = (
        ""
        if part_drawn is None
        else f", if at most {exact_share(part_drawn)} of the population was drawn"
    )
    sentences = {
        "max_risk": ("highest", "No row is found with a risk of more than {}{}.", "the highest: {}"),
        "average_risk": ("average", "On average a row is found with a risk of at most {}{}.", "{}"),
        "population_uniques": (
            "population_uniques",
            "At most {} of the rows are unique in the population, by Zayatz's estimate{}.",
            "about {}",
        ),
    }
    lines = []
    for name, (figure, said, shown) in sentences.items():
        limit, found = fraction(promise.get(name)), fraction(measured.get(figure))
        if limit is not None:
            told = "not measured" if found is None else shown.format(rounded(found, 6))
            kept = _at_most(found, limit, alone=True)
            lines.append(PromiseLine(said.format(exact_share(limit), whose), told, kept))
    return lines


def _population(promise: Facts, measured: Facts) -> list[PromiseLine]:
    lines = []
    k_map, smallest = whole(promise, "k_map"), whole(measured, "smallest")
    if k_map is not None:
        found = "not measured" if smallest is None else f"the fewest: {count(smallest)}"
        said = f"At least {many(k_map, 'person')} of the population fit every group (k-map)."
        lines.append(PromiseLine(said, found, _at_least(smallest, k_map)))
    if part(promise, "delta"):
        low, high = (fraction(part(promise, "delta").get(name)) for name in ("low", "high"))
        lowest, highest = fraction(measured.get("lowest")), fraction(measured.get("highest"))
        said = (
            f"A person of the population is in the file with a chance between {exact_share(low)} and "
            f"{exact_share(high)} (delta-presence)."
        )
        kept, found = None, "not measured"
        if not (low is None or high is None or lowest is None or highest is None):
            kept = low <= lowest and highest <= high
            found = f"between {exact_share(lowest)} and {exact_share(highest)}"
        lines.append(PromiseLine(said, found, kept))
    return lines


def _shares(column: str, limits: Facts, spread: Facts) -> list[PromiseLine]:
    largest = fraction(spread.get("largest_share"))
    named = part(limits, "values")
    uniform = limits.get("uniform")
    found = (
        "not measured" if largest is None else f"the largest share of any value: {exact_share(largest)}"
    )
    lines = []
    for value, limit in named.items():
        if limit is None:
            continue
        said = f"The value {value} of {column} makes up at most {exact_share(limit)} of a group."
        kept = _at_most(largest, fraction(limit), alone=False)
        lines.append(PromiseLine(said, found if kept is not None else "not among these figures", kept))
    if uniform is not None:
        who = f"other value of {column}" if named else f"value of {column}"
        said = f"No {who} makes up more than {exact_share(uniform)} of a group."
        lines.append(PromiseLine(said, found, _at_most(largest, fraction(uniform), alone=not named)))
    return lines or [PromiseLine(f"No share of a value of {column} is limited.", found, None)]


def _at_least(found: int | None, limit: int) -> bool | None:
    return None if found is None else found >= limit


def _at_most(largest: Fraction | None, limit: Fraction | None, *, alone: bool) -> bool | None:
    """Return whether the largest share of any value proves that a limit is kept or, if `alone`, broken."""
    if largest is None or limit is None:
        return None
    if largest <= limit:
        return True
    return False if alone else None
