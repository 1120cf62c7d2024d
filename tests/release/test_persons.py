"""Releases of studies that name persons: these are counted, and nothing released holds their key."""

from __future__ import annotations

import csv
import itertools
import json
import re
import stat
from collections import Counter
from contextlib import suppress
from datetime import date
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study, diff, remake, verify
from shoal import apply as apply_record
from shoal.answers.recoding import (
    CutRecoding,
    Decision,
    Group,
    GroupRecoding,
    NodeRecoding,
    Scheme,
)
from shoal.assess.composition.linked_persons import LinkedPersons
from shoal.describe.promise import Distance, DistanceKind, Presence, Promise, Recursive, ShareLimits
from shoal.documents.digests import digest
from shoal.errors import InputError, NoSolutionError, VerificationError
from shoal.verification import verify_table
from tests.examples import examples
from tests.release.persons import different, groups_of, shares, study_of, table_of, tables

KEY = ["clinic", "number"]
RECODINGS = (
    NodeRecoding({"town": 0, "sex": 0}),
    NodeRecoding({"town": 1, "sex": 0}),
    NodeRecoding({"town": 1, "sex": 1}),
    CutRecoding({"town": ("a", "b", "cd"), "sex": ("*",)}),
    GroupRecoding(
        ("town", "sex"),
        tuple(Group({"town": f"of {s}", "sex": s}, tuple((t, s) for t in "abcd")) for s in "fm"),
    ),
)
ROWS = [
    *(("x", str(i), "a", "f", ill, "2024-03-01") for i, ill in enumerate(["flu", "cold", "gout"])),
    *(("x", "0", "a", "f", "flu", "2024-05-01") for _ in range(4)),
    *(("y", "1", "b", "m", "flu", "2024-01-01") for _ in range(9)),
    *(("y", str(i), "b", "m", "cold", "2024-06-30") for i in (2, 3)),
    *(("z", str(i), "c", "m", "cold", "2024-06-30") for i in (2, 3)),
]
TABLE = table_of(ROWS)
THREE = Decision(NodeRecoding({"town": 0, "sex": 0}), Promise(k=3))


@settings(max_examples=examples(25), deadline=None)
@given(
    tables(), st.sampled_from(RECODINGS), st.integers(1, 4), st.sampled_from([None, "fresh", "stable"])
)
def test_exactly_the_groups_of_k_persons_are_released(table, recoding, k, pseudonyms):
    with study_of(table) as study:
        made = study.release(Decision(recoding, Promise(k=k)), pseudonyms=pseudonyms, seed=1)
        try:
            rows, verdict = made.verified_table()
        except NoSolutionError:
            rows = None
        treatment = made.treatment
    by_hand = [
        dict(zip(table.column_names, row, strict=True))
        for row in zip(*table.to_pydict().values(), strict=True)
    ]
    for row, labels in zip(by_hand, labels_of(by_hand, recoding), strict=True):
        row.update(labels)
    groups = groups_of(by_hand, ["town", "sex"], KEY)
    kept = {labels: people for labels, people in groups.items() if len(people) >= k}
    if rows is None:
        assert not kept
        return
    assert rows.column_names == ["town", "sex", "ill", "day"] + ["person"] * (pseudonyms is not None)
    released = [
        (*labels, r["ill"], r["day"])
        for labels, people in kept.items()
        for rs in people.values()
        for r in rs
    ]
    shown = Counter(tuple(row.values())[:4] for row in rows.to_pylist())
    assert shown == Counter(released)
    left = {person for people in kept.values() for person in people}
    assert treatment.persons == len({(r["clinic"], r["number"]) for r in by_hand})
    assert treatment.suppressed_persons == treatment.persons - len(left)
    assert verdict.measured.persons.count == len(left)
    assert verdict.measured.persons.k == min(map(len, kept.values()))
    assert verdict.measured.k == min(sum(map(len, people.values())) for people in kept.values())
    if pseudonyms is not None:
        # The same rows belong together, whoever they are about.
        by_name = groups_of(rows, [], ["person"])[()]
        truth = groups_of(
            [r | {"labels": labels} for labels, p in kept.items() for rs in p.values() for r in rs],
            [],
            KEY,
        )[()]
        together = Counter(
            frozenset(Counter((r["town"], r["sex"], r["ill"], r["day"]) for r in rs).items())
            for rs in by_name.values()
        )
        assert together == Counter(
            frozenset(Counter((*r["labels"], r["ill"], r["day"]) for r in rs).items())
            for rs in truth.values()
        )


