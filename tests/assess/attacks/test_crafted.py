"""On crafted tables every attack finds what is there, and nothing where nothing is."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.assess.attacks import (
    homogeneity,
    inference,
    learning,
    linkability,
    linkage,
    membership,
    singling_out,
)
from shoal.assess.attacks.attack_report import Case, rate, whole
from shoal.assess.attacks.attacking import NAMES
from shoal.describe.promise import Promise
from tests.assess.attacks.scenes import released_scene

FLAT = shoal.Hierarchy.from_rows([(str(v), "*") for v in range(200)])


def draw():
    return np.random.default_rng(0)


def two_hundred(folder, level, k):
    """Two hundred persons, each with a value of their own and a secret that nothing tells."""
    secrets = np.random.default_rng(3).integers(2, size=200)
    table = pa.table({"a": [str(v) for v in range(200)], "ill": [str(v) for v in secrets]})
    study = shoal.Study(table, quasi={"a": FLAT}, sensitive="ill")
    return released_scene(study, {"node": {"a": level}, "promise": {"k": k}}, folder / "out.csv")


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Two hundred persons who are released as they are."""
    return two_hundred(tmp_path_factory.mktemp("alone"), 0, 1)


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """The same persons in one group."""
    return two_hundred(tmp_path_factory.mktemp("crowded"), 1, 200)


def test_who_is_alone_is_found_and_who_is_in_a_crowd_is_not(alone, crowded):
    assert linkage.attack(alone, draw()).cases[0].found.share == 1
    assert linkage.attack(crowded, draw()).cases[0].found.share == pytest.approx(1 / 200)


def test_exact_rows_single_people_out_and_a_crowd_singles_out_nobody(alone, crowded):
    assert singling_out.attack(alone, draw()).cases[-1].found.share == 1
    assert singling_out.attack(crowded, draw()).cases[-1].found.share == 0


def test_a_value_that_a_group_shares_is_certain(alone, crowded):
    assert homogeneity.attack(alone).cases[0].certain == 200
    assert homogeneity.attack(crowded).cases[0].certain == 0
    assert (
        homogeneity.attack(crowded).cases[1].details["rows"] == 200
    )  # two values: one ruled out is enough


def test_a_missing_value_is_no_guess_and_nobody_is_certain_of_it(tmp_path):
    table = pa.table({"a": list("112233"), "ill": ["10", "10", None, None, "11", None]})
    study = shoal.Study(table, quasi={"a": FLAT}, sensitive="ill")
    scene = released_scene(study, {"node": {"a": 0}, "promise": {"k": 2}}, tmp_path / "out.csv")
    found = homogeneity.attack(scene)
    guess, one_out, _, alike = found.cases
    assert guess.found.share == pytest.approx(3 / 6)
    assert guess.certain == one_out.details["rows"] == alike.details["rows"] == 2
    assert found.breaks is None
    assert homogeneity.attack(replace(scene, promise=Promise(2, 2))).breaks == "l = 2"


def test_values_of_one_branch_or_within_a_tenth_of_the_range_are_much_alike(tmp_path):
    ills = shoal.Hierarchy.from_rows(
        [("flu", "lungs", "*"), ("cold", "lungs", "*"), ("gout", "joints", "*")]
    )
    table = pa.table(
        {
            "a": list("112223"),
            "ill": ["flu", "cold", "flu", "gout", "gout", None],
            "pay": ["20", "30", "0", "100", "100", "5"],
        }
    )
    study = shoal.Study(table, quasi={"a": FLAT}, sensitive={"ill": ills, "pay": None})
    scene = released_scene(study, {"node": {"a": 0}, "promise": {"k": 1}}, tmp_path / "out.csv")
    found = {case.name: case.details for case in homogeneity.attack(scene).cases}
    assert found["ill: all values of the group are much alike"] == {"rows": 2}
    assert found["pay: all values of the group are much alike"] == {"rows": 3}


def test_secrets_are_inferred_of_persons_in_the_release_alone(alone, crowded):
    found = inference.attack(alone, draw()).cases[0]
    assert found.found.share == 1
    assert found.shows
    assert not inference.attack(crowded, draw()).cases[0].shows


def test_models_learn_persons_by_heart_only_where_rows_are_exact(crowded):
    pytest.importorskip("sklearn")
    assert not any(case.shows for case in learning.attack(crowded, draw()).cases)


def test_membership_shows_in_exact_rows_alone(alone, crowded):
    assert membership.attack(alone, draw()).cases[0].found.share == 1
    assert not membership.attack(crowded, draw()).cases[0].shows


def test_links_need_two_columns(alone):
    assert linkability.attack(alone, draw()).cases == ()


def test_two_halves_link_persons_of_the_release_alone(tmp_path):
    table = pa.table({"a": [str(v) for v in range(100)], "b": [str(v) for v in range(100)]})
    study = shoal.Study(table, quasi={"a": FLAT, "b": FLAT})
    scene = released_scene(study, {"node": {"a": 0, "b": 0}, "promise": {"k": 1}}, tmp_path / "out.csv")
    (case,) = linkability.attack(scene, draw()).cases
    assert case.found.share == 1
    assert case.baseline.share < 0.1


def test_suppressed_persons_are_known_to_be_gone(tmp_path):
    table = pa.table({"a": ["1", "1", "1", "2"]})
    study = shoal.Study(table, quasi={"a": FLAT})
    scene = released_scene(study, {"node": {"a": 0}, "promise": {"k": 3}}, tmp_path / "out.csv")
    assert membership.attack(scene, draw()).cases[1].certain == 1
    assert linkage.attack(scene, draw()).cases[0].found.share == pytest.approx(3 * (1 / 3) / 4)


