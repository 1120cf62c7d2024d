"""Composition: what several releases of one table together reveal about a person (Ganta et al. 2008).

An attacker who knows a person's quasi values knows which groups the person may be in, in every release.
Two things follow:

- the sensitive value is one that occurs in such a group in every release;
- the person's row of the first release must be a row that can be the same person as some row of the
  person's groups in each other release.

Which rows can be the same person is decided exactly for each pair of releases. A row of the first and a
row of the second may be the same person if they agree in what both release unchanged, and their labels
have values in common. All rows must be paired up (with one more partner for persons who are in one
release only), and which pairs occur in some pairing follows from the true one by closed walks of
exchanges, as in `refinement`: a pair is possible if and only if it is true somewhere, or both ends are
in one strongly connected component. A person with fewer than k possible rows has lost the promised
crowd; where persons have several rows, those count whose rows these are, and a person is asked about by one
row. That is sound: knowing more can only rule out more. For three releases or more, the pairs with
each other release are looked at one by one; what only three together rule out is not found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.assess.attacks.attack_report import Case, Finding, Rate, rate, whole
from shoal.assess.attacks.refinement import components
from shoal.assess.attacks.scene import SUPPRESSED, Ints, Mask, Scene
from shoal.numbers import many
from shoal.running import stopping

NAME = "composition"
MOST_KINDS = 12_000
"""The most kinds of rows, of two releases together, that are paired up; more take too long."""
MOST_PERSONS = 2_000


@dataclass(frozen=True)
class Kinds:
    """The distinct rows of one release: group, unchanged columns that both have, sensitive values that both
    have."""

    groups: Ints
    shown: Ints
    counts: Ints
    of: Ints
    """The kind of every row of the crowd; -1 if it is suppressed."""


def attack(scene: Scene, others: Sequence[Scene], draw: np.random.Generator) -> Finding:
    """Return how many persons lose their crowd, or their secret, through several releases together."""
    knows = "the quasi values of a person who is in all the releases"
    success = "fewer than k rows may be the person's, or one sensitive value is left"
    reference = "Ganta et al. 2008 (composition); possible edges of matchings"
    if not others:
        return Finding(
            NAME, knows, success, reference, (), ("There is no other release to compare with.",)
        )
    persons = _asked(scene, draw)
    drawn = scene.crowd.total > MOST_PERSONS
    for one in (scene, *others):
        persons = persons[one.crowd.groups[persons] != SUPPRESSED]
    cases, said, breaks = [], [], None
    k = scene.promise.k or int(scene.owners.min())
    pairs = []
    for other in others:
        mine, theirs = _kinds(scene, other), _kinds(other, scene)
        if len(mine.counts) + len(theirs.counts) > MOST_KINDS:
            said.append(
                f"{len(mine.counts) + len(theirs.counts):,} kinds of rows are too many to pair up exactly."
            )
            continue
        pairs.append((other, mine, theirs, possible_pairs(scene, other, mine, theirs)))
    if pairs:
        left, alone = _crowds(scene, persons, pairs)
        below, before = int((left < k).sum()), int((alone < k).sum())

        def share(number: int) -> Rate:
            total = len(persons)
            return rate(number, total) if drawn else whole(number / max(total, 1), total)

        cases.append(
            Case(
                f"fewer than k = {k:,} persons may be the person"
                if scene.of_persons
                else f"fewer than k = {k:,} rows may be the person's",
                share(below),
                share(before),
                None,
                below - before,
                {"smallest": int(left.min()) if len(left) else 0},
            )
        )
        if below > before:
            said.append(
                f"{many(below - before, 'person')} of {len(persons):,} tried lose the crowd of {k:,}: the "
                f"smallest has {int(left.min()):,}."
            )
            breaks = f"k = {k}"
    for column in scene.sensitive:
        sides = [
            (one, one.sensitive.index(column)) for one in (scene, *others) if column in one.sensitive
        ]
        if len(sides) < 2:
            continue
        sure, already = _secrets(sides, persons)
        total = len(persons)
        cases.append(
            Case(
                f"{column}: one value is left",
                whole(sure / max(total, 1), total),
                whole(already / max(total, 1), total),
                None,
                sure - already,
            )
        )
        if sure > already:
            said.append(
                f"The value of {column} becomes certain for {many(sure - already, 'more person')} of "
                f"{total:,} tried."
            )
            if (scene.promise.l or 1) > 1 or column in scene.promise.theta:
                breaks = breaks or f"the diversity of {column}"
    return Finding(
        NAME,
        knows,
        success,
        reference,
        tuple(cases),
        tuple(said or ["Nothing more is told by them together."]),
        breaks,
    )


def _asked(scene: Scene, draw: np.random.Generator) -> Ints:
    """Return the rows that are asked about: one of each person who is drawn."""
    if not scene.of_persons:
        return scene.crowd.draw(draw, MOST_PERSONS)
    return np.array([int(draw.choice(rows)) for rows in scene.crowd.drawn(draw, MOST_PERSONS)])


def _kinds(scene: Scene, other: Scene) -> Kinds:
    """Return the distinct rows of a release by what another release has too."""
    crowd = scene.crowd
    shared = [i for i, name in enumerate(scene.others) if name in other.others]
    secret = [
        i
        for i, name in enumerate(scene.sensitive)
        if name in other.sensitive and not scene.buckets and not other.buckets
    ]
    shown = np.column_stack([crowd.others[:, shared], crowd.secrets[:, secret]])
    inside = crowd.groups != SUPPRESSED
    rows = np.column_stack([crowd.groups, shown])[inside]
    found, of = np.unique(rows, axis=0, return_inverse=True)
    counts = np.bincount(of.reshape(-1), weights=crowd.counts[inside], minlength=len(found)).astype(
        np.int64
    )
    places = np.full(len(crowd.groups), -1, dtype=np.int64)
    places[inside] = of.reshape(-1)
    return Kinds(found[:, 0], found[:, 1:], counts, places)


def possible_pairs(one: Scene, other: Scene, mine: Kinds, theirs: Kinds) -> Mask:
    """Return which kinds of rows of one release (rows) may be the same person as which of the other
    (columns).

    Both scenes are of the same study, so their crowds have the same persons in the same order.
    """
    agree = np.ones((len(mine.counts), len(theirs.counts)), dtype=np.bool_)
    for a in range(len(one.quasi)):
        stopping.look()
        common = one.fitting(a).astype(np.float32) @ other.fitting(
            other.quasi.index(one.quasi[a])
        ).T.astype(np.float32)
        agree &= (common > 0)[np.ix_(mine.groups, theirs.groups)]
    order = _same_columns(one, other)
    for i, j in order:
        agree &= mine.shown[:, i][:, None] == theirs.shown[:, j][None, :]
    true = np.zeros_like(agree)
    both = (mine.of >= 0) & (theirs.of >= 0)
    true[mine.of[both], theirs.of[both]] = True
    here, there = len(mine.counts), len(theirs.counts)
    # Nodes: kinds of the one, kinds of the other, and on each side a partner for persons of one release only.
    moves = np.zeros((here + there + 2,) * 2, dtype=np.bool_)
    moves[:here, here : here + there] = agree
    moves[here : here + there, :here] = true.T
    nobody_there, nobody_here = here + there, here + there + 1
    alone = np.unique(mine.of[(mine.of >= 0) & (theirs.of < 0)])
    lonely = np.unique(theirs.of[(theirs.of >= 0) & (mine.of < 0)])
    missing = bool((mine.of < 0).any() or (theirs.of < 0).any())
    if missing:
        # Nobody knows how many persons are in only one release, so both partners exchange freely.
        moves[:here, nobody_there] = True
        moves[nobody_there, alone] = True
        moves[lonely + here, nobody_here] = True
        moves[nobody_here, here : here + there] = True
        moves[nobody_here, nobody_there] = moves[nobody_there, nobody_here] = True
    part = components(moves)
    found: Mask = true | (agree & (part[:here][:, None] == part[here : here + there][None, :]))
    return found


def _same_columns(one: Scene, other: Scene) -> list[tuple[int, int]]:
    """Return where the columns that both show stand in the kinds of each."""
    names = [
        [n for n in scene.others if n in beside.others]
        + [
            n
            for n in scene.sensitive
            if n in beside.sensitive and not scene.buckets and not beside.buckets
        ]
        for scene, beside in ((one, other), (other, one))
    ]
    return [(i, names[1].index(name)) for i, name in enumerate(names[0])]


def _crowds(
    scene: Scene, persons: Ints, pairs: Sequence[tuple[Scene, Kinds, Kinds, Mask]]
) -> tuple[Ints, Ints]:
    """Return how many rows of the release may be each person's, given all releases or this alone."""
    everything = range(len(scene.quasi))
    left = np.zeros(len(persons), dtype=np.int64)
    alone = np.zeros(len(persons), dtype=np.int64)
    for i, person in enumerate(persons.tolist()):
        stopping.look()
        values = scene.crowd.values[person]
        fits = scene.candidates(values, everything)
        alone[i] = scene.fit_anyone(fits)
        fewest = alone[i]
        for other, mine, theirs, possible in pairs:
            here = np.flatnonzero(fits[mine.groups])
            order = [scene.quasi.index(name) for name in other.quasi]
            there = other.candidates(values[order], range(len(other.quasi)))[theirs.groups]
            partner = possible[np.ix_(here, np.flatnonzero(there))].any(axis=1)
            fewest = min(fewest, _owners(scene, mine, here[partner]))
        left[i] = fewest
    return left, alone


