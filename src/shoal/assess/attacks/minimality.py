"""Minimality: a recoding proven best reveals that a finer one would have broken the promise (Wong et al.
2007).

The attacker knows everybody's quasi values, and so knows into which parts a group would split one step
further down a column's hierarchy. If every part has k rows, only the sensitive values can have forbidden
that step: in some part one value has too large a share, or there are too few values. So of all ways to deal
the group's values to its rows, all equally likely without the release, only those are left in which a part
breaks a limit (`value_limits`). Where something else is promised too, such as t, that may have been broken
instead, and nothing is concluded.

Of a recoding that was drawn from all within a slack of the best the same follows, but only of descents that
save more than the slack (`finer_recodings`). How likely it was to be drawn is not weighed: that there
were few others to draw from may make a value likelier, never certain.

If several groups share the label, or several columns have limits, at least one of them breaks its own. With
A_g for "the parts of g break a limit", g a group and a column, P(value, any A) = P(value, A_g) + P(value, not
A_g) (1 - product over h other than g of (1 - P(A_h))), since groups are dealt independently, and columns are
taken to be. P(A_g) and P(value, A_g) are counted exactly over all ways for small groups, and estimated from
draws for larger ones. A value is certain only by exact counts, where no other group or column can be the one
that breaks a limit: then every way that is left gives it to the row, whatever depends on what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, prod

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import CutRecoding, NodeRecoding
from shoal.assess.attacks.attack_report import Case, Finding, whole
from shoal.assess.attacks.finer_recodings import forbidden_descents
from shoal.assess.attacks.known_loss import slack_of
from shoal.assess.attacks.scene import Scene
from shoal.assess.attacks.value_limits import ValueLimits, limits_of, promised_besides
from shoal.numbers import many, percent
from shoal.running import stopping

NAME = "minimality"
MOST_WAYS = 20_000
DRAWS = 400
LARGE = 2_000
"""Groups with more rows are left as they are: their posterior hardly moves."""

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Posterior:
    """The chance that the split breaks a limit, and that a row of part p has value v besides.

    `sure` says where v is the value of all rows of p in every way that breaks it; None if only some ways
    were drawn.
    """

    broken: float
    joint: Floats
    sure: Mask | None


@dataclass(frozen=True)
class ColumnChances:
    """The mean chance of the true values of a column before and after, the highest, and the certain rows."""

    before: float
    after: float
    worst: float
    rows: int
    certain: int


def attack(scene: Scene, draw: np.random.Generator) -> Finding:
    """Return how much better an attacker who knows that the recoding is the finest guesses sensitive
    values."""
    slack = slack_of(scene.decision)
    within = f" that loses {percent(float(slack))} of all detail less" if slack else ""
    knows = f"everybody's quasi values, the method, and that no finer recoding{within} keeps the promise"
    success = "the sensitive value is guessed better than by its share in the group, or certain"
    reference = "Wong et al. 2007 (minimality attack)"
    limits = limits_of(scene)
    if (
        not limits
        or not isinstance(scene.decision.recoding, NodeRecoding | CutRecoding)
        or slack is None
    ):
        why = (
            "It needs a node or cut that is known to be the best, or to be near it, with limits on a "
            "sensitive column."
        )
        return Finding(NAME, knows, success, reference, (), (why,))
    if scene.of_persons:
        why = "Persons may have several rows, and it counts rows: it was not tried."
        return Finding(NAME, knows, success, reference, (), (why,))
    if besides := promised_besides(scene):
        why = f"{' and '.join(besides)} may have forbidden a finer recoding as well: it was not tried."
        return Finding(NAME, knows, success, reference, (), (why,))
    cases, said, breaks = [], [], None
    for s, found in _measure(scene, limits, slack, draw).items():
        column = scene.sensitive[s]
        cases.append(
            Case(
                f"{column}: knowing that no finer recoding{within} keeps the promise",
                whole(found.after, found.rows),
                whole(found.before, found.rows),
                found.worst,
                found.certain,
            )
        )
        said.append(
            f"The true value of {column} gets a chance of {percent(found.after)} on average, "
            f"{percent(found.before)} by the shares of the groups alone."
        )
        if found.certain:
            said.append(f"It becomes certain for {many(found.certain, 'row')}.")
            breaks = f"the limit of {column}"
    return Finding(NAME, knows, success, reference, tuple(cases), tuple(said), breaks)


def _measure(
    scene: Scene, limits: Mapping[int, ValueLimits], slack: Fraction, draw: np.random.Generator
) -> dict[int, ColumnChances]:
    """Return what is known of the columns with limits."""
    moved: dict[int, dict[int, Floats]] = {s: {} for s in limits}
    certain = {s: np.zeros(len(scene.crowd.counts), dtype=np.bool_) for s in limits}
    for tried in forbidden_descents(scene, slack):
        stopping.look()
        found = {
            (i, s): _posterior(split.parts, split.values[s], one, draw)
            for i, split in enumerate(tried.splits)
            for s, one in limits.items()
        }
        known = {place: one for place, one in found.items() if one is not None}
        if not known or len(known) < len(found):
            continue
        for (i, s), one in known.items():
            others = [other for place, other in known.items() if place != (i, s)]
            elsewhere = 1 - prod(1 - other.broken for other in others)
            any_broken = 1 - (1 - one.broken) * (1 - elsewhere)
            if any_broken <= 0:
                continue
            split = tried.splits[i]
            prior = np.array(split.values[s]) / max(sum(split.values[s]), 1)
            chances = (one.joint + (prior[None, :] - one.joint) * elsewhere) / any_broken
            alone = prior.max() < 1 and all(o.sure is not None and o.broken == 0 for o in others)
            for p, places in enumerate(tried.members[split.group]):
                for place in places.tolist():
                    old = moved[s].get(place)
                    if old is None or chances[p].max() > old.max():
                        moved[s][place] = chances[p]
                if alone and one.sure is not None and one.sure[p].any():
                    certain[s][places] = True
    return {s: _summed(scene, s, moved[s], certain[s]) for s in limits}


def _summed(scene: Scene, s: int, moved: Mapping[int, Floats], certain: Mask) -> ColumnChances:
    """Return the chances of the true values of a column before, and after some rows' chances moved."""
    spread, crowd = scene.spreads[s], scene.crowd
    shares = spread / np.maximum(spread.sum(axis=1), 1)[:, None]
    inside = crowd.groups >= 0
    before = float((shares[crowd.groups[inside], crowd.secrets[inside, s]] * crowd.counts[inside]).sum())
    rows = int(crowd.counts[inside].sum())
    change = sum(
        (float(chances[crowd.secrets[i, s]]) - float(shares[crowd.groups[i], crowd.secrets[i, s]]))
        * int(crowd.counts[i])
        for i, chances in moved.items()
    )
    worst = max([float(shares.max(initial=0.0)), *(float(c.max()) for c in moved.values())])
    proven = int(crowd.counts[certain].sum())
    return ColumnChances(before / max(rows, 1), (before + change) / max(rows, 1), worst, rows, proven)


