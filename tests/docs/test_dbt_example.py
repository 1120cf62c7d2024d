"""The tests of the dbt example find groups that are too small; rendered with Jinja, without dbt itself."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import jinja2
import yaml

EXAMPLE = Path(__file__).parents[2] / "examples" / "dbt"


def found(name: str, **arguments: object) -> list[tuple[object, ...]]:
    """The rows that a test of the example selects from its model, as dbt would ask."""
    text = (EXAMPLE / "macros" / "crowds.sql").read_text()
    text = re.sub(r"{% test ", "{% macro ", text).replace("{% endtest %}", "{% endmacro %}")
    model = (EXAMPLE / "models" / "released.sql").read_text().replace("{{ ref('people') }}", "people")
    with duckdb.connect() as database:
        database.read_csv(str(EXAMPLE / "seeds" / "people.csv")).create("people")
        database.execute(f"create table released as {model}")
        statement = getattr(jinja2.Template(text).module, name)(model="released", **arguments)
        return database.execute(statement).fetchall()


def test_the_example_s_own_tests_pass_as_they_are_written() -> None:
    (model,) = yaml.safe_load((EXAMPLE / "models" / "released.yml").read_text())["models"]
    for test in model["data_tests"]:
        ((name, given),) = test.items()
        assert found(name, **given["arguments"]) == []


def test_groups_that_are_too_small_or_too_alike_are_found() -> None:
    columns = ["age_from", "sex"]
    assert sorted(found("k_anonymous", columns=columns, k=4)) == [(20, "f", 3), (40, "m", 3)]
    assert found("l_diverse", columns=columns, sensitive="illness", l=3) == [(20, "f", 2)]
    assert len(found("k_anonymous", columns=columns, k=2, persons="sex")) == 2
