"""How many households look alike in released rows that still tell which of them live together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from shoal.data.engine import Engine


def fewest_alike(rows: Engine, quasi: Sequence[str], household: str) -> int:
    """Return how many households have the same members as the one that the fewest are like; 0 without any."""
    cells = rows.cells([*quasi, household])
    members: defaultdict[int, list[tuple[int, ...]]] = defaultdict(list)
    for codes, count in zip(cells.codes.tolist(), cells.counts.tolist(), strict=True):
        members[codes[-1]].append((*codes[:-1], count))
    crowds = Counter(tuple(sorted(inside)) for inside in members.values())
    return min(crowds.values(), default=0)
