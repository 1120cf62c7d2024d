"""Refinement: knowing everybody's quasi values shows which groups a person can be in at all.

Groups of local recoding overlap: a person's values may fit many groups. But the size of every
group is known, and everybody is in exactly one (or suppressed), so some fitting groups are impossible:
the rest of the table would no longer fit into the others.

Which group is possible is decided exactly. Let f be the true assignment (combinations of quasi values to
groups, and to one more group for all that is suppressed). Any other assignment with the same sizes
differs from f by moves along closed walks: a person of group g moves to a group h that fits, another
moves on from h, until one comes back to g; and every such walk gives an assignment. So a person of group
g can be in a fitting group h if and only if a path of moves leads from h back to g, that is, if g and h
are in one strongly connected component of the graph of moves. The graph has the groups as its
nodes, and a move from g to h where some combination that has rows in g fits h. The attacker does not
know f; but the components are the same whichever assignment one starts from, so finding any assignment
(a flow) and taking its components is all that an attacker needs.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.assess.attacks.attack_report import Case, Finding, whole
from shoal.assess.attacks.scene import SUPPRESSED, Ints, Mask, Scene
from shoal.numbers import many, percent
from shoal.running import stopping

NAME = "refinement"
MOST_GROUPS = 20_000
MOST_CELLS = 400_000_000
"""The most combinations times groups that are looked at; more take too much time and memory."""
BLOCK = 10_000
"""So many combinations are held against all groups at once."""
REFERENCE = "possible edges of matchings; combinatorial refinement of local recodings"


def attack(scene: Scene) -> Finding:
    """Return for how many persons the group, or the sensitive value, becomes certain."""
    combinations, places = scene.combinations
    knows = "the quasi values of everybody in the table, and who is in it"
    success = "the person's group is certain, or the sensitive value"
    if scene.of_persons:
        success += "; it counts rows, of which a person may have several"
    if (
        scene.buckets
        or len(scene.sizes) > MOST_GROUPS
        or len(combinations) * len(scene.sizes) > MOST_CELLS
    ):
        why = (
            "Anatomy releases exact values, so there are no groups to refine."
            if scene.buckets
            else f"{len(combinations):,} combinations and {len(scene.sizes):,} groups are too many to refine."
        )
        return Finding(NAME, knows, success, REFERENCE, (), (why,))
    possible = possible_groups(scene)
    weights = np.bincount(places, weights=scene.crowd.counts, minlength=len(combinations))
    out = np.zeros(len(combinations), dtype=np.bool_)
    out[places[scene.crowd.groups == SUPPRESSED]] = True
    inside = np.where(out, 0.0, weights)
    people = int(inside.sum())
    fitting = fitting_groups(scene, combinations)
    known, knew = ((which.sum(axis=1) == 1) for which in (possible, fitting))
    narrowed = int(inside[possible.sum(axis=1) < fitting.sum(axis=1)].sum())

    def share(which: Mask) -> float:
        return float(inside[which].sum()) / max(people, 1)

    cases = [
        Case(
            "which group a person is in",
            whole(share(known), people),
            whole(share(knew), people),
            None,
            None,
            {"narrowed": narrowed},
        )
    ]
    said = [
        f"Counting narrows the groups of {many(narrowed, scene.who)} ({percent(narrowed / max(people, 1))}); "
        f"the group of {percent(share(known))} is certain, and was so for {percent(share(knew))} without it."
    ]
    breaks = None
    for s, column in enumerate(scene.sensitive):
        case = _secret(scene, s, column, possible, fitting, inside)
        cases.append(case)
        if case.certain:
            said.append(
                f"The value of {column} becomes certain for {many(case.certain, 'more ' + scene.who)}."
            )
            if (scene.promise.l or 1) > 1 or column in scene.promise.theta:
                breaks = f"l = {scene.promise.l}" if (scene.promise.l or 1) > 1 else f"theta of {column}"
    return Finding(NAME, knows, success, REFERENCE, tuple(cases), tuple(said), breaks)


def fitting_groups(scene: Scene, combinations: Ints) -> Mask:
    """Return which groups (columns) fit which combinations of quasi values (rows)."""
    fits = np.ones((len(combinations), len(scene.sizes)), dtype=np.bool_)
    for a in range(len(scene.quasi)):
        by_value = scene.fitting(a).T
        for i in range(0, len(fits), BLOCK):
            stopping.look()
            fits[i : i + BLOCK] &= by_value[combinations[i : i + BLOCK, a]]
    return fits


def possible_groups(scene: Scene) -> Mask:
    """Return which groups (columns) persons with these quasi values (rows) are in, in some possible
    table."""
    combinations, places = scene.combinations
    fits = fitting_groups(scene, combinations)
    crowd, groups = scene.crowd, len(scene.sizes)
    # One more group holds what is suppressed; everybody might be in it.
    moves = np.zeros((groups + 1, groups + 1), dtype=np.bool_)
    inside = crowd.groups != SUPPRESSED
    pairs = np.unique(np.stack([crowd.groups[inside], places[inside]]), axis=1)
    for g, c in pairs.T.tolist():
        moves[g, :groups] |= fits[c]
    gone = np.unique(places[~inside])
    # vioRec suppresses some rows of a group; which ones is not told.
    some = np.flatnonzero(scene.members > scene.sizes)
    lost = bool(len(gone)) or bool(len(some))
    moves[groups, :groups] = fits[gone].any(axis=0)
    moves[groups, some] = True
    moves[:groups, groups] = lost & (scene.sizes > 0)
    component = components(moves)
    possible = np.zeros_like(fits)
    for g, c in pairs.T.tolist():
        possible[c] |= fits[c] & (component[:groups] == component[g])
    return possible


def components(moves: Mask) -> npt.NDArray[np.int64]:
    """Return the strongly connected component of every node of a graph.

    By Kosaraju: finish times of a forward search, then backward searches in reverse order of these.

    >>> components(np.array([[0, 1, 0], [1, 0, 1], [0, 0, 0]], dtype=bool)).tolist()
    [0, 0, 1]
    """
    size = len(moves)
    finished: list[int] = []
    fresh = np.ones(size, dtype=np.bool_)
    for start in range(size):
        if not fresh[start]:
            continue
        fresh[start] = False
        path = [start]
        while path:
            ahead = moves[path[-1]] & fresh
            step = int(ahead.argmax())
            if ahead[step]:
                fresh[step] = False
                path.append(step)
            else:
                finished.append(path.pop())
        stopping.look()
    found = np.full(size, -1, dtype=np.int64)
    back = np.ascontiguousarray(moves.T)
    number = 0
    for start in reversed(finished):
        if found[start] >= 0:
            continue
        found[start] = number
        waiting = [start]
        while waiting:
            reached = np.flatnonzero(back[waiting.pop()] & (found < 0))
            found[reached] = number
            waiting += reached.tolist()
        number += 1
    return found


def _secret(
    scene: Scene, s: int, column: str, possible: Mask, fitting: Mask, inside: npt.NDArray[np.float64]
) -> Case:
    """Return how well a sensitive value is guessed from the possible groups, and from all that fit."""
    spread, people = scene.spreads[s].astype(np.float32), float(inside.sum())
    present = np.array([value is not None for value in scene.secret_domains[s]], dtype=np.bool_)
    shares, certain = [], []
    for which in (possible, fitting):
        stopping.look()
        rows = which.astype(np.float32) @ spread
        whole_rows = np.maximum(rows.sum(axis=1), 1)
        best = (rows * present).max(axis=1, initial=0) / whole_rows
        shares.append(float((best * inside).sum()) / max(people, 1.0))
        certain.append(((rows > 0).sum(axis=1) == 1) & (best >= 1))
    sure = int(inside[certain[0] & ~certain[1]].sum())
    name = f"{column}: the most frequent value of the possible groups"
    told = {"all_certain": int(inside[certain[0]].sum())}
    return Case(name, whole(shares[0], int(people)), whole(shares[1], int(people)), None, sure, told)
