"""Answers are tables too: the same cells in three kinds of frames, one line, and HTML that is safe."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import pyarrow as pa
import pytest

from shoal.errors import MissingExtraError
from shoal.tabular import AnswerColumn, AnswerTable, Tabular


@dataclass(frozen=True, repr=False)
class Answered(Tabular):
    def as_table(self) -> AnswerTable:
        return AnswerTable(
            "two <rows>",
            (
                AnswerColumn("k", int, [12345, 2]),
                AnswerColumn("loss", float, [0.125, None]),
                AnswerColumn("k", str, ["<b>", None]),
            ),
            bold=frozenset({1}),
        )


def test_all_frames_hold_the_same_cells_under_names_of_their_own() -> None:
    expected = {"k": [12345, 2], "loss": [0.125, None], "k (2)": ["<b>", None]}
    answer = Answered()
    assert answer.to_arrow().to_pydict() == expected
    assert answer.to_polars().to_dict(as_series=False) == expected
    assert pa.Table.from_pandas(answer.to_pandas()).to_pydict() == expected


def test_the_line_and_the_html_say_what_it_is_and_let_no_markup_in() -> None:
    assert repr(Answered()) == "<Answered: two <rows>>"
    page = Answered()._repr_html_()
    assert ">two &lt;rows&gt;</caption>" in page
    assert '<td>12,345</td><td>0.125</td><td style="text-align:left">&lt;b&gt;</td>' in page
    assert page.count("font-weight:bold") == 1
    assert page.index("font-weight:bold") > page.index("12,345")


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_missing_package_is_named_with_the_way_to_it(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=f"pip install {package}$"):
        getattr(Answered(), f"to_{package}")()
