"""Hierarchy files in the form of ARX: every way to write them, and every way to get them wrong."""

from __future__ import annotations

import os
from contextlib import suppress
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.describe.hierarchies import read_hierarchy, write_hierarchy
from shoal.errors import InputError
from tests.examples import examples

ROWS = [("a", "x", "*"), ("b", "x", "*")]


@pytest.fixture
def read(tmp_path):
    def reader(content):
        path = tmp_path / "age.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_hierarchy(path).rows()

    return reader


@pytest.fixture
def refusal(read, tmp_path):
    def refused(content):
        with pytest.raises(InputError) as problem:
            read(content)
        return str(problem.value).removeprefix(str(tmp_path) + os.sep)

    return refused


@pytest.mark.parametrize(
    "text",
    [
        "a;x;*\nb;x;*\n",
        "a,x,*\nb,x,*\n",
        "a\tx\t*\nb\tx\t*\n",
        "a;x;*\nb;x;*",
        "a;x;*\r\nb;x;*\r\n",
        "a;x;*\r\nb;x;*",
        "a;x;*\rb;x;*\r",
        "\ufeffa;x;*\nb;x;*\n",
        '"a";"x";"*"\n"b";"x";"*"\n',
        '"a",x,*\nb,"x",*\n',
        '\ufeff"a";x;*\nb;x;*\n',
    ],
)
def test_delimiters_quotes_marks_and_line_ends_do_not_matter(read, text):
    assert read(text) == ROWS


@pytest.mark.parametrize(
    ("text", "leaf"),
    [
        ('"a;b";*\n', "a;b"),
        ('"a,b",*\n', "a,b"),
        ('"a""b";*\n', 'a"b'),
        ('a"b;*\n', 'a"b'),
        ('"a\nb";*\n', "a\nb"),
        ('"a\nb",*\n', "a\nb"),
        (" a ;*\n", " a "),
        ("007;*\n", "007"),
        ("Grüße 🐟;*\n", "Grüße 🐟"),
        ("Asian, Pacific or Native;*\n", "Asian, Pacific or Native"),
        ("Doe, J, Jr.;*\n", "Doe, J, Jr."),
        ("1,5;1,0-2,0;*\n", "1,5"),
    ],
)
def test_labels_are_read_as_they_are(read, text, leaf):
    assert read(text)[0][0] == leaf


def test_commas_in_some_labels_do_not_hide_the_semicolons(read):
    assert read("Smith, A, B;x;*\nb;x;*\n") == [("Smith, A, B", "x", "*"), ("b", "x", "*")]
    assert read("a;b,x,*\nc,x,*\n") == [("a;b", "x", "*"), ("c", "x", "*")]


@pytest.mark.parametrize("word", ["NA", "null", "NULL", "nan", "NaN", "None", "true", "-", "?"])
def test_words_for_nothing_are_text(read, word):
    assert read(f"{word};*\nb;*\n") == [(word, "*"), ("b", "*")]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        (";x;*\nb;x;*\n", (None, "x", "*")),
        (";;*\nb;x;*\n", (None, None, "*")),
        ('"";x;*\n', (None, "x", "*")),
    ],
)
def test_an_empty_first_column_is_the_missing_value(read, text, row):
    assert read(text)[0] == row


