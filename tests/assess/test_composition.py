"""What two releases reveal together: by brute force over rows, and against the truth that rows forget."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from shoal.assess.composition import compare_releases, pairs
from shoal.assess.composition import comparing as compare
from shoal.cli.diff import diff
from shoal.errors import InputError
from tests.examples import examples

ORIGINALS = ("u", "v", "w", None)
RECORD = Path(__file__).parents[1] / "documents" / "goldens" / "record.json"
COLUMNS = ("x", "y", "illness", "job")


@dataclass
class Made:
    """A release as it was made: the rows with the number of their person, and what is known of it."""

    rows: list
    quasi: list
    sensitive: list
    columns: list
    mappings: dict | None
    by_groups: bool
    safe: bool = False
    combinations: tuple = ()

    def group(self, row):
        return tuple(row[1][name] for name in self.quasi)

    def meaning(self, column, label):
        """The originals that a label may stand for, None where that may be anything."""
        if label is None and column in self.sensitive:
            return None
        if column not in self.quasi:
            return {label}
        if self.mappings is None:
            return None
        known = {original for original, released in self.mappings[column] if released == label}
        return known or None

    def cell(self, value):
        """A cell as it is written, with an apostrophe before what a spreadsheet would run."""
        return f"'{value}" if self.safe and value == "=clerk" else value or ""

    def write(self, path, k):
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows([self.cell(row[name]) for name in self.columns] for _, row in self.rows)
        certificate = {
            "kind": "certificate", "quasi": self.quasi, "sensitive": self.sensitive,
            "columns": self.columns, "shoal": "0", "file": None, "sha256": None, "promise": {"k": k},
            "measured": {"rows": 0, "groups": 0, "k": k, "sensitive": {}},
        }  # fmt: skip
        path.with_name(path.name + ".certificate.json").write_text(json.dumps(certificate))
        if self.mappings is None:
            return
        if self.by_groups:
            members = defaultdict(set)
            for original, released in self.combinations:
                members[released].add(original)
            groups = [
                {"labels": dict(zip(self.quasi, labels, strict=True)), "combinations": list(inside)}
                for labels, inside in members.items()
            ]
            record = json.loads(RECORD.read_text())
            record["decision"].pop("node")
            record["decision"] |= {"attributes": self.quasi, "groups": groups}
            path.with_name(path.name + ".record.json").write_text(json.dumps(record))
            return
        folder = path.with_name(path.name + ".mappings")
        folder.mkdir()
        for name, known in self.mappings.items():
            with (folder / f"{name}.csv").open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(["original", "released"])
                writer.writerows([original or "", released or ""] for original, released in known)


@st.composite
def releases(draw, table):
    """A random release: some rows, some columns, arbitrary labels, some sensitive values blanked."""
    quasi = draw(st.sampled_from([["x", "y"], ["y", "x"], ["x"]]))
    left_out = draw(st.sampled_from([None, None, "illness", "job"]))
    columns = [name for name in COLUMNS if name != left_out]
    sensitive = [
        name for name in columns if name in draw(st.sampled_from([("illness",), ("illness", "job")]))
    ]
    labels = st.sampled_from(["*", "*", "u", "v", None])
    by_groups = draw(st.booleans())
    if by_groups:
        label_of = {
            combination: tuple(draw(labels) or "none" for _ in quasi)
            for combination in sorted({tuple(row[name] for name in quasi) for row in table}, key=str)
        }
    else:
        maps = {name: {original: draw(labels) for original in ORIGINALS} for name in quasi}
    rows = []
    for person, row in enumerate(table):
        if draw(st.integers(0, 5)) == 0:
            continue
        shown = {name: row[name] for name in columns}
        original = tuple(row[name] for name in quasi)
        if by_groups:
            shown.update(zip(quasi, label_of[original], strict=True))
        else:
            shown.update({name: maps[name][row[name]] for name in quasi})
        for name in sensitive:
            if draw(st.integers(0, 7)) == 0:
                shown[name] = None
        rows.append((person, shown))
    rows = draw(st.permutations(rows))
    if by_groups:
        mappings = {
            name: {(original[a], label[a]) for original, label in label_of.items()}
            for a, name in enumerate(quasi)
        }
    else:
        mappings = {name: set(known.items()) for name, known in maps.items()}
    if not by_groups and draw(st.booleans()):
        forgotten = draw(labels)
        mappings = {
            name: {pair for pair in known if pair[1] != forgotten} for name, known in mappings.items()
        }
    known = draw(st.integers(0, 4)) > 0
    combinations = tuple(label_of.items()) if by_groups else ()
    safe = draw(st.booleans())
    return Made(
        rows, quasi, sensitive, columns, mappings if known else None, by_groups, safe, combinations
    )


@st.composite
def tables(draw):
    row = st.fixed_dictionaries(
        {
            "x": st.sampled_from(["u", "u", *ORIGINALS]),
            "y": st.sampled_from(["u", "u", *ORIGINALS]),
            "illness": st.sampled_from(["flu", "cold", None]),
            "job": st.sampled_from(["cook", "=clerk"]),
        }
    )
    return draw(st.lists(row, min_size=1, max_size=12))


def agree(one, other, left, right):
    """Whether two rows may be the same person."""
    for name in one.columns:
        if name in other.columns:
            here, there = one.meaning(name, left[name]), other.meaning(name, right[name])
            if here is not None and there is not None and not here & there:
                return False
    return True


class Brute:
    """Everything from all pairs of rows."""

    def __init__(self, one, other, k):
        self.one, self.other, self.k = one, other, k
        self.agreeing = {
            (i, j)
            for (i, (_, left)), (j, (_, right)) in product(enumerate(one.rows), enumerate(other.rows))
            if agree(one, other, left, right)
        }
        self.rooms = self._rooms()

    def _rooms(self):
        """The most persons each pair of groups can hold, as the docstring says."""
        rooms = {}
        for i, j in self.agreeing:
            rooms[self.pair(i, j)] = None
        for a, b in rooms:
            sides = []
            for flip in (False, True):
                mine, theirs = (self.other, self.one) if flip else (self.one, self.other)
                mine_at, theirs_at = (b, a) if flip else (a, b)
                alike = defaultdict(list)
                for i, row in enumerate(mine.rows):
                    if mine.group(row) == mine_at:
                        alike[self.linked(mine, theirs, row)].append(i)
                room = 0
                for inside in alike.values():
                    i = inside[0]
                    there = sum(
                        theirs.group(row) == theirs_at and ((j, i) if flip else (i, j)) in self.agreeing
                        for j, row in enumerate(theirs.rows)
                    )
                    room += min(len(inside), there)
                sides.append(room)
            rooms[a, b] = min(sides)
        return rooms

    @staticmethod
    def linked(mine, theirs, row):
        return tuple(
            row[1][name] for name in mine.columns if name in theirs.columns or name in mine.quasi
        )

    def pair(self, i, j):
        return self.one.group(self.one.rows[i]), self.other.group(self.other.rows[j])

    def secret(self, i, j, name):
        """What a pair of rows says of a sensitive column: a value, or None for any."""
        shown = {
            side.rows[at][1][name]
            for side, at in ((self.one, i), (self.other, j))
            if name in side.columns and name not in side.quasi
        }
        return next((value for value in shown if value is not None), None)

    def view(self, flip):
        mine = self.other if flip else self.one
        candidates, groups = Counter(), defaultdict(set)
        for i, j in self.agreeing:
            candidates[j if flip else i] += 1
            groups[j if flip else i].add(self.pair(i, j))
        n = range(len(mine.rows))
        return {
            "rows": len(mine.rows),
            "groups": len({mine.group(row) for row in mine.rows}),
            "unmatched": sum(candidates[i] == 0 for i in n),
            "linked_once": sum(candidates[i] == 1 for i in n),
            "below_k_candidates": sum(0 < candidates[i] < self.k for i in n),
            "fewest": min(candidates.values(), default=0),
            "exposed": sum(
                bool(groups[i]) and all(self.rooms[pair] < self.k for pair in groups[i]) for i in n
            ),
        }

    def missing(self, flip):
        """Rows in blocks of which the other release has fewer: blocks by labels that go together at all."""
        keys = [[[] for _ in side.rows] for side in (self.one, self.other)]
        for name in self.one.columns:
            if name not in self.other.columns:
                continue
            nodes = [("one", label) for label in {row[name] for _, row in self.one.rows}]
            nodes += [("other", label) for label in {row[name] for _, row in self.other.rows}]
            part = {node: {node} for node in nodes}
            for (here, left), (there, right) in product(nodes, nodes):
                if (here, there) != ("one", "other"):
                    continue
                a, b = self.one.meaning(name, left), self.other.meaning(name, right)
                if a is None or b is None or a & b:
                    merged = part["one", left] | part["other", right]
                    for node in merged:
                        part[node] = merged
            for side, word, found in ((self.one, "one", keys[0]), (self.other, "other", keys[1])):
                for i, (_, row) in enumerate(side.rows):
                    found[i].append(frozenset(part[word, row[name]]))
        counts = [Counter(map(tuple, found)) for found in keys]
        mine, theirs = reversed(counts) if flip else counts
        return sum(max(rows - theirs[block], 0) for block, rows in mine.items())

    def pinned(self, name):
        left = defaultdict(set)
        for i, j in self.agreeing:
            left[self.pair(i, j)].add(self.secret(i, j, name))
        single = {pair for pair, values in left.items() if len(values) == 1 and None not in values}
        newly = {
            (a, b)
            for a, b in single
            if not (self.alone(self.one, a, name) or self.alone(self.other, b, name))
        }
        rows = []
        for flip, side in ((False, self.one), (True, self.other)):
            groups = defaultdict(set)
            for i, j in self.agreeing:
                groups[j if flip else i].add(self.pair(i, j))
            rows.append(sum(groups[i] <= newly for i in range(len(side.rows)) if groups[i]))
        return len(single), len(newly), *rows

    @staticmethod
    def alone(side, group, name):
        if name not in side.columns or name in side.quasi:
            return False
        values = {row[1][name] for row in side.rows if side.group(row) == group}
        return len(values) == 1 and None not in values


def compared(one, other, k):
    with TemporaryDirectory() as folder:
        paths = Path(folder) / "one.csv", Path(folder) / "other.csv"
        for side, path in zip((one, other), paths, strict=True):
            side.write(path, k)
        return compare_releases(*paths)


@settings(max_examples=examples(100))
@given(data=st.data(), table=tables(), k=st.sampled_from([1, 2, 3, 100]))
def test_every_figure_is_that_of_all_pairs_of_rows_and_no_truth_contradicts_it(data, table, k):
    one, other = data.draw(releases(table)), data.draw(releases(table))
    brute = Brute(one, other, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare, "MOST_EXAMPLES", 1000)
        found = compared(one, other, k)
    assert found.k == k
    assert found.examined
    for flip, view in ((False, found.one), (True, found.other)):
        expected = brute.view(flip) | {"missing_there": brute.missing(flip)}
        assert {name: getattr(view, name) for name in expected} == expected
    rooms = brute.rooms.values()
    assert found.intersections.pairs == len(rooms)
    assert found.intersections.below_k == sum(room < k for room in rooms)
    assert found.intersections.smallest == min(rooms, default=0)
    assert {
        (tuple(example.one.values()), tuple(example.other.values())): example.at_most
        for example in found.examples
    } == {pair: room for pair, room in brute.rooms.items() if room < k}
    for pinned in found.pinned:
        figures = (pinned.pairs, pinned.newly, pinned.one_rows, pinned.other_rows)
        assert figures == brute.pinned(pinned.column)

    # The truth: which rows are the same person, which no release tells.
    at = {person: j for j, (person, _) in enumerate(other.rows)}
    both = [(i, at[person]) for i, (person, _) in enumerate(one.rows) if person in at]
    assert all(pair in brute.agreeing for pair in both)
    truth = Counter(brute.pair(i, j) for i, j in both)
    assert all(people <= brute.rooms[pair] for pair, people in truth.items())
    assert found.one.missing_there <= len(one.rows) - len(both)
    assert found.other.missing_there <= len(other.rows) - len(both)


@settings(max_examples=examples(20))
@given(data=st.data(), table=tables(), k=st.integers(1, 4))
def test_small_chunks_change_nothing(data, table, k):
    one, other = data.draw(releases(table)), data.draw(releases(table))
    whole = compared(one, other, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "CHUNK", 2)
        chunked = compared(one, other, k)
    for name in ("columns", "intersections", "pinned", "examples"):
        assert getattr(whole, name) == getattr(chunked, name)
    assert (whole.one.exposed, whole.other.fewest) == (chunked.one.exposed, chunked.other.fewest)


@settings(max_examples=examples(20))
@given(data=st.data(), table=tables(), k=st.integers(1, 4))
def test_where_pairs_are_too_many_the_candidates_are_an_upper_bound_and_said_so(data, table, k):
    one, other = data.draw(releases(table)), data.draw(releases(table))
    whole = compared(one, other, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare, "MOST_PAIRS", -1)
        rough = compared(one, other, k)
    assert not rough.examined
    assert (rough.intersections, rough.pinned, rough.one.exposed) == (None, None, None)
    assert rough.one.missing_there == whole.one.missing_there
    assert rough.one.unmatched <= whole.one.unmatched
    assert rough.one.below_k_candidates <= whole.one.below_k_candidates + whole.one.unmatched
    assert any("too many pairs" in sentence for sentence in rough.sentences())


@settings(max_examples=examples(30))
@given(data=st.data(), table=tables())
def test_a_release_compared_with_itself_reveals_nothing_new(data, table):
    one = data.draw(releases(table))
    sizes = Counter(one.group(row) for row in one.rows)
    k = min(sizes.values(), default=1)
    found = compared(one, one, k)
    assert (found.one.unmatched, found.one.missing_there) == (0, 0)
    assert found.same_rows
    assert found.harmless
    if not one.by_groups and all(
        one.meaning(name, row[name]) is not None for name in one.quasi for _, row in one.rows
    ):
        assert found.intersections.below_k == 0


@pytest.fixture
def overlapping(tmp_path):
    """Two groups whose labels overlap: the age 32 may be in either."""
    text = "age,illness\n31-32,flu\n31-32,cold\n32-33,flu\n32-33,ulcer\n"
    means = {"age": (("31", "31-32"), ("32", "31-32"), ("32", "32-33"), ("33", "32-33"))}
    paths = []
    for name in ("one.csv", "again.csv"):
        path = write(tmp_path, name, text, ["age"], {})
        rows = "".join(f"{original},{released}\n" for original, released in means["age"])
        (tmp_path / f"{name}.mappings" / "age.csv").write_text(f"original,released\n{rows}")
        paths.append(path)
    return paths


def test_small_pairs_of_different_groups_are_no_finding_if_both_have_the_same_rows(run, overlapping):
    document = json.loads(run(*overlapping, "--json").stdout)
    assert document["intersections"] == {"pairs": 4, "below_k": 2, "smallest": 1}
    assert document["pinned"][0]["newly"] == 2
    assert document["same_rows"]
    said = " ".join(document["sentences"])
    assert "the two reveal nothing that one alone does not: 2 of 4 pairs of groups" in said
    assert "neither release reveals alone" not in said
    assert "Nothing was found" in said
    assert "persons at most" not in run(*overlapping).stdout
    assert "are exposed" in run(*overlapping, "--k", "3").stdout
    assert "Nothing was found" not in run(*overlapping, "--k", "3").stdout


@pytest.mark.parametrize("what", ["a row", "a meaning", "a column of its own"])
def test_small_pairs_are_told_if_anything_differs(run, overlapping, what):
    one, again = overlapping
    if what == "a row":
        again.write_text(again.read_text().replace("ulcer", "cold"))
    elif what == "a meaning":
        mapping = again.with_name("again.csv.mappings") / "age.csv"
        mapping.write_text(mapping.read_text().replace("33,32-33", "34,32-33"))
    else:
        again.write_text(
            "\n".join(f"{line},{n}" for n, line in enumerate(again.read_text().splitlines()))
        )
    document = json.loads(run(one, again, "--json").stdout)
    assert not document["same_rows"]
    assert any(
        "fewer than k = 2 persons, the smallest at most 1" in said for said in document["sentences"]
    )


def write(folder, name, text, quasi, mappings, k=2):
    path = folder / name
    path.write_text(text)
    columns = text.splitlines()[0].split(",")
    document = {
        "kind": "certificate", "quasi": quasi, "sensitive": ["illness"], "columns": columns,
        "shoal": "0", "file": None, "sha256": None, "promise": {"k": k},
            "measured": {"rows": 0, "groups": 0, "k": k, "sensitive": {}},
    }  # fmt: skip
    path.with_name(name + ".certificate.json").write_text(json.dumps(document))
    folder = path.with_name(name + ".mappings")
    folder.mkdir()
    for column, pairs_ in mappings.items():
        rows = "".join(f"{original},{released}\n" for original, released in pairs_.items())
        (folder / f"{column}.csv").write_text("original,released\n" + rows)
    return path


@pytest.fixture
def two(tmp_path):
    """Four persons, (age, town) each once: one release keeps the ages, the other the towns."""
    ages = {"31": "3x", "32": "3x", "41": "4x", "42": "4x"}
    one = write(
        tmp_path, "one.csv", "age,town,illness\n3x,*,flu\n3x,*,cold\n4x,*,flu\n4x,*,cold\n",
        ["age", "town"], {"age": ages, "town": {"A": "*", "B": "*"}},
    )  # fmt: skip
    other = write(
        tmp_path, "other.csv", "age,town,illness\n*,A,flu\n*,A,cold\n*,B,flu\n*,B,cold\n",
        ["age", "town"], {"age": dict.fromkeys(ages, "*"), "town": {"A": "A", "B": "B"}},
    )  # fmt: skip
    return one, other


@pytest.fixture
def run():
    app = typer.Typer()
    app.command()(diff)

    def call(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return call


def test_the_command_prints_one_document(run, two):
    answer = run(*two, "--json")
    assert answer.exit_code == 0
    document = json.loads(answer.stdout)
    assert document["k"] == 2
    assert document["columns"] == {
        "age": "finer in the first", "town": "finer in the second", "illness": "untouched",
    }  # fmt: skip
    assert document["intersections"] == {"pairs": 4, "below_k": 0, "smallest": 2}


def test_the_command_tells_people_what_it_found(run, two):
    shown = run(*two, "--k", "3").stdout
    assert "4 of 4 rows of the first release are exposed" in shown
    assert "finer in the second" in shown
    assert "3x, *" in shown


def test_a_label_that_no_mapping_explains_may_be_anybody(run, two):
    for path in (two[1].with_name("other.csv.mappings")).iterdir():
        path.unlink()
    document = json.loads(run(*two, "--json").stdout)
    assert document["columns"]["town"] == "unknown"
    assert any("no mappings beside" in sentence for sentence in document["sentences"])


def test_releases_without_a_common_column_cannot_be_compared(run, two, tmp_path):
    """Without one, every row may be anybody's: nobody is missing, nothing is known."""
    strange = write(
        tmp_path, "cars.csv", "wheels,colour\n4,red\n4,red\n", ["wheels"], {"wheels": {"4": "4"}}
    )
    for pair in ((two[0], strange), (strange, two[0])):
        refused = run(*pair)
        assert isinstance(refused.exception, InputError)
        assert refused.exception.exit_status == 2
        assert "no column in common" in str(refused.exception)
        assert "cannot be compared" in str(refused.exception)


