"""No command writes over what it reads, nor twice to one file, even with `--force`."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal.errors import InputError
from tests.commands import shoal as run

ROWS = "age,sex\n" + "31,f\n32,f\n33,f\n44,m\n45,m\n41,m\n"
STUDY = (
    "table: {table}\nattributes:\n  age: {{role: quasi, hierarchy: {{intervals: {{widths: [10]}}}}}}\n"
    "  sex: {{role: quasi, hierarchy: sex.csv}}\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text(ROWS)
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    (tmp_path / "study.yaml").write_text(STUDY.format(table="in.csv"))
    run("frontier", tmp_path / "study.yaml", "--save", tmp_path / "front.json")
    return tmp_path


def everything(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("in.csv", "in.csv: cannot be replaced, because"),
        ("here/in.csv", "in.csv: cannot be replaced, because"),
        ("sex.csv", "sex.csv: cannot be replaced, because the study is read from it"),
        ("study.yaml", "--out cannot be the file that is read for STUDY; choose another name"),
        ("front.json", "--out cannot be the file that is read for --solution"),
    ],
)
def test_a_release_never_replaces_what_it_is_made_from(folder: Path, out: str, words: str) -> None:
    (folder / "here").symlink_to(folder)
    before = everything(folder)
    study, solution = folder / "study.yaml", folder / "front.json"
    done = run("release", study, "--solution", solution, "--k", "3", "-o", folder / out, "--force")
    assert done.returncode == 2
    assert words in done.stderr
    assert everything(folder) == before


@pytest.mark.parametrize("out", ["in.csv", "first.csv", "second.csv"])
def test_nor_what_a_link_leads_to_nor_the_link(folder: Path, out: str) -> None:
    (folder / "first.csv").symlink_to("second.csv")
    (folder / "second.csv").symlink_to(folder / "in.csv")
    (folder / "study.yaml").write_text(STUDY.format(table="first.csv"))
    before = everything(folder)
    done = run("frontier", "study.yaml", "--save", out, "--force", cwd=folder)
    assert "because study.yaml reads it" in done.stderr
    solution = folder / "front.json"
    done = run(
        "release", "study.yaml", "--solution", solution, "--k", "3", "-o", out, "--force", cwd=folder
    )
    assert "because study.yaml reads it" in done.stderr
    assert everything(folder) == before


def test_a_link_that_leads_to_itself_is_no_place_to_wait_at(folder: Path) -> None:
    (folder / "loop.csv").symlink_to("loop.csv")
    done = run("init", "loop.csv", "-o", "in.csv", "--force", cwd=folder)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("table", ["in.csv", "i*.csv"])
def test_in_python_neither(folder: Path, table: str) -> None:
    (folder / "study.yaml").write_text(STUDY.format(table=table))
    with shoal.Study.open(folder / "study.yaml") as opened:
        release = opened.release(opened.frontier(), k=3)
        for name in ("in.csv", "sex.csv", "study.yaml"):
            with pytest.raises(InputError, match="the study is read from it; choose another name"):
                release.write(folder / name, force=True)
        for _ in range(2):
            release.write(folder / "out.csv", force=True)
    assert (folder / "in.csv").read_text() == ROWS


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("frontier study.yaml --save in.csv", "because study.yaml reads it"),
        (
            "frontier study.yaml --save one.svg --plot one.svg",
            "--save cannot be the file that is written",
        ),
        ("tally study.yaml -o in.csv", "because study.yaml reads it"),
        ("risk study.yaml --records in.csv", "because study.yaml reads it"),
        ("init in.csv -o in.csv", "--out cannot be the file that is read for TABLE"),
        (
            "init in.csv --hierarchies . -o sex.csv",
            "--out cannot be the file that is read for --hierarchies",
        ),
        (
            "check-release k.yaml in.csv --junit in.csv",
            "--junit cannot be the file that is read for RELEASE",
        ),
        (
            "check-release k.yaml x --source study.yaml --junit new.xml --sarif in.csv",
            "because study.yaml reads it",
        ),
        (
            "check-release k.yaml in.csv --sarif k.yaml",
            "--sarif cannot be the file that is read for POLICY",
        ),
        (
            "check-release k.yaml in.csv --junit x --sarif x",
            "--junit cannot be the file that is written for",
        ),
    ],
)
def test_nor_does_any_other_command(folder: Path, command: str, words: str) -> None:
    (folder / "k.yaml").write_text("quasi: [age]\nk: 1\n")
    before = everything(folder)
    done = run(*command.split(), "--force", cwd=folder)
    assert done.returncode == 2, done.stdout
    assert words in done.stderr
    assert everything(folder) == before


def test_nor_the_population_nor_a_table_in_a_file_of_an_engine(folder: Path) -> None:
    import duckdb

    with duckdb.connect(folder / "rows.db") as made:
        made.execute("CREATE TABLE rows AS FROM (VALUES ('31', 'f'), ('32', 'f')) AS rows(age, sex)")
    (folder / "pop.csv").write_text(ROWS)
    place = "{engine: duckdb, url: rows.db, table: rows}"
    (folder / "study.yaml").write_text(STUDY.format(table=place) + "population: pop.csv\n")
    before = everything(folder)
    for out in ("rows.db", "pop.csv"):
        done = run("frontier", "study.yaml", "--save", out, "--force", cwd=folder)
        assert done.returncode == 2
        assert f"{out}: cannot be replaced, because study.yaml reads it" in done.stderr
    assert everything(folder) == before


def test_a_hierarchy_of_the_study_may_be_written_anew(folder: Path) -> None:
    asked = ("hierarchy", "study.yaml", "--attribute", "age", "--widths", "5,10")
    done = run(*asked, "--write", "sex.csv", "--force", cwd=folder)
    assert "cannot be replaced" not in done.stderr


@pytest.mark.parametrize("more", [(), ("--hierarchies", ".")], ids=str)
def test_a_study_may_be_written_anew(folder: Path, more: tuple[str, ...]) -> None:
    done = run("init", "in.csv", *more, "-o", "study.yaml", "--force", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "table: in.csv" in (folder / "study.yaml").read_text()