HALF = Fraction(1, 2)
PROMISES = {
    "l": Promise(2, 2),
    "theta": Promise(2, theta={"ill": ShareLimits(HALF)}),
    "theta by name": Promise(theta={"ill": ShareLimits(None, {"flu": Fraction(1, 3)})}),
    "t": Promise(t={"ill": Fraction(2, 5)}),
    "t in order": Promise(
        t={"ill": Fraction(1, 3)},
        distances={"ill": Distance(DistanceKind.ORDERED, order=("gout", "flu", "cold"))},
    ),
    "entropy": Promise(entropy={"ill": Fraction(3, 2)}),
    "recursive": Promise(recursive={"ill": Recursive(Fraction(3, 2), 2)}),
}


@pytest.mark.parametrize("name", PROMISES)
@settings(max_examples=12, deadline=None)
@given(
    tables(), st.sampled_from(RECODINGS), st.sampled_from([Scheme.ALL_REC, Scheme.ALL_SA, Scheme.VIO_SA])
)
def test_what_the_tally_keeps_verification_finds_kept(name, table, recoding, scheme):
    """Two counts that share no code: no release is refused by its verification, whatever is promised."""
    with study_of(table) as study, suppress(NoSolutionError, InputError):
        made = study.release(Decision(recoding, PROMISES[name], scheme))
        rows, verdict = made.verified_table()
        assert verdict.holds
        assert made.treatment.suppressed_rows == len(table) - len(rows)


def labels_of(rows, recoding):
    for row in rows:
        if isinstance(recoding, GroupRecoding):
            yield {"town": f"of {row['sex']}"}
        elif isinstance(recoding, CutRecoding):
            yield {"town": row["town"] if row["town"] in "ab" else "cd", "sex": "*"}
        else:
            towns = [row["town"], "ab" if row["town"] in "ab" else "cd"]
            yield {
                "town": towns[recoding.levels["town"]],
                "sex": "*" if recoding.levels["sex"] else row["sex"],
            }


@settings(max_examples=examples(40), deadline=None)
@given(tables())
def test_persons_are_measured_as_by_hand(table):
    promise = Promise(k=1)
    measured = verify_table(table, promise, ["town", "sex"], ["ill"], KEY).measured.persons
    groups = list(groups_of(table, ["town", "sex"], KEY).values())
    assert measured.count == len(set(zip(*(table[name].to_pylist() for name in KEY), strict=True)))
    assert measured.k == min(map(len, groups))
    spread = measured.sensitive["ill"]
    assert spread.l == min(different(people, "ill") for people in groups)
    named = [{v: s for v, s in shares(people, "ill").items() if v is not None} for people in groups]
    assert spread.share == max((s for one in named for s in one.values()), default=0)
    whole = shares(groups_of(table, [], KEY)[()], "ill")
    apart = [
        sum(abs(one.get(v, 0) - whole.get(v, 0)) for v in {*one, *whole}) / 2
        for one in (shares(people, "ill") for people in groups)
    ]
    assert spread.t == max(apart)


def test_weights_are_exact_however_many_rows_persons_have():
    counts = [1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43]
    rows = []
    for i, n in enumerate(counts):
        rows += [{"q": "g", "p": str(i), "s": "x" if j == 0 else "y"} for j in range(n)]
    found = verify_table(pa.Table.from_pylist(rows), Promise(k=15), ["q"], ["s"], ["p"])
    y = sum(Fraction(n - 1, n) for n in counts) / len(counts)
    assert found.holds
    assert found.measured.persons.sensitive["s"].share == max(y, 1 - y)


