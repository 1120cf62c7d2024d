"""Small scenes that brute force can go through, and releases to attack."""

from __future__ import annotations

import numpy as np

import shoal
from shoal.answers.recoding import Decision, GroupRecoding
from shoal.assess.attacks.opened_release import set_scene
from shoal.assess.attacks.scene import SUPPRESSED, Originals, Scene, Seen
from shoal.assess.meant_values import MeantValues, runs_of
from shoal.describe.promise import Promise


def drawn_scene(draw: np.random.Generator, *, suppressed: bool = True, sensitive: int = 2) -> Scene:
    """Return a scene with random groups, labels and persons, each in a group that fits."""
    values, labels, groups, people = 4, 5, 3, int(draw.integers(3, 7))
    covers = draw.random((labels, values)) < 0.6
    covers[:, 0] |= ~covers.any(axis=1)
    label = draw.integers(labels, size=groups)
    rows = []
    for _ in range(people):
        value = int(draw.integers(values))
        fitting = [g for g in range(groups) if covers[label[g], value]]
        gone = suppressed and draw.random() < 0.25
        group = SUPPRESSED if gone or not fitting else int(draw.choice(fitting))
        if group == SUPPRESSED and not suppressed:
            continue
        rows.append((value, int(draw.integers(sensitive)), group))
    return scene_of_rows(np.array(rows, dtype=np.int64).reshape(-1, 3), covers, label, sensitive)


def as_runs(covers: np.ndarray) -> MeantValues:
    """Return a table of labels by values as runs."""
    runs = (runs_of(np.flatnonzero(row).tolist()) for row in covers)
    return MeantValues.listed(np.arange(covers.shape[1]), runs)


def scene_of_rows(rows: np.ndarray, covers: np.ndarray, label: np.ndarray, sensitive: int) -> Scene:
    """Return the scene of persons (value, secret, group) whose groups have these labels."""
    crowd = Originals(
        rows[:, :1],
        np.zeros((len(rows), 0), dtype=np.int64),
        rows[:, 1:2],
        rows[:, 2],
        np.ones(len(rows), np.int64),
    )
    inside = rows[rows[:, 2] != SUPPRESSED]
    sizes = np.bincount(inside[:, 2], minlength=len(label)).astype(np.int64)
    spread = np.zeros((len(label), sensitive), dtype=np.int64)
    np.add.at(spread, (inside[:, 2], inside[:, 1]), 1)
    seen = Seen(
        inside[:, 2],
        np.zeros((len(inside), 0), dtype=np.int64),
        inside[:, 2],
        np.ones(len(inside), np.int64),
    )
    return Scene(
        ("a",),
        (),
        ("s",),
        Promise(k=1),
        Decision(GroupRecoding(("a",), ()), Promise(k=1)),
        {},
        (tuple(str(v) for v in range(covers.shape[1])),),
        (),
        (tuple(str(v) for v in range(sensitive)),),
        (tuple(f"label {i}" for i in range(len(covers))),),
        label.reshape(-1, 1).astype(np.int64),
        sizes,
        (as_runs(covers),),
        seen,
        crowd,
        (spread,),
    )


def released_scene(study: shoal.Study, solution, path, **choice) -> Scene:
    """Return the scene of a release that is written for it."""
    study.release(solution, seed=1, **choice).write(path)
    return set_scene(study.material(), path)
