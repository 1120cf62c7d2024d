"""Minimality: a recoding proven best reveals that a finer one would have broken the promise (Wong et al.
2007).

The attacker knows everybody's quasi values, and so knows into which parts a group would split one step
further down a column's hierarchy. If every part has k rows, only the sensitive values can have forbidden
that step: in some part one value has too large a share. So of all ways to deal the group's values to its
rows, all equally likely without the release, only those are left in which a part breaks the limit.

If several groups share the label, at least one of them breaks it. With A_g for "group g's parts break
the limit", P(value, any A) = P(value, A_g) + P(value, not A_g) (1 - product over h other than g of (1 -
P(A_h))), since groups are dealt independently. P(A_g) and P(value, A_g) are counted exactly over all
ways for small groups, and estimated from draws for larger ones. Only exact counts make a value certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import BucketRecoding, CutRecoding, Decision, NodeRecoding
from shoal.assess.attacks.attack_report import Case, Finding, whole
from shoal.assess.attacks.scene import FINER_IS_CHEAPER, Ints, Scene
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.numbers import many, percent
from shoal.running import stopping

NAME = "minimality"
MOST_WAYS = 20_000
DRAWS = 400
LARGE = 2_000
"""Groups with more rows are left as they are: their posterior hardly moves."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Split:
    """What one step down would do to one group: the rows of each part, and the values of the group."""

    group: int
    parts: tuple[int, ...]
    values: tuple[int, ...]
    """How many rows of the group have each sensitive value."""


@dataclass(frozen=True)
class Posterior:
    """The chance that the split breaks a limit, and that a row of part p has value v besides."""

    broken: float
    joint: Floats
    exact: bool


def attack(scene: Scene, draw: np.random.Generator) -> Finding:
    """Return how much better an attacker who knows that the recoding is the finest guesses sensitive
    values."""
    knows = "everybody's quasi values, the method, and that no finer recoding keeps the promise"
    success = "the sensitive value is guessed better than by its share in the group, or certain"
    reference = "Wong et al. 2007 (minimality attack)"
    recoding = scene.decision.recoding
    limits = _limits(scene)
    if (
        not limits
        or not isinstance(recoding, NodeRecoding | CutRecoding)
        or not known_best(scene.decision)
    ):
        why = "It needs a node or cut that is known to be the best, with limits on a sensitive column."
        return Finding(NAME, knows, success, reference, (), (why,))
    if scene.of_persons:
        why = "Persons may have several rows, and it counts rows: it was not tried."
        return Finding(NAME, knows, success, reference, (), (why,))
    cases, said, breaks = [], [], None
    for s, column in enumerate(scene.sensitive):
        if column not in limits:
            continue
        before, after, rows, certain, worst = _measure(scene, s, limits[column], draw)
        cases.append(
            Case(
                f"{column}: knowing that no finer recoding keeps the promise",
                whole(after, rows),
                whole(before, rows),
                worst,
                certain,
            )
        )
        said.append(
            f"The true value of {column} gets a chance of {percent(after)} on average, {percent(before)} by "
            "the shares of the groups alone."
        )
        if certain:
            said.append(f"It becomes certain for {many(certain, 'row')}.")
            breaks = f"the limit of {column}"
    return Finding(NAME, knows, success, reference, tuple(cases), tuple(said), breaks)


def known_best(decision: Decision) -> bool:
    """Whether a recoding is proven the best, not drawn from several, and finer ones cost less."""
    drawn = int(decision.details.get("top") or 1)
    plain = not isinstance(decision.recoding, BucketRecoding)
    return decision.proven and drawn == 1 and plain and decision.metric in FINER_IS_CHEAPER


def _limits(scene: Scene) -> dict[str, list[Fraction | None]]:
    """Return the share limit of every value of every sensitive column that has some."""
    found: dict[str, list[Fraction | None]] = {}
    for s, column in enumerate(scene.sensitive):
        given = scene.promise.theta.get(column)
        blank = scene.spreads[s][:, [value is None for value in scene.secret_domains[s]]]
        # Shares of the rows with a value are other shares than are counted here.
        if given is not None and not (given.known and blank.any()):
            found[column] = [None if v is None else given.of(v) for v in scene.secret_domains[s]]
    return found


def _measure(
    scene: Scene, s: int, limits: Sequence[Fraction | None], draw: np.random.Generator
) -> tuple[float, float, int, int, float]:
    """Return the mean chance of the true values before and after, over how many rows, how many are
    certain, and the highest chance after."""
    spread = scene.spreads[s]
    shares = spread / np.maximum(spread.sum(axis=1), 1)[:, None]
    certain = 0
    crowd = scene.crowd
    inside = crowd.groups >= 0
    before = float((shares[crowd.groups[inside], crowd.secrets[inside, s]] * crowd.counts[inside]).sum())
    rows = int(crowd.counts[inside].sum())
    moved: dict[int, Floats] = {}
    for splits, part_of in _steps(scene, s):
        stopping.look()
        known = [_posterior(split, limits, draw) for split in splits]
        if not splits or any(one is None for one in known):
            continue
        found = [one for one in known if one is not None]
        none = float(np.prod([1 - one.broken for one in found]))
        if none >= 1:
            continue
        for split, one in zip(splits, found, strict=True):
            elsewhere = 1 - (
                none / (1 - one.broken)
                if one.broken < 1
                else float(np.prod([1 - o.broken for o in found if o is not one]))
            )
            prior = np.array(split.values) / max(sum(split.values), 1)
            chances = (one.joint + (prior[None, :] - one.joint) * elsewhere) / (1 - none)
            sure = len(splits) == 1 and one.exact
            for p in range(len(split.parts)):
                for i in part_of[split.group][p].tolist():
                    old = moved.get(i)
                    if old is None or chances[p].max() > old.max():
                        moved[i] = chances[p]
                if sure and chances[p].max() >= 1 - 1e-12 and prior.max() < 1:
                    certain += split.parts[p]
    change = sum(
        (float(chances[crowd.secrets[i, s]]) - float(shares[crowd.groups[i], crowd.secrets[i, s]]))
        * int(crowd.counts[i])
        for i, chances in moved.items()
    )
    worst = max([float(shares.max(initial=0.0)), *(float(c.max()) for c in moved.values())])
    return before / max(rows, 1), (before + change) / max(rows, 1), rows, certain, worst


