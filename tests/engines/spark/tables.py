"""Tables of every type, and what is compared of them."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa

from shoal.data.opening import opened

TYPES = {
    "text": pa.array(["", "a", "A", "é", "e\u0301", "007", " x ", "x\0y", "🐟", "'; DROP TABLE x; --", None]),
    "large text": pa.array(["a", "", "long " * 20_000], pa.large_string()),
    "dictionary": pa.array(["a", "", None, "b"]).dictionary_encode(),
    "int8": pa.array([-128, 127, None], pa.int8()),
    "int64": pa.array([-(2**63), 2**63 - 1]),
    "uint64": pa.array([2**64 - 1, 0], pa.uint64()),
    "boolean": pa.array([True, False, None]),
    "small decimal": pa.array([Decimal("1.50"), Decimal("-0.05"), None], pa.decimal128(10, 2)),
    "fine decimal": pa.array([Decimal("1e-7"), Decimal("-12345.1234567"), Decimal(0)], pa.decimal128(20, 7)),
    "wide decimal": pa.array([Decimal("9" * 38), Decimal(-5)], pa.decimal128(38, 0)),
    "date": pa.array([-719529, -800000, -719528, 3000000, 2932897, 18321, None], pa.date32()),
    "time stamp": pa.array(
        [253402300800000000, -62167219200000005, -80000000000000000, -999999, 1577934245120000, None],
        pa.timestamp("us"),
    ),
    "moment": pa.array(
        [253402300800000000, -62167219200000005, -80000000000000000, -999999, 1577934245120000, None],
        pa.timestamp("us", "UTC"),
    ),
    "time": pa.array([datetime.time(12, 30), datetime.time(1, 2, 3, 500000)], pa.time64("us")),
    "duration": pa.array([86400000000, -500000, 0, 40 * 86400000000 + 7, -3661000000], pa.duration("us")),
    "nothing": pa.array([None], pa.null()),
    "double": pa.array([float("nan"), float("inf"), float("-inf"), -0.0, 39.0, 5e-324, 0.1, 1e-5, None]),
    "float": pa.array([0.1, 2.0, float("nan"), 1789235.25, 1e-45], pa.float32()),
}  # fmt: skip


def every_type() -> pa.Table:
    """All types side by side, the shorter columns repeated."""
    rows = max(map(len, TYPES.values()))
    columns = {}
    for name, values in TYPES.items():
        columns[name] = values.take(pa.array(np.arange(rows) % len(values)))
    return pa.table(columns)


def counted(table):
    """The cells over all columns of a table, in a form that tells whether two are equal."""
    with opened(table) as engine:
        cells = engine.cells(engine.columns)
    return cells.columns, cells.domains, cells.codes.tolist(), cells.counts.tolist()


def people(rows: int = 600) -> pa.Table:
    """A table in which one combination is far more frequent than the others."""
    random = np.random.default_rng(7)
    often = random.random(rows) < 0.6
    zips = np.where(often, 21300, 21300 + random.integers(0, 90, rows))
    illness = np.where(often, "flu", random.choice(["flu", "cold", "gout", "", "measles"], rows))
    return pa.table(
        {
            "id": [f"p{i}" for i in range(rows)],
            "zip": zips.astype(str).tolist(),
            "age": pa.array((20 + random.integers(0, 40, rows)) * 1.0),
            "illness": illness.tolist(),
            "out.come": np.where(random.random(rows) < 0.3, "ill", "well").tolist(),
            "Paid `€`": pa.array(np.round(random.random(rows) * 3, 1)),
        }
    )


PEOPLE = {
    "quasi": {
        "zip": {"mask": {"digits": 5}},
        "age": {"intervals": {"origin": 20, "widths": [10, 20, 40]}},
    },
    "sensitive": "illness",
    "class_": "out.come",
    "identifying": "id",
    "insensitive": "Paid `€`",
}
