"""Sets the scene of an attack: the released file beside the study that it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from shoal.answers.recoding import Decision, GroupRecoding
from shoal.answers.released_classes import classes_of
from shoal.assess.attacks.scene import SUPPRESSED, Ints, Mask, Originals, Scene, Seen
from shoal.data.engine import Cells, Value
from shoal.data.opening import opened, settle
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.describe.promise import Promise
from shoal.describe.specification import Role
from shoal.describe.table_reading import AS_WRITTEN
from shoal.documents import certificate_path, read_certificate, record_in
from shoal.errors import InputError, show
from shoal.questions.material import Material
from shoal.verification.bucket_check import second_path


def set_scene(material: Material, out: Path) -> Scene:
    """Return the scene of a released file, with its certificate and record beside it, and of its study."""
    settle(out)
    if not out.is_file():
        raise InputError("no such file; check the path", file=out)
    certificate = read_certificate(certificate_path(out))
    record = out.with_name(out.name + ".record.json")
    if not record.is_file():
        raise InputError(
            "the record is not beside the release; attacks are judged by it, so keep the two together",
            file=record,
        )
    decision = Decision.from_dict(record_in(record)["decision"])
    quasi = tuple(certificate["quasi"])
    if set(quasi) != set(material.quasi):
        raise InputError(
            f"the release has the quasi columns {show(', '.join(quasi))}, and the study others; name the "
            "study that it was made from",
            file=out,
        )
    split = certificate.get("buckets")
    bucket = None if split is None else str(split["columns"][0])
    hidden = {*certificate.get("shifted", ()), (certificate.get("persons") or {}).get("column"), bucket}
    sensitive = tuple(name for name in certificate["sensitive"] if name not in quasi)
    others = tuple(n for n in certificate["columns"] if n not in {*quasi, *sensitive, *hidden})
    last = sensitive if bucket is None else (bucket,)
    with opened(out, AS_WRITTEN) as engine:
        rows = engine.cells([*quasi, *others, *last])
    second = None
    if split is not None:
        with opened(second_path(out), AS_WRITTEN) as engine:
            second = engine.cells(split["columns"])
    promise = Promise.from_dict(certificate["promise"])
    return scene_of(material, decision, promise, (others, sensitive), rows, second)


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
    tally = material.tally(*others, *(name for name in sensitive if name not in others))
    quasi, width = tally.attributes, len(tally.attributes)
    order = [rows.columns.index(name) for name in quasi]
    labels, groups = np.unique(rows.codes[:, order], axis=0, return_inverse=True)
    groups = groups.reshape(-1).astype(np.int64)
    texts = tuple(rows.domains[a] for a in order)
    sizes = np.bincount(groups, weights=rows.counts, minlength=len(labels)).astype(np.int64)
    at = list(range(width, width + len(others)))
    other_domains = [
        _together(tally.domain(name), rows.domains[i]) for name, i in zip(others, at, strict=True)
    ]
    if second is None:
        pools = groups
        secrets = [
            rows.codes[:, width + len(others) + s].astype(np.int64) for s in range(len(sensitive))
        ]
        found = [rows.domains[width + len(others) + s] for s in range(len(sensitive))]
        domains = [_together(tally.domain(n), d) for n, d in zip(sensitive, found, strict=True)]
        spreads = tuple(
            _spread(pools, _recode(codes, there, domain), rows.counts, len(labels), len(domain))
            for codes, there, domain in zip(secrets, found, domains, strict=True)
        )
    else:
        pools = rows.codes[:, -1].astype(np.int64)
        place = {name: i for i, name in enumerate(rows.domains[-1])}
        domains = [_together(tally.domain(sensitive[0]), second.domains[1])]
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
    covers = tuple(
        _covers(decision, material.hierarchies[name], name, texts[a], tally.domain(name))
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
        covers,
        seen,
        crowd,
        spreads,
        trees,
        frozenset(
            name
            for name, given in material.specification.attributes.items()
            if given.min_level or not given.weight
        ),
        bool(material.specification.units.persons),
    )


def _together(one: Sequence[Value], other: Sequence[Value]) -> tuple[Value, ...]:
    """Return the values of both, each once."""
    return tuple(dict.fromkeys([*one, *other]))


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
    return Originals(values, parts[0], parts[1], groups[classes[cells]], tally.cell_counts)


def _covers(
    decision: Decision, hierarchy: Hierarchy, name: str, texts: Sequence[Label], domain: Sequence[Value]
) -> Mask:
    """Return which labels stand for which values.

    A label that the hierarchy has on several levels stands for all that it may mean there, and a label
    that nobody can explain for every value: whoever knows less rules out less.
    """
    if None in domain:
        hierarchy = hierarchy.with_missing()
    place = {value: i for i, value in enumerate(domain)}
    meanings: Mapping[Label, Sequence[Label]] = {}
    if isinstance(decision.recoding, GroupRecoding):
        meanings = decision.recoding.meanings.get(name, {})
    below: dict[Label, set[int]] = {}
    for row in hierarchy.rows():
        if row[0] in place:
            for label in set(row):
                below.setdefault(label, set()).add(place[row[0]])
    found = np.zeros((len(texts), len(domain)), dtype=np.bool_)
    for i, label in enumerate(texts):
        if label in meanings:
            inside = [place[value] for value in meanings[label] if value in place]
        elif label in below:
            inside = sorted(below[label])
        else:
            inside = list(range(len(domain)))
        found[i, inside] = True
    return found