def _steps(scene: Scene, s: int) -> Iterator[tuple[list[Split], dict[int, list[Ints]]]]:
    """Yield every step down that only sensitive values can have forbidden, with the groups that it splits.

    A step lowers a column by a level (nodes), or a label to its children (cuts). Where it leaves a part
    with fewer than k rows, the sizes alone forbid it, and nothing follows.
    """
    k = scene.promise.k or 1
    crowd = scene.crowd
    node = isinstance(scene.decision.recoding, NodeRecoding)
    rows_of: dict[int, Ints] = {}
    order = np.argsort(crowd.groups, kind="stable")
    ends = np.searchsorted(crowd.groups[order], np.arange(len(scene.sizes) + 1))
    for g in range(len(scene.sizes)):
        rows_of[g] = order[ends[g] : ends[g + 1]]
    for a, name in enumerate(scene.quasi):
        if name in scene.coarse:
            continue
        hierarchy = scene.hierarchies[name]
        if None in scene.domains[a]:
            hierarchy = hierarchy.with_missing()
        steps: dict[int, list[int]] = {}
        child = {
            code: _child_of(hierarchy, scene.label_texts[a][code], scene.domains[a])
            for code in np.unique(scene.labels[:, a]).tolist()
        }
        for g, code in enumerate(scene.labels[:, a].tolist()):
            if child[code] is not None:
                steps.setdefault(0 if node else code, []).append(g)
        for groups in steps.values():
            splits, members, forbidden = [], {}, False
            for g in groups:
                children = child[int(scene.labels[g, a])]
                assert children is not None
                of = children[crowd.values[rows_of[g], a]]
                counts = np.bincount(of, weights=crowd.counts[rows_of[g]]).astype(np.int64)
                kept = np.flatnonzero(counts)
                if (counts[kept] < k).any() or scene.members[g] != scene.sizes[g]:
                    forbidden = True
                    break
                members[g] = [rows_of[g][of == p] for p in kept.tolist()]
                splits.append(
                    Split(g, tuple(counts[kept].tolist()), tuple(scene.spreads[s][g].tolist()))
                )
            if not forbidden and any(len(split.parts) > 1 for split in splits):
                yield splits, members


def _child_of(hierarchy: Hierarchy, label: Label, domain: Sequence[Label]) -> Ints | None:
    """Return which child of a label each value belongs to, by number; None without children."""
    leaf = {value: i for i, value in enumerate(hierarchy.leaves)}
    for level in range(hierarchy.height, 0, -1):
        if label in hierarchy.labels[level]:
            inside = hierarchy.codes[level] == hierarchy.labels[level].index(label)
            if len(np.unique(hierarchy.codes[level - 1][inside])) > 1:
                places = np.array([leaf[value] for value in domain])
                return np.asarray(hierarchy.codes[level - 1][places], dtype=np.int64)
    return None


def _posterior(
    split: Split, limits: Sequence[Fraction | None], draw: np.random.Generator
) -> Posterior | None:
    """Return what a broken limit says about the values in the parts; None if the group is too large."""
    rows = sum(split.parts)
    if rows > LARGE:
        return None
    if _ways(split) <= MOST_WAYS:
        return _counted(split, limits)
    values = np.repeat(np.arange(len(split.values)), split.values)
    ends = np.cumsum([0, *split.parts])
    broken, joint = 0, np.zeros((len(split.parts), len(split.values)))
    tops = [None if limit is None else float(limit) for limit in limits]
    for _ in range(DRAWS):
        dealt = draw.permutation(values)
        table = np.stack(
            [
                np.bincount(dealt[ends[p] : ends[p + 1]], minlength=len(split.values))
                for p in range(len(split.parts))
            ]
        )
        shares = table / np.array(split.parts)[:, None]
        if any(top is not None and (shares[:, v] > top + 1e-12).any() for v, top in enumerate(tops)):
            broken += 1
            joint += shares
    return Posterior(broken / DRAWS, joint / DRAWS, exact=False)


def _ways(split: Split) -> int:
    """Return at most how many tables of parts by values there are."""
    ways = 1
    for count in split.values:
        ways *= comb(count + len(split.parts) - 1, len(split.parts) - 1)
        if ways > MOST_WAYS:
            break
    return ways


def _counted(split: Split, limits: Sequence[Fraction | None]) -> Posterior:
    """Return the exact chances: every table of parts by values, weighted by the ways to deal it."""
    total = broken = 0
    joint = [[Fraction(0)] * len(split.values) for _ in split.parts]
    for table, ways in _tables(split.parts, split.values):
        total += ways
        if any(
            limit is not None and part[v] * limit.denominator > limit.numerator * size
            for part, size in zip(table, split.parts, strict=True)
            for v, limit in enumerate(limits)
        ):
            broken += ways
            for p, part in enumerate(table):
                for v, count in enumerate(part):
                    joint[p][v] += Fraction(ways * count, split.parts[p])
    chances = np.array([[float(one / total) for one in row] for row in joint])
    return Posterior(broken / total, chances, exact=True)


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
