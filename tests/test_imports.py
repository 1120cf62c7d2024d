"""Importing is quick: heavy libraries are loaded by the work that needs them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import shoal

HEAVY = {"numpy", "duckdb", "pyarrow", "pandas", "polars", "matplotlib", "sqlglot", "yaml", "jinja2"}
HEAVY |= {"pyreadstat", "python_calamine", "xlsxwriter", "narwhals"}


def loaded_by(statement):
    """The top-level modules that a fresh interpreter has loaded after a statement."""
    script = f"{statement}\nimport sys\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True, timeout=60
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("statement", "light"),
    [
        ("import shoal", HEAVY | {"typer", "rich", "click"}),
        ("import shoal.cli", HEAVY | {"typer", "rich", "click"}),
        ("import shoal.cli.app", HEAVY),
        ("import shoal.errors", HEAVY | {"typer"}),
        (
            "import shoal.study",
            {"matplotlib", "pandas", "polars", "typer", "pyreadstat", "python_calamine", "xlsxwriter"},
        ),
        ("from shoal import InputError", HEAVY | {"typer"}),
    ],
)
def test_an_import_loads_nothing_heavy(statement, light):
    assert loaded_by(statement) & light == set()


def test_every_public_name_is_there():
    for name in shoal.__all__:
        assert getattr(shoal, name) is not None
    assert dir(shoal) == shoal.__all__


def test_a_name_that_is_not_there_is_told():
    with pytest.raises(AttributeError, match="module 'shoal' has no attribute 'Studie'"):
        shoal.Studie  # noqa: B018
