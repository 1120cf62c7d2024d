"""Sets the scene of an attack: the released file beside the study that it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from shoal.answers.recoding import Decision
from shoal.answers.released_classes import classes_of
from shoal.assess.attacks.crowd_persons import CrowdPersons
from shoal.assess.attacks.scene import SUPPRESSED, Ints, Originals, Scene, Seen
from shoal.assess.meant_values import meant_values
from shoal.assess.released_file import read_released, together
from shoal.data.engine import Cells, Value
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.describe.promise import Promise
from shoal.describe.specification import Role
from shoal.questions.material import Material


def set_scene(material: Material, out: Path) -> Scene:
    """Return the scene of a released file, with its certificate and record beside it, and of its study."""
    file = read_released(material, out, "attacks are judged")
    columns = (file.others, file.sensitive)
    return scene_of(material, file.decision, file.promise, columns, file.rows, file.second)


def scene_of(
    material: Material,
    decision: Decision,
    promise: Promise,
    columns: tuple[tuple[str, ...], tuple[str, ...]],
    rows: Cells,
    second: Cells | None = None,
) -> Scene:
    """Return the scene of released rows over the quasi columns, some others, and the sensitive ones.

    A release by Anatomy has buckets instead of the sensitive columns, and a `second` table of buckets,
    values and counts.
    """
    others, sensitive = columns
    coarse = {*decision.found_on.get("lowest", ()), *decision.details.get("consistent", ())}
    tally = material.tally(*others, *(name for name in sensitive if name not in others))
    quasi, width = tally.attributes, len(tally.attributes)
    order = [rows.columns.index(name) for name in quasi]
    labels, groups = np.unique(rows.codes[:, order], axis=0, return_inverse=True)
    groups = groups.reshape(-1).astype(np.int64)
    texts = tuple(rows.domains[a] for a in order)
    sizes = np.bincount(groups, weights=rows.counts, minlength=len(labels)).astype(np.int64)
    at = list(range(width, width + len(others)))
    other_domains = [
        together(tally.domain(name), rows.domains[i]) for name, i in zip(others, at, strict=True)
    ]
    if second is None:
        pools = groups
        secrets = [
            rows.codes[:, width + len(others) + s].astype(np.int64) for s in range(len(sensitive))
        ]
        found = [rows.domains[width + len(others) + s] for s in range(len(sensitive))]
        domains = [together(tally.domain(n), d) for n, d in zip(sensitive, found, strict=True)]
        spreads = tuple(
            _spread(pools, _recode(codes, there, domain), rows.counts, len(labels), len(domain))
            for codes, there, domain in zip(secrets, found, domains, strict=True)
        )
    else:
        pools = rows.codes[:, -1].astype(np.int64)
        place = {name: i for i, name in enumerate(rows.domains[-1])}
        domains = [together(tally.domain(sensitive[0]), second.domains[1])]
        numbers = np.array([int(text or 0) for text in second.domains[2]], dtype=np.int64)
        into = np.array([place.get(name, -1) for name in second.domains[0]])[second.codes[:, 0]]
        values = _recode(second.codes[:, 1].astype(np.int64), second.domains[1], domains[0])
        counts = numbers[second.codes[:, 2]] * second.counts
        spreads = (_spread(into, values, counts, len(place), len(domains[0])),)
    seen = Seen(
        groups,
        _columns(
            [
                _recode(rows.codes[:, i], rows.domains[i], d)
                for i, d in zip(at, other_domains, strict=True)
            ],
            len(rows.codes),
        ),
        pools,
        rows.counts,
    )
    crowd = _crowd(
        decision,
        tally,
        material.hierarchies,
        texts,
        labels,
        (others, sensitive),
        (other_domains, domains),
    )
    meant = tuple(
        meant_values(decision, material.hierarchies[name], name, texts[a], tally.domain(name))
        for a, name in enumerate(quasi)
    )
    trees = {
        name: material.hierarchy(name)
        for name in sensitive
        if material.specification.attributes[name].hierarchy is not None
        and Role.QUASI not in material.specification.attributes[name].roles
        and not isinstance(material.specification.attributes[name].hierarchy, list | tuple)
    }
    return Scene(
        quasi,
        others,
        sensitive,
        promise,
        decision,
        material.hierarchies,
        tally.domains,
        tuple(other_domains),
        tuple(domains),
        texts,
        labels.astype(np.int64),
        sizes,
        meant,
        seen,
        crowd,
        spreads,
        trees,
        frozenset(
            name
            for name, given in material.specification.attributes.items()
            if given.min_level or not given.weight or name in coarse
        ),
        material.specification.weights,
    )


def _recode(codes: np.ndarray, domain: Sequence[Value], into: Sequence[Value]) -> Ints:
    place = {value: i for i, value in enumerate(into)}
    found: Ints = np.array([place[value] for value in domain], dtype=np.int64)[codes]
    return found


def _columns(columns: list[Ints], rows: int) -> Ints:
    return np.stack(columns, axis=1) if columns else np.zeros((rows, 0), dtype=np.int64)


def _spread(pools: Ints, values: Ints, counts: Ints, size: int, width: int) -> Ints:
    flat = np.bincount(pools * width + values, weights=counts, minlength=size * width)
    return flat.astype(np.int64).reshape(size, width)


def _crowd(
    decision: Decision,
    tally: Tally,
    hierarchies: Mapping[str, Hierarchy],
    texts: Sequence[tuple[Label, ...]],
    labels: np.ndarray,
    columns: tuple[tuple[str, ...], tuple[str, ...]],
    domains: tuple[Sequence[tuple[Value, ...]], Sequence[tuple[Value, ...]]],
) -> Originals:
    """Return the original rows, each with the released group that its labels name."""
    classes, shown = classes_of(decision, tally, hierarchies, {})
    group_of = {
        tuple(text[code] for text, code in zip(texts, row, strict=True)): g
        for g, row in enumerate(labels.tolist())
    }
    groups = np.array([group_of.get(one, SUPPRESSED) for one in shown], dtype=np.int64)
    cells = tally.cell_combinations
    parts = [
        _columns(
            [
                _recode(tally.in_cells(name), tally.domain(name), domain)
                for name, domain in zip(*pair, strict=True)
            ],
            len(cells),
        )
        for pair in zip(columns, domains, strict=True)
    ]
    values = tally.codes[cells].astype(np.int64)
    persons = None if tally.persons is None else CrowdPersons(tally.persons, tally.cell_counts)
    return Originals(values, parts[0], parts[1], groups[classes[cells]], tally.cell_counts, persons)
