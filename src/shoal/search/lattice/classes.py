"""The classes of any node: their sizes, and the distribution of other columns in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.criteria import Groups, Population
from shoal.data.tally import Node, Problem, Tally
from shoal.kernels import Codebook, NodeSet
from shoal.search.lattice.population_codes import crowd_of

Ints = npt.NDArray[np.int64]

BUDGET = 1 << 28
"""Bytes of class tables that are kept for rolling up others."""


@dataclass(frozen=True)
class Classes:
    """The classes of one node: their codes on its levels, and their groups. `labels` counts class labels."""

    codes: npt.NDArray[np.int32]
    groups: Groups
    labels: Ints | None


class NodeClasses:
    """Counts the classes of nodes, each rolled up from the smallest counted table below it.

    `columns` are the tally's columns to count in every class; a `population` is also counted in every class.
    """

    def __init__(
        self,
        problem: Problem,
        tally: Tally,
        columns: Sequence[str] = (),
        population: Population | None = None,
    ) -> None:
        self.problem = problem
        self._columns = tuple(columns)
        self._blocks = [problem.counts[:, None], *(tally.histogram(name) for name in columns)]
        if problem.labels is not None:
            self._blocks.append(problem.labels)
        maps = [ladder.codes for ladder in problem.ladders]
        codes, counts = problem.codes, np.concatenate(self._blocks, axis=1)
        self._crowded = population is not None
        if population is not None:
            crowd = crowd_of(problem, tally, population)
            maps = list(crowd.maps)
            codes = np.concatenate([codes, crowd.codes])
            # The population's rows are in a column of their own, the table's in the others.
            wide = np.zeros((len(codes), counts.shape[1] + 1), dtype=np.int64)
            wide[: len(counts), :-1] = counts
            wide[len(counts) :, -1] = crowd.counts
            counts = wide
        self._book = Codebook(maps)
        keys = self._book.pack(np.ascontiguousarray(codes))
        counts = np.ascontiguousarray(counts)
        ground = (0,) * len(problem.ladders)
        bottom = self._book.roll_up(keys, counts, ground, problem.bottom)
        self._nodes = NodeSet(len(problem.ladders))
        self._tables: list[tuple[Node, npt.NDArray[np.uint64], Ints]] = []
        self._sizes: list[int] = []
        self._bytes = 0
        self._keep(problem.bottom, *bottom)

    def at(self, node: Node) -> Classes:
        """Return the classes of a node."""
        below = self._nodes.below(node)
        sizes = np.array(self._sizes)[below]
        source, keys, counts = self._tables[below[int(sizes.argmin())]]
        if source != node:
            keys, counts = self._book.roll_up(keys, counts, source, node)
            # Do not keep a table that is hardly smaller than its source.
            if 4 * len(keys) <= 3 * int(sizes.min()) and self._bytes < BUDGET:
                self._keep(node, keys, counts)
        crowds = None
        if self._crowded:
            here = counts[:, 0] > 0
            keys, counts, crowds = keys[here], counts[here, :-1], counts[here, -1]
        widths = [block.shape[1] for block in self._blocks]
        parts = np.split(counts, np.cumsum(widths)[:-1], axis=1)
        labels = None if self.problem.labels is None else parts[-1]
        groups = Groups(parts[0][:, 0], dict(zip(self._columns, parts[1:], strict=False)), crowds)
        return Classes(self._book.unpack(keys, node), groups, labels)

    def _keep(self, node: Node, keys: npt.NDArray[np.uint64], counts: Ints) -> None:
        self._nodes.add(node)
        self._tables.append((node, keys, counts))
        self._sizes.append(len(keys))
        self._bytes += keys.nbytes + counts.nbytes
