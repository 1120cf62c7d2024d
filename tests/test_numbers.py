"""Numbers are rounded by one rule, and nobody writes percentages by another."""

from __future__ import annotations

import ast
import json
import re
import sys
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

import shoal
from shoal.documents.json_files import parse_json
from shoal.numbers import (
    amount,
    figure,
    percent,
    rounded,
    seconds,
    share_of,
    short_number,
    size,
    writable,
)

SOURCE = Path(shoal.__file__).parent
NUMBERS = st.integers(-(10**9), 10**9) | st.fractions() | st.floats(-1e9, 1e9)


def read(shown: str) -> Fraction:
    return Fraction(shown.strip("<>% sBKMGT").replace(",", ""))


@given(st.decimals(-(10**9), 10**9, places=6), st.integers(0, 5))
@example(Decimal("0.15"), 1)
@example(Decimal("-2.675"), 2)
def test_a_float_is_rounded_as_the_decimal_that_it_prints_as(given, digits):
    exact = Decimal(str(float(given)))
    expected = exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    assert Decimal(rounded(float(given), digits).replace(",", "")) == expected


@given(NUMBERS, st.integers(0, 5))
def test_rounding_is_never_off_by_more_than_half_a_digit(number, digits):
    exact = Fraction(str(number)) if isinstance(number, float) else Fraction(number)
    off = read(rounded(number, digits)) - exact
    assert abs(off) <= Fraction(1, 2 * 10**digits)
    if abs(off) == Fraction(1, 2 * 10**digits):
        assert abs(exact + off) > abs(exact)


@given(st.fractions(0, 1) | st.floats(0, 1), st.integers(0, 2))
@example(0.99999, 1)
@example(Fraction(9_999_999, 10_000_000), 2)
@example(Fraction(1, 10_000_000), 0)
def test_a_percentage_is_none_or_all_only_where_the_share_is(share, digits):
    shown = percent(share, digits)
    assert (shown == "0%") == (share == 0)
    assert (shown == "100%") == (share == 1)
    least = Fraction(1, 10**digits)
    exact = 100 * (Fraction(str(share)) if isinstance(share, float) else share)
    if shown[0] == "<":
        assert 0 < exact < read(shown) == least
    elif shown[0] == ">":
        assert 100 - least == read(shown) < exact < 100
    else:
        assert abs(read(shown) - exact) <= least / 2


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_share_reads_alike_as_a_fraction_and_as_a_float(part, whole):
    part = min(part, whole)
    shown, near = share_of(part, whole), percent(part / whole)
    # The float of a share that lies exactly between two tenths may print as a decimal beside it.
    assert shown == near or (2000 * part) % whole == 0
    assert share_of(1, 16) == percent(0.0625) == percent(Fraction(1, 16)) == "6.3%"


@given(st.floats(1e-9, 1e12))
def test_no_measure_above_nothing_reads_as_nothing(number):
    for show in (amount, seconds, figure, short_number):
        assert re.search("[1-9]", show(number)), show


@given(st.integers(0, 10**15))
def test_sizes_are_near_what_they_say(number):
    scale = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}.get(size(number)[-2], 1)
    assert abs(read(size(number).removesuffix(" bytes")) * scale - number) <= scale / 20


ELSEWHERE = {
    "numbers.py": "is the one place",
    "present/charts/svg.py": "writes coordinates",
    "demo": "makes data",
    "web/pages/negotiation/ways_list.py": "writes the width of a bar",
    "proposal/arx_models.py": "writes options of a command as they were, without exponents",
    "verification/spread/measure.py": "writes a certificate's figure",
    "verification/spread/found_rows.py": "writes a certificate's figure",
    "web/pages/table_step.py": "shows a value of the table as it is",
}


def test_no_other_module_rounds_what_people_read():
    """A float in an f-string, a percent sign after a value, or a share times 100 grows its own rule."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not any(name == known or name.startswith(f"{known}/") for known in ELSEWHERE):
            found += [f"{name}:{line}" for line in own_rounding(path.read_text(encoding="utf-8"))]
    for path in sorted([*SOURCE.rglob("*.js"), *SOURCE.rglob("*.html")]):
        if re.search(r"toFixed|toPrecision|Math\.round|\|\s*round|\.format\(", path.read_text("utf-8")):
            found.append(path.name)
    assert found == []


def own_rounding(source: str) -> list[int]:
    """Return the lines of a module that write numbers by a rule of their own."""
    if not re.search(r":[^\"{}\n]*[%eEfFgGn.]|\}%|\bformat\(", source):
        return []
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            spec = ast.unparse(node.format_spec)[2:-1]
            found += [node.lineno] if re.search(r"[%eEfFgGn]$|\.\d", spec) else []
        if isinstance(node, ast.JoinedStr):
            for value, after in zip(node.values, node.values[1:], strict=False):
                after_it = after.value if isinstance(after, ast.Constant) else ""
                if isinstance(value, ast.FormattedValue) and str(after_it).startswith("%"):
                    found.append(node.lineno)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "format":
            found.append(node.lineno)
    return found


def test_the_scan_sees_what_it_is_for():
    bad = ['f"{x:.1%}"', 'f"{x:,.2f}"', 'f"{x:g}"', 'f"{100 * x}%"', 'f"{x:.{n}f}"', "format(x, '.1f')"]
    good = ['f"{x:,}"', 'f"{name:>8}"', 'f"{x} of 100%"', 'f"{percent(x)}"']
    assert all(own_rounding(line) for line in bad)
    assert not any(own_rounding(line) for line in good)


def test_a_number_with_more_digits_than_python_likes_is_written_and_read():
    cuts, before = 2**2_300, sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(640)  # the least that Python lets itself be told
        text = json.dumps({"space": writable(cuts)})
        sys.set_int_max_str_digits(640)  # another process reads it
        assert parse_json(text.encode(), Path("solution.json")) == {"space": cuts}
    finally:
        sys.set_int_max_str_digits(before)
