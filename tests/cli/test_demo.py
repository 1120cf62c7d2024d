"""The demo does the whole job and says where everything is."""

from __future__ import annotations

import json

import pytest

from shoal.cli import main
from shoal.numbers import percent
from shoal.verification.release_check import verify_release


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr("sys.argv", ["shoal", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    printed = capsys.readouterr()
    return stopped.value.code, printed.out, printed.err


def test_the_demo_goes_from_a_table_to_a_verified_release_with_its_papers(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "demo"
    status, said, _ = run(monkeypatch, capsys, "demo", folder, "--rows", 500)
    assert status == 0
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "hospital.csv", "hierarchies", "study.yaml", "frontier.json", "frontier.svg", "release.csv",
        "release.csv.certificate.json", "release.csv.record.json", "release.csv.report.html",
        "release.csv.public.html", "release.csv.codebook.md", "release.csv.codebook.json",
        "release.csv.groups.parquet", "release.csv.hierarchies.parquet",
    }  # fmt: skip
    for name in (
        "study.yaml",
        "frontier.svg",
        "release.csv.certificate.json",
        "release.csv.report.html",
        "release.csv.groups.parquet",
        "release.csv.hierarchies.parquet",
    ):
        assert str(folder / name) in said
    assert verify_release(folder / "release.csv").holds
    document = json.loads((folder / "frontier.json").read_text())
    assert document["certified"]["nodes"]
    local = next(point for point in document["curves"]["local-recoding"][::-1] if point["k"] >= 5)
    assert f"local recoding for k = 5. It loses {percent(local['share'])}" in said
    record = json.loads((folder / "release.csv.record.json").read_text())
    assert record["decision"]["details"]["loss"] == pytest.approx(local["loss"])

    status, _, complained = run(monkeypatch, capsys, "demo", folder, "--rows", 500)
    assert status == 2
    assert "--force" in complained
    assert run(monkeypatch, capsys, "demo", folder, "--rows", 500, "--force")[0] == 0


def test_silly_sizes_are_refused_in_one_line(tmp_path, monkeypatch, capsys):
    for rows in (0, -5):
        status, _, complained = run(monkeypatch, capsys, "demo", tmp_path / "d", "--rows", rows)
        assert status == 2
        assert len(complained.splitlines()) == 1