def _posterior(
    parts: tuple[int, ...], counts: tuple[int, ...], limits: ValueLimits, draw: np.random.Generator
) -> Posterior | None:
    """Return what a broken limit says about the values in the parts; None if the group is too large."""
    if sum(parts) > LARGE:
        return None
    if _ways(parts, counts) <= MOST_WAYS:
        return _counted(parts, counts, limits)
    values = np.repeat(np.arange(len(counts)), counts)
    ends = np.cumsum([0, *parts])
    broken, joint = 0, np.zeros((len(parts), len(counts)))
    for _ in range(DRAWS):
        dealt = draw.permutation(values)
        table = np.stack(
            [np.bincount(dealt[ends[p] : ends[p + 1]], minlength=len(counts)) for p in range(len(parts))]
        )
        if any(map(limits.broken, table.tolist())):
            broken += 1
            joint += table / np.array(parts)[:, None]
    return Posterior(broken / DRAWS, joint / DRAWS, None)


def _ways(parts: tuple[int, ...], counts: tuple[int, ...]) -> int:
    """Return at most how many tables of parts by values there are."""
    ways = 1
    for count in counts:
        ways *= comb(count + len(parts) - 1, len(parts) - 1)
        if ways > MOST_WAYS:
            break
    return ways


def _counted(parts: tuple[int, ...], counts: tuple[int, ...], limits: ValueLimits) -> Posterior:
    """Return the exact chances: every table of parts by values, weighted by the ways to deal it."""
    total = broken = 0
    having = [[0] * len(counts) for _ in parts]
    for table, ways in _tables(parts, counts):
        total += ways
        if any(map(limits.broken, table)):
            broken += ways
            for p, part in enumerate(table):
                for v, count in enumerate(part):
                    having[p][v] += ways * count
    whole_parts = [[broken * size] * len(counts) for size in parts]
    sure = np.array(having, dtype=object) == np.array(whole_parts, dtype=object)
    chances = [
        [float(Fraction(n, total * size)) for n in row] for row, size in zip(having, parts, strict=True)
    ]
    return Posterior(float(Fraction(broken, total)), np.array(chances), sure & (broken > 0))


def _tables(
    parts: tuple[int, ...], values: tuple[int, ...]
) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """Yield every table of parts by values with these sums, and in how many ways rows can be dealt to it."""
    if len(parts) == 1:
        yield (values,), 1
        return
    for first in _bounded(parts[0], values):
        ways = 1
        for count, of in zip(first, values, strict=True):
            ways *= comb(of, count)
        rest = tuple(of - count for count, of in zip(first, values, strict=True))
        for others, more in _tables(parts[1:], rest):
            yield (first, *others), ways * more


@lru_cache(maxsize=4096)
def _bounded(total: int, most: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return all ways to write a total as a sum with each part at most so large."""
    if not most:
        return ((),) if total == 0 else ()
    rest = sum(most[1:])
    return tuple(
        (first, *others)
        for first in range(max(0, total - rest), min(total, most[0]) + 1)
        for others in _bounded(total - first, most[1:])
    )
