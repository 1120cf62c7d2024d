"""The classes of any node: their sizes, and the distribution of other columns in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from shoal.criteria import Groups, Population
from shoal.data.coding import placed
from shoal.data.tally import Node, Problem, Tally
from shoal.kernels import Codebook, NodeSet
from shoal.search.lattice.population_codes import crowd_of

Ints = npt.NDArray[np.int64]

BUDGET = 1 << 28
"""Bytes of class tables that are kept for rolling up others."""


@dataclass(frozen=True)
class Classes:
    """The classes of one node: their codes on its levels, and their groups. `labels` counts class labels.

    `of` is the class of each combination, if persons have several rows.
    """

    codes_of: Callable[[npt.NDArray[np.bool_]], npt.NDArray[np.int32]]
    """Returns the codes of some of the classes."""
    groups: Groups
    labels: Ints | None
    of: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def codes(self) -> npt.NDArray[np.int32]:
        """The codes of all classes."""
        return self.codes_of(np.ones(len(self.groups), dtype=np.bool_))


class NodeClasses:
    """Counts the classes of nodes, each rolled up from the smallest counted table below it.

    `columns` are the tally's columns to count in every class; a `population` is also counted in every class.
    Classes of persons with several rows are counted from all combinations.
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
        self._tally, self._population = tally, population
        self._crowd = None if population is None else crowd_of(problem, tally, population)
        self._by_persons = problem.persons is not None or (
            population is not None and population.tally.persons is not None
        )
        if self._by_persons:
            return
        self._blocks = [problem.counts[:, None], *(tally.histogram(name) for name in columns)]
        if problem.labels is not None:
            self._blocks.append(problem.labels)
        maps = [ladder.codes for ladder in problem.ladders]
        codes, counts = problem.codes, np.concatenate(self._blocks, axis=1)
        if (crowd := self._crowd) is not None:
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
        if self._by_persons:
            return self._of_persons(node)
        below = self._nodes.below(node)
        smallest = min(below, key=self._sizes.__getitem__)
        source, keys, counts = self._tables[smallest]
        if source != node:
            keys, counts = self._book.roll_up(keys, counts, source, node)
            # Do not keep a table that is hardly smaller than its source.
            if 4 * len(keys) <= 3 * self._sizes[smallest] and self._bytes < BUDGET:
                self._keep(node, keys, counts)
        crowds = None
        if self._crowd is not None:
            here = counts[:, 0] > 0
            keys, counts, crowds = keys[here], counts[here, :-1], counts[here, -1]
        widths = [block.shape[1] for block in self._blocks]
        parts = np.split(counts, np.cumsum(widths)[:-1], axis=1)
        labels = None if self.problem.labels is None else parts[-1]
        groups = Groups(parts[0][:, 0], dict(zip(self._columns, parts[1:], strict=False)), crowds)
        return Classes(lambda some: self._book.unpack(keys[some], node), groups, labels)

    def _of_persons(self, node: Node) -> Classes:
        """Return the classes of a node from all combinations: what persons weigh does not roll up."""
        problem, crowd = self.problem, self._crowd
        maps = [ladder.codes for ladder in problem.ladders] if crowd is None else list(crowd.maps)
        codes = problem.codes if crowd is None else np.concatenate([problem.codes, crowd.codes])
        found, place = placed(np.stack([maps[a][at][codes[:, a]] for a, at in enumerate(node)], axis=1))
        of, others = place[: len(problem.codes)], place[len(problem.codes) :]
        here = np.zeros(len(found), dtype=np.bool_)
        here[of] = True
        count, new = int(here.sum()), np.cumsum(here) - 1
        crowds = None
        if self._population is not None:
            crowds = self._population.tally.people_in(others, len(found))[here]
        labels = None
        if problem.labels is not None:
            labels = np.zeros((count, problem.labels.shape[1]), dtype=np.int64)
            np.add.at(labels, new[of], problem.labels)
        groups = Groups.of(self._tally, new[of], count, self._columns, crowds)
        return Classes(found[here].__getitem__, groups, labels, new[of])

    def _keep(self, node: Node, keys: npt.NDArray[np.uint64], counts: Ints) -> None:
        self._nodes.add(node)
        self._tables.append((node, keys, counts))
        self._sizes.append(len(keys))
        self._bytes += keys.nbytes + counts.nbytes
