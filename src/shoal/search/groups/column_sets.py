"""Reads which columns somebody may know together, and how much each column's cells weigh."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations as subsets
from math import comb, gcd, lcm
from typing import Any

from shoal.describe.quantities import weight
from shoal.errors import InputError, show
from shoal.search.algorithm_options import names_of, whole_number

Sets = tuple[tuple[str, ...], ...]
MOST_SETS = 100_000
LARGEST = 1 << 30


def known_sets(
    names: Sequence[str],
    combinations: str | Iterable[str | Iterable[str]] | None,
    size: int | str | None,
) -> Sets:
    """Return the sets of columns that somebody may know; by default one of all columns.

    Text has commas between columns and semicolons between sets. A set inside another says nothing of its own.

    >>> known_sets(["age", "sex", "job"], "age, sex; job", None)
    (('age', 'sex'), ('job',))
    >>> known_sets(["age", "sex", "job"], None, 2)
    (('age', 'sex'), ('age', 'job'), ('sex', 'job'))
    """
    if combinations is not None and size is not None:
        raise InputError("combinations and combination_size both say what is known; give one of them")
    if size is not None:
        many = min(whole_number(size, "combination_size"), len(names))
        if comb(len(names), many) > MOST_SETS:
            raise InputError(
                f"{len(names)} columns have {comb(len(names), many):,} combinations of {many}; ask for at "
                f"most {MOST_SETS:,}: name those that somebody can know, or take a smaller size"
            )
        return tuple(subsets(names, many))
    if combinations is None:
        return (tuple(names),)
    given = combinations.split(";") if isinstance(combinations, str) else list(combinations)
    found = [set(names_of(one, names, "combinations")) for one in given]
    if not found or not all(found):
        raise InputError("combinations has an empty one; write them as age,sex;age,job")
    ordered = dict.fromkeys(tuple(name for name in names if name in one) for one in found)
    return tuple(one for one in ordered if not any(set(one) < other for other in found))


def cell_weights(
    names: Sequence[str], own: Sequence[Fraction], given: str | Mapping[str, Any] | None
) -> tuple[list[int], int]:
    """Return what a blanked cell of each column weighs, as whole numbers, and what stands for 1.

    Weights are the study's unless they are given, by name or as text.

    >>> cell_weights(["age", "sex"], [Fraction(1), Fraction(1)], "age=5/2")
    ([5, 2], 2)
    """
    weights = dict(zip(names, own, strict=True))
    if isinstance(given, str):
        pairs = [part.partition("=") for part in given.split(",")]
        if not all(sign for _, sign, _ in pairs):
            raise InputError(f"weights {show(given)}; write them as age=2,sex=0.5")
        given = {name.strip(): value.strip() for name, _, value in pairs}
    for name, value in (given or {}).items():
        weights[names_of([name], names, "weights")[0]] = weight(value)
    if not any(weights.values()):
        raise InputError(
            "every column weighs 0, so that blanking all cells would cost nothing; weigh one"
        )
    one = lcm(*(each.denominator for each in weights.values()))
    whole = [int(each * one) for each in weights.values()]
    common = gcd(one, *whole)
    if max(whole) // common > LARGEST:
        raise InputError("the weights have too many digits to be compared exactly; round them")
    return [each // common for each in whole], one // common
