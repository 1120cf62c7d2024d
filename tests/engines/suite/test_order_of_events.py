"""A release into a table: made and verified, prepared, shown by the engine, papers moved in; in that order.

Whatever fails between two of these steps, and whoever is killed there, the table and its papers are of one
release, and nothing else is left.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from urllib.parse import urlsplit

import pyarrow as pa
import pytest

from shoal import Study
from shoal.answers.recoding import Decision, NodeRecoding
from shoal.data.opening import settle
from shoal.describe.places import read_place
from shoal.describe.promise import Promise
from shoal.documents.whole import journal
from shoal.release.papers import staging as module
from shoal.release.papers.staging import Staging
from shoal.release.release import Release
from shoal.verification import verify_release
from tests.engines.conftest import home_of
from tests.engines.suite.tables import fetched

QUASI = {"zip": {"mask": {"digits": 2}}}
TABLE = pa.table({"zip": ["10", "11", "20", "21"] * 3, "ill": ["a", "b", "c"] * 4})


class FaultError(Exception):
    """What happens at the step that a test chose."""


def before(home, name):
    """Let something fail as soon as it is begun."""

    def arm(patched):
        def fails(*_, **__):
            raise FaultError

        patched.setattr(home, name, fails)

    return arm


def into(*, shown):
    """Let the engine fail at its last step, which it took or did not take."""

    def arm(patched):
        original = Release.into

        @contextmanager
        def fails(self, target, *, replace=False):
            with original(self, target, replace=replace) as rows:
                yield rows
                if not shown:
                    raise FaultError
            raise FaultError

        patched.setattr(Release, "into", fails)

    return arm


def moved_half(patched):
    move, left = journal._move, [2]

    def fails(*given, **named):
        left[0] -= 1
        if not left[0]:
            raise FaultError
        move(*given, **named)

    patched.setattr(journal, "_move", fails)


STEPS = {
    "verified": (before(Release, "check"), "old"),
    "prepared": (before(Staging, "prepare"), "old"),
    "shown": (into(shown=False), "old"),
    "papers": (into(shown=True), "new"),
    "one step": (before(module, "commit"), "new"),
    "moving": (before(module, "roll_forward"), "new"),
    "half moved": (moved_half, "new"),
}


def release(study, out, level, **options):
    decision = Decision(NodeRecoding({"zip": level}), Promise(3))
    return study.release(decision, seed=1).write(out, **options)


def papers(out):
    return {path.name: path.read_bytes() for path in out.parent.glob(f"{out.name}*") if path.is_file()}


def killed(self, *_):
    """Leave everything as it is, as a kill does; the kernel lets go of the lock."""
    os.close(self._claim._file)


@pytest.mark.parametrize("step", STEPS)
def test_killed_between_two_steps_the_table_and_its_papers_are_of_one_release(
    quick_home, tmp_path, monkeypatch, step
):
    check(quick_home, tmp_path, monkeypatch, step, kill=True, first=False)


@pytest.mark.parametrize("step", ["shown", "papers"])
def test_on_spark_they_are_too(tmp_path, monkeypatch, step):
    check(home_of("spark"), tmp_path, monkeypatch, step, kill=True, first=False)


@pytest.mark.parametrize(
    ("step", "kill", "first"),
    [
        *((step, False, False) for step in STEPS),
        *((step, kill, True) for step in ("shown", "papers") for kill in (False, True)),
    ],
)
def test_failed_there_or_with_no_older_table_they_are_too(
    quick_home, tmp_path, monkeypatch, step, kill, first
):
    check(quick_home, tmp_path, monkeypatch, step, kill=kill, first=first)


def check(home, folder, monkeypatch, step, *, kill, first):
    mark = f"{step} {kill} {first}".replace(" ", "_").lower()
    place, out = home.put(TABLE, f"people_{mark}"), folder / "out.yaml"
    arm, expected = STEPS[step]
    with Study(place, quasi=QUASI, sensitive="ill") as study:
        if not first:
            release(study, out, 1, into=f"safe_{mark}")
        old = papers(out)
        with monkeypatch.context() as patched:
            arm(patched)
            if kill:
                patched.setattr(Staging, "__exit__", killed)
            with pytest.raises(FaultError):
                release(study, out, 2, into=f"safe_{mark}", force=not first)
    if home.name == "postgres":  # files and journals name no user and no password
        monkeypatch.setenv("PGUSER", urlsplit(place.url).username or "")
        monkeypatch.setenv("PGPASSWORD", urlsplit(place.url).password or "")
    if kill:
        settle(out)
    assert not list(folder.glob(".*"))
    if expected == "old":
        assert papers(out) == old
    if first and expected == "old":
        assert not list(folder.iterdir())
        return
    assert verify_release(out).holds
    labels = set(fetched(home.read(read_place(out)))["zip"].to_pylist())
    assert len(labels) == (2 if expected == "old" else 1)
    certificate = json.loads((folder / "out.yaml.certificate.json").read_text())
    assert certificate["measured"]["groups"] == len(labels)
