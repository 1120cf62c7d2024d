"""The public papers of releases about persons do not change with suppressed rows, whoever these are about."""

from __future__ import annotations

import json
import random
from collections import Counter

import pyarrow as pa
import pytest

from shoal import Study
from shoal.answers.recoding import Decision, NodeRecoding
from shoal.present.report.facts import certified_facts
from shoal.present.report.html import render_report
from shoal.release.papers.documents import certificate
from shoal.release.pseudonyms import Pseudonyms
from tests.release.test_public_papers import ILLS, PEOPLE, PROMISES, TOWNS, asked

RUNS = 3
NAMES = Pseudonyms("fresh", "5a" * 32)


def published(name, rows, pseudonyms):
    """The released rows with their persons, and all that the public reads of them."""
    columns = dict(zip(("town", "ill", "id"), zip(*rows, strict=True), strict=True))
    table = pa.table({column: pa.array(values, pa.string()) for column, values in columns.items()})
    with Study(table, quasi={"town": TOWNS}, sensitive="ill", persons="id", population=PEOPLE) as study:
        promise = asked(name, [(town, ill) for town, ill, _ in rows], study)
        made = study.carry_out(
            Decision(NodeRecoding({"town": 0}), promise), seed=1, pseudonyms=pseudonyms
        )
        kept, verdict = made.verified_table()
        papers = json.dumps(certificate(made, verdict, None, None, {}), ensure_ascii=False)
        lost = made.treatment.suppressed_persons
    page = render_report(certified_facts(json.loads(papers), "today"), public=True)
    return Counter(tuple(row.values()) for row in kept.to_pylist()), (papers, page), lost


def mixed(kept, drawn, ills):
    """Rows with others among them that are suppressed: of the same persons, of one person, or of others."""
    rows = list(kept)
    for town in "cd":
        for _ in range(drawn.randint(0, 3)):
            person = drawn.choice([*(person for _, _, person in kept), "only here", "nor there"])
            rows.insert(drawn.randint(0, len(rows)), (town, drawn.choice(ills), person))
    return rows


@pytest.mark.parametrize(
    ("name", "pseudonyms"),
    [*((name, None) for name in PROMISES if name != "t by numbers"), ("k", NAMES), ("theta", NAMES)],
    ids=lambda given: str(given) if isinstance(given, str) else "pseudonyms" if given else "none",
)
def test_what_the_public_reads_does_not_change_with_suppressed_rows_of_anybody(name, pseudonyms):
    drawn, compared, losses = random.Random(name), 0, set()
    # Delta-disclosure lets no group lack a value that others have, suppressed or not.
    ills = "1235" if name == "delta-disclosure" else ILLS
    for _ in range(RUNS):
        kept = [
            (town, ill, f"{town}{i}")
            for town in "ab"
            for i, ill in enumerate("1235")
            for _ in range(drawn.choice([1, 1, 1, 2, 4]))
        ]
        kept += [("a", drawn.choice(ills), "both"), ("b", drawn.choice(ills), "both")]
        one, papers, lost = published(name, mixed(kept, drawn, ills), pseudonyms)
        other, again, gone = published(name, mixed(kept, drawn, ills), pseudonyms)
        losses |= {lost, gone}
        if one == other:
            compared += 1
            assert again == papers
            assert ("cannot be recounted" in papers[0]) == (pseudonyms is None)
    assert compared
    assert len(losses) > 1  # the record tells how many persons are gone; the public papers do not
