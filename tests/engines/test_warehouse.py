"""Statements for warehouses: DuckDB plays the warehouse; the texts of the others are read back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import duckdb
import pytest
import sqlglot

from shoal import Study
from shoal.questions.option_words import DIALECTS
from shoal.release.warehouse_folder import write_statements
from tests.commands import shoal

GOLDENS = Path(__file__).parent / "goldens"
STUDY = """\
table: nowhere.csv
attributes:
  age: {role: quasi, hierarchy: {intervals: {widths: [10, 20, 40]}}}
  town: {role: quasi, hierarchy: {"*": [Aby, Bby, ""]}}
  ill: {role: sensitive}
  note: {role: insensitive}
  name: {role: identifying}
"""
ILLS = ("flu", "cold", "gout", "")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study, and its table in the warehouse; the study's own table exists only for the comparison."""
    folder = tmp_path_factory.mktemp("warehouse")
    rows = [
        f"{20 + i % 37},{('Aby', 'Bby', '')[i % 3]},{ILLS[i * 7 // 3 % 4]},note{i % 5},Ann{i}"
        for i in range(300)
    ]
    (folder / "people.csv").write_text("\n".join(["age,town,ill,note,name", *rows]) + "\n")
    (folder / "study.yaml").write_text(STUDY)
    (folder / "here.yaml").write_text(STUDY.replace("nowhere.csv", "people.csv"))
    return folder


def run(home: Path, *words: object) -> str:
    done = shoal(*map(str, words), cwd=home)
    assert done.returncode == 0, done.stderr
    return done.stdout


def text(path: Path, dialect: str) -> list[str]:
    """The statements of a file in DuckDB's dialect, read in their own; reading and writing change nothing."""
    found = sqlglot.parse(path.read_text(), dialect=dialect)
    again = ";\n\n".join(one.sql(dialect=dialect, pretty=True) for one in found if one is not None)
    assert again + ";\n" == path.read_text()
    return [one.sql(dialect="duckdb") for one in found if one is not None]


@pytest.fixture(scope="module")
def tallied(home: Path) -> Path:
    """The tally that the warehouse counted, brought here."""
    run(home, "statements", "study.yaml", "--dialect", "duckdb", "--table", "people", "-o", "first")
    with duckdb.connect() as warehouse:
        warehouse.execute(f"CREATE TABLE people AS FROM '{home}/people.csv'")
        (count,) = text(home / "first" / "tally.sql", "duckdb")
        warehouse.sql(count).write_csv(str(home / "counted.csv"))
    run(home, "tally", "study.yaml", "--counted", "counted.csv", "-o", "there.tally")
    return home / "there.tally"


def test_the_tally_of_the_warehouse_answers_as_the_table_does(home: Path, tallied: Path) -> None:
    with Study.open(home / "here.yaml") as here, Study.open(home / "study.yaml", tally=tallied) as there:
        assert here.tally().fingerprint() == there.tally().fingerprint()
        assert [(p.k, p.loss) for p in here.frontier()] == [(p.k, p.loss) for p in there.frontier()]


SOLUTIONS = {
    "node": lambda study: study.anonymize("flash", k=6, suppress="5%"),
    "groups": lambda study: study.anonymize("mondrian", k=6, l=2),
    "cut": lambda study: study.optimize(theta="2/5", limits={"gout": "1/3"}, scheme="vioSA"),
}


@pytest.mark.parametrize("solution", SOLUTIONS)
def test_the_warehouse_releases_the_rows_that_a_release_here_has(
    home: Path, tallied: Path, solution: str
) -> None:
    """With the other dialects, their text goes back through sqlglot, since no such warehouse is here."""
    with Study.open(home / "study.yaml", tally=tallied) as there:
        decision = SOLUTIONS[solution](there).decision()
        made = there.carry_out(decision)
        for dialect in DIALECTS:
            out = home / f"{solution}-{dialect}"
            write_statements(out, there.specification, dialect, "people", made, into="safe")
    with Study.open(home / "here.yaml") as here:
        expected = here.carry_out(decision).table().to_pylist()
    assert decision.promise.says_something
    for dialect in DIALECTS:
        folder = home / f"{solution}-{dialect}"
        with duckdb.connect() as warehouse:
            warehouse.execute(f"CREATE TABLE people AS FROM '{home}/people.csv'")
            for table in folder.glob("*.parquet"):
                warehouse.execute(f"CREATE TABLE {table.stem} AS FROM '{table}'")
            warehouse.execute(*text(folder / "release.sql", dialect))
            found = warehouse.sql("FROM safe").to_arrow_table().to_pylist()
            assert Counter(map(str, found)) == Counter(map(str, expected))
            checks = text(folder / "verify.sql", dialect)
            assert [warehouse.execute(one).fetchall() for one in checks] == [[] for _ in checks]
            # A row alone in its group has too few rows, too few values, and all of the share.
            warehouse.execute("INSERT INTO safe (age, town, ill) VALUES ('alone', 'Aby', 'gout')")
            broken = [bool(warehouse.execute(one).fetchall()) for one in checks]
            assert broken == [solution != "cut", *([True] * (len(checks) - 1))]


@pytest.mark.skipif(
    int(sqlglot.__version__.split(".")[0]) < 30, reason="older versions of sqlglot write TEXT"
)
@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name != "duckdb"])
def test_the_texts_are_those_that_were_read_by_people(home: Path, tallied: Path, dialect: str) -> None:
    """Rewrite the goldens after reading the difference: cp the files of `home` there."""
    run(home, "optimize", "study.yaml", "--tally", tallied, "--l", "2", "--save", "l.json", "--force")
    run(
        *(
            home,
            "statements",
            "study.yaml",
            "--tally",
            tallied,
            "--dialect",
            dialect,
            "--table",
            "w.people",
        ),
        *("--solution", "l.json", "--into", "w.safe", "-o", f"golden-{dialect}"),
    )
    for name in ("tally", "release", "verify"):
        golden = GOLDENS / f"{dialect}-{name}.sql"
        assert (home / f"golden-{dialect}" / f"{name}.sql").read_text() == golden.read_text(), golden


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("a,b\n1,2\n", "run the study's tally.sql"),
        ("c0,c1,c2,n\n20,Aby,flu,many\n", "does not count rows"),
        ("c0,c1,c2,n\n20,Aby,flu,0\n", "does not count rows"),
    ],
)
def test_another_result_is_refused(home: Path, tmp_path: Path, said: str, words: str) -> None:
    (tmp_path / "result.csv").write_text(said)
    done = shoal("tally", "study.yaml", "--counted", tmp_path / "result.csv", "-o", "x.tally", cwd=home)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr
    assert not (home / "x.tally").exists()


@pytest.mark.parametrize("entry", ["persons: name", "missing: [flu]"])
def test_what_the_statements_do_not_do_is_refused(home: Path, tmp_path: Path, entry: str) -> None:
    (tmp_path / "study.yaml").write_text(f"{entry}\n{STUDY}")
    done = shoal(
        *(
            "statements",
            tmp_path / "study.yaml",
            "--dialect",
            "duckdb",
            "--table",
            "t",
            "-o",
            tmp_path / "x",
        )
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert not (tmp_path / "x").exists()
