from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

class Codebook:
    def __init__(
        self,
        maps: Sequence[npt.NDArray[np.int32]],
        weights: Sequence[Ints] = ...,
        products: bool = ...,
    ) -> None: ...
    @property
    def words(self) -> int: ...
    def pack(self, codes: npt.NDArray[np.int32]) -> Keys: ...
    def unpack(self, keys: Keys, levels: Sequence[int]) -> npt.NDArray[np.int32]: ...
    def roll_up(
        self, keys: Keys, counts: Ints, source: Sequence[int], target: Sequence[int]
    ) -> tuple[Keys, Ints]: ...
    def measure(
        self, keys: Keys, counts: Ints, levels: Sequence[int], eta: int
    ) -> tuple[Ints, Ints]: ...
    def measure_box(
        self,
        keys: Keys,
        counts: Ints,
        levels: Sequence[int],
        lo: Sequence[int],
        hi: Sequence[int],
        order: Sequence[int],
        eta: int,
        threads: int,
    ) -> Ints: ...

class ClassTables:
    def __init__(
        self,
        book: Codebook,
        keys: Keys,
        counts: Ints,
        levels: Sequence[int],
        eta: int,
        budget: int,
    ) -> None: ...
    def measure(self, levels: Sequence[int]) -> tuple[Ints, Ints]: ...
    @property
    def bytes(self) -> int: ...

class NodeSet:
    def __init__(self, attributes: int) -> None: ...
    def __len__(self) -> int: ...
    def add(self, node: Sequence[int]) -> None: ...
    def above(self, node: Sequence[int]) -> list[int]: ...
    def below(self, node: Sequence[int]) -> list[int]: ...
    def any_below(self, node: Sequence[int], marks: npt.NDArray[np.bool_]) -> bool: ...

class UpSet:
    def __init__(self, bottom: Sequence[int], top: Sequence[int]) -> None: ...
    def __len__(self) -> int: ...
    def take(self, cover: Sequence[int]) -> tuple[list[list[int]], list[list[int]]]: ...

def aggregate(keys: Keys, counts: Ints) -> tuple[Keys, Ints]: ...

NEVER: int

class CutQuestion:
    def __init__(
        self,
        attribute: Sequence[int],
        parent: Sequence[int],
        weight: Sequence[int],
        below: Sequence[int],
        leaves: npt.NDArray[np.int32],
        rows: Ints,
        cells: Sequence[tuple[Ints, npt.NDArray[np.int32], Ints]],
        scheme: int,
        k: int,
        limits: Ints,
        tuples: npt.NDArray[np.int32],
        labels: int,
        joint: bool,
        unit: int,
        record_cost: int,
        value_cost: int,
        size_part: int,
        class_part: int,
        size_table: Sequence[int],
        class_table: Sequence[int],
    ) -> None: ...
    @property
    def gave_up(self) -> bool: ...

def keep_jointly(
    limits: Ints, tuples: npt.NDArray[np.int32], counts: Ints
) -> tuple[list[int], bool]: ...

class CutSearch:
    def __init__(
        self,
        question: CutQuestion,
        keep: int,
        slack: int,
        ascending: bool,
        update: bool,
        learn: bool,
        needs: bool,
        steps: bool,
        ahead: bool,
        remember: bool,
        threads: int,
    ) -> None: ...
    def offer(self, cost: int, specialized: Sequence[int]) -> None: ...
    def run(self, seconds: float, steps: int = ...) -> bool: ...
    def best(self) -> list[tuple[int, list[int]]]: ...
    @property
    def bound(self) -> int: ...
    @property
    def examined(self) -> int: ...

class CutWalk:
    def __init__(self, question: CutQuestion) -> None: ...
    def measure(self, specialized: Sequence[int]) -> tuple[int, int, int, int, int]: ...
    def if_down(self, value: int) -> tuple[int, int]: ...
    def if_up(self, value: int) -> tuple[int, int]: ...
    def good_start(self, seed: int, kicks: int, seconds: float) -> list[int]: ...
    @property
    def down(self) -> list[int]: ...
    @property
    def up(self) -> list[int]: ...

class Annealing:
    def __init__(self, question: CutQuestion, seed: int, steps: int) -> None: ...
    def run(self, steps: int) -> bool: ...
    def best(self) -> tuple[int, int, list[int]]: ...

class Visits:
    def __init__(self, nodes: int) -> None: ...
    def __len__(self) -> int: ...