def test_values_of_different_persons_are_matched_along_paths():
    # Whatever the values are called: some who come first must move on for those who come later.
    for a, b, c, d in itertools.permutations("wxyz"):
        has = {"p": (a, b), "q": (b, c), "r": (a, b), "s": (c, d)}
        rows = [
            {"q": "g", "p": person, "s": value} for person, values in has.items() for value in values
        ]
        assert verify_table(pa.Table.from_pylist(rows), Promise(l=4), ["q"], ["s"], ["p"]).holds


def test_a_promise_about_persons_breaks_where_rows_would_keep_it():
    assert verify_table(TABLE, Promise(k=4), ["sex"], []).holds
    (failure,) = verify_table(TABLE, Promise(k=4), ["sex"], [], KEY).failures
    assert failure == "k: the group ('f') has 3 persons, fewer than 4"
    (failure,) = verify_table(TABLE, Promise(l=3), ["sex"], ["ill"], KEY).failures
    assert "has 2 distinct values of 'ill' of different persons, fewer than 3" in failure


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow"])
@pytest.mark.parametrize("pseudonyms", [None, "fresh"])
def test_nothing_that_is_written_holds_the_key(tmp_path, ending, pseudonyms):
    keys = [f"Key-{i:03}" for i in range(6)]
    rows = pa.table(
        {"id": [k for k in keys for _ in range(2)], "town": ["a"] * 12, "ill": ["flu", "cold"] * 6}
    )
    with Study(rows, quasi={"town": {"*": ["a", "b"]}}, sensitive="ill", persons="id") as study:
        decision = Decision(NodeRecoding({"town": 0}), Promise(k=3))
        study.release(decision, pseudonyms=pseudonyms).write(tmp_path / f"out.{ending}")
    texts = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(texts) == 8
    assert not any(b"Key-" in text for text in texts)
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def released(study, **options):
    return study.release(THREE, **options).table().to_pylist()


def test_fresh_names_are_others_in_every_release_and_in_another_order():
    with study_of(TABLE) as study:
        one, other = (released(study, pseudonyms="fresh", seed=5) for _ in range(2))
    assert not {row["person"] for row in one} & {row["person"] for row in other}
    assert [r["ill"] + r["day"] + r["town"] for r in one] != [
        r["ill"] + r["day"] + r["town"] for r in other
    ]
    assert all(re.fullmatch("[0-9a-f]{24}", row["person"]) for row in one)


