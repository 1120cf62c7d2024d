"""Random tables of every type that all engines know, with hostile names and values; and how they compare."""

from __future__ import annotations

import datetime
from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.examples import examples

HOSTILE = [
    "",
    " ",
    "a",
    "A",
    " a",
    "a ",
    "007",
    "NA",
    "null",
    "\\N",
    "\\.",
    "x\n\\.\ny",
    "\\",
    "'",
    '"',
    '""',
    "','",
    '"; DROP TABLE people; --',
    "'; DROP TABLE people; --",
    "$$",
    "%s",
    "{}",
    "é",
    "e\u0301",
    "ﬁ",
    "İ",
    "ß",
    "SS",
    "🐟",
    "\u202etxt",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "a,b;c|d",
    "=1+1",
    "1e5",
    "long " * 2000,
]
NAMES = [
    "select",
    "Select from",
    "a.b",
    'say "x"',
    "x'; --",
    "ÄÖ",
    "rn",
    "t0",
    "value",
    "🐟",
    "a\nb",
    "group",
]

texts = st.sampled_from(HOSTILE) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8
)
_days = st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31))
_moments = st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31))
# DuckDB writes some whole numbers from 1e18 on with a wrong digit; see docs/engines.md.
_floats = st.floats(-1e17, 1e17) | st.sampled_from(
    [float("nan"), float("inf"), float("-inf"), -0.0, 39.0, 0.1, 1e-7, 1e-4, 1e15 + 0.5, 123456.789]
)
VALUES = {
    pa.string(): texts,
    pa.int16(): st.integers(-(2**15), 2**15 - 1),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): _floats,
    pa.float32(): st.floats(-1e6, 1e6, width=32) | st.sampled_from([float("nan"), 39.0, float("inf")]),
    pa.decimal128(9, 2): st.decimals(-9_999_999, 9_999_999, places=2),
    pa.decimal128(30, 0): st.decimals(-(10**29), 10**29, places=0),
    pa.bool_(): st.booleans(),
    pa.date32(): _days,
    pa.timestamp("us"): _moments,
    pa.timestamp("us", tz="UTC"): _moments.map(lambda m: m.replace(tzinfo=datetime.UTC)),
    pa.time64("us"): st.times(),
}


@st.composite
def typed_tables(draw, most_rows=12):
    """A table of a few columns of any type; values repeat, and some are missing."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    rows = draw(st.integers(0, most_rows))
    columns = {}
    for name in names:
        kind = draw(st.sampled_from(list(VALUES)))
        few = draw(st.lists(VALUES[kind], min_size=1, max_size=4))
        values = draw(st.lists(st.sampled_from([*few, None]), min_size=rows, max_size=rows))
        columns[name] = pa.array(values, kind)
    return pa.table(columns)


def same_cells(one, other):
    """Whether two engines counted the same."""
    return (
        one.columns == other.columns
        and one.domains == other.domains
        and np.array_equal(one.codes, other.codes)
        and np.array_equal(one.counts, other.counts)
    )


def on_every_home(most, **strategies):
    """Make a test of a check on drawn values, with as many examples as a home has time for."""

    def decorate(check):
        def test(home):
            # Where an example takes seconds, smaller ones would be looked for through the night.
            phases = [phase for phase in Phase if home.slowness == 1 or phase is not Phase.shrink]

            @settings(max_examples=max(3, examples(most) // home.slowness), phases=phases)
            @given(**strategies)
            def run(**drawn):
                check(home, **drawn)

            run()

        test.__name__ = check.__name__
        return test

    return decorate


def fetched(table):
    """Released rows in memory; the rows of Spark stay there until they are asked for."""
    return table.toArrow() if hasattr(table, "toArrow") else table


def multiset(table):
    """The rows of a table, in no order, with their types."""
    table = fetched(table)

    def plain(value):
        if value == 0 and isinstance(value, float):
            return 0.0  # engines that group equal numbers keep one of the two zeros
        aware = isinstance(value, datetime.datetime) and value.tzinfo is not None
        return value.astimezone(datetime.UTC) if aware else value

    return Counter(repr({name: plain(row[name]) for name in sorted(row)}) for row in table.to_pylist())