class HistogramIndex:
    @staticmethod
    def build(
        book: Codebook,
        keys: Keys,
        sizes: Ints,
        bits: Keys,
        widths: Sequence[int],
        levels: Sequence[int],
        lo: Sequence[int],
        hi: Sequence[int],
        threads: int,
    ) -> HistogramIndex: ...
    @staticmethod
    def load(
        lo: Sequence[int], hi: Sequence[int], sensitive: bool, rows: int, data: bytes
    ) -> HistogramIndex: ...
    def dump(self) -> bytes: ...
    @property
    def nodes(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def size(self) -> int: ...
    def seen(self, visits: Visits) -> list[list[int]]: ...
    def suppressed(self, visits: Visits, node: Sequence[int], k: int, l: int) -> int: ...
    def lowest(
        self, visits: Visits, top: Sequence[int], k: int, l: int, limit: int
    ) -> tuple[list[int], int] | None: ...
    def lowest_from(
        self, visits: Visits, height: int, k: int, l: int, limit: int
    ) -> tuple[list[int], int] | None: ...
    def largest_k(self, node: Sequence[int], l: int, limit: int, most: int) -> int: ...
    def largest_l(self, node: Sequence[int], limit: int, most: int) -> int: ...
    def entries(self, node: Sequence[int]) -> Ints: ...
    def map(self, k: int, l: int) -> Ints: ...

class LazyVisits:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def seen(self) -> list[list[int]]: ...

class LazyHistograms:
    def __init__(
        self,
        book: Codebook,
        keys: Keys,
        sizes: Ints,
        bits: Keys,
        widths: Sequence[int],
        levels: Sequence[int],
        budget: int,
    ) -> None: ...
    @property
    def bytes(self) -> int: ...
    @property
    def evaluated(self) -> int: ...
    def suppressed(self, visits: LazyVisits, node: Sequence[int], k: int, l: int) -> int: ...
    def lowest(
        self,
        visits: LazyVisits,
        lo: Sequence[int],
        hi: Sequence[int],
        least: int,
        k: int,
        l: int,
        limit: int,
        threads: int,
    ) -> tuple[list[int], int] | None: ...
    def largest_k(self, node: Sequence[int], l: int, limit: int, most: int) -> int: ...
    def largest_l(self, node: Sequence[int], limit: int, most: int) -> int: ...
    def entries(self, node: Sequence[int]) -> Ints: ...

def suppressed_map(
    book: Codebook,
    keys: Keys,
    sizes: Ints,
    bits: Keys,
    widths: Sequence[int],
    levels: Sequence[int],
    lo: Sequence[int],
    hi: Sequence[int],
    k: int,
    l: int,
    threads: int,
) -> Ints: ...
def thresholds_box(
    book: Codebook,
    keys: Keys,
    counts: Ints,
    labels: int,
    histograms: Sequence[int],
    sets: Sequence[int],
    levels: Sequence[int],
    lo: Sequence[int],
    hi: Sequence[int],
    k: int,
    every_size: bool,
    diversity: int,
    limit: int,
    threads: int,
) -> tuple[Ints, Ints]: ...

class ThresholdTables:
    def __init__(
        self,
        book: Codebook,
        keys: Keys,
        counts: Ints,
        labels: int,
        histograms: Sequence[int],
        sets: Sequence[int],
        levels: Sequence[int],
        budget: int,
    ) -> None: ...
    def measure(
        self, node: Sequence[int], k: int, every_size: bool, diversity: int, limit: int
    ) -> Ints: ...
    @property
    def bytes(self) -> int: ...

def undominated(points: Ints) -> npt.NDArray[np.uint8]: ...

class Regions:
    def __init__(
        self,
        axes: Sequence[tuple[int, int, npt.NDArray[np.int32], Ints]],
        codes: npt.NDArray[np.int32],
        rows: Ints,
        blocks: npt.NDArray[np.int32],
    ) -> None: ...
    def costs(self, groups: Ints) -> Ints: ...
    def neighbours(self, many: int) -> npt.NDArray[np.int32]: ...
    def split(
        self,
        groups: Ints,
        k: int,
        strict: bool,
        median: bool,
        ahead: int,
        most: int,
        seconds: float,
        judge: Callable[[npt.NDArray[np.int32], Ints, Ints], npt.NDArray[np.bool_]] | None,
    ) -> Ints: ...

class Regrouping:
    def __init__(
        self,
        regions: Regions,
        groups: Ints,
        k: int,
        neighbours: npt.NDArray[np.int32],
        seed: int,
        judge: Callable[[npt.NDArray[np.int32], Ints, Ints], npt.NDArray[np.bool_]] | None,
    ) -> None: ...
    def gather(self) -> bool: ...
    def run(self, steps: int, warm: float, cold: float) -> None: ...
    def groups(self) -> Ints: ...
    @property
    def cost(self) -> int: ...
