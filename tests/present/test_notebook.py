"""What notebooks show: every answer as safe HTML that brings everything along, however large it is."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.answers.negotiation import Offer
from shoal.answers.recoding import CutRecoding, Decision, Scheme
from shoal.answers.solution import CutPoint, CutSolution, Frontier, NodeSolution
from shoal.assess.attacks.attack_report import AttackReport, Case, Finding, rate
from shoal.assess.audit import AuditWarning
from shoal.assess.policy_check import PolicyDemand, PolicyVerdict
from shoal.assess.risk import measure_risk
from shoal.describe.promise import Promise
from shoal.search.negotiation.explanation import BlockedClass, BlockedValue, Explanation, Neighbour
from shoal.verification.verdict import Measurement, Verdict

TAGS = {"div", "p", "strong", "ul", "li", "table", "caption", "tr", "th", "td", "img"}
ATTRIBUTES = {"style", "colspan", "src", "alt"}
MARKUP = "<script>alert(1)</script>"
HOSTILE = st.text(max_size=8) | st.sampled_from(
    [MARKUP, '"><img src=x onerror=alert(1)>', "a\x00\x08b", "\ud800", "]]>", "&lt;", "'\u202e'"]
)


class Checked(HTMLParser):
    """Fails at any element or attribute that a display does not need."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert {name for name, _ in attributes} <= ATTRIBUTES
        for name, value in attributes:
            if name == "src":
                assert value is not None
                self._check_picture(value)

    def handle_data(self, data: str) -> None:
        self.said.append(data)

    def _check_picture(self, source: str) -> None:
        coded = re.fullmatch("data:image/svg[+]xml;base64,([A-Za-z0-9+/=]*)", source)
        assert coded is not None
        for element in ElementTree.fromstring(b64decode(coded[1])).iter():
            assert element.tag.rpartition("}")[2] not in {"script", "foreignObject", "image", "a"}
            assert not [name for name in element.attrib if name.startswith("on") or "href" in name]


def said_by(shown: Any) -> str:
    """Check what notebooks show of an answer, and return its text."""
    page = shown._repr_html_()
    page.encode()  # a lone surrogate could not be sent
    found = Checked()
    found.feed(page)
    return "\n".join(found.said)


def answers(name: str, label: str) -> Iterator[Any]:
    """Yield answers of many kinds in which a name and a label are the users'."""
    node, cut = {name: 1, "other": 0}, {name: (label, None), "other": ("b",)}
    points = (NodeSolution(5, 2.0, node, 1, share=0.5), NodeSolution(1, 0.0, node, 0, share=0.0))
    yield from points
    yield Frontier("exact", "LM", 10, 1, 4, 4, True, 0.1, points)
    yield CutPoint(5, 2.0, {}, 0, cut=cut)
    losses = {"LM": 2.0}
    yield CutSolution(
        *("LM", Scheme.ALL_REC, 10, 4, 4, 2.0, 2.0, 0.0, True, 0.1, cut, 1, 0, Promise(5)),
        losses=losses,
        shares={"LM": 0.2},
    )
    yield Decision(CutRecoding(cut), Promise(5, 2, about=(name,)))
    yield Offer(node, 1, 5, None, 0, 1.0, 0.1)
    yield Explanation(
        *(False, node, 3, 1, 1),
        (BlockedClass({name: label, "other": None}, 2, None),),
        (BlockedValue(name, label, 2, 3),),
        (Neighbour(name, 1, node, 1, 2, None, 0, -2),),
    )
    yield Verdict(Measurement(10, 2, 5, {}), (f"k: {label}",), Promise(5), (name,), ())
    case = Case(label, rate(3, 10), rate(1, 10), certain=2)
    finding = Finding(name, label, label, label, (case,), (label,), breaks=label)
    yield finding
    yield AttackReport(name, 10, (finding,), 0)
    yield AuditWarning("code", "warning", label)
    yield PolicyVerdict(name, label, (PolicyDemand(name, label, label, True),))


@given(HOSTILE, HOSTILE)
def test_no_name_and_no_label_is_ever_markup(name: str, label: str) -> None:
    for shown in answers(name, label):
        assert MARKUP not in shown._repr_html_()
        said_by(shown)


def test_names_and_labels_are_shown() -> None:
    for shown in answers("col<umn>", "la&bel"):
        said = said_by(shown)
        assert "col<umn>" in said or "la&bel" in said, shown


def test_a_frontier_of_thousands_of_points_is_a_picture_some_rows_the_knee_and_a_number() -> None:
    points = tuple(NodeSolution(4000 - i, 4000.0 - i, {"a": 0}, 0, share=0.9) for i in range(3000))
    front = Frontier("exact", "LM", 4000, 0, 3000, 3000, True, 0.1, points)
    page = front._repr_html_()
    assert page.count("<tr") <= 23
    assert page.count("<img") == 1
    assert "20 of 3,000 rows; to_pandas()" in page
    assert len(page) < 900_000  # the picture has every point


