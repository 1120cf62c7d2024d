"""A small study file for the tests of sessions, saved indexes and releases."""

from __future__ import annotations

import pytest

ROWS = """\
age,zip,job,name
30,02138,cook,Ann
31,02139,nurse,Bob
34,02141,cook,Cleo
36,02142,,Dan
37,02142,clerk,Eve
61,02139,nurse,Fay
"""


@pytest.fixture
def study_file(tmp_path):
    """Six persons: two quasi columns, one sensitive, one that the study does not list."""
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "zip.csv").write_text(
        "".join(f"{z};{z[:4]}*;{z[:3]}**;*\n" for z in ("02138", "02139", "02141", "02142"))
    )
    path = tmp_path / "study.yaml"
    path.write_text(
        "table: people.csv\n"
        "attributes:\n"
        "  age: {role: quasi, hierarchy: {intervals: {widths: [5, 10, 20]}}}\n"
        "  zip: {role: quasi, hierarchy: zip.csv}\n"
        "  job: {role: sensitive}\n"
    )
    return path
