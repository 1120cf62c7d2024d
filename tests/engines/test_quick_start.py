"""The quick start of docs/engines.md runs as it is written."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa

from tests.commands import shoal

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"
ROLE, PASSWORD = f"ann_{os.getpid()}", "between quotes"


def blocks():
    """The study and the commands of the quick start."""
    quick = PAGE.read_text().split("## Quick start\n")[1].split("\n## ")[0]
    (first, study), (second, commands) = re.findall(r"```(\w*)\n(.*?)```", quick, re.S)
    assert (first, second) == ("yaml", "")
    return study, commands


def replaced(text, old, new):
    assert text.count(old) == 1, (old, text)
    return text.replace(old, new)


def test_the_quick_start_runs_as_it_is_written(postgres, tmp_path, monkeypatch):
    study, commands = blocks()
    # The page's own server, user and password are nobody's.
    here = urlsplit(postgres.address)
    where = f"{here.hostname}:{here.port}/{postgres.database}"
    (tmp_path / "study.yaml").write_text(replaced(study, "db.example/hospital", where))
    commands = replaced(commands, "PGUSER=ann", f"PGUSER={ROLE}")
    commands = replaced(commands, "PGPASSWORD=...", f"PGPASSWORD={shlex.quote(PASSWORD)}")
    rows = range(200)
    visits = {
        "zip": [str(21300 + i % 5) for i in rows],
        "age": [20 + i % 30 for i in rows],
        "illness": [["flu", "cold", "gout", None][i % 4] for i in rows],
    }
    postgres.put(pa.table(visits), "visits")
    postgres.run(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{PASSWORD}'")
    postgres.run(f"CREATE SCHEMA desk AUTHORIZATION {ROLE}")
    postgres.run(f"GRANT CONNECT, TEMP ON DATABASE {postgres.database} TO {ROLE}")
    postgres.run(f"GRANT USAGE ON SCHEMA public TO {ROLE}; GRANT SELECT ON visits TO {ROLE}")
    try:
        for line in commands.splitlines():
            assert line.startswith("$ ")
            name, *words = shlex.split(line[2:], comments=True)
            if name == "export":
                for word in words:
                    monkeypatch.setenv(*word.split("=", 1))
                continue
            assert name == "shoal"
            done = shoal(*words, cwd=tmp_path)
            assert done.returncode == 0, (line, done.stderr)
        held = postgres.run("SELECT count(*) FROM desk.safe").fetchone()[0]
        assert held == len((tmp_path / "out.csv").read_text().splitlines()) - 1 > 0
    finally:
        postgres.run(f"DROP SCHEMA desk CASCADE; DROP OWNED BY {ROLE}; DROP ROLE {ROLE}")
