"""Certificate, codebook and public page follow from the released rows and from what is public anyway.

Suppressed rows are changed in every way that leaves the released ones as they are: nothing that the public
reads may change with them.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

from shoal import Study
from shoal.answers.recoding import CutRecoding, Decision, Group, GroupRecoding, NodeRecoding, Scheme
from shoal.describe.hierarchies import Hierarchy
from shoal.describe.promise import Distance, DistanceKind, Presence, Promise, Recursive, ShareLimits
from shoal.errors import ShoalError, VerificationError
from shoal.present.report.facts import certified_facts
from shoal.present.report.html import render_report
from shoal.release.papers.codebook_paper import codebook_of
from shoal.release.papers.documents import certificate
from shoal.verification import verify_table

TOWNS = Hierarchy.from_rows(
    [("a", "west", "*"), ("b", "west", "*"), ("c", "east", "*"), ("d", "south", "*")]
)
ILLS = ("1", "2", "3", "5", "=7")
TREE = (
    ("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*"), ("5", "high", "*"), ("=7", "=7", "*"),
)  # fmt: skip
PEOPLE = pa.table({"town": ["a", "b"] * 14 + ["c", "d"] * 4})
RUNS, HALF = 6, Fraction(1, 2)

PROMISES = {
    "k": Promise(4),
    "l": Promise(4, 2),
    "theta": Promise(4, theta={"ill": ShareLimits(Fraction(2, 3))}),
    "theta by name": Promise(
        4, theta={"ill": ShareLimits(Fraction(3, 4), {"5": HALF, "1": Fraction(2, 3), "=7": HALF})}
    ),
    "theta by name alone": Promise(4, theta={"ill": ShareLimits(None, {"3": HALF, "=7": Fraction(1)})}),
    "theta by frequency": Promise(4, theta={"ill": ShareLimits(Fraction(1, 2))}),
    "t": Promise(4, t={"ill": Fraction(1, 2)}),
    "t by numbers": Promise(4, t={"ill": HALF}, distances={"ill": Distance(DistanceKind.ORDERED)}),
    "t in an order": Promise(
        4,
        t={"ill": HALF},
        distances={"ill": Distance(DistanceKind.ORDERED, order=("3", "1", "5", "2", "=7"))},
    ),
    "t by a tree": Promise(
        4, t={"ill": HALF}, distances={"ill": Distance(DistanceKind.HIERARCHICAL, rows=TREE)}
    ),
    "entropy": Promise(4, entropy={"ill": Fraction(3, 2)}),
    "recursive": Promise(4, recursive={"ill": Recursive(Fraction(3), 2)}),
    "k-map": Promise(k_map=9),
    "delta": Promise(4, delta=Presence(Fraction(0), Fraction(1, 2))),
    "beta": Promise(4, beta={"ill": Fraction(3)}),
    "delta-disclosure": Promise(4, disclosure={"ill": Fraction(3)}),
    "max risk": Promise(max_risk=Fraction(1, 4)),
    "average risk": Promise(4, average_risk=Fraction(1, 4)),
    "risks of a sample": Promise(
        4, average_risk=HALF, population_uniques=HALF, sampling=Fraction(1, 20), max_risk=HALF
    ),
}


def study_of(rows):
    towns, ills = zip(*rows, strict=True)
    table = pa.table({"town": pa.array(towns, pa.string()), "ill": pa.array(ills, pa.string())})
    return Study(table, quasi={"town": TOWNS}, sensitive=["ill"], population=PEOPLE)


def asked(name, rows, study):
    """The promise for a table: limits by frequency are those of its own rows."""
    promise = PROMISES[name]
    if name == "theta by frequency":
        counts = Counter(ill for _, ill in rows if ill is not None)
        limits = ShareLimits.by_frequency(Fraction(1, 2), dict(sorted(counts.items())))
        return replace(promise, theta={"ill": limits})
    if promise.needs_population:
        return replace(promise, population=study.population().named)
    return promise


def published(name, rows, recoding, scheme, safe):
    """The released rows, and all that the public reads of them; None where nothing is released."""
    if name == "t by numbers":
        rows = [(town, ill and ill.removeprefix("=")) for town, ill in rows]
    with study_of(rows) as study:
        try:
            decision = Decision(recoding, asked(name, rows, study), scheme)
            release = study.release(decision, seed=1, spreadsheet_safe=safe)
            rows, verdict = release.verified_table()
            told = [certificate(release, verdict, None, None, {})]
            told.append(codebook_of(release, rows, Path("out.csv")))
            papers = json.dumps(told, ensure_ascii=False)
        except VerificationError:
            raise
        except ShoalError:
            return None, None
    released = Counter(tuple(row.values()) for row in rows.to_pylist())
    page = render_report(certified_facts(json.loads(papers)[0], "today"), public=True)
    return released, (papers, page)


RECODINGS = (
    NodeRecoding({"town": 0}),
    NodeRecoding({"town": 1}),
    CutRecoding({"town": ("west", "c", "d")}),
    CutRecoding({"town": ("a", "b", "c", "d")}),
    GroupRecoding(("town",), tuple(Group({"town": f"around {town}"}, ((town,),)) for town in "abcd")),
)


def mixed(kept, drawn):
    """Rows of the towns a and b with some of c and d among them, which are too few there to be released."""
    rows = list(kept)
    for town in "cd":
        for _ in range(drawn.randint(0, 3)):
            rows.insert(drawn.randint(0, len(rows)), (town, drawn.choice((*ILLS, None))))
    return rows


@pytest.mark.parametrize("name", PROMISES)
def test_what_the_public_reads_does_not_change_with_suppressed_rows(name):
    drawn, compared = random.Random(name), 0
    for _ in range(RUNS):
        kept = [(town, drawn.choice(ILLS)) for town in "ab" for _ in range(drawn.randint(0, 4))]
        kept += [(town, ill) for town in "ab" for ill in "1235"]
        recoding = drawn.choice(RECODINGS[:1] if PROMISES[name].needs_population else RECODINGS)
        schemes = [Scheme.ALL_REC, Scheme.VIO_REC] if name in {"k", "l"} or "theta" in name else None
        scheme, safe = drawn.choice(schemes or [Scheme.ALL_REC]), drawn.random() < 0.5
        one, papers = published(name, mixed(kept, drawn), recoding, scheme, safe)
        other, again = published(name, mixed(kept, drawn), recoding, scheme, safe)
        # Other rows may be released where limits go by frequency, or vioRec draws which ones.
        if one is not None and one == other:
            compared += 1
            assert again == papers
    assert compared > RUNS / 3


def certificate_of(rows, promise, **options):
    with study_of(rows) as study:
        decision = Decision(NodeRecoding({"town": 0}), promise, **options)
        return study.release(decision, seed=1).certificate


MANY = [("a", ill) for ill in "112233"] + [("b", ill) for ill in "123123"]


def test_limits_by_frequency_are_those_of_the_released_rows():
    base = Fraction(1, 3)
    for gone in ([], [("c", "1")], [("c", "2"), ("d", "5"), ("d", "5")]):
        counts = Counter(ill for _, ill in MANY + gone)
        promise = Promise(4, theta={"ill": ShareLimits.by_frequency(base, counts)})
        limits = certificate_of(MANY + gone, promise)["promise"]["theta"]["ill"]
        assert limits == {"uniform": "1/3", "values": {}}


def test_limits_by_frequency_do_not_tell_that_no_value_was_frequent():
    rows = [("a", ill) for ill in "1122"] + [("b", ill) for ill in "1123"]
    for gone in ([("c", "1")], [("c", "2"), *[("d", "3")] * 3]):
        limits = ShareLimits.by_frequency(Fraction(1, 2), Counter(ill for _, ill in rows + gone))
        found = certificate_of(rows + gone, Promise(4, theta={"ill": limits}))["promise"]["theta"]
        assert found == {"ill": {"uniform": "1/2", "values": {"1": "3/4", "2": "9/16"}}}
    assert limits.values == {}  # of the last table, in which all are equally frequent


def test_limits_by_frequency_are_raised_to_the_shares_that_released_rows_have():
    # In the table 1 is frequent, and may be half of a group; in the released rows it is not.
    rows = [("a", ill) for ill in "1123"] + [("b", ill) for ill in "2323"] + [("c", "1")] * 3
    counts = Counter(ill for _, ill in rows)
    limits = ShareLimits.by_frequency(Fraction(1, 2), counts)
    found = certificate_of(rows, Promise(4, theta={"ill": limits}))["promise"]["theta"]["ill"]
    assert limits.values == {"1": Fraction(15, 22)}
    assert found == {"uniform": "1/2", "values": {"2": "9/16", "3": "9/16"}}
    tight = ShareLimits(Fraction(1, 4), {"1": Fraction(1, 2), "2": Fraction(1, 2), "3": Fraction(1, 2)})
    counted = replace(tight, counted=frozenset("123"))
    found = certificate_of(rows, Promise(4, theta={"ill": counted}))["promise"]["theta"]["ill"]
    assert found["values"] == {"1": "1/2", "2": "1/2", "3": "1/2"}


def test_limits_that_somebody_copied_by_name_are_known_again():
    counts = {"1": 60, "2": 30, "3": 9, "5": 1}
    copied = ShareLimits(Fraction(1, 5), ShareLimits.by_frequency(Fraction(1, 5), counts).values)
    assert copied.marked(counts).counted == {"1", "2"}
    moved = replace(copied, uniform=Fraction(1, 4))  # the limit of all others was changed afterwards
    assert moved.marked(counts).counted == {"1", "2"}
    stated = ShareLimits(Fraction(1, 5), {"1": Fraction(1, 2), "3": Fraction(1, 10)})
    assert stated.marked(counts) == stated


def test_a_limit_by_name_is_told_of_values_that_are_released():
    promise = Promise(4, theta={"ill": ShareLimits(None, {"5": Fraction(1, 9), "1": Fraction(1, 2)})})
    found = certificate_of([*MANY, ("c", "5")], promise)
    assert found["promise"]["theta"]["ill"]["values"] == {"1": "1/2"}


def test_an_order_has_the_released_values_and_measures_by_these():
    distance = Distance(DistanceKind.ORDERED, order=("3", "5", "1", "=7", "2"))
    promise = Promise(4, t={"ill": Fraction(1)}, distances={"ill": distance})
    rows = [*MANY[:6], *(("b", ill) for ill in "1111"), ("c", "5")]
    found = certificate_of(rows, promise)
    assert found["promise"]["distances"]["ill"] == {"kind": "ordered", "order": ["3", "1", "2"]}
    # Ten rows: 2, 6, 2 of 3, 1, 2; the group b is all 1, so that a fifth is moved one step of two, twice.
    assert found["measured"]["sensitive"]["ill"]["t_ordered"] == "1/5"


def test_limits_that_the_public_does_not_read_are_kept_all_the_same():
    limits = ShareLimits(Fraction(1, 4), {"1": Fraction(1, 4)}, frozenset({"1"}))
    with study_of(MANY) as study:
        release = study.release(Decision(NodeRecoding({"town": 0}), Promise(4)), seed=1)
        rows = release.table()
        # As if the treatment had been wrong: a third of each group is 1.
        release.__dict__["promise"] = Promise(4, theta={"ill": limits})
        with pytest.raises(VerificationError, match="'1' of 'ill' has a share of 1/3"):
            release.check(rows)


def test_the_public_files_are_made_from_the_certificate(tmp_path):
    both = []
    for name, gone in (("one", [("c", "5")]), ("two", [("d", "=7"), ("d", "5"), ("c", "1")])):
        (tmp_path / name).mkdir()
        with study_of([*MANY, *gone]) as study:
            limits = ShareLimits(Fraction(1, 2), {"5": Fraction(1, 3), "=7": Fraction(1, 3)})
            decision = Decision(NodeRecoding({"town": 0}), Promise(4, theta={"ill": limits}))
            made = study.release(decision, seed=1).write(tmp_path / name / "out.csv")
        texts = [
            (tmp_path / name / f"out.csv.{paper}").read_text()
            for paper in ("certificate.json", "public.html")
        ]
        # The order of rows, and with it the digest, is drawn for each release.
        both.append([text.replace(made.certificate["sha256"], "DIGEST") for text in texts])
    assert both[0] == both[1]


def test_a_tree_is_told_of_released_values_and_written_as_for_these():
    ages = {"intervals": {"origin": 0, "widths": [5]}}
    for gone in ("7", "7.5"):
        rows = [*(("a", ill) for ill in "1122"), ("c", gone)]
        towns, ills = zip(*rows, strict=True)
        table = pa.table({"town": towns, "ill": ills})
        with Study(table, quasi={"town": TOWNS}, sensitive={"ill": ages}) as study:
            distance = Distance(DistanceKind.HIERARCHICAL, rows=tuple(study.hierarchy("ill").rows()))
            promise = Promise(4, t={"ill": Fraction(1)}, distances={"ill": distance})
            found = study.release(Decision(NodeRecoding({"town": 0}), promise), seed=1).certificate
        assert found["promise"]["distances"]["ill"]["rows"] == [["1", "0-4", "*"], ["2", "0-4", "*"]]


def test_who_promises_nothing_promises_that_groups_have_rows():
    assert certificate_of(MANY, Promise())["promise"] == {"k": 1}


def test_the_groups_of_a_population_stand_in_the_order_of_their_labels():
    rows = [(town, "1") for town in "abcd"]
    with study_of(rows) as study:
        promise = Promise(k_map=1, population=study.population().named)
        decision = Decision(NodeRecoding({"town": 1}), promise)
        found = study.release(decision, seed=1).certificate["promise"]["population"]["groups"]
    assert found == [[["east"], 4], [["south"], 4], [["west"], 28]]


def test_a_limit_by_name_holds_of_the_value_made_safe_for_spreadsheets():
    rows = pa.table({"town": ["a"] * 4, "ill": ["'=7", "'=7", "1", "2"]})
    promise = Promise(theta={"ill": ShareLimits(None, {"=7": Fraction(1, 4)})})
    (failure,) = verify_table(rows, promise, ["town"], ["ill"]).failures
    assert failure.startswith('theta: "\'=7"')
