"""Whatever lies in a document's place, `shoal verify` and all that read documents end in one line."""

from __future__ import annotations

import json
import os
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.documents import read_json
from shoal.errors import InputError
from tests.commands import shoal
from tests.documents.test_schema import changed
from tests.examples import examples


@pytest.fixture
def release(whole, tmp_path):
    """A copy of the release, to be spoilt."""
    for file in whole.parent.glob("out.csv*"):
        if file.is_file():
            shutil.copy(file, tmp_path)
    return tmp_path / "out.csv"


def paper(release):
    return release.with_name("out.csv.certificate.json")


def one_line(done, *words):
    assert done.returncode == 2, done.stderr or done.stdout
    assert done.stderr.count("\n") == 1, done.stderr
    assert len(done.stderr) < 500
    for word in words:
        assert word in done.stderr


TEXTS = {
    "nothing": (b"", "not JSON"),
    "NaN": (b'{"kind": "certificate", "shoal": NaN}', "NaN is not a number"),
    "Infinity": (b'{"kind": "certificate", "shoal": -Infinity}', "not a number"),
    "1e400": (b'{"kind": "certificate", "shoal": 1e400}', "too large to be a number"),
    "digits": (b'{"kind": "certificate", "shoal": ' + b"9" * 300_000 + b"}", "digits"),
    "nested": (b"[" * 200_000, "nested"),
    "nested objects": (b'{"a":' * 100_000, "nested"),
    "surrogate": (b'{"kind": "certificate", "file": "\\ud800"}', "half of a character"),
    "surrogate in a name": (b'{"kind": "certificate", "\\udfff": 1}', "half of a character"),
    "twice": (b'{"kind": "certificate", "kind": "certificate"}', "'kind' appears twice"),
    "no text": (b"\xff\xfe\x00", "UTF-8"),
    "a number": (b"7", "not a certificate"),
    "another kind": (b'{"kind": "record"}', "not a certificate"),
    "few": (b'{"kind": "certificate"}', "has no shoal"),
}


@pytest.mark.parametrize("what", TEXTS)
def test_a_hostile_text_is_refused_in_one_line(release, what):
    text, said = TEXTS[what]
    paper(release).write_bytes(text)
    one_line(shoal("verify", release), said, "certificate.json")


def test_characters_in_two_halves_that_fit_are_read(tmp_path):
    file = tmp_path / "x.json"
    file.write_text('["\\ud83d\\ude00", 1.5e300]')
    assert read_json(file) == ["\U0001f600", 1.5e300]


@pytest.mark.parametrize("what", ["pipe", "device", "folder", "link to nothing", "too large"])
def test_what_is_no_file_is_refused_in_one_line_and_at_once(release, what):
    place = paper(release)
    place.unlink()
    if what == "pipe":
        os.mkfifo(place)
    elif what == "device":
        place.symlink_to("/dev/zero")
    elif what == "folder":
        place.mkdir()
    elif what == "link to nothing":
        place.symlink_to(place.parent / "nothing")
    else:
        with place.open("wb") as file:
            file.truncate(1 << 42)  # takes no room on the disk; to read it would take all memory
    one_line(
        shoal("verify", release),
        {"folder": "cannot be read", "link to nothing": "no such file", "too large": "larger"}.get(
            what, "not a file"
        ),
    )


def test_solutions_records_and_indexes_are_read_with_the_same_care(release, tmp_path):
    for text in (b"[" * 200_000, b"9" * 10_000, b'{"points": [], "points": []}', b'["\\ud800"]'):
        (tmp_path / "x.json").write_bytes(text)
        study = release.parent / "study.yaml"
        one_line(shoal("release", study, "--solution", tmp_path / "x.json", "-o", tmp_path / "new.csv"))
        one_line(shoal("release", "--from", tmp_path / "x.json", "-o", tmp_path / "new.csv"))
        one_line(shoal("apply", tmp_path / "x.json", release, "-o", tmp_path / "new.csv"))


