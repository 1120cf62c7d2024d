"""Which rows of a tally live together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.engine import Value
from shoal.data.tally.tally import Tally

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Households:
    """Cells of rows that are alike and live together: the household `of` each, and the `sizes` of households.

    A cell has `counts` rows of one of the tally's `combinations`. A row whose household is missing is a
    household of its own; `cells` says from which of the given cells each of these comes.
    """

    of: Ints
    sizes: Ints
    combinations: Ints
    counts: Ints
    cells: Ints

    @classmethod
    def of_tally(cls, tally: Tally, column: str) -> Households:
        """Return the households that a column of the tally tells."""
        codes, domain = tally.in_cells(column), tally.domain(column)
        return cls.told(codes, domain, tally.cell_combinations, tally.cell_counts)

    @classmethod
    def told(
        cls,
        homes: npt.NDArray[np.int32],
        domain: Sequence[Value],
        combinations: Ints,
        counts: Ints,
    ) -> Households:
        """Return the households of cells whose homes are places in a domain."""
        codes, cells = homes.astype(np.int64), np.arange(len(homes))
        if domain and domain[-1] is None:
            missing = codes == len(domain) - 1
            alone = np.repeat(cells[missing], counts[missing])
            codes = np.concatenate([codes[~missing], len(domain) + np.arange(len(alone))])
            counts = np.concatenate([counts[~missing], np.ones(len(alone), np.int64)])
            cells = np.concatenate([cells[~missing], alone])
        _, of = np.unique(codes, return_inverse=True)
        sizes = np.bincount(of, counts).astype(np.int64)
        return cls(of, sizes, combinations[cells], counts, cells)

    def alike(self) -> Ints:
        """Return a number for each household, the same for those whose members have the same values."""
        order = np.lexsort((self.combinations, self.of))
        members = np.stack([self.combinations[order], self.counts[order]], axis=1)
        # Cells of one household and combination may differ in other columns, such as the weight.
        of = self.of[order]
        first = np.ones(len(order), dtype=np.bool_)
        first[1:] = (of[1:] != of[:-1]) | (members[1:, 0] != members[:-1, 0])
        members[first, 1] = np.add.reduceat(members[:, 1], np.flatnonzero(first)) if len(order) else 0
        members, of = np.ascontiguousarray(members[first]), of[first]
        ends = np.cumsum(np.bincount(of, minlength=len(self.sizes))).tolist()
        numbers: dict[bytes, int] = {}
        begin, found = 0, np.empty(len(self.sizes), dtype=np.int64)
        for household, end in enumerate(ends):
            found[household] = numbers.setdefault(members[begin:end].tobytes(), len(numbers))
            begin = end
        return found
