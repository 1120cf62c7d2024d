"""A hierarchy as levels: every leaf value and its label on each level up to the root."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError, show
from shoal.tabular import AnswerColumn, AnswerTable, Tabular

if TYPE_CHECKING:
    from shoal.describe.hierarchies.date_forms import DateForm
    from shoal.describe.hierarchies.tree import Taxonomy

Label = str | None
"""A value or the label of a group of values; None is the missing value."""

ROOT = "*"


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy(Tabular):
    """A full-domain hierarchy: `labels[i]` are the labels of level i, `codes[i]` its leaves' there.

    `date_form` is the form of the leaves where they are dates and a study says it.

    >>> h = Hierarchy.from_rows([("White", "*"), ("Black", "*")])
    >>> h.height, h.leaves
    (1, ('White', 'Black'))
    """

    labels: tuple[tuple[Label, ...], ...]
    codes: tuple[npt.NDArray[np.int32], ...]
    source: str = "the hierarchy"
    date_form: DateForm | None = None

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Sequence[Label]],
        source: str = "the hierarchy",
        lines: Sequence[int] | None = None,
        date_form: DateForm | None = None,
    ) -> Hierarchy:
        """Return the hierarchy of rows, each from a leaf to the root, or refuse bad rows.

        `lines` are the rows' line numbers in `source`, for errors. An empty label is the missing value.
        """
        table = [tuple(None if label == "" else label for label in row) for row in rows]

        def fail(what: str, row: int | None = None) -> InputError:
            line = lines[row] if lines is not None and row is not None else None
            return InputError(what, file=source, line=line)

        if not table:
            raise fail("the hierarchy is empty; write one row per value, from the leaf to the root")
        width = len(table[0])
        leaf_row: dict[Label, int] = {}
        for i, row in enumerate(table):
            if not row or (width > 1 and all(label is None for label in row)):
                raise fail("an empty row; remove it", i)
            if len(row) != width:
                raise fail(
                    f"{len(row)} columns where the first row has {width}: value {show(row[0])}; "
                    "give every row the same number of levels",
                    i,
                )
            _check_gaps(row, i, fail)
            if row[0] in leaf_row:
                first = leaf_row[row[0]]
                where = f" (first on line {lines[first]})" if lines is not None else ""
                raise fail(f"the value {show(row[0])} appears twice{where}; keep one row", i)
            leaf_row[row[0]] = i

        labels: list[tuple[Label, ...]] = []
        codes: list[npt.NDArray[np.int32]] = []
        for level in range(width):
            code_of: dict[Label, int] = {}
            column = [code_of.setdefault(row[level], len(code_of)) for row in table]
            labels.append(tuple(code_of))
            codes.append(np.array(column, dtype=np.int32))
        for level in range(width - 1):
            parent: dict[int, int] = {}
            for i in range(len(table)):
                child, mine = int(codes[level][i]), int(codes[level + 1][i])
                if parent.setdefault(child, mine) != mine:
                    one = labels[level + 1][parent[child]]
                    raise fail(
                        f"the value {show(table[i][level])} has two parents, {show(one)} and "
                        f"{show(table[i][level + 1])}; give it one",
                        i,
                    )
        if len(labels[-1]) > 1:
            second = next(i for i in range(len(table)) if codes[-1][i] != codes[-1][0])
            raise fail(
                f"no common root: {show(table[0][-1])} and {show(table[second][-1])} are both in the last "
                f"column; end every row with the same label, such as {ROOT}",
                second,
            )
        return cls(tuple(labels), tuple(codes), source, date_form)

    @property
    def leaves(self) -> tuple[Label, ...]:
        """The values of level 0."""
        return self.labels[0]

    @property
    def height(self) -> int:
        """The number of the root's level."""
        return len(self.labels) - 1

    @cached_property
    def covered(self) -> tuple[npt.NDArray[np.int64], ...]:
        """For each level and label, how many leaves lie below it."""
        return tuple(
            np.bincount(codes, minlength=len(labels)).astype(np.int64)
            for codes, labels in zip(self.codes, self.labels, strict=True)
        )

    def row(self, leaf: int) -> tuple[Label, ...]:
        """Return the labels of one leaf, from itself to the root."""
        return tuple(labels[codes[leaf]] for labels, codes in zip(self.labels, self.codes, strict=True))

    def rows(self) -> list[tuple[Label, ...]]:
        """Return every leaf's labels, from itself to the root."""
        return [self.row(leaf) for leaf in range(len(self.leaves))]

    def as_table(self) -> AnswerTable:
        """Return the levels as a table, a row for every leaf."""
        levels = [
            AnswerColumn(f"level {i}", str, [labels[code] for code in codes])
            for i, (labels, codes) in enumerate(zip(self.labels, self.codes, strict=True))
        ]
        return AnswerTable(
            f"{self.source}: {len(self.leaves):,} values, {self.height} levels above", (*levels,)
        )

    def with_missing(self) -> Hierarchy:
        """Return the hierarchy with the missing value as a leaf of its own, directly below the root.

        >>> Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*")]).with_missing().rows()[-1]
        (None, None, '*')
        """
        if None in self.leaves:
            return self
        if self.height == 0:
            raise InputError(
                "the data has missing values, but the hierarchy has a single level and so no "
                f"common root for them; add a last column {ROOT}",
                file=self.source,
            )
        missing: tuple[Label, ...] = (None,) * self.height + (self.labels[-1][0],)
        return Hierarchy.from_rows([*self.rows(), missing], self.source, date_form=self.date_form)

    def tree(self) -> Taxonomy:
        """Return the hierarchy as a taxonomy, in which a node with a single child is that child."""
        from shoal.describe.hierarchies.tree import Taxonomy

        return Taxonomy.from_rows(self.rows(), self.source)


def _check_gaps(row: tuple[Label, ...], i: int, fail: Callable[[str, int], InputError]) -> None:
    """Refuse an empty label above a value that is not missing."""
    for level in range(1, len(row)):
        if row[level] is None and (row[level - 1] is not None or level == len(row) - 1):
            raise fail(
                f"the value {show(row[0])} has an empty label in column {level + 1}; fill it in", i
            )