CHANGES = {
    "of another column": (
        lambda d: d["promise"]["theta"].update(town=d["promise"]["theta"]["ill"]),
        "town",
    ),
    "about another column": (lambda d: d["promise"].update(about=["town"]), "town"),
    "ragged rows": (lambda d: d["promise"]["distances"]["ill"]["rows"][0].pop(), "differ in length"),
    "short groups": (lambda d: d["promise"]["population"]["groups"][0][0].clear(), "number of columns"),
    "a share above 1": (lambda d: d["promise"]["t"].update(ill="3/2"), "between 0 and 1"),
    "a division by nothing": (lambda d: d["promise"]["t"].update(ill="1/0"), "not a share"),
    "buckets": (
        lambda d: d.update(buckets={"file": None, "sha256": None, "columns": ["town", "ill", "n"]}),
        "two tables",
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_certificate_that_makes_no_sense_is_refused_in_one_line(release, certified, what):
    change, said = CHANGES[what]
    document = json.loads(json.dumps(certified))
    change(document)
    paper(release).write_text(json.dumps(document))
    one_line(shoal("verify", release), said, "certificate.json")


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_no_changed_certificate_whatever_ends_in_a_traceback(release, certified, data):
    document = data.draw(changed(certified))
    paper(release).write_text(json.dumps(document))
    done = shoal("verify", release)  # any other exception fails the test
    assert done.returncode in {0, 1, 2}
    assert done.stderr.count("\n") == (done.returncode == 2)


@settings(max_examples=examples(60), deadline=None)
@given(st.binary(max_size=30) | st.text(alphabet='{}[]":,\\ud8019eE.-tfn ', max_size=30).map(str.encode))
def test_no_bytes_whatever_are_read_as_more_than_json_or_end_in_a_traceback(tmp_path_factory, text):
    file = tmp_path_factory.getbasetemp() / "fuzz.json"
    file.write_bytes(text)
    try:
        found = read_json(file)
    except InputError:
        return
    json.dumps(found, allow_nan=False, ensure_ascii=False).encode()
    assert found == json.loads(text)


def test_verify_says_in_words_what_is_promised_over_which_columns(whole):
    done = shoal("verify", whole)
    assert done.returncode == 0
    for words in (
        "all rows with the same values in town",
        "at least 4 rows (k = 4)",
        "ill has at least 3 different values",
        "No value of grade makes up more than 1/2 (50%) of a group",
        "values are as far apart as in their order",
        "At least 5 persons of the population fit every group",
        "The population is people.csv, of 20 rows",
        "Every promise holds.",
    ):
        assert words in done.stdout
    told = json.loads(shoal("verify", whole, "--json").stdout)
    assert told["promised"]["quasi"] == ["town"]
    assert told["promised"]["sensitive"] == ["ill", "grade"]
    assert any("k = 4" in words for words in told["promised"]["words"])
    assert told["holds"] is True
    assert told["signature"] is None


def test_certificates_of_the_first_versions_still_verify(release, certified):
    old = {name: certified[name] for name in certified if name not in {"promise", "measured"}}
    old["promise"] = {"k": 4, "theta": {"ill": {"uniform": "1/2", "values": {"plague": "1/9"}}}}
    old["measured"] = {
        **{name: certified["measured"][name] for name in ("rows", "groups", "k")},
        "sensitive": {"ill": {"l": 3, "largest_share": "1/2"}},
    }
    paper(release).write_text(json.dumps(old))
    assert shoal("verify", release).returncode == 0


def test_earlier_certificates_with_an_order_longer_than_the_released_values_still_verify(
    release, certified
):
    old = json.loads(json.dumps(certified))
    old["promise"]["distances"]["grade"]["order"] = ["low", "mid", "high", "top"]
    paper(release).write_text(json.dumps(old))
    assert shoal("verify", release).returncode == 0  # both groups lie 0 from the table