def test_stable_names_are_the_same_under_one_secret_and_only_under_it(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("ab" * 32 + "\n")
    with study_of(TABLE) as study:
        one, other = (released(study, pseudonyms="stable", secret=secret, seed=s) for s in (1, 2))
        assert Counter(map(str, one)) == Counter(map(str, other))
        first = study.release(THREE, pseudonyms="stable").write(tmp_path / "one.csv")
        record = tmp_path / "one.csv.record.json"
        assert stat.S_IMODE(record.stat().st_mode) == 0o600
        assert (
            first.record["pseudonyms"]["secret"]
            not in (tmp_path / "one.csv.certificate.json").read_text()
        )
        again = released(study, pseudonyms="stable", secret=record)
    written = {line.rsplit(",", 1)[1] for line in (tmp_path / "one.csv").read_text().splitlines()[1:]}
    assert {row["person"] for row in again} == written
    assert not written & {row["person"] for row in one}


def test_what_is_no_secret_is_refused(tmp_path):
    def refusal(**options):
        with study_of(TABLE) as study, pytest.raises(InputError) as refused:
            study.release(THREE, **options)
        return str(refused.value)

    bad = tmp_path / "bad"
    bad.write_text("12345")
    assert "holds no secret of stable pseudonyms" in refusal(pseudonyms="stable", secret=bad)
    assert "cannot be read" in refusal(pseudonyms="stable", secret=tmp_path / "none")
    assert "a secret is for stable pseudonyms" in refusal(pseudonyms="fresh", secret=bad)
    assert "fresh or stable" in refusal(pseudonyms="other")
    with study_of(TABLE) as study:
        study.release(THREE, pseudonyms="fresh").write(tmp_path / "one.csv")
    assert "holds no secret" in refusal(pseudonyms="stable", secret=tmp_path / "one.csv.record.json")
    with (
        Study(TABLE, quasi={"sex": {"*": ["f", "m"]}}) as study,
        pytest.raises(InputError, match="name the columns"),
    ):
        study.release(Decision(NodeRecoding({"sex": 0}), Promise(k=1)), pseudonyms="fresh")


def test_the_column_of_names_takes_no_name_that_is_there():
    table = TABLE.append_column("Person", TABLE["clinic"])
    with study_of(table) as study:
        assert study.release(THREE, pseudonyms="fresh").columns[-1] == "person_1"


def file_study(folder, rows=ROWS, more=""):
    lines = [",".join(("clinic", "number", "town", "sex", "ill", "day")), *(",".join(r) for r in rows)]
    (folder / "visits.csv").write_text("\n".join(lines) + "\n")
    (folder / "study.yaml").write_text(
        "table: visits.csv\npersons: [clinic, number]\nattributes:\n"
        "  town: {role: quasi, hierarchy: {'*': [a, b, c, d]}}\n"
        "  sex: {role: quasi, hierarchy: {'*': [f, m]}}\n"
        f"  ill: {{role: sensitive}}\n  day: {{role: insensitive{more}}}\n"
    )
    return Study.open(folder / "study.yaml")


@pytest.mark.parametrize("pseudonyms", [None, "fresh", "stable"])
def test_a_release_is_made_again_byte_for_byte(tmp_path, pseudonyms):
    with file_study(tmp_path) as study:
        study.release(THREE, pseudonyms=pseudonyms).write(tmp_path / "out.csv")
    again = remake(tmp_path / "out.csv.record.json", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    assert again.record.get("pseudonyms") == json.loads(
        (tmp_path / "out.csv.record.json").read_text()
    ).get("pseudonyms")


@pytest.mark.parametrize("pseudonyms", [None, "fresh", "stable"])
def test_verify_counts_persons_if_the_file_tells_them_and_says_if_not(tmp_path, pseudonyms):
    with file_study(tmp_path) as study:
        made = study.release(THREE, pseudonyms=pseudonyms).write(tmp_path / "out.csv")
    found = verify(tmp_path / "out.csv")
    assert found.holds
    assert made.certificate["measured"]["persons"] == {
        "count": 6,
        "k": 3,
        "sensitive": made.certificate["measured"]["persons"]["sensitive"],
    }
    if pseudonyms is None:
        assert found.persons is None
        assert found.measured.persons is None
        assert made.certificate["persons"]["column"] is None
        assert "counted by the publisher, and cannot be recounted" in made.certificate["persons"]["said"]
    else:
        assert found.measured.persons.to_dict() == made.certificate["measured"]["persons"]
    for page in ("public", "report"):
        text = (tmp_path / f"out.csv.{page}.html").read_text()
        assert ("cannot be recounted" in text) == (pseudonyms is None)
        assert "Every group has at least 3 persons" in text


@pytest.mark.parametrize("pseudonyms", [None, "fresh"])
def test_risks_and_populations_are_those_of_persons(tmp_path, pseudonyms):
    groups = (("x", "a", "f"), ("y", "b", "m"), ("z", "c", "m"))
    people = [(key, str(i), town, sex, None, None) for key, town, sex in groups for i in range(6)] * 3
    with study_of(TABLE, population=table_of(people)) as study:
        named = study.population().named
        assert named.rows == 18  # persons, who have three rows each
        limits = {"max_risk": Fraction(1, 3), "average_risk": Fraction(1, 3), "k_map": 6}
        promise = Promise(population=named, delta=Presence(Fraction(0), HALF), **limits)
        decision = Decision(NodeRecoding({"town": 0, "sex": 0}), promise)
        made = study.release(decision, pseudonyms=pseudonyms).write(tmp_path / "out.csv")
    figures = made.certificate["measured"]["persons"]
    assert figures["risk"] == {"highest": "1/3", "average": "1/3", "population_uniques": "0"}
    assert figures["population"] == {"smallest": 6, "lowest": "1/2", "highest": "1/2"}
    assert verify(tmp_path / "out.csv").holds


def damaged(folder, change):
    """Verify a release whose file and digest somebody changed alike."""
    path, paper = folder / "out.csv", folder / "out.csv.certificate.json"
    path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")
    document = json.loads(paper.read_text())
    document["sha256"] = digest(path)
    paper.write_text(json.dumps(document))
    return verify(path)


def test_verify_finds_a_person_that_was_taken_away(tmp_path):
    with file_study(tmp_path) as study:
        study.release(THREE, pseudonyms="fresh").write(tmp_path / "out.csv")

    def merged(lines):
        # Two of the three persons of one group.
        names = sorted({line.rsplit(",", 1)[1] for line in lines[1:] if line.startswith("b")})
        assert len(names) == 3
        return [line.replace(names[0], names[1]) for line in lines]

    found = damaged(tmp_path, merged)
    assert not found.holds
    assert any("persons, fewer than 3" in one for one in found.failures)


def test_verify_finds_too_few_rows_without_pseudonyms(tmp_path):
    with file_study(tmp_path) as study:
        study.release(THREE).write(tmp_path / "out.csv")
    found = damaged(tmp_path, lambda lines: [lines[0], *[x for x in lines[1:] if x.startswith("a")][:2]])
    assert any("2 rows, fewer than 3" in one for one in found.failures)


def test_new_rows_are_recoded_and_their_persons_counted(tmp_path):
    with file_study(tmp_path) as study:
        study.release(THREE, pseudonyms="stable").write(tmp_path / "out.csv")
    new = table_of([("x", str(i % 2), "a", "f", "flu", "2024-01-01") for i in range(8)] + list(ROWS[7:]))
    reused = apply_record(tmp_path / "out.csv.record.json", new, tmp_path / "new.csv")
    measured = reused.published.verdict.measured
    assert (measured.rows, measured.persons.count) == (11, 3)
    assert reused.published.record["suppressed"] == {"rows": 10, "values": 0, "persons": 4}

    def names(path):
        return {
            line.rsplit(",", 1)[1] for line in path.read_text().splitlines()[1:] if line.startswith("b")
        }

    assert names(tmp_path / "new.csv") == names(
        tmp_path / "out.csv"
    )  # the same persons, by the same secret
    # Fresh names are others, so that nobody can tell that new rows are about the same persons.
    with file_study(tmp_path) as study:
        study.release(THREE, pseudonyms="fresh").write(tmp_path / "fresh.csv")
    apply_record(tmp_path / "fresh.csv.record.json", new, tmp_path / "fresh-new.csv")
    assert not names(tmp_path / "fresh-new.csv") & names(tmp_path / "fresh.csv")


def test_rows_without_their_persons_are_not_released(tmp_path):
    """As if the engine wrote other rows than were counted, or the key too."""
    with study_of(TABLE) as study:
        made = study.release(THREE, seed=1)
        rows, verdict = made.verified_table()
        ill = rows.column_names.index("ill")
        for other in (
            rows.slice(1),
            rows.set_column(ill, "ill", pa.array(["flu"] * len(rows))),
            rows.append_column("number", pa.array(["1"] * len(rows))),
        ):
            with pytest.raises(VerificationError):
                made.check_same(other, verdict)
        made.check_same(rows, verdict)


def test_what_draws_single_rows_is_refused_for_persons():
    bottom = NodeRecoding({"town": 0, "sex": 0})
    with study_of(TABLE) as study:
        limited = Promise(k=3, theta={"ill": ShareLimits(HALF)})
        with pytest.raises(InputError, match="vioRec suppresses single rows"):
            study.release(Decision(bottom, limited, Scheme.VIO_REC)).table()


def test_anatomy_deals_rows_where_every_person_has_one(tmp_path):
    rows = pa.table(
        {"id": [f"Key-{i}" for i in range(6)], "town": ["a", "b"] * 3, "ill": ["x", "y", "z"] * 2}
    )
    with Study(rows, quasi={"town": {"*": ["a", "b"]}}, sensitive="ill", persons="id") as study:
        best = study.anonymize("anatomy", l=3)
        made = study.release(best, seed=1).write(tmp_path / "out.csv")
        assert made.verdict.measured.rows == 6
        assert verify(tmp_path / "out.csv").holds
        assert not any(b"Key-" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        with pytest.raises(InputError, match="pseudonyms would link nothing"):
            study.release(best, pseudonyms="fresh")


class TestTogether:
    """What two releases reveal together."""

    def both(self, folder, kind, other=None):
        with file_study(folder, more=", shift: {days: 5}") as study:
            study.release(THREE, pseudonyms=kind).write(folder / "one.csv")
            coarse = Decision(NodeRecoding({"town": 1, "sex": 0}), Promise(k=3))
            secret = folder / "one.csv.record.json" if kind == other == "stable" else None
            study.release(coarse, pseudonyms=other, secret=secret).write(folder / "two.csv")
        return diff(folder / "one.csv", folder / "two.csv")

    def test_stable_names_link_persons_and_are_counted_and_warned_of(self, tmp_path):
        found = self.both(tmp_path, "stable", "stable")
        people = {
            name: groups_of(read_csv(tmp_path / f"{name}.csv"), [], ["person"])[()]
            for name in ("one", "two")
        }
        pairs = Counter()
        for person in people["one"].keys() & people["two"].keys():
            sides = [
                {(row["town"], row["sex"]) for row in people[name][person]} for name in ("one", "two")
            ]
            pairs.update(itertools.product(*sides))
        assert found.persons == LinkedPersons(6, len(pairs), 0, min(pairs.values()), 0)
        assert (
            "pseudonyms under one secret: these put the rows of 6 persons together"
            in found.sentences()[0]
        )
        assert not found.harmless
        again = diff(tmp_path / "one.csv", tmp_path / "two.csv", k=4)
        assert (again.persons.below_k, again.persons.exposed) == (2, 6)

    def test_other_names_link_nobody_and_rows_are_counted_in_words(self, tmp_path):
        for i, (one, other) in enumerate((("fresh", "fresh"), ("stable", "fresh"), (None, "stable"))):
            (tmp_path / str(i)).mkdir()
            found = self.both(tmp_path / str(i), one, other)
            assert found.persons is None
            assert "what follows counts rows" in found.sentences()[0]
            assert {*found.columns} == {"town", "sex", "ill"}  # neither names nor shifted days
            assert not found.one.unmatched


def read_csv(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


class TestShift:
    def days(self, rows, column="day"):
        return [date.fromisoformat(row[column]) for row in rows]

    def test_dates_of_a_person_move_together_and_others_by_themselves(self):
        rows = [
            ("x", str(i), "a", "f", "flu", day)
            for i in range(40)
            for day in ("2024-02-28", "2024-03-01", "2023-12-31")
        ]
        with study_of(table_of(rows), shift={"day": 200}) as study:
            found = study.release(THREE, pseudonyms="fresh").table()
        drawn = set()
        for visits in groups_of(found, [], ["person"])[()].values():
            first, second, third = sorted(self.days(visits))
            assert ((second - first).days, (third - second).days) == (59, 2)
            moved = (first - date(2023, 12, 31)).days
            assert -200 <= moved <= 200
            drawn.add(moved)
        assert len(drawn) > 25  # 40 draws of 401 numbers
        assert min(drawn) < -100
        assert max(drawn) > 100

    def test_without_persons_each_row_moves_by_itself(self):
        table = pa.table({"sex": ["f"] * 60, "day": ["2024-02-28"] * 60})
        with Study(
            table, quasi={"sex": {"*": ["f", "m"]}}, insensitive="day", shift={"day": 30}
        ) as study:
            rows = study.release(Decision(NodeRecoding({"sex": 0}), Promise(k=3)), seed=1).table()
        moved = {(day - date(2024, 2, 28)).days for day in self.days(rows.to_pylist())}
        assert len(moved) > 25
        assert moved <= {*range(-30, 31)}

    @pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("us"), pa.string()])
    def test_types_missing_values_and_times_of_day_stay(self, kind):
        day = {"string": "2024-02-28T23:59:01Z"}.get(str(kind), "2024-02-28")
        table = pa.table(
            {
                "sex": ["f"] * 4,
                "id": list("1122"),
                "day": pa.array([day, None] * 2, pa.string()).cast(kind),
            }
        )
        with Study(
            table, quasi={"sex": {"*": ["f", "m"]}}, insensitive="day", persons="id", shift={"day": 9}
        ) as study:
            found = study.release(Decision(NodeRecoding({"sex": 0}), Promise(k=2))).table()
        assert found.schema.field("day").type == kind
        assert sorted(v is None for v in found["day"].to_pylist()) == [False, False, True, True]
        if kind == pa.string():
            assert all(
                v is None or re.fullmatch(r"2024-0[23]-\d\dT23:59:01Z", v)
                for v in found["day"].to_pylist()
            )

    def test_nobody_can_make_it_again_or_know_the_days(self, tmp_path):
        with file_study(tmp_path, more=", shift: {days: 180}") as study:
            made = study.release(THREE, seed=1).write(tmp_path / "out.csv")
        assert made.certificate["shifted"] == {"day": 180}
        assert made.record["attributes"]["day"]["shift"] == {"days": 180}
        assert "moved by up to 180 days" in (tmp_path / "out.csv.public.html").read_text()
        with pytest.raises(InputError, match="shifted by a secret that is kept nowhere"):
            remake(tmp_path / "out.csv.record.json", tmp_path / "again.csv")
        assert verify(tmp_path / "out.csv").holds
        reused = apply_record(
            tmp_path / "out.csv.record.json", tmp_path / "visits.csv", tmp_path / "new.csv"
        )
        assert reused.published.certificate["shifted"] == {"day": 180}

    def test_what_is_no_date_or_may_not_move_is_refused(self, tmp_path):
        with (
            file_study(
                tmp_path, [*ROWS, ("x", "1", "a", "f", "flu", "31.12.2024")], ", shift: {days: 3}"
            ) as study,
            pytest.raises(InputError, match=r"'31.12.2024' is none"),
        ):
            study.release(THREE).table()
        with pytest.raises(InputError, match=r"line 7.*a shift is written as"):
            file_study(tmp_path, more=", shift: {days: none}")
        with pytest.raises(InputError, match="for sensitive and insensitive dates"):
            study_of(TABLE, shift={"town": 4})
        with (
            study_of(TABLE, insensitive=(), sensitive=["ill", "day"], shift={"day": 4}) as study,
            pytest.raises(InputError, match="the promise is about 'day', whose dates are shifted"),
        ):
            study.release(Decision(NodeRecoding({"town": 0, "sex": 0}), Promise(l=2)))


def test_which_of_equal_rows_stay_depends_on_whose_they_are_not_on_their_places(tmp_path):
    """Quotas choose among rows that differ in nothing but the person: the key belongs to a row's name."""
    secret = tmp_path / "secret"
    secret.write_text("5" * 64)
    rows = [("x", str(i), "a", "f", "flu" if i < 9 else "cold", "2024-03-01") for i in range(12)]
    half = Promise(theta={"ill": ShareLimits(Fraction(1, 2))})
    decision = Decision(NodeRecoding({"town": 0, "sex": 0}), half, scheme=Scheme.VIO_REC)
    found = []
    for given_in in (rows, rows[::-1], rows[5:] + rows[:5]):
        with study_of(table_of(given_in)) as study:
            made = study.release(decision, pseudonyms="stable", secret=secret, seed=1)
            found.append(sorted(map(str, made.table().to_pylist())))
    assert len(found[0]) == 6
    assert found[0] == found[1] == found[2]
