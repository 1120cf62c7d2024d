"""A release keeps its promise, changes nothing it should not, and suppresses exactly what it must."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from itertools import product

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Study
from shoal.again import remake
from shoal.answers.recoding import CutRecoding, Decision, GroupRecoding, NodeRecoding, Scheme
from shoal.assess.utility.rows import deletion_chances
from shoal.describe.promise import Promise, ShareLimits
from shoal.errors import InputError, NoSolutionError
from shoal.recode.quotas import keep_most
from tests.examples import examples
from tests.release.cases import SHARES, cases, full, recodings, study_of, tables
from tests.search.cuts.oracle import most_rows


def label_of(recoding, names, trees, row, table):
    """The released labels of a row, by walking its hierarchy."""
    if isinstance(recoding, GroupRecoding):
        combination = tuple(row[name] for name in recoding.attributes)
        group = next(group for group in recoding.groups if combination in group.combinations)
        return tuple(group.labels[name] for name in names)
    labels = []
    for name in names:
        tree = full(trees[name], table[name].to_pylist())
        path = tree.row(tree.leaves.index(row[name]))
        if isinstance(recoding, NodeRecoding):
            labels.append(path[recoding.levels[name]])
        else:
            labels.append(next(label for label in path if label in recoding.labels[name]))
    return tuple(labels)


def violations(counts, size, limits):
    return [v for v, n in counts.items() if v and limits.of(v) is not None and n > limits.of(v) * size]


def most_kept(counts, limits):
    """Brute force: the largest m that is a sum of what the limits allow of m."""
    best = None
    for m in range(sum(counts.values()) + 1):
        kept = {
            v: n if v is None or limits.of(v) is None else min(n, int(limits.of(v) * m))
            for v, n in counts.items()
        }
        if sum(kept.values()) == m:
            best = kept
    return best


def expected(decision, classes):
    """For each class how many rows of each sensitive value are released, or None if not allowed."""
    promise, limits = decision.promise, decision.promise.theta["illness"]
    result = {}
    for labels, rows in classes.items():
        counts = Counter(row["illness"] for row in rows)
        small = len(rows) < (promise.k or 1)
        broken = violations(counts, len(rows), limits)
        if decision.scheme is Scheme.ALL_REC:
            result[labels] = Counter() if small or broken else counts
        elif decision.scheme is Scheme.VIO_REC:
            kept = Counter(most_kept(counts, limits))
            result[labels] = Counter() if sum(kept.values()) < (promise.k or 1) else +kept
        elif small or (broken and decision.scheme is Scheme.NO_SUPP):
            return None
        elif decision.scheme is Scheme.ALL_SA and broken:
            result[labels] = Counter({None: len(rows)})
        else:
            result[labels] = Counter()
            for value, n in counts.items():
                result[labels][None if value in broken else value] += n
    return {labels: +counts for labels, counts in result.items() if +counts}


@settings(max_examples=examples(120))
@given(cases(), st.integers(0, 3))
def test_every_decision_releases_exactly_what_its_definition_says(case, seed):
    table, trees, decision = case
    names = tuple(trees)
    originals = {row["id"]: row for row in table.to_pylist()}
    classes = defaultdict(list)
    for row in originals.values():
        classes[label_of(decision.recoding, names, trees, row, table)].append(row)
    truth = expected(decision, classes)
    with study_of(table, trees) as study:
        if truth is None:
            with pytest.raises(InputError):
                study.release(decision, seed=seed).table()
            return
        if not truth:
            with pytest.raises(NoSolutionError):
                study.release(decision, seed=seed).table()
            return
        made = study.release(decision, seed=seed)
        released = made.table().to_pylist()
        again = study.release(decision, seed=seed).table().to_pylist()
    assert released == again
    found = defaultdict(Counter)
    for row in released:
        original = originals[row["id"]]
        labels = tuple(row[name] for name in names)
        assert labels == label_of(decision.recoding, names, trees, original, table)
        assert "name" not in row
        assert row["outcome"] == original["outcome"]
        assert row["illness"] in (original["illness"], None)
        found[labels][row["illness"]] += 1
    assert found == truth
    assert len({row["id"] for row in released}) == len(released)
    assert made.treatment.suppressed_rows == len(originals) - len(released)
    blanked = sum(
        row["illness"] is None and originals[row["id"]]["illness"] is not None for row in released
    )
    assert made.treatment.suppressed_values == blanked
    if decision.scheme is Scheme.VIO_REC and decision.metric == "CM":
        assert_fewest_minority_rows(classes, released, originals, names)


@settings(max_examples=examples(30))
@given(tables(20), st.data())
def test_of_several_columns_the_most_rows_stay_that_respect_every_limit(case, data):
    table, trees = case
    extra = ["job", "pet"][: data.draw(st.integers(1, 2))]
    for name in extra:
        values = data.draw(st.lists(st.sampled_from("xyz"), min_size=len(table), max_size=len(table)))
        table = table.append_column(name, pa.array(values, pa.string()))
    columns = ("illness", *extra)
    limits = {name: ShareLimits(data.draw(SHARES | st.none())) for name in columns}
    k = data.draw(st.none() | st.integers(1, 3))
    recoding = data.draw(recodings(table, trees))
    decision = Decision(recoding, Promise(k, None, limits), Scheme.VIO_REC, "LM")
    classes = defaultdict(list)
    for row in table.to_pylist():
        classes[label_of(recoding, tuple(trees), trees, row, table)].append(row)
    truth = {}
    for labels, rows in classes.items():
        counts = Counter(tuple(row[name] for name in columns) for row in rows)
        shares = [{t[c]: limits[name].of(t[c]) for t in counts} for c, name in enumerate(columns)]
        truth[labels] = sum(most_rows(shares, list(counts), list(counts.values())))
    truth = {labels: n for labels, n in truth.items() if n >= (k or 1)}
    study = Study(table, quasi=trees, sensitive=columns, insensitive=("id", "outcome"))
    with study:
        made = study.release(decision, seed=7)
        if not truth:
            with pytest.raises(NoSolutionError):
                made.table()
            return
        released = made.table().to_pylist()
        assert released == study.release(decision, seed=7).table().to_pylist()
        chances = deletion_chances(made.treatment, made.tally)
    found = Counter(tuple(row[name] for name in trees) for row in released)
    assert found == truth
    for labels, n in found.items():
        for name in columns:
            own = Counter(row[name] for row in released if tuple(row[q] for q in trees) == labels)
            assert all(limits[name].of(v) is None or m <= limits[name].of(v) * n for v, m in own.items())
    assert made.treatment.suppressed_rows == len(table) - len(released)
    assert float((chances * made.tally.cell_counts).sum()) == pytest.approx(len(table) - len(released))


def assert_fewest_minority_rows(classes, released, originals, names):
    """Of all ways to keep as many rows of each value, none leaves fewer minority rows."""
    kept = defaultdict(list)
    for row in released:
        kept[tuple(row[name] for name in names)].append(originals[row["id"]])
    for labels, rows in kept.items():
        quota = Counter(row["illness"] for row in rows)
        got = len(rows) - max(Counter(row["outcome"] for row in rows).values())
        spread = Counter((row["illness"], row["outcome"]) for row in classes[labels])
        options = []
        for illness, n in quota.items():
            well = spread[illness, "well"]
            ill = spread[illness, "ill"]
            options.append([(w, n - w) for w in range(max(0, n - ill), min(well, n) + 1)])
        least = min(
            min(sum(w for w, _ in choice), sum(i for _, i in choice)) for choice in product(*options)
        )
        assert got == least


@given(tables(), st.integers(0, 99))
def test_the_seed_draws_the_order_and_nothing_else(case, seed):
    table, trees = case
    decision = Decision(NodeRecoding(dict.fromkeys(trees, 0)), promise_nothing())
    with study_of(table, trees) as study:
        releases = [study.release(decision, seed=seed + i) for i in range(2)]
        found = [made.table()["id"].to_pylist() for made in releases]
    keys = [made.order_key for made in releases]
    assert keys[0] != keys[1]
    assert found == [by_number(table["id"].to_pylist(), key) for key in keys]


def by_number(rows, key):
    """Rows in the order that a key draws, where they are named by their number in the table."""
    drawn = {row: hashlib.md5(f"{key}:order:{n}".encode()).hexdigest() for n, row in enumerate(rows, 1)}
    return sorted(rows, key=drawn.__getitem__)


@pytest.mark.parametrize("old", [False, True])
def test_a_release_is_made_again_row_for_row_also_by_a_record_that_has_no_key(tmp_path, old):
    rows = [str(row) for row in range(40)]
    (tmp_path / "t.csv").write_text("zip,id\n" + "".join(f"{row:02},{row}\n" for row in range(40)))
    quasi = {"zip": {"mask": {"digits": 2}}}
    with Study(tmp_path / "t.csv", quasi=quasi, insensitive="id") as study:
        made = study.release({"node": {"zip": 1}, "k": 10}, seed=7).write(tmp_path / "out.csv")
    record = tmp_path / "out.csv.record.json"
    document = json.loads(record.read_text())
    key = document["order_key"]
    if old:
        key = document["seed"]
        del document["order_key"]
        record.write_text(json.dumps(document))
    first, second = (remake(record, tmp_path / name) for name in ("1.csv", "2.csv"))
    _, *lines = first.path.read_text().splitlines()
    assert [line.split(",")[1] for line in lines] == by_number(rows, key)
    assert first.path.read_bytes() == second.path.read_bytes()
    assert (first.path.read_bytes() == made.path.read_bytes()) is not old
    assert first.record["order_key"] == str(key)
    thrice = remake(tmp_path / "1.csv.record.json", tmp_path / "3.csv")
    assert thrice.path.read_bytes() == first.path.read_bytes()


def promise_nothing():
    from shoal.describe.promise import Promise

    return Promise(1)


@given(
    st.lists(st.integers(0, 8), min_size=1, max_size=4),
    st.data(),
)
def test_vio_rec_keeps_the_most_rows_that_the_limits_allow(counts, data):
    limit = st.none() | st.sampled_from([(1, 3), (1, 2), (1, 10), (3, 10), (0, 1), (1, 1)])
    limits = [data.draw(limit) for _ in counts]
    kept = keep_most(counts, limits)

    def allowed(total):
        return [
            n if pair is None else min(n, pair[0] * total // pair[1])
            for n, pair in zip(counts, limits, strict=True)
        ]

    largest = max(m for m in range(sum(counts) + 1) if sum(allowed(m)) == m)
    assert kept == allowed(largest)


def test_a_cut_that_leaves_a_value_out_or_covers_it_twice_is_refused():
    import pyarrow as pa

    from shoal import Hierarchy

    tree = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")])
    table = pa.table(
        {
            "name": ["n"] * 3,
            "id": ["1", "2", "3"],
            "q": ["a", "b", "c"],
            "illness": ["f"] * 3,
            "outcome": ["w"] * 3,
        }
    )
    with study_of(table, {"q": tree}) as study:
        for cut, what in ((("x",), "does not cover"), (("x", "a", "c"), "twice")):
            with pytest.raises(InputError, match=what):
                study.release(Decision(CutRecoding({"q": cut}), promise_nothing())).table()
