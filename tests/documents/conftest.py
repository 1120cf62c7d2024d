"""A small release with every kind of promise in its certificate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal import Study
from shoal.answers.recoding import Decision, NodeRecoding
from shoal.questions.promised import promise_of
from shoal.questions.searches import AlgorithmQuestion

ROWS = [
    (town, ill, grade)
    for town in ("here", "there")
    for ill, grade in (("flu", "low"), ("cold", "mid"), ("gout", "high"), ("flu", "mid"))
]


def write_release(folder: Path) -> Path:
    """Write a release of eight rows, and return its path."""
    lines = ["town,ill,grade", *(",".join(row) for row in ROWS)]
    (folder / "raw.csv").write_text("\n".join(lines) + "\n")
    (folder / "people.csv").write_text("town\n" + "here\nthere\n" * 10)
    (folder / "town.csv").write_text("here;*\nthere;*\n")
    (folder / "ill.csv").write_text("flu;lungs;*\ncold;lungs;*\ngout;joints;*\n")
    (folder / "study.yaml").write_text(
        "table: raw.csv\npopulation: people.csv\nattributes:\n"
        "  town: {role: quasi, hierarchy: town.csv}\n"
        "  ill: {role: sensitive, hierarchy: ill.csv}\n"
        "  grade: {role: sensitive, order: [low, mid, high, top]}\n"
    )
    with Study.open(folder / "study.yaml") as study:
        promise = promise_of(
            study.material(),
            AlgorithmQuestion(
                k=4,
                l=3,
                theta="1/2",
                t="1/2",
                distance={"ill": "hierarchical", "grade": "ordered"},
                entropy_l=2,
                recursive_l=(2, 2),
                k_map=5,
                delta=("0", "1/2"),
            ),
        )
        study.release(Decision(NodeRecoding({"town": 0}), promise), seed=1).write(folder / "out.csv")
    return folder / "out.csv"


@pytest.fixture(scope="session")
def whole(tmp_path_factory) -> Path:
    """A release that holds; nobody changes it."""
    return write_release(tmp_path_factory.mktemp("documents"))


@pytest.fixture(scope="session")
def certified(whole) -> dict:
    """Its certificate; nobody changes it."""
    return json.loads(whole.with_name("out.csv.certificate.json").read_text())