class TestRefusals:
    def test_two_parents(self, refusal):
        message = refusal("a;x;p;*\nb;x;q;*\n")
        assert message.startswith("age.csv, line 2: the value 'x' has two parents, 'p' and 'q'")

    def test_a_leaf_with_two_parents(self, refusal):
        assert refusal("a;x;*\na;y;*\n").startswith("age.csv, line 2: the value 'a' appears twice")

    def test_too_few_columns(self, refusal):
        message = refusal("a;x;*\nb;x;*\nc;*\n")
        assert message.startswith("age.csv, line 3: 2 columns where the first row has 3: value 'c'")

    def test_too_many_columns(self, refusal):
        message = refusal("a;*\nb;x;*\n")
        assert message.startswith("age.csv, line 2: 3 columns where the first row has 2: value 'b'")

    def test_a_delimiter_after_the_root(self, refusal):
        message = refusal("a;x;*;\nb;x;*;\n")
        assert message.startswith("age.csv, line 1: the value 'a' has an empty label in column 4")

    def test_no_common_root(self, refusal):
        message = refusal("a;*\nb;*\nc;+\n")
        assert message.startswith("age.csv, line 3: no common root: '*' and '+'")

    @pytest.mark.parametrize(
        ("text", "line"), [("a;*\n\nb;*\n", 2), ("\na;*\n", 1), ("a;*\n;\n", 2), ("a;*\n\n", 2)]
    )
    def test_an_empty_row(self, refusal, text, line):
        assert refusal(text).startswith(f"age.csv, line {line}: an empty row")

    def test_a_duplicate_row(self, refusal):
        message = refusal("a;x;*\nb;x;*\na;x;*\n")
        assert message.startswith("age.csv, line 3: the value 'a' appears twice (first on line 1)")

    def test_an_empty_label(self, refusal):
        message = refusal("a;x;*\nb;;*\n")
        assert message.startswith("age.csv, line 2: the value 'b' has an empty label in column 2")

    def test_an_empty_root(self, refusal):
        assert "the value 'a' has an empty label in column 2" in refusal("a;\n")

    @pytest.mark.parametrize("content", ["", "\ufeff"])
    def test_an_empty_file(self, refusal, content):
        assert refusal(content).startswith("age.csv: the hierarchy is empty")

    def test_bytes_that_are_not_utf_8(self, refusal):
        message = refusal(b"a;*\nb\xe9;*\n")
        assert message.startswith("age.csv, line 2: not UTF-8 (byte 0xe9)")

    def test_utf_16(self, refusal):
        assert refusal("a;*\n".encode("utf-16")).startswith("age.csv, line 1: not UTF-8")

    def test_a_nul_byte(self, refusal):
        assert refusal("a;*\nb\0;*\n").startswith("age.csv, line 2: a NUL byte")

    def test_a_quote_that_is_not_closed(self, refusal):
        message = refusal('a;*\n"b;*\nc;*\nd;*\n')
        assert message.startswith("age.csv, line 2: ")
        assert "quote" in message
        assert "b;*" in message

    def test_text_after_a_quote(self, refusal):
        message = refusal('a;*\n"b"c;*\n')
        assert message.startswith("age.csv, line 2: ")
        assert '"b"c;*' in message

    def test_a_line_number_counts_lines_inside_quotes(self, refusal):
        assert refusal('"a\nb\nc";*\nd;*\nd;*\n').startswith(
            "age.csv, line 5: the value 'd' appears twice"
        )

    def test_a_row_over_several_lines_is_named_by_its_first(self, refusal):
        assert refusal('a;*\n"b\nc";x;*\n').startswith("age.csv, line 2: 3 columns")

    def test_no_such_file(self, tmp_path):
        with pytest.raises(InputError, match=r"nope\.csv: no such file"):
            read_hierarchy(tmp_path / "nope.csv")

    def test_a_folder(self, tmp_path):
        with pytest.raises(InputError, match="cannot be read: Is a directory"):
            read_hierarchy(tmp_path)

    def test_a_path_with_a_nul_byte(self):
        with pytest.raises(InputError, match="cannot be read"):
            read_hierarchy("a\0b.csv")


labels = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\ufeff"), min_size=1, max_size=6
) | st.sampled_from(
    [";", ",", "\t", '"', "a,b,c,d", "\n", "\r\n", "\r", "'", " ", "a\tb\tc", '";"', "*"]
)


@st.composite
def written(draw):
    """Rows with hostile labels: leaves, groups of them, a root; perhaps the missing value."""
    leaves = draw(st.lists(labels, min_size=1, max_size=5, unique=True))
    groups = draw(st.lists(labels, min_size=1, max_size=2, unique=True))
    root = draw(labels)
    rows = [(leaf, draw(st.sampled_from(groups)), root) for leaf in leaves]
    if draw(st.booleans()):
        rows.insert(
            draw(st.integers(0, len(rows))), (None, draw(st.sampled_from([None, *groups])), root)
        )
    return rows


@settings(max_examples=examples(150))
@given(written())
def test_a_written_hierarchy_is_read_as_it_was(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("written") / "h.csv"
    path.write_text(write_hierarchy(rows), encoding="utf-8", newline="")
    assert read_hierarchy(path).rows() == rows


@settings(max_examples=examples(50))
@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bytes") / "h.csv"
    path.write_bytes(content)
    with suppress(InputError):
        assert read_hierarchy(path).rows()


@pytest.mark.parametrize(
    ("folder", "nodes"),
    [("lattice-17920", 17_920), ("negotiation-3600", 3_600), ("arx-12960", 12_960)],
)
def test_adult_has_as_many_nodes_as_its_folders_say(adult, folder, nodes):
    files = sorted((adult / folder).iterdir())
    assert prod(read_hierarchy(path).height + 1 for path in files) == nodes


def test_adult_is_written_as_it_was_read(adult, tmp_path):
    for path in sorted(adult.glob("*-*/*.csv")):
        hierarchy = read_hierarchy(path)
        copy = tmp_path / path.name
        copy.write_text(write_hierarchy(hierarchy.rows()), encoding="utf-8")
        assert read_hierarchy(copy).rows() == hierarchy.rows()
