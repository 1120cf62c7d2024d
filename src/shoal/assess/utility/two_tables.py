"""The original rows beside the released ones, in a form that makes the two comparable.

A released label stands for some of the values that the original table has. Whoever analyses a release knows
no more than that, so a label counts evenly for all of them: that is its `spread`. Every comparison here uses
it, and so the same figures come out for nodes, cuts, groups, buckets and untouched columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from shoal.answers.recoding import Decision
from shoal.answers.released_classes import classes_of
from shoal.assess.meant_values import MeantValues, meant_values
from shoal.assess.released_file import ReleasedFile, read_released, together
from shoal.assess.utility.label_spread import LabelSpread
from shoal.assess.utility.rows import deletion_chances
from shoal.data.engine import Cells, Value
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Hierarchy, Label
from shoal.describe.units import weight_of
from shoal.questions.material import Material
from shoal.recode import Treatment

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

NOT_RELEASED = -1


@dataclass(frozen=True)
class TableColumn:
    """One column in both tables: the `values` of the original one, and the released `labels`.

    The `spread` says which share of a label's rows counts for which value. It is None if every label is one
    value: then `place` says which. The `hierarchy` is that of a quasi column.
    """

    name: str
    values: tuple[Value, ...]
    labels: tuple[Label, ...]
    spread: LabelSpread | None
    place: Ints
    hierarchy: Hierarchy | None = None

    @cached_property
    def numbers(self) -> Floats | None:
        """The values as numbers, not a number where one is missing; None if they are no numbers."""
        known = [value for value in self.values if value is not None]
        masked = self.hierarchy is not None and any(
            label not in (None, "*") and "*" in label
            for labels in self.hierarchy.labels
            for label in labels
        )
        if not known or masked or any(_is_code(value) for value in known):
            return None
        try:
            numbers = np.array([np.nan if value is None else float(value) for value in self.values])
        except ValueError:
            return None
        return numbers if np.isfinite(numbers[~np.isnan(numbers)]).all() else None

    @cached_property
    def bounds(self) -> tuple[Floats, Floats, Mask]:
        """The least and the largest number that a label may stand for, and whether it may be missing.

        A label that can only be missing has no numbers.
        """
        numbers = self.numbers
        assert numbers is not None
        if self.spread is None:
            own = numbers[self.place]
            return own, own, np.isnan(own)
        meant, missing = self.spread.meant, np.isnan(numbers)
        low = meant.least(np.where(missing, np.inf, numbers))
        high = -meant.least(np.where(missing, np.inf, -numbers))
        holes = meant.least(np.where(missing, 0.0, 1.0)) == 0
        some = np.isfinite(low)
        return np.where(some, low, np.nan), np.where(some, high, np.nan), holes

    @cached_property
    def middles(self) -> Floats:
        """The number by which each label is counted: the middle of what it may be."""
        low, high, _ = self.bounds
        return (low + high) / 2

    def onto(self, weights: Floats) -> Floats:
        """Return the weight of every value, from that of every label."""
        if self.spread is None:
            return added(self.place, weights, len(self.values))
        return self.spread.onto(weights)

    def label_shares(self, classes: Ints, count: int) -> Floats:
        """Return, for every label, its share of some classes of the values."""
        if self.spread is None:
            return np.eye(count)[classes[self.place]]
        return self.spread.shares(classes, count)


def added(places: Ints, weights: Floats, size: int) -> Floats:
    """Return the sum of the weights at each place."""
    return np.asarray(np.bincount(places, weights=weights, minlength=size), dtype=np.float64)


def _is_code(value: str) -> bool:
    """Whether a text is a code rather than a number: a leading zero says so."""
    return len(value) > 1 and value[0] == "0" and value.isdecimal()


@dataclass(frozen=True)
class TableRows:
    """Distinct rows: `codes[i, c]` is the value (or label) of column c, with how often and how heavily."""

    codes: Ints
    counts: Ints
    weights: Floats

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum())

    def totals(self, column: int, size: int) -> Floats:
        """Return the weight of each value of a column."""
        return added(self.codes[:, column], self.weights, size)


@dataclass(frozen=True)
class TwoTables:
    """The rows before and after, over the columns that both tables have.

    `image[i, c]` is the label under which the original row i would be released, NOT_RELEASED if no row is
    released as it; `kept[i]` is the share of such rows that is released. The `weight` names the column of
    sampling weights; `weighed` says whether it is released too.
    """

    columns: tuple[TableColumn, ...]
    before: TableRows
    after: TableRows
    image: Ints
    kept: Floats
    quasi: tuple[str, ...]
    weight: str | None = None
    weighed: bool = False
    hidden: tuple[str, ...] = ()

    @property
    def suppressed(self) -> int:
        """How many rows are not released."""
        return self.before.rows - self.after.rows

    def place(self, name: str) -> int:
        """Return the place of a column."""
        return [column.name for column in self.columns].index(name)


def open_two_tables(material: Material, out: Path) -> TwoTables:
    """Return the two tables of a released file and the study that it was made from."""
    file = read_released(material, out, "the two tables are compared")
    units = material.specification.units
    named = [*file.others, *(name for name in file.sensitive if name not in file.others)]
    known = [name for name in named if name in material.engine.columns]
    extra = [units.sample_weight] if units.sample_weight not in {None, *named, *file.quasi} else []
    tally = material.tally(*known, *(name for name in extra if name is not None))
    quasi = tally.attributes
    rows, counts = file.rows, file.rows.counts
    columns, codes = [], []
    for name in (*quasi, *known):
        domain = tally.domain(name)
        if name in quasi:
            own = rows.codes[:, rows.columns.index(name)]
            labels = rows.domains[rows.columns.index(name)]
            columns.append(_recoded(file.decision, material.hierarchies[name], name, labels, domain))
        elif name in rows.columns:
            own = rows.codes[:, rows.columns.index(name)]
            columns.append(_untouched(name, domain, rows.domains[rows.columns.index(name)]))
        else:
            own = rows.codes[:, -1]
            columns.append(_of_buckets(name, domain, file))
        codes.append(own.astype(np.int64))
    released = np.stack(codes, axis=1) if codes else np.zeros((len(counts), 0), dtype=np.int64)
    weighed = units.sample_weight in rows.columns
    after = TableRows(released, counts, _weights(rows, units.sample_weight if weighed else None))
    image, kept = _image(file, tally, material.hierarchies, columns)
    return TwoTables(
        tuple(columns),
        _originals(tally, columns, units.sample_weight),
        after,
        image,
        kept,
        quasi,
        units.sample_weight,
        weighed,
        tuple(sorted(file.hidden)),
    )


def two_tables_of(
    material: Material, decision: Decision, treatment: Treatment, tally: Tally, class_column: str | None
) -> TwoTables:
    """Return the two tables of a release that is not written yet, over the columns of its tally."""
    chances = deletion_chances(treatment, tally, class_column)
    classes = treatment.classes[tally.cell_combinations]
    columns, image = [], []
    for a, name in enumerate(tally.attributes):
        shown = dict.fromkeys(labels[a] for labels in treatment.labels)
        place = {label: i for i, label in enumerate(shown)}
        of_class = np.array([place[labels[a]] for labels in treatment.labels], dtype=np.int64)
        tree = material.hierarchies[name]
        columns.append(_recoded(decision, tree, name, tuple(shown), tally.domain(name)))
        image.append(of_class[classes])
    for name in tally.others:
        columns.append(_untouched(name, tally.domain(name), tally.domain(name)))
        image.append(tally.in_cells(name).astype(np.int64))
    codes = np.stack(image, axis=1)
    before = _originals(tally, columns, None)
    stay = before.counts * (1 - chances)
    counts = np.rint(stay).astype(np.int64)
    after = TableRows(codes, counts, stay)
    return TwoTables(tuple(columns), before, after, codes, 1 - chances, tally.attributes)


def _recoded(
    decision: Decision, hierarchy: Hierarchy, name: str, labels: Sequence[Label], domain: Sequence[Value]
) -> TableColumn:
    # A label of values that no row has any more stands for none of them; it counts for all alike.
    meant = meant_values(decision, hierarchy, name, labels, domain).with_all()
    single = (meant.sizes == 1).all()
    return TableColumn(
        name,
        tuple(domain),
        tuple(labels),
        None if single else LabelSpread.even(meant),
        meant.order[meant.begins] if single else np.zeros(0, dtype=np.int64),
        hierarchy,
    )


def _untouched(name: str, domain: Sequence[Value], labels: Sequence[Value]) -> TableColumn:
    values = together(domain, labels)
    at = {value: i for i, value in enumerate(values)}
    place = np.array([at[label] for label in labels], dtype=np.int64)
    return TableColumn(name, values, tuple(labels), None, place)


def _of_buckets(name: str, domain: Sequence[Value], file: ReleasedFile) -> TableColumn:
    """Return the sensitive column of Anatomy: a bucket counts for its values as its table says."""
    assert file.second is not None
    second, buckets = file.second, file.rows.domains[-1]
    values = together(domain, second.domains[1])
    at = {value: i for i, value in enumerate(values)}
    of = {bucket: i for i, bucket in enumerate(buckets)}
    rows_of: dict[tuple[int, int], int] = {}
    for (bucket, value, number), rows in zip(second.codes.tolist(), second.counts.tolist(), strict=True):
        if second.domains[0][bucket] in of:
            there = of[second.domains[0][bucket]], at[second.domains[1][value]]
            rows_of[there] = rows_of.get(there, 0) + int(second.domains[2][number] or 0) * rows
    pairs = sorted(pair for pair, rows in rows_of.items() if rows)
    labels, found = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    meant = MeantValues(len(buckets), np.arange(len(values)), labels, found, found + 1)
    weights = np.array([rows_of[pair] for pair in pairs], dtype=np.float64)
    return TableColumn(
        name, values, tuple(buckets), LabelSpread(meant, weights), np.zeros(0, dtype=np.int64)
    )


def _originals(tally: Tally, columns: Sequence[TableColumn], weight: str | None) -> TableRows:
    codes = [tally.in_cells(column.name).astype(np.int64) for column in columns]
    weights = tally.cell_counts.astype(np.float64)
    if weight is not None:
        each = np.array([float(weight_of(text, weight)) for text in tally.domain(weight)])
        weights = weights * each[tally.in_cells(weight)]
    shape = (len(tally.cell_counts), 0)
    stacked = np.stack(codes, axis=1) if codes else np.zeros(shape, dtype=np.int64)
    return TableRows(stacked, tally.cell_counts, weights)


def _weights(rows: Cells, weight: str | None) -> Floats:
    counts = rows.counts.astype(np.float64)
    if weight is None:
        return counts
    at = rows.columns.index(weight)
    each = np.array([float(weight_of(text, weight)) for text in rows.domains[at]])
    weights: Floats = counts * each[rows.codes[:, at]]
    return weights


def _image(
    file: ReleasedFile,
    tally: Tally,
    hierarchies: Mapping[str, Hierarchy],
    columns: Sequence[TableColumn],
) -> tuple[Ints, Floats]:
    """Return every original row's labels, and which share of the rows with its quasi labels is released."""
    quasi, rows = tally.attributes, file.rows
    classes, shown = classes_of(file.decision, tally, hierarchies, {})
    places = [{label: i for i, label in enumerate(column.labels)} for column in columns]
    of_class = np.array(
        [[places[a].get(label, NOT_RELEASED) for a, label in enumerate(labels)] for labels in shown],
        dtype=np.int64,
    ).reshape(len(shown), len(quasi))
    order = [rows.columns.index(name) for name in quasi]
    found, group = np.unique(rows.codes[:, order], axis=0, return_inverse=True)
    sizes = np.bincount(group.reshape(-1), weights=rows.counts, minlength=len(found))
    there = {tuple(row): size for row, size in zip(found.tolist(), sizes.tolist(), strict=True)}
    released = np.array([there.get(tuple(row), 0.0) for row in of_class.tolist()])
    size = np.bincount(classes, weights=tally.counts, minlength=len(shown))
    share = np.minimum(released / np.maximum(size, 1), 1.0)
    cells = classes[tally.cell_combinations]
    image = np.full((len(cells), len(columns)), NOT_RELEASED, dtype=np.int64)
    image[:, : len(quasi)] = of_class[cells]
    for c, column in enumerate(columns[len(quasi) :], len(quasi)):
        if column.spread is None:
            at = {int(value): label for label, value in enumerate(column.place)}
            domain = np.array([at.get(v, NOT_RELEASED) for v in range(len(column.values))])
            image[:, c] = domain[tally.in_cells(column.name)]
    return image, share[cells]
