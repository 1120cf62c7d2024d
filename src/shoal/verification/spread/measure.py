"""How a sensitive column is distributed over the groups of a table, and which promises that breaks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.data.engine import Cells
from shoal.describe.promise import Distance, DistanceKind, Promise, ShareLimits
from shoal.describe.promise.distance import plain
from shoal.errors import show
from shoal.verification.spread.closeness import farthest
from shoal.verification.spread.gains import exceeds, lacking, largest_gain
from shoal.verification.spread.sensitive_column import (
    Block,
    Floats,
    SensitiveColumn,
    largest,
    largest_shares,
)
from shoal.verification.spread.uncertainty import DIGITS, least_entropy, short_of


@dataclass(frozen=True)
class Spread:
    """How a sensitive column is distributed over the groups: the worst case of each measure.

    `l` is the fewest distinct values in a group; `share` the largest share that one value has in a group, and
    `value` that value. Missing values count as rows, but not as values.
    """

    l: int  # noqa: E741
    share: Fraction
    value: str | None
    t: Fraction
    """The largest distance of a group's values from the table's (equal distances)."""
    entropy: Fraction = Fraction(1)
    """The largest l that the entropy of every group reaches, rounded down to three digits."""
    c: Fraction | None = None
    """Every group is recursively (c', l)-diverse for the `l` above and any c' larger than this."""
    disclosure: Fraction = Fraction(1)
    """The largest factor by which a value's share in a group where it occurs differs from its share of the
    table: its logarithm is the delta of delta-disclosure privacy (Brickell and Shmatikov 2008).
    """
    promised: tuple[DistanceKind, Fraction] | None = None
    """The largest distance of a group's values from the table's, by the distance that t is promised for."""
    beta: Fraction | None = None
    """The largest gain of a value's share in a group over that in the table, if beta is promised."""
    complete: bool | None = None
    """Whether every group has every value, if delta-disclosure is promised."""

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as certificates show them."""
        document: dict[str, Any] = {
            "l": self.l,
            "largest_share": str(self.share),
            "t": str(self.t),
            "entropy_l": f"{float(self.entropy):.{len(str(DIGITS)) - 1}f}",
            "recursive_c": None if self.c is None else str(self.c),
            "disclosure": str(self.disclosure),
        }
        if self.promised is not None:
            kind, t = self.promised
            document[f"t_{kind.value}"] = str(t)
        if self.beta is not None:
            document["beta"] = str(self.beta)
        if self.complete is not None:
            document["complete"] = self.complete
        return document


NOTHING = Spread(0, Fraction(0), None, Fraction(0))


def measure_spread(
    cells: Cells, inside: Sequence[int], promise: Promise, *, counts_l: bool
) -> tuple[Spread, list[str]]:
    """Return the worst case of the cells' last column over the groups, and the promises it breaks.

    `counts_l` says whether the promise of l is about this column too.
    """
    if not len(cells.counts):
        return NOTHING, []
    column, name = SensitiveColumn.of(cells, inside), cells.columns[-1]
    said = show(name)
    failures: list[str] = []

    def where(group: int) -> str:
        return name_cell(cells, int(np.flatnonzero(column.group == group)[0]), inside)

    distinct = column.distinct
    fewest = int(distinct.min())
    if counts_l and promise.l is not None and fewest < promise.l:
        failures.append(
            f"l: the group {where(int(distinct.argmin()))} has {fewest} distinct values of {said}"
            f"{'' if cells.persons is None else ' of different persons'}, fewer than {promise.l}"
        )
    share, value, broken = _shares(column, promise.theta.get(name))
    failures += [
        f"theta: {show(column.values[v])} of {said} has a share of {found} in the group {where(group)}, "
        f"more than {limit}"
        for v, found, group, limit in broken
    ]
    least = promise.entropy.get(name)
    if least is not None and (group := short_of(column, least)) is not None:
        failures.append(
            f"entropy l: {said} in the group {where(group)} has less entropy than {least} equally frequent "
            "values"
        )
    limit = promise.recursive.get(name)
    if limit is not None:
        ratio, group = _recursive(column, limit.l)
        if ratio >= limit.c:
            failures.append(
                f"recursive l: the most frequent value of {said} in the group {where(group)} is not rarer "
                f"than {limit.c} times the values of rank {limit.l} and below"
            )
    t, group = farthest(column, Distance())
    distance, promised = promise.distances.get(name, Distance()), None
    nearest = t
    if name in promise.t and distance.kind is not DistanceKind.EQUAL:
        nearest, group = farthest(column, distance)
        promised = (distance.kind, nearest)
    if name in promise.t and nearest > promise.t[name]:
        failures.append(
            f"t: {said} in the group {where(group)} is at distance {nearest} from the table, more than "
            f"{promise.t[name]}"
        )
    # A group of l values has an r_l; one without values has nothing to compare.
    c = _recursive(column, fewest)[0] if fewest else None
    entropy, (disclosure, apart) = least_entropy(column), _disclosure(column)
    beta = complete = None
    if name in promise.beta:
        beta, group = largest_gain(column)
        if beta > promise.beta[name]:
            failures.append(
                f"beta: a value of {said} is by {beta} more frequent in the group {where(group)} than in the "
                f"table, more than {promise.beta[name]}"
            )
    if name in promise.disclosure:
        without = lacking(column)
        complete = without is None
        if without is not None:
            failures.append(
                f"delta-disclosure: the group {where(without)} lacks a value of {said} that other groups have"
            )
        elif exceeds(disclosure, promise.disclosure[name]):
            failures.append(
                f"delta-disclosure: a value of {said} differs in the group {where(apart)} by the factor "
                f"{disclosure} from the table, e^{promise.disclosure[name]} or more"
            )
    found = Spread(fewest, share, value, t, entropy, c, disclosure, promised, beta, complete)
    return found, failures


def _shares(
    column: SensitiveColumn, limits: ShareLimits | None
) -> tuple[Fraction, str | None, list[tuple[int, Fraction, int, Fraction]]]:
    """Return the largest share and its value, and the worst group of each value with too large a share."""
    shares = largest_shares(column)
    if not shares:
        return Fraction(0), None, []
    broken = []
    judged = largest_shares(column, of_known=True) if limits is not None and limits.known else shares
    for v, (found, group) in judged.items():
        # Limits name values without the apostrophe that makes them safe for spreadsheets.
        named = None if limits is None else plain(column.values[v], limits.values)
        limit = limits.of(named) if limits is not None else None
        if limit is not None and found > limit:
            broken.append((v, found, group, limit))
    first = max(shares, key=lambda v: (shares[v][0], -v))
    return shares[first][0], column.values[first], broken


def _recursive(column: SensitiveColumn, l: int) -> tuple[Any, int]:  # noqa: E741  the literature's name
    """Return the largest r_1 / (r_l + ... + r_m), infinite if there is no r_l, and its group."""

    def rough(block: Block) -> Floats:
        shares = block.worst
        rest = shares[:, l - 1 :].sum(axis=1)
        with np.errstate(divide="ignore"):
            return np.asarray(shares[:, 0] / rest, dtype=np.float64)

    def exact(counts: tuple[int, ...], missing: int) -> Fraction | float:
        most, *others = sorted(counts, reverse=True)
        rest = sum([most + missing, *others][l - 1 :])
        return Fraction(most + missing, rest) if rest else math.inf

    return largest(column, rough, exact)


def _disclosure(column: SensitiveColumn) -> tuple[Fraction, int]:
    """Return the largest ratio between a value's shares in a group and in the table, and the group."""
    known = column.value >= 0
    counts, sizes = column.rows[known], column.sizes[column.group[known]]
    totals, rows = column.totals[column.value[known]], column.all_rows
    if not len(counts):
        return Fraction(1), 0

    def of(cell: int) -> Fraction:
        ratio = Fraction(int(counts[cell]) * rows, int(sizes[cell]) * int(totals[cell]))
        return max(ratio, 1 / ratio)

    apart = np.abs(_logarithms(counts / sizes) - _logarithms(totals / rows))
    best = max(np.flatnonzero(apart >= apart.max() - 1e-9).tolist(), key=of)
    return of(best), int(column.group[known][best])


def _logarithms(shares: Any) -> Floats:
    return np.log(np.asarray(shares, dtype=np.float64))


def name_cell(cells: Cells, row: int, inside: Sequence[int]) -> str:
    """Return the group of a cell as failures name it."""
    shown = [show(cells.domains[i][cells.codes[row, i]]) for i in inside]
    return "(" + ", ".join(shown) + ")"
