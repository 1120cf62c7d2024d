"""Policies: every demand is measured afresh on the released rows, and what cannot be measured is not met."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import shoal
from shoal.assess.policy_check import check_policy
from shoal.describe.policy_file import read_policy
from shoal.errors import InputError
from tests.commands import shoal as run

ROWS = "age,sex,illness\n" + "30-39,f,flu\n30-39,f,cold\n30-39,f,cold\n40-49,m,flu\n40-49,m,gout\n"
SOURCE = (
    "id,age,sex,illness\n"
    + "1,31,f,flu\n1,32,f,cold\n2,33,f,cold\n3,44,m,flu\n4,45,m,gout\n5,41,m,cold\n"
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "out.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text(SOURCE)
    path = tmp_path / "study.yaml"
    path.write_text(
        "table: in.csv\npersons: id\nattributes:\n  id: {role: identifying}\n"
        "  age: {role: quasi, hierarchy: {intervals: {widths: [10]}}}\n"
        "  sex: {role: quasi, hierarchy: {f: , m: }}\n".replace("{f: , m: }", '{"*": [f, m]}')
        + "  illness: {role: sensitive}\n"
    )
    return path


def policy(folder: Path, text: str) -> Path:
    path = folder / "policy.yaml"
    path.write_text(text)
    return path


def unmet(tmp_path: Path, text: str, release: Path, **more: object) -> list[str]:
    found = shoal.check_release(policy(tmp_path, text), release, **more)
    return [demand.name for demand in found.demands if not demand.met]


@pytest.mark.parametrize(
    ("demand", "met"),
    [
        ("k: 2", True),
        ("k: 3", False),
        ("highest_risk: 1/2", True),
        ("highest_risk: 49%", False),
        ("average_risk: 0.4", True),  # two groups of five rows
        ("average_risk: 0.39", False),
        ("l: 2", True),
        ("l: 3", False),
        ("theta: 2/3", True),  # cold in the first group
        ("theta: 0.66", False),
        ("entropy_l: 1.8", True),  # the first group has e^0.6365 = 1.8899
        ("entropy_l: 1.9", False),
        ("t: 0.4", True),  # gout is 1/5 of all and 1/2 of the second group, flu 2/5 and 1/2
        ("t: 0.39", False),
        ("never: [name, income]", True),
        ("never: sex", False),
        ("only: [age, sex, illness, zip]", True),
        ("only: [age, sex]", False),
    ],
)
def test_each_demand_is_met_just_where_the_rows_meet_it(
    demand: str, met: bool, table: Path, tmp_path: Path
) -> None:
    text = f"quasi: [age, sex]\nsensitive: [illness]\n{demand}\n"
    assert unmet(tmp_path, text, table) == ([] if met else [demand.split(":", maxsplit=1)[0]])


def test_a_release_is_judged_by_its_certificate_too(study: Path, tmp_path: Path) -> None:
    with shoal.Study.open(study) as opened:
        opened.release(opened.frontier(), k=2).write(tmp_path / "out.csv")
    assert unmet(tmp_path, "k: 1\n", tmp_path / "out.csv") == []
    rows = (tmp_path / "out.csv").read_text()
    (tmp_path / "out.csv").write_text(rows + rows.splitlines()[-1] + "\n")
    assert unmet(tmp_path, "k: 1\n", tmp_path / "out.csv") == ["certificate"]


def test_a_certificate_holds_whatever_the_policy_says_the_columns_are(
    study: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    with shoal.Study.open(study) as opened:
        opened.release(opened.frontier(), k=2).write(out)
        opened.release(opened.frontier(), k=2, pseudonyms="fresh").write(tmp_path / "named.csv")
    text = "quasi: [age, sex]\nk: 2\n"
    # Three rows of two persons are no group of three.
    with pytest.raises(InputError, match=r"line 1: out.csv is about persons, .*; name the persons too"):
        unmet(tmp_path, text, out)
    named = text + "persons: [person]\n"
    assert unmet(tmp_path, named, tmp_path / "named.csv") == []
    assert unmet(tmp_path, named.replace("2", "3"), tmp_path / "named.csv") == ["k"]
    rows = (tmp_path / "named.csv").read_text().splitlines()
    (tmp_path / "named.csv").write_text("\n".join(rows[:-1]) + "\n")
    assert "certificate" in unmet(tmp_path, named, tmp_path / "named.csv")


def test_of_several_sensitive_columns_the_worst_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("age,illness,job\n30,flu,cook\n30,cold,cook\n30,gout,nurse\n30,ache,cook\n")
    text = "quasi: [age]\nsensitive: [illness, job]\n"
    assert unmet(tmp_path, text + "l: 2\ntheta: 3/4\n", path) == []
    assert unmet(tmp_path, text + "l: 3\ntheta: 0.7\n", path) == ["l", "theta"]


def test_the_average_risk_is_that_of_persons(study: Path, tmp_path: Path) -> None:
    with shoal.Study.open(study) as opened:
        opened.release(opened.frontier(), k=2, pseudonyms="fresh").write(tmp_path / "out.csv")
    # Two groups of five persons, who have six rows.
    assert unmet(tmp_path, "average_risk: 0.4\n", tmp_path / "out.csv") == []
    assert unmet(tmp_path, "average_risk: 0.39\n", tmp_path / "out.csv") == ["average_risk"]


def test_a_key_is_found_beside_the_policy_and_only_its_signature_will_do(
    study: Path, tmp_path: Path
) -> None:
    pytest.importorskip("cryptography")
    from tests.documents.test_signature import made_by

    (ours, public), (theirs, _) = (made_by(tmp_path, name) for name in ("ours", "theirs"))
    with shoal.Study.open(study) as opened:
        release = opened.release(opened.frontier(), k=2)
        release.write(tmp_path / "good.csv", sign=ours)
        release.write(tmp_path / "wrong.csv", sign=theirs)
        release.write(tmp_path / "unsigned.csv")
    text = f"key: {public.name}\n"
    assert unmet(tmp_path, text, tmp_path / "good.csv") == []
    assert "key" in unmet(tmp_path, text, tmp_path / "wrong.csv")
    assert "key" in unmet(tmp_path, text, tmp_path / "unsigned.csv")


def test_columns_of_a_second_table_are_released_too(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("age,illness\n31,flu\n32,cold\n33,flu\n34,cold\n")
    with shoal.Study(
        tmp_path / "in.csv", quasi={"age": {"intervals": {"widths": [10]}}}, sensitive="illness"
    ) as opened:
        opened.release(opened.anonymize("anatomy", l=2)).write(tmp_path / "out.csv")
    assert unmet(tmp_path, "never: [illness]\n", tmp_path / "out.csv") == ["never"]


def test_columns_that_are_never_released_are_found_in_other_letters_too(
    table: Path, tmp_path: Path
) -> None:
    assert unmet(tmp_path, "quasi: [age]\nnever: [SEX]\n", table) == ["never"]
    assert unmet(tmp_path, "quasi: [age]\nonly: [AGE, sex, illness]\n", table) == ["only"]
    table.write_text(ROWS.replace("sex", "Sex"))
    assert unmet(tmp_path, "quasi: [age]\nonly: [age, sex, illness]\n", table) == ["only"]


def test_an_attack_that_nobody_tried_has_not_failed(study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with shoal.Study.open(study) as opened:
        opened.release(opened.frontier(), k=2).write(out)
    found = shoal.check_release(policy(tmp_path, "attacks:\n  minimality: 100%\n"), out, source=study)
    (demand,) = [one for one in found.demands if one.name == "attack minimality"]
    assert not demand.met
    assert demand.found.startswith("it was not tried ")
    assert demand.line == 2


def test_papers_are_well_formed_whatever_columns_are_called(tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("age,a\x01b\n1,2\n")
    rules = tmp_path / "our policy.yaml"
    rules.write_text("quasi: [age]\nonly: [age]\nk: 9\n")
    papers = ("--junit", tmp_path / "j.xml", "--sarif", tmp_path / "s.json")
    done = run("check-release", rules, tmp_path / "odd.csv", *papers)
    assert done.returncode == 1
    assert ElementTree.parse(tmp_path / "j.xml").getroot().get("failures") == "2"
    results = json.loads((tmp_path / "s.json").read_text())["runs"][0]["results"]
    for result in results:
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert place.endswith("/our%20policy.yaml")


def test_persons_that_cannot_be_recounted_meet_no_more_than_was_promised(
    study: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    with shoal.Study.open(study) as opened:
        opened.release(opened.frontier(), k=2).write(out)
        opened.release(opened.frontier(), k=2, pseudonyms="fresh").write(tmp_path / "named.csv")
    # Groups of three rows, the first of two persons.
    assert unmet(tmp_path, "k: 2\n", out) == []
    assert unmet(tmp_path, "k: 3\n", out) == ["k"]
    assert unmet(tmp_path, "l: 2\n", out) == ["l"]
    for name in ("highest_risk", "average_risk", "theta", "t", "entropy_l"):
        assert unmet(tmp_path, f"{name}: 1\n", out) == [name]
    assert unmet(tmp_path, "average_risk: 1\nk: 2\n", tmp_path / "named.csv") == []


def test_attacks_are_limited_where_the_source_is_named(study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with shoal.Study.open(study) as opened:
        opened.release(opened.frontier(), k=2).write(out)
    with pytest.raises(InputError, match="line 1: attacks are judged by the study"):
        unmet(tmp_path, "attacks: {homogeneity: 100%}\n", out)
    assert unmet(tmp_path, "attacks: {homogeneity: 100%}\n", out, source=study) == []
    assert unmet(tmp_path, "attacks: {linkage: 0}\n", out, source=study) == ["attack linkage"]


def test_an_attack_may_not_find_more_in_any_case_nor_break_a_promise(
    study: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    with shoal.Study.open(study) as opened:
        opened.release(opened.frontier(), k=2).write(out)
    report = shoal.attack(out, source=study, attack=["homogeneity"])
    (found,) = report.findings
    shares = sorted(case.found.share for case in found.cases)
    assert shares[0] < shares[-1]

    def met(limit: float, breaks: str | None = None) -> bool:
        rules = read_policy(policy(tmp_path, f"attacks: {{homogeneity: {limit}}}\n"))
        given = replace(report, findings=(replace(found, breaks=breaks),))
        return check_policy(rules, out, given).demands[-1].met

    assert met(1)
    assert not met((shares[0] + shares[-1]) / 2)
    assert not met(1, "l = 2")


def test_the_command_says_it_in_every_form_and_by_its_status(table: Path, tmp_path: Path) -> None:
    rules = policy(tmp_path, "quasi: [age, sex]\nk: 3\nnever: [name]\n")
    papers = ("--junit", tmp_path / "j.xml", "--sarif", tmp_path / "s.json")
    done = run("check-release", rules, table, "--json", *papers)
    assert (done.returncode, done.stderr) == (1, "")
    assert [one["met"] for one in json.loads(done.stdout)["demands"]] == [True, False]
    suite = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [case.get("name") for case in suite.iter("testcase") if len(case)] == ["k"]
    (result,) = json.loads((tmp_path / "s.json").read_text())["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
    said = run("check-release", rules, table)
    assert "NOT MET k: at least 3; found: the smallest group has 2 rows" in said.stdout
    policy(tmp_path, "quasi: [age, sex]\nk: 2\n")
    assert run("check-release", rules, table).returncode == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a policy is a mapping|demands nothing"),
        ("k: many\n", "line 1: k is a number from 1 on, not 'many'"),
        ("k: 2.5\n", "k is a number from 1 on"),
        ("t: 200%\n", "t is a share such as 0.2, 1/5 or 20%"),
        ("kk: 5\n", "unknown entry 'kk' of a policy"),
        ("never: [[a]]\n", "never is a list of columns"),
        ("t: -1\n", "t is a share such as 0.2, 1/5 or 20%"),
        ("sensitive: [a]\n", "name quasi too"),
        ("persons: [a]\nk: 2\n", "name quasi too"),
        ("quasi: [age]\nl: 2\n", "line 2: l is about sensitive columns, and there are none"),
        ("quasi: [age]\nkey: k.pem\n", "a key is about a certificate"),
        ("quasi: [age]\n", "the policy demands nothing"),
        ("quasi: [age]\nnever: []\nattacks: {}\n", "the policy demands nothing"),
        ("k: 1e400\n", "k is a number from 1 on"),
        ("entropy_l: 1e300\n", "entropy_l is a number from 1 on"),
        ("key:\n", "line 1: key is the path of a file"),
        ("key: [a]\n", "key is the path of a file"),
        ("attacks: [linkage]\n", "attacks is a mapping with one entry per attack, such as linkage: 5%"),
        ("k: 1\nattacks:\n  linkag: 5%\n", "line 3: no attack 'linkag' on one release; .*linkage"),
        ("attacks: {composition: 5%}\n", "line 1: no attack 'composition' on one release"),
        ("k: 2\n", "out.csv: has no certificate beside it; say in the policy what its columns are"),
    ],
)
def test_a_policy_that_says_nothing_sensible_is_refused(
    text: str, words: str, table: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=words):
        shoal.check_release(policy(tmp_path, text), table)