def test_columns_that_are_released_unchanged_help_to_find_people(tmp_path):
    table = pa.table({"a": ["1", "1", "2", "2"], "shoe": ["36", "37", "38", "39"]})
    study = shoal.Study(table, quasi={"a": FLAT}, insensitive="shoe")
    study.release({"node": {"a": 0}, "promise": {"k": 2}}, seed=1).write(tmp_path / "out.csv")
    found = shoal.attack(tmp_path / "out.csv", source=study, attack=["linkage"], known=["shoe"]).of(
        "linkage"
    )
    by_name = {case.name: case.found.share for case in found.cases}
    assert by_name["all quasi columns"] == 0.5
    assert by_name["all quasi columns, and what is released unchanged"] == 1
    assert by_name["shoe"] == 1


def test_anatomy_tells_groups_and_no_rows(tmp_path):
    table = pa.table({"a": [str(v) for v in range(12)], "ill": ["x", "y", "z"] * 4})
    study = shoal.Study(table, quasi={"a": FLAT}, sensitive="ill")
    study.release(study.anonymize("anatomy", l=3), seed=1).write(tmp_path / "out.csv")
    report = shoal.attack(tmp_path / "out.csv", source=study)
    assert [finding.attack for finding in report.findings] == [n for n in NAMES if n != "composition"]
    assert report.of("homogeneity").cases[0].found.share == pytest.approx(1 / 3)
    assert report.of("linkage").cases[0].found.share == 1
    assert report.broken == ()


def test_anatomy_of_persons_with_several_rows_is_attacked_by_the_values_that_they_have(tmp_path):
    rows = [(v, "xyzw"[v % 4]) for v in range(24)] + [(v, "x") for v in range(4)]
    table = pa.table(
        {
            "a": [str(v) for v, _ in rows],
            "ill": [ill for _, ill in rows],
            "who": [f"p{v}" for v, _ in rows],
        }
    )
    study = shoal.Study(table, quasi={"a": FLAT}, sensitive="ill", persons="who")
    study.release(study.anonymize("anatomy", l=2), seed=1).write(tmp_path / "out.csv")
    report = shoal.attack(tmp_path / "out.csv", source=study)
    guess, one_out, two_out = report.of("homogeneity").cases
    # Each value of a person once; of one bucket and value the second table has one line.
    assert guess.found.tried == len(set(rows)) == 27
    second = [line.split(",") for line in _second(tmp_path).read_text().splitlines()[1:]]
    counts = defaultdict(list)
    for bucket, _, persons in second:
        counts[bucket].append(int(persons))
    assert guess.found.share == pytest.approx(sum(map(max, counts.values())) / 27)
    assert guess.certain == sum(sum(own) for own in counts.values() if len(own) == 1) == 0
    for case, known in ((one_out, 2), (two_out, 3)):
        held = sum(sum(own) for own in counts.values() if len(own) <= known)
        assert case.details == {"values of persons": held}
    assert "of the values of persons" in report.of("homogeneity").sentences[0]


def _second(folder):
    """The second table of the only release of Anatomy in a folder."""
    (found,) = [one for one in folder.iterdir() if one.suffix == ".csv" and one.name != "out.csv"]
    return found


def test_rates_have_wilsons_interval_and_gains_are_parts_of_what_can_be_gained():
    none = rate(0, 10)
    assert (none.share, none.low) == (0, 0)
    assert none.high == pytest.approx(0.2775, abs=1e-4)
    assert Case("", whole(0.75, 4), whole(0.5, 4)).gain == 0.5
    assert Case("", rate(90, 100), rate(10, 100)).shows
    assert not Case("", rate(50, 100), rate(45, 100)).shows


class TestCommand:
    @pytest.fixture
    def made(self, tmp_path):
        (tmp_path / "people.csv").write_text("a,ill\n1,x\n1,y\n2,x\n2,z\n")
        (tmp_path / "study.yaml").write_text(
            "table: people.csv\nattributes:\n  a: {role: quasi, hierarchy: {mask: {digits: 1}}}\n"
            "  ill: {role: sensitive}\n"
        )
        with shoal.Study.open(tmp_path / "study.yaml") as study:
            study.release(study.frontier(), k=2, seed=1).write(tmp_path / "out.csv")
        return tmp_path

    def test_it_prints_what_each_attack_found(self, shoal, made):
        status, out, _ = shoal("attack", made / "out.csv", "--source", made / "study.yaml")
        assert status == 0
        assert "linkage" in out
        assert "baseline" in out

    def test_json_has_every_attack_and_the_same_figures_for_the_same_seed(self, shoal, made):
        import json

        given = ("attack", made / "out.csv", "--source", made / "study.yaml", "--json", "--seed", 7)
        one, again = (json.loads(shoal(*given)[1]) for _ in range(2))
        for document in (one, again):
            for attack in document["attacks"]:
                attack.pop("seconds")
        assert one == again
        assert [attack["attack"] for attack in one["attacks"]] == [
            n for n in NAMES if n != "composition"
        ]

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (("--attack", "linkege"), "did you mean linkage"),
            (("--attack", "composition"), "several releases"),
            (("--known", "shoe"), "no quasi column"),
            (("--other", "none.csv"), "no such file"),
        ],
    )
    def test_what_cannot_be_done_is_said_in_one_line(self, shoal, made, given, said):
        status, _, err = shoal("attack", made / "out.csv", "--source", made / "study.yaml", *given)
        assert (status, err.count("\n")) == (2, 1)
        assert said in err

    def test_a_release_without_its_record_is_refused(self, shoal, made):
        (made / "out.csv.record.json").unlink()
        status, _, err = shoal("attack", made / "out.csv", "--source", made / "study.yaml")
        assert status == 2
        assert "record is not beside the release" in err
