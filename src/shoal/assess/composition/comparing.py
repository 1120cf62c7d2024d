"""Compares two releases of the same table by what an attacker who has both can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.assess.composition import joint
from shoal.assess.composition.findings import Example, ReleaseComparison, SideView
from shoal.assess.composition.joint import Joint
from shoal.assess.composition.linked_persons import LinkedPersons, link_persons
from shoal.assess.composition.links import Link, ReleasedLabels, link_columns, plain
from shoal.assess.composition.mappings import Pairs, read_mappings
from shoal.assess.composition.pairs import Entries, Ints, block_rows, count_pairs, number_blocks
from shoal.assess.composition.row_order import Placed, SharedOrder, count_windows, shared_order
from shoal.data.engine import Cells, Engine, Value
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.opening import open_engine, settle
from shoal.data.tally import Tally, take_tally
from shoal.describe.table_reading import AS_WRITTEN
from shoal.documents import certificate_path, read_certificate
from shoal.errors import InputError, TallyTooLargeError

MOST_PAIRS = 20_000_000
MOST_EXAMPLES = 5


@dataclass(frozen=True)
class _Release:
    """A released file, with what its certificate and its mappings say."""

    path: Path
    certificate: Mapping[str, Any]
    mappings: Mapping[str, Pairs]
    columns: tuple[str, ...]
    tally: Tally
    places: Cells | None
    """The rows over the common columns by position in the file; None if there are too many."""

    @property
    def of_persons(self) -> bool:
        return "persons" in self.certificate

    @property
    def quasi(self) -> tuple[str, ...]:
        return tuple(self.certificate["quasi"])

    @property
    def k(self) -> int:
        measured = self.certificate["measured"]
        return int(self.certificate["promise"].get("k") or measured.get("persons", measured)["k"])

    def labels(self, column: str) -> ReleasedLabels:
        exact = column not in self.quasi
        blanked = column in self.certificate["sensitive"]
        return ReleasedLabels(self.tally.domain(column), exact, self.mappings.get(column), blanked)

    def shows(self, column: str) -> bool:
        """Return whether a column is released unchanged."""
        return column in self.columns and column not in self.quasi


def compare_releases(one: str | Path, other: str | Path, *, k: int | None = None) -> ReleaseComparison:
    """Return what two released files of the same table, with their certificates, reveal together.

    A release has no row numbers, so nobody can join the two row by row, unless both are in the same order;
    that is measured (see `row_order`). But a row of one and a row of the other can be the same person only if
    they agree in every column that both release unchanged, and if their labels of every other common column
    have an original value in common, according to the mappings beside the releases (a missing value of a
    sensitive column may have been blanked, and agrees with all; so does a label that no mapping explains).
    From that alone, and from how often equal rows occur:

    - candidates: a row's person, if in both releases, is one of the rows that agree with it;
    - intersections: anyone who knows a person's quasi-identifiers knows the person's group in both releases.
      The two groups have at most as many persons in common as rows can be paired up: over the distinct rows
      of one group, the sum of the smaller of two counts, how often the row occurs there and how many rows of
      the other group agree with it; the same from the other side; whichever is less. A pair below k breaks
      what both promise;
    - exposed rows: all pairs of groups that a row's person may be in are below k;
    - missing rows: a block has more rows than the other release has there at all;
    - pinned values: all rows that can be paired up in a pair of groups have the same sensitive value.

    If both have the same rows, and their labels mean the same, everybody may have the same row in both: the
    other release excludes nothing, and small or pinned pairs of different groups are no finding.

    Proven, if both are releases of the same table (or overlapping ones) and the mappings are theirs: the
    persons are among the candidates, and no pair of groups has more persons than stated. Not proven: that a
    pair below k has any person, which persons are missing, or that nothing else can be inferred. In
    particular a pair of k or more may really be smaller, so finding nothing does not prove safety. `k` is the
    smaller of the two promises unless given.
    """
    first, second, linked = _open(Path(one), Path(other), k)
    k = min(first.k, second.k) if k is None else k
    shared = [name for name in first.columns if name in second.columns]
    links = [link_columns(name, first.labels(name), second.labels(name)) for name in shared]
    codes = [_codes(release.tally, shared) for release in (first, second)]
    blocks = number_blocks(codes[0], codes[1], links)
    ones, others = (_entries(release, codes[i], blocks[i]) for i, release in enumerate((first, second)))
    examined = count_pairs(ones, others) <= MOST_PAIRS
    in_one, in_other = block_rows(ones, others)
    found: Joint | None = None
    if examined:
        sensitive = dict.fromkeys([*first.certificate["sensitive"], *second.certificate["sensitive"]])
        found = joint.examine(
            ones, others, links, [_secrets(first, second, column) for column in sensitive], k
        )
        candidates = found.one_candidates, found.other_candidates
        exposed: tuple[int | None, int | None] = found.one_exposed, found.other_exposed
    else:
        candidates = in_other[ones.blocks], in_one[others.blocks]
        exposed = None, None
    return ReleaseComparison(
        k=k,
        examined=examined,
        columns={link.column: link.relation for link in links},
        one=_view(first, ones, candidates[0], in_one - in_other, exposed[0], k),
        other=_view(second, others, candidates[1], in_other - in_one, exposed[1], k),
        intersections=None if found is None else found.intersections,
        pinned=None if found is None else found.pinned,
        order=_order(first, second, links),
        examples=() if found is None else _examples(first, ones, second, others, found),
        of_persons=first.of_persons or second.of_persons,
        persons=linked,
        same_rows=linked is None and _alike(first, second),
    )


def _open(one: Path, other: Path, k: int | None) -> tuple[_Release, _Release, LinkedPersons | None]:
    """Return the two releases, counted over the columns that link them and the sensitive ones.

    Pseudonyms and shifted dates link no rows: they are compared by persons, or not at all.
    """
    documents, engines = [], []
    try:
        for path in (one, other):
            settle(path)
            if not path.is_file():
                raise InputError("no such file; check the path", file=path)
            document = read_certificate(certificate_path(path))
            if "buckets" in document:
                raise InputError(
                    "is a release by Anatomy; diff compares releases with generalized values", file=path
                )
            documents.append(document)
            engines.append(open_engine(path, AS_WRITTEN))
        hidden = {*_moved(documents[0]), *_moved(documents[1])}
        columns = [tuple(name for name in engine.columns if name not in hidden) for engine in engines]
        if not set(columns[0]) & set(columns[1]):
            raise InputError(
                f"has no column in common with {other}, so the two cannot be compared; give two releases of "
                "the same table",
                file=one,
            )
        windows = count_windows(*(engine.count() for engine in engines))
        releases = []
        for i, path in enumerate((one, other)):
            document, there = documents[i], columns[1 - i]
            quasi = tuple(document["quasi"])
            linking = [name for name in columns[i] if name in there and name not in quasi]
            telling = [name for name in document["sensitive"] if name not in there and name not in quasi]
            tally = take_tally(engines[i], [*quasi, *linking], telling)
            mappings = read_mappings(path, quasi)
            places = _places(engines[i], [name for name in columns[0] if name in columns[1]], windows)
            releases.append(_Release(path, document, mappings, columns[i], tally, places))
        return releases[0], releases[1], _linked(releases, engines, k)
    finally:
        for engine in engines:
            engine.close()


def _moved(document: Mapping[str, Any]) -> list[str]:
    """Return the columns whose values are of one release alone: pseudonyms and shifted dates."""
    person = (document.get("persons") or {}).get("column")
    return [*document.get("shifted", ()), *([] if person is None else [person])]


def _linked(
    releases: Sequence[_Release], engines: Sequence[Engine], k: int | None
) -> LinkedPersons | None:
    """Return what pseudonyms reveal if both releases have them."""
    names = [(release.certificate.get("persons") or {}).get("column") for release in releases]
    if None in names:
        return None
    sides = [
        (engine, release.quasi, str(name))
        for engine, release, name in zip(engines, releases, names, strict=True)
    ]
    return link_persons(sides[0], sides[1], k or min(release.k for release in releases))


def _places(engine: Engine, columns: Sequence[str], windows: int) -> Cells | None:
    if not windows or not columns or not isinstance(engine, DuckDBEngine):
        return None
    with suppress(TallyTooLargeError):
        return engine.cells_by_place(columns, windows)
    return None


def _order(first: _Release, second: _Release, links: Sequence[Link]) -> SharedOrder | None:
    """Return how similar the two row orders are; None if unknown, or if the rows are the same."""
    one, other = first.places, second.places
    if one is None or other is None or _same(one, other):
        return None
    codes = [np.ascontiguousarray(side.codes[:, :-1]) for side in (one, other)]
    blocks = number_blocks(codes[0], codes[1], links)
    sides = []
    for side, block in zip((one, other), blocks, strict=True):
        windows = np.array([int(number or 0) for number in side.domains[-1]], dtype=np.int64)
        sides.append(Placed(windows[side.codes[:, -1]], block, side.counts))
    return shared_order(sides[0], sides[1], max(len(side.domains[-1]) for side in (one, other)))


def _same(one: Cells, other: Cells) -> bool:
    return (
        one.domains == other.domains
        and np.array_equal(one.codes, other.codes)
        and np.array_equal(one.counts, other.counts)
    )


def _alike(first: _Release, second: _Release) -> bool:
    """Return whether both have the same rows, whose labels stand for the same values as far as is known.

    Columns of one release alone may tell its rows apart, so with them nothing is said.
    """
    one, other = first.tally, second.tally
    return (
        not any(_moved(release.certificate) for release in (first, second))
        and first.columns == second.columns
        and first.quasi == second.quasi
        and one.attributes == other.attributes
        and one.domains == other.domains
        and np.array_equal(one.codes, other.codes)
        and np.array_equal(one.counts, other.counts)
        and all(
            frozenset(first.mappings[name]) == frozenset(second.mappings[name])
            for name in first.mappings.keys() & second.mappings.keys()
        )
    )


def _codes(tally: Tally, columns: Sequence[str]) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.ascontiguousarray(tally.codes[:, [tally.attributes.index(name) for name in columns]])


def _entries(release: _Release, codes: np.ndarray[Any, np.dtype[np.int32]], blocks: Ints) -> Entries:
    tally, width = release.tally, len(release.quasi)
    # The combinations are sorted by their codes, quasi columns first.
    fresh = np.ones(len(tally), dtype=np.bool_)
    quasi = tally.codes[:, :width]
    fresh[1:] = (quasi[1:] != quasi[:-1]).any(axis=1)
    groups = np.cumsum(fresh) - 1
    sizes = np.bincount(groups, weights=tally.counts).astype(np.int64)
    return Entries(codes, tally.counts, groups, blocks, sizes)


def _secrets(first: _Release, second: _Release, column: str) -> joint.Secret:
    """Return, for every entry of both releases, which values of a sensitive column it may have."""
    shown = [release.tally.domain(column) for release in (first, second) if release.shows(column)]
    number: dict[Value, int] = {}
    for domain in shown:
        for value in domain:
            number.setdefault(plain(value), len(number))
    spans: list[joint.Span | None] = []
    for release in (first, second):
        if not release.shows(column):
            spans.append(None)
            continue
        tally = release.tally
        low, high = (
            np.array(
                [open_ if v is None else number[plain(v)] for v in tally.domain(column)], dtype=np.int64
            )
            for open_ in (joint.LOWEST, joint.HIGHEST)
        )
        if column in tally.others:
            starts = np.searchsorted(tally.cell_combinations, np.arange(len(tally)))
            codes = tally.cell_codes[:, tally.others.index(column)]
            reduced = (np.minimum.reduceat(low[codes], starts), np.maximum.reduceat(high[codes], starts))
            spans.append(reduced if len(tally) else (low, high))
        else:
            codes = tally.codes[:, tally.attributes.index(column)]
            spans.append((low[codes], high[codes]))
    return joint.Secret(column, spans[0], spans[1])


def _view(
    release: _Release, entries: Entries, candidates: Ints, more: Ints, exposed: int | None, k: int
) -> SideView:
    some = candidates > 0
    return SideView(
        file=str(release.path),
        rows=entries.rows,
        groups=len(entries.group_sizes),
        unmatched=int(entries.counts[~some].sum()),
        missing_there=int(np.maximum(more, 0).sum()),
        linked_once=int(entries.counts[candidates == 1].sum()),
        below_k_candidates=int(entries.counts[some & (candidates < k)].sum()),
        fewest=int(candidates[some].min()) if some.any() else 0,
        exposed=exposed,
    )


def _examples(
    first: _Release, ones: Entries, second: _Release, others: Entries, found: Joint
) -> tuple[Example, ...]:
    return tuple(
        Example(_labels(first, ones, one), _labels(second, others, other), room)
        for one, other, room in found.smallest(MOST_EXAMPLES)
    )


def _labels(release: _Release, entries: Entries, group: int) -> dict[str, Value]:
    codes = release.tally.codes[int(np.searchsorted(entries.groups, group))].tolist()
    tally = release.tally
    return {name: tally.domains[a][codes[a]] for a, name in enumerate(release.quasi)}