def test_the_knee_is_shown_although_it_is_not_among_the_first_rows() -> None:
    points = tuple(NodeSolution(99 - i, 99.0 - i, {"a": 0}, 0, share=1 - i / 200) for i in range(99))
    front = Frontier("exact", "LM", 99, 0, 99, 99, True, 0.1, points)
    assert front.knee not in points[:20]
    assert "21 of 99 rows" in front._repr_html_()
    assert f'font-weight:bold"><td>{front.knee.k}</td>' in front._repr_html_()


def test_a_table_that_is_asked_for_yes_and_no_has_them() -> None:
    verdict = PolicyVerdict("policy", "out.csv", (PolicyDemand("k", "5", "3", False),))
    assert "no" in said_by(verdict).split("\n")
    assert verdict.to_arrow()["met"].to_pylist() == [False]


def test_risk_draws_the_sizes_of_groups_and_says_every_attacker() -> None:
    said = said_by(measure_risk([1, 1, 3, 6]))
    for word in ("prosecutor", "journalist", "marketer", "11 rows in 4 classes"):
        assert word in said


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Everything that a small study gives back, its names and values not harmless."""
    folder = tmp_path_factory.mktemp("notebook")
    table = pa.table(
        {
            "<b>age</b>": [f"{20 + i % 30}" for i in range(120)],
            "sex&": ["<i>f</i>" if i % 2 else "m" for i in range(120)],
            "illness": [f"<ill {i % 7}>" for i in range(120)],
            "person": [f"p{i // 2}" for i in range(120)],
        }
    )
    study = shoal.Study(
        table,
        quasi={
            "<b>age</b>": {"intervals": {"widths": [10, 30]}},
            "sex&": {"*": ["<i>f</i>", "m"]},
        },
        sensitive="illness",
        persons="person",
    )
    front = study.frontier(suppress="10%")
    release = study.release(front, k=2, seed=1)
    found: dict[str, Any] = {"study": study, "frontier": front, "release": release}
    found["costs"] = study.frontier(recoding="all", time_limit=20)
    found["published"] = release.write(folder / "out.csv")
    study.release(study.anonymize("mondrian", k=3), seed=2).write(folder / "two.csv")
    found["anonymized"] = study.anonymize("mondrian", k=3)
    found["compared"] = study.compare(algorithms=["flash"], k=2)
    found["negotiated"] = study.negotiate(k=2, max_suppressed=5)
    found["verified"] = shoal.verify(folder / "out.csv")
    found["risk"] = shoal.risk(table, quasi=["<b>age</b>", "sex&"])
    found["attacks"] = shoal.attack(folder / "out.csv", source=study, attack=["linkage"])
    found["together"] = shoal.diff(folder / "out.csv", folder / "two.csv")
    found["utility"] = shoal.utility(folder / "out.csv", source=study)
    found["proposed"] = shoal.propose(table)
    found["hierarchy"] = study.hierarchy("<b>age</b>")
    found["picture"] = front.picture()
    return found


@pytest.mark.parametrize(
    ("what", "words"),
    {
        "study": ("Persons are told apart by person", "sex&"),
        "frontier": ("lost (LM)",),
        "costs": ("Mondrian (found)", "intervals and sets"),
        "anonymized": ("Every group has at least",),
        "compared": ("flash",),
        "negotiated": ("The exact answer",),
        "release": ("not written yet", "rows are suppressed"),
        "published": (
            "every promise holds",
            "out.csv.certificate.json",
            "the smallest has",
            "Note: ",
        ),
        "verified": ("Every promise holds.", "A group is all rows"),
        "risk": ("the pyarrow Table by ", "How likely a person is found", "combinations of columns"),
        "attacks": ("linkage: ",),
        "together": ("What each release says about the rows of the other",),
        "utility": ("rows are released", "Striped: before; solid: after.", "pMSE"),
        "proposed": ("role", "why"),
        "hierarchy": ("level 0",),
        "picture": (),
    }.items(),
)
def test_everything_that_a_study_gives_back_is_shown(
    made: dict[str, Any], what: str, words: tuple[str, ...]
) -> None:
    page = made[what]._repr_html_()
    assert not re.search("<(b|i|ill)[ >]", page)
    assert len(page) < 200_000
    said = said_by(made[what])
    for word in words:
        assert word in said


def test_a_release_that_is_refused_says_why(made: dict[str, Any]) -> None:
    refused = {"k": 50, "node": {"<b>age</b>": 0, "sex&": 0}, "suppression_limit": 1}
    said = said_by(made["study"].release(refused))
    assert "This cannot be released" in said


def test_new_rows_that_were_recoded_as_before_are_shown(tmp_path: Path) -> None:
    ages = tmp_path / "ages.csv"
    ages.write_text("age\n" + "\n".join(str(20 + i % 20) for i in range(40)) + "\n")
    with shoal.Study(ages, quasi={"age": {"intervals": {"widths": [10]}}}) as study:
        study.release(study.frontier(), k=5, seed=1).write(tmp_path / "one.csv")
    ages.write_text("age\n" + "\n".join(str(20 + i % 25) for i in range(80)) + "\n")
    again = shoal.apply(tmp_path / "one.csv.record.json", ages, tmp_path / "two.csv", seed=3)
    said = said_by(again)
    assert "Values that the earlier release did not have" in said
    assert "What each release says" in said
