"""What verification measures is what a plain count of the rows gives."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, fields
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study, verify
from shoal.answers.recoding import Decision, NodeRecoding
from shoal.describe.promise import Known, PopulationCounts, Promise, ShareLimits
from shoal.errors import InputError
from shoal.present.verdicts import told
from shoal.verification import verify_table
from shoal.verification.bucket_check import Columns
from shoal.verification.table_check import PARTS, verify_buckets
from tests.commands import shoal
from tests.examples import examples

cell = st.sampled_from(["a", "b", "c", None])
rows_of = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from("12"), cell), min_size=1, max_size=30
)


def spread(rows):
    """The fewest distinct values, the largest share and the largest distance, group by group."""
    groups = defaultdict(Counter)
    whole = Counter(value for *_, value in rows)
    for *key, value in rows:
        groups[tuple(key)][value] += 1
    distinct = min(sum(value is not None for value in counts) for counts in groups.values())
    shares, distances = [Fraction(0)], []
    for counts in groups.values():
        size = sum(counts.values())
        shares += [Fraction(n, size) for value, n in counts.items() if value is not None]
        distances.append(
            sum(abs(Fraction(counts[v], size) - Fraction(whole[v], len(rows))) for v in whole) / 2
        )
    return min(sum(c.values()) for c in groups.values()), distinct, max(shares), max(distances)


@settings(max_examples=examples(60))
@given(rows_of, st.integers(1, 5), st.integers(1, 3), st.fractions(0, 1), st.fractions(0, 1))
def test_every_promise_holds_exactly_where_a_plain_count_says_so(rows, k, l, theta, t):  # noqa: E741
    columns = zip("pqs", zip(*rows, strict=True), strict=True)
    table = pa.table({name: pa.array(column, pa.string()) for name, column in columns})
    smallest, distinct, largest, farthest = spread(rows)
    promise = Promise(k, l, {"s": ShareLimits(theta)}, {"s": t})
    verdict = verify_table(table, promise, ["p", "q"], ["s"])
    measured = verdict.measured
    assert (measured.k, measured.rows) == (smallest, len(rows))
    found = measured.sensitive["s"]
    assert (found.l, found.share, found.t) == (distinct, largest, farthest)
    broken = {failure.split(":")[0] for failure in verdict.failures}
    assert broken == {
        name
        for name, breaks in (
            ("k", smallest < k),
            ("l", distinct < l),
            ("theta", largest > theta),
            ("t", farthest > t),
        )
        if breaks
    }


cells_or_none = st.sampled_from(["a", "b", None])


@given(st.lists(st.tuples(cells_or_none, cells_or_none, cells_or_none), min_size=1, max_size=12))
def test_missing_values_that_are_like_any_other_are_measured_and_not_promised(rows):
    """Row by row, against the definition: two rows are alike where neither misses what the other has."""
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate("xyz")})
    like = [
        sum(
            all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))
            for other in rows
        )
        for one in rows
    ]
    found = verify(table, quasi="x,y,z", k=1, missing="wildcard")
    assert found.alike == min(like) >= found.measured.k
    assert told(found)["wildcard"] == {"k": min(like)}
    assert verify(table, quasi="x,y,z", k=1).alike is None
    # What is promised stays about equal values.
    assert verify(table, quasi="x,y,z", k=found.measured.k + 1, missing="wildcard").failures


@dataclass(frozen=True)
class WithMore(Promise):
    """A promise of tomorrow, with parts that nobody has taught verification to check."""

    gamma: int | None = None
    limits: dict[str, int] = field(default_factory=dict)


@pytest.mark.parametrize("more", [{"gamma": 3}, {"gamma": 0}, {"limits": {"ill": 2}}])
def test_a_part_of_a_promise_that_nothing_checks_is_not_taken_for_kept(more):
    table = pa.table({"zip": ["1", "1"], "ill": ["a", "b"]})
    name = next(iter(more))
    with pytest.raises(InputError, match=f"cannot check: {name}"):
        verify_table(table, WithMore(k=2, **more), ["zip"])
    with pytest.raises(InputError, match=f"cannot check: {name}"):
        verify_buckets(table, table, WithMore(k=2, **more), ["zip"], Columns("group", "ill", "rows"))
    assert not verify_table(table, WithMore(k=2), ["zip"]).failures
    # Nothing is on the list that promises do not have, so a part of another name is not let through.
    assert {part.name for part in fields(Promise)} == PARTS


@pytest.mark.parametrize(
    ("promise", "broken"),
    [
        (Promise(3), ["k"]),
        (Promise(l=2), ["l"]),
        (Promise(max_risk=Fraction(1, 3)), ["max risk"]),
        (Promise(k_map=4, population=PopulationCounts("p.csv", "", 3, {("1",): 3})), ["k-map"]),
        (Promise(theta={"s": ShareLimits(Fraction(1, 2))}), []),
    ],
)
def test_rows_alone_refute_what_no_persons_could_keep_either(promise, broken):
    table = pa.table({"q": ["1", "1"], "s": ["a", "a"]})
    failures = verify_table(table, promise, ["q"], ["s"], None).failures
    assert [failure.split(":")[0] for failure in failures] == broken


@pytest.mark.parametrize("half", [{"l": 2}, {"about": ["job"]}, {"l": 2, "about": []}])
def test_l_of_no_column_is_no_promise(half):
    with pytest.raises(InputError, match="name both"):
        Known.from_dict({"k": 2, "combinations": [["age"]], **half})


def test_the_command_says_nothing_of_distinct_values_where_a_group_has_none(tmp_path):
    (tmp_path / "t.csv").write_text("age,ill,job\n1,,a\n1,,b\n2,flu,a\n2,cold,b\n")
    with Study(tmp_path / "t.csv", quasi=["age"], sensitive=["ill", "job"]) as study:
        study.release(Decision(NodeRecoding({"age": 0}), Promise(2))).write(tmp_path / "out.csv")
    said = shoal("verify", tmp_path / "out.csv", cwd=tmp_path).stdout
    assert "  ill: no value is above 1/2 of the rows of a group; entropy" in said
    assert "  job: every group has 2 distinct values or more, none above 1/2 of its rows" in said