def test_a_common_column_that_is_quasi_in_neither_still_links(run, tmp_path):
    one = write(tmp_path, "a.csv", "age,illness\n3x,cook\n3x,clerk\n", ["age"], {"age": {"31": "3x"}})
    other = write(tmp_path, "b.csv", "town,illness\nA,cook\nA,smith\n", ["town"], {"town": {"A": "A"}})
    document = json.loads(run(one, other, "--json").stdout)
    assert document["columns"] == {"illness": "untouched"}
    assert document["one"]["missing_there"] == document["other"]["missing_there"] == 1


def test_releases_of_different_persons_are_told_as_such_and_not_as_missing(run, tmp_path):
    one = write(tmp_path, "a.csv", "age,illness\n3x,cook\n3x,clerk\n", ["age"], {"age": {"31": "3x"}})
    other = write(tmp_path, "b.csv", "age,illness\n4x,smith\n4x,nurse\n", ["age"], {"age": {"41": "4x"}})
    sentences = json.loads(run(one, other, "--json").stdout)["sentences"]
    assert any("different persons, or age, illness mean different things" in said for said in sentences)
    assert not any("missing" in said for said in sentences)


def test_what_cannot_be_compared_is_refused_in_a_line(run, two, tmp_path):
    assert "no such file" in str(run(two[0], tmp_path / "nowhere.csv").exception)
    two[1].with_name("other.csv.certificate.json").unlink()
    refused = run(*two)
    assert isinstance(refused.exception, InputError)
    assert "other.csv.certificate.json: no such file" in str(refused.exception)
    (two[0].with_name("one.csv.mappings") / "age.csv").write_text("a;b\n")
    two[1].with_name("other.csv.certificate.json").write_text(
        two[0].with_name("one.csv.certificate.json").read_text()
    )
    assert "this is not a mapping" in str(run(*two).exception)
    assert "--k is 0; use a whole number, 1 or more" in str(run(*two, "--k", "0").exception)
