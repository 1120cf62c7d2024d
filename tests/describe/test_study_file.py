"""Study files: what they say, and one line with the place for everything they get wrong."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.describe import Role
from shoal.describe.study_file import read_study_file
from shoal.errors import InputError
from shoal.study import Study
from tests.examples import examples

GOOD = "table: people.csv\nattributes:\n  age: {role: quasi, hierarchy: age.csv}\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text("age,zip\n1,02138\n2,02139\n")
    (tmp_path / "age.csv").write_text("1;*\n2;*\n")
    return tmp_path


@pytest.fixture
def read(folder):
    def reader(content):
        path = folder / "study.yaml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_study_file(path)

    return reader


@pytest.fixture
def refusal(folder, read):
    """The one line of a study that is refused when it is read, opened or asked."""

    def refused(content):
        with pytest.raises(InputError) as problem, Study.of(read(content)) as study:
            study.frontier()
        return " ".join(str(problem.value).split()).replace(str(folder) + os.sep, "")

    return refused


def hierarchy(read, text):
    return read(GOOD.replace("age.csv", text)).attributes["age"].hierarchy


class TestReading:
    def test_paths_are_relative_to_the_file(self, read, folder):
        study = read(GOOD)
        assert study.table == folder / "people.csv"
        assert study.attributes["age"].hierarchy == folder / "age.csv"
        assert study.file == folder / "study.yaml"

    def test_a_study_opens_from_anywhere(self, folder, monkeypatch):
        (folder / "study.yaml").write_text(GOOD)
        monkeypatch.chdir("/")
        with Study.open(folder / "study.yaml") as study:
            assert [point.k for point in study.frontier()] == [2, 1]
        monkeypatch.chdir(folder)
        with Study.open("study.yaml") as study:
            assert study.quasi == ("age",)

    def test_absolute_paths_stay(self, read, folder):
        assert read(GOOD.replace("people.csv", "/data/people.csv")).table == Path("/data/people.csv")

    def test_roles_levels_and_lines(self, read):
        study = read(
            "table: people.csv\n"
            "attributes:\n"
            "  age: {role: [quasi, class], hierarchy: age.csv, min_level: 1, max_level: 02}\n"
            "  zip:\n"
            "    role: sensitive\n"
            "  name: {role: identifying}\n"
        )
        age, zip_code, name = study.attributes.values()
        assert (age.roles, age.min_level, age.max_level) == ({Role.QUASI, Role.CLASS}, 1, 2)
        assert (zip_code.roles, zip_code.hierarchy) == ({Role.SENSITIVE}, None)
        assert (zip_code.min_level, zip_code.max_level) == (0, None)
        assert [age.line, zip_code.line, name.line] == [3, 4, 6]

    @pytest.mark.parametrize(
        ("text", "weight"), [("2", 2), ("0.1", Fraction(1, 10)), ("1/3", Fraction(1, 3))]
    )
    def test_weights_are_what_their_decimals_say(self, read, text, weight):
        study = read(GOOD.replace("age.csv", f"age.csv, weight: {text}"))
        assert study.weights == {"age": weight}
        assert read(GOOD).weights == {"age": 1}

    def test_the_columns_keep_their_order(self, read):
        text = GOOD + "  zip: {role: quasi, hierarchy: {mask: {digits: 5}}}\n  b: {role: class}\n"
        study = read(text.replace("age:", "q:", 1))
        assert list(study.attributes) == ["q", "zip", "b"]
        assert study.having(Role.QUASI) == ("q", "zip")

    @pytest.mark.parametrize("content", ["\ufeff" + GOOD, GOOD.replace("\n", "\r\n"), "---\n" + GOOD])
    def test_marks_and_line_ends_do_not_matter(self, read, content):
        assert list(read(content).attributes) == ["age"]

    def test_all_scalars_are_text(self, read):
        given = hierarchy(read, "{x: [NO, yes, 007, 1e3, null, ~, nan, 2020-01-01, 0x1F], 1: [a]}")
        assert given == {
            "x": ["NO", "yes", "007", "1e3", "null", "~", "nan", "2020-01-01", "0x1F"],
            "1": ["a"],
        }

    def test_an_empty_item_is_missing(self, read):
        assert hierarchy(read, "{x: ['', a], y: }") == {"x": ["", "a"], "y": None}

    def test_anchors_may_be_used_again(self, read):
        study = read(
            "table: people.csv\nattributes:\n"
            "  age: {role: quasi, hierarchy: &h {x: [a], y: [b]}}\n"
            "  zip: {role: quasi, hierarchy: *h}\n"
        )
        assert study.attributes["zip"].hierarchy == {"x": ["a"], "y": ["b"]}
        assert study.attributes["zip"].line == 4

    def test_tags_are_not_obeyed(self, read, folder):
        study = read(GOOD.replace("people.csv", "!!python/name:os.system people.csv"))
        assert study.table == folder / "people.csv"


class TestRefusals:
    @pytest.mark.parametrize("content", ["", "\n", "# nothing\n"])
    def test_an_empty_file(self, refusal, content):
        assert refusal(content) == "study.yaml: a study is a mapping with table and attributes"

    @pytest.mark.parametrize("content", ["- a\n- b\n", "hello", "[]"])
    def test_no_mapping(self, refusal, content):
        assert refusal(content) == "study.yaml, line 1: a study is a mapping with table and attributes"

    @pytest.mark.parametrize(
        ("old", "new", "line", "words"),
        [
            ("table", "tabel", 1, "unknown entry 'tabel' of a study; did you mean table?"),
            ("attributes", "atributes", 2, "unknown entry 'atributes' of a study; did you mean attributes?"),
            ("role:", "roll:", 3, "unknown entry 'roll' of the column 'age'; did you mean role?"),
            ("hierarchy", "herarchy", 3,
             "unknown entry 'herarchy' of the column 'age'; did you mean hierarchy?"),
            ("quasi", "qasi", 3, "unknown role 'qasi'; did you mean quasi?"),
            ("quasi", "Quasi", 3, "unknown role 'Quasi'; did you mean quasi?"),
            ("quasi", "[quasi, sensitiv]", 3, "unknown role 'sensitiv'; did you mean sensitive?"),
            ("  age", "  agee", 3, "the table people.csv has no column 'agee'; did you mean age?"),
            ("  age", "  Age", 3, "the table people.csv has no column 'Age'; did you mean age?"),
        ],
    )  # fmt: skip
    def test_typos(self, refusal, old, new, line, words):
        assert refusal(GOOD.replace(old, new, 1)) == f"study.yaml, line {line}: {words}"

    def test_a_column_that_is_missing_in_the_block_style(self, refusal):
        block = "table: people.csv\nattributes:\n  salary:\n    role: quasi\n    hierarchy: age.csv\n"
        assert refusal(block).startswith(
            "study.yaml, line 3: the table people.csv has no column 'salary'"
        )

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (GOOD + "table: people.csv\n", "line 4: the entry 'table' appears twice"),
            (GOOD + "  age: {role: class}\n", "line 4: the entry 'age' appears twice"),
            (
                GOOD.replace("role: quasi", "role: quasi, role: class"),
                "line 3: the entry 'role' appears twice",
            ),
            (GOOD.replace("age.csv", "{x: [1], x: [2]}"), "line 3: the entry 'x' appears twice"),
        ],
    )
    def test_entries_that_stand_twice(self, refusal, content, words):
        assert refusal(content).startswith(f"study.yaml, {words}")

    @pytest.mark.parametrize(
        ("content", "line"),
        [
            ("table: [\nattributes: {\n", 3),
            ("table: people.csv\nattributes:\n\tage: x\n", 3),
            ("table: a: b\n", 1),
            ("table: 'people.csv\n", 2),
            (GOOD.replace("age.csv", "*nowhere"), 3),
            (GOOD + "---\ntable: x\n", 4),
            (GOOD + "  z\x01p: {role: class}\n", 4),
            (GOOD + "\0", 4),
            ("%YAML 9.0\n---\na: b\n", 1),
        ],
    )
    def test_what_is_no_yaml(self, refusal, content, line):
        assert refusal(content).startswith(f"study.yaml, line {line}: not YAML: ")

    @pytest.mark.parametrize("needed", ["table", "attributes"])
    def test_a_missing_entry(self, refusal, needed):
        other = "table: people.csv\n" if needed == "attributes" else "attributes: {}\n"
        assert refusal(other).startswith(f"study.yaml: the entry {needed} is missing")

    @pytest.mark.parametrize("table", ["", "[a]", "''"])
    def test_a_table_that_is_no_path(self, refusal, table):
        message = refusal(GOOD.replace("people.csv", table))
        assert message == (
            "study.yaml, line 1: table is a file's path, or a mapping with engine, url and table"
        )

    @pytest.mark.parametrize("entry", ["people.csv", "age.csv"])
    def test_files_that_are_not_there(self, refusal, entry):
        assert refusal(GOOD.replace(entry, "no.csv")) == "no.csv: no such file; check the path"

    @pytest.mark.parametrize("entry", ["people.csv", "age.csv"])
    def test_a_nul_in_a_path(self, refusal, entry):
        assert "cannot be read" in refusal(GOOD.replace(entry, '"a\\0.csv"'))

    @pytest.mark.parametrize("given", ["", "[a]", "null", "~", "''"])
    def test_a_hierarchy_that_is_none(self, refusal, given):
        message = refusal(GOOD.replace("age.csv", given))
        assert message.startswith("study.yaml, line 3: a hierarchy is the path of a file, or a mapping")

    @pytest.mark.parametrize(
        "given", ["-1", "1.5", "one", "", "[1]", "null", "{a: 1}", "9" * 5000, "١", "true", "0x1", "1e1"]
    )
    @pytest.mark.parametrize("entry", ["min_level", "max_level"])
    def test_levels_that_are_no_numbers(self, refusal, entry, given):
        message = refusal(GOOD.replace("age.csv", f"age.csv, {entry}: {given}"))
        assert message.startswith("study.yaml, line 3: a level is a whole number from 0 on, not ")
        assert len(message) < 200

    @pytest.mark.parametrize(
        ("levels", "words"),
        [
            ("max_level: 2", "max_level 2 of 'age' is above the root, level 1"),
            ("max_level: 999999999", "max_level 999999999 of 'age' is above the root, level 1"),
            ("min_level: 2", "min_level 2 of 'age' is not between 0 and 1"),
            ("min_level: 1, max_level: 0", "min_level 1 of 'age' is not between 0 and 0"),
        ],
    )
    def test_levels_that_are_not_there(self, refusal, levels, words):
        message = refusal(GOOD.replace("age.csv", f"age.csv, {levels}"))
        assert message == f"study.yaml, line 3: {words}"

    @pytest.mark.parametrize("given", ["two", "", "[1]", "null", "nan", "1e9999", "1/0", "true"])
    def test_weights_that_are_no_numbers(self, refusal, given):
        message = refusal(GOOD.replace("age.csv", f"age.csv, weight: {given}"))
        assert message.startswith("study.yaml, line 3: a weight is a number such as 2 or 0.5, not ")

    @pytest.mark.parametrize("given", ["-1", "-0.1", "1000000.5", "1e99"])
    def test_weights_out_of_range(self, refusal, given):
        message = refusal(GOOD.replace("age.csv", f"age.csv, weight: {given}"))
        assert message == f"study.yaml, line 3: a weight of {given}; use 0 to 1,000,000"

    def test_weights_that_weigh_nothing(self, refusal):
        message = refusal(GOOD.replace("age.csv", "age.csv, weight: 0"))
        assert message == "study.yaml: every quasi column weighs 0; give one a weight above 0"

    def test_a_weight_of_a_column_that_is_not_quasi(self, refusal):
        message = refusal(GOOD + "  zip: {role: sensitive, weight: 2}\n")
        assert message == "study.yaml, line 4: the column 'zip' has a weight, but is not quasi"

    @pytest.mark.parametrize("role", ["role: , ", "role: [], ", ""])
    def test_a_column_without_a_role(self, refusal, role):
        message = refusal(GOOD.replace("role: quasi, ", role) + "  zip: {role: quasi, hierarchy: x}\n")
        assert message.startswith("study.yaml, line 3: the column 'age' has no role; give it one of ")

    @pytest.mark.parametrize("role", ["{a: b}", "[[quasi]]", "null", "5"])
    def test_a_role_that_is_none(self, refusal, role):
        message = refusal(GOOD.replace("role: quasi", f"role: {role}"))
        assert message.startswith("study.yaml, line 3: unknown role ")

    def test_a_second_role_of_an_identifying_column(self, refusal):
        message = refusal(GOOD.replace("role: quasi", "role: [quasi, identifying]"))
        assert message == "study.yaml, line 3: the column 'age' is identifying, so it has no other role"

    def test_a_second_class_column(self, refusal):
        message = refusal(GOOD + "  zip: {role: class}\n  hours: {role: class}\n")
        assert message == "study.yaml, line 5: 'hours' is a second class column; only one is allowed"

    def test_no_quasi_column(self, refusal):
        message = refusal("table: people.csv\nattributes:\n  age: {role: class}\n")
        assert message.startswith("study.yaml: no column has the role quasi")

    def test_a_quasi_column_without_a_hierarchy(self, refusal):
        message = refusal(GOOD.replace(", hierarchy: age.csv", ""))
        assert message.startswith("study.yaml, line 3: the quasi column 'age' has no hierarchy")

    @pytest.mark.parametrize("given", ["quasi", "", "[quasi]"])
    def test_a_column_that_is_no_mapping(self, refusal, given):
        message = refusal(f"table: people.csv\nattributes:\n  age: {given}\n")
        assert message.startswith("study.yaml, line 3: the column 'age' is a mapping with role")

    @pytest.mark.parametrize("given", ["", " [age]", " age"])
    def test_attributes_that_are_no_mapping(self, refusal, given):
        message = refusal(f"table: people.csv\nattributes:{given}\n")
        assert message == "study.yaml, line 2: attributes is a mapping with one entry per column"

    @pytest.mark.parametrize(
        "content",
        [
            "? [a, b]\n: c\n",
            "table: people.csv\nattributes:\n  ? {a: b}\n  : {role: quasi}\n",
            GOOD.replace("age.csv", "{? [a, b] : c}"),
        ],
    )
    def test_a_name_that_is_no_text(self, refusal, content):
        assert "a name is plain text" in refusal(content)

    def test_a_merge_key(self, refusal):
        message = refusal(GOOD.replace("role: quasi", "<<: {role: quasi}"))
        assert message.startswith("study.yaml, line 3: unknown entry '<<' of the column 'age'")

    def test_a_hierarchy_that_is_part_of_itself(self, refusal):
        message = refusal(GOOD.replace("age.csv", "&h {x: *h}"))
        assert message.startswith("study.yaml, line 3: ")
        assert "nested too deeply" in message

    @pytest.mark.parametrize("deep", ["[" * 3000 + "]" * 3000, "{a: " * 1500 + "x" + "}" * 1500])
    def test_a_file_that_is_nested_without_end(self, refusal, deep):
        assert "nested too deeply" in refusal(GOOD.replace("age.csv", deep))

    def test_a_file_that_is_part_of_itself_where_nobody_looks(self, refusal):
        for cycle in ("&h [*h]", "&h {*h : x}", "&h {x: [y, *h]}"):
            for place in ("quasi", "age.csv", "people.csv"):
                assert "nested too deeply" in refusal(GOOD.replace(place, cycle))

    @pytest.mark.parametrize("place", ["age.csv", "quasi", "people.csv"])
    def test_one_long_text_that_aliases_repeat(self, refusal, place):
        many = ", ".join(["*a"] * 3000)
        assert "too large with all its aliases" in refusal(
            GOOD.replace(place, f"[&a {'x' * 3000}, {many}]", 1)
        )

    def test_aliases_in_names(self, refusal):
        lines = ["a0: &a0 [x]", *(f"a{i}: &a{i} {{? *a{i - 1} : *a{i - 1}}}" for i in range(1, 60))]
        message = refusal("table: people.csv\nattributes:\n  " + "\n  ".join(lines) + "\n")
        assert "too large with all its aliases" in message

    def test_aliases_that_repeat_a_little_are_fine(self, folder):
        text = GOOD.replace("age.csv", "&h {intervals: {widths: [5]}}")
        (folder / "study.yaml").write_text(text + "  zip: {role: quasi, hierarchy: *h}\n")
        given = read_study_file(folder / "study.yaml")
        assert given.attributes["zip"].hierarchy == given.attributes["age"].hierarchy

    def test_aliases_that_multiply_without_end(self, refusal):
        ten = [", ".join([f"*a{i - 1}" if i else "x"] * 10) for i in range(10)]
        lines = [f"      a{i}: &a{i} [{items}]" for i, items in enumerate(ten)]
        block = "table: people.csv\nattributes:\n  age:\n    role: quasi\n    hierarchy:\n"
        assert "too large" in refusal(block + "\n".join(lines) + "\n")

    def test_bytes_that_are_not_utf_8(self, refusal):
        assert refusal(b"table: people.csv\nattributes:\n  \xe9ge: {}\n").startswith(
            "study.yaml, line 3: not UTF-8 (byte 0xe9)"
        )

    def test_utf_16(self, refusal):
        assert refusal(GOOD.encode("utf-16")).startswith("study.yaml, line 1: not UTF-8")

    def test_no_such_study(self, folder):
        with pytest.raises(InputError, match=r"nope\.yaml: no such file"):
            Study.open(folder / "nope.yaml")

    def test_a_folder(self, folder):
        with pytest.raises(InputError, match="cannot be read: Is a directory"):
            Study.open(folder)

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ("{interval: {widths: [5]}}", "unknown description 'interval'; did you mean intervals?"),
            ("{intervals: {width: [5]}}", "unknown option 'width'; did you mean widths?"),
            ("{maks: {digits: 5}}", "unknown description 'maks'; did you mean mask?"),
            ("{x: ['1'], y: ['3']}", "no row for the value '2' of the column 'age' (1 rows); add it"),
        ],
    )
    def test_descriptions_that_do_not_fit(self, refusal, given, words):
        assert refusal(GOOD.replace("age.csv", given)) == f"study.yaml, the hierarchy of age: {words}"

    def test_a_value_that_the_hierarchy_lacks(self, refusal, folder):
        (folder / "age.csv").write_text("1;*\n")
        assert refusal(GOOD) == "age.csv: no row for the value '2' of the column 'age' (1 rows); add it"


@settings(max_examples=examples(100))
@given(st.text(st.sampled_from("{}[]:,-?!&*#|>'\"%@`~ \n\tab01é"), max_size=40) | st.binary(max_size=20))
def test_any_text_is_read_or_refused_with_its_file(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("studies") / "study.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=r"study\.yaml"):
        read_study_file(path)