def _owners(scene: Scene, kinds: Kinds, which: Ints) -> int:
    """Return how many persons have rows of some kinds."""
    if not scene.of_persons:
        return int(kinds.counts[which].sum())
    there = np.zeros(len(kinds.counts) + 1, dtype=np.bool_)
    there[which] = True
    return scene.crowd.owners(there[kinds.of])


def _secrets(sides: Sequence[tuple[Scene, int]], persons: Ints) -> tuple[int, int]:
    """Return for how many persons only one value of a sensitive column is left, given all releases and
    given the best one."""
    sure = already = 0
    first = sides[0][0]
    names = [scene.secret_domains[at] for scene, at in sides]
    universe = {value: i for i, value in enumerate(dict.fromkeys(v for domain in names for v in domain))}
    places = [np.array([universe[value] for value in domain]) for domain in names]
    for person in persons.tolist():
        stopping.look()
        left = np.ones(len(universe), dtype=np.bool_)
        single = False
        for (scene, at), place in zip(sides, places, strict=True):
            order = [first.quasi.index(name) for name in scene.quasi]
            fits = scene.candidates(first.crowd.values[person][order], range(len(scene.quasi)))
            pools = np.unique(scene.seen.pools[fits[scene.seen.groups]])
            here = np.zeros(len(universe), dtype=np.bool_)
            here[place[(scene.spreads[at][pools] > 0).any(axis=0)]] = True
            single |= int(here.sum()) == 1
            left &= here
        sure += int(left.sum()) == 1 or single
        already += single
    return sure, already
