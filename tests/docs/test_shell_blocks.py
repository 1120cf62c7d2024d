"""What people paste into a shell does what the page says, when it is run again, too."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.documents.whole.journal import PAPERS
from shoal.verification.release_check import verify_release
from tests.docs.pages import PAGES, ROOT, blocks
from tests.docs.test_pages_run import clear_away
from tests.docs.world import make_world

PUBLIC = {"", ".certificate.json", ".public.html", ".codebook.md", ".codebook.json"}


def in_shell(text: str, folder: Path) -> None:
    """Run lines through sh, `shoal` being that of this environment."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    shoal = programs / "shoal"
    python = shlex.join([sys.executable, "-c", "from shoal.cli import main; main()"])
    shoal.write_text(f'#!/bin/sh\nexec {python} "$@"\n')
    shoal.chmod(0o755)
    lines = "\n".join(line.removeprefix("$ ") for line in text.splitlines())
    path = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-e", "-c", lines],
        cwd=folder,
        env=os.environ | path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def world(tmp_path: Path) -> Path:
    make_world(tmp_path)
    return tmp_path


def test_a_nightly_release_publishes_what_is_public_and_nothing_else(world: Path) -> None:
    (block,) = [one for page in PAGES for one in blocks(page) if one.script]
    for _ in range(2):
        in_shell(block.text, world)
        made = {path.name for path in (world / "public").iterdir()}
        assert made == {f"patients.parquet{ending}" for ending in PUBLIC}
        assert verify_release(world / "public" / "patients.parquet").holds
    kept = {path.name for path in (world / "private").iterdir()}
    secret = {f"patients.parquet{ending}" for ending in set(PAPERS) - PUBLIC}
    assert {"patients.parquet.record.json", "patients.parquet.report.html"} <= kept & secret


def test_a_release_is_signed_and_checked_with_and_without_shoal(world: Path) -> None:
    pytest.importorskip("cryptography")
    if shutil.which("openssl") is None:
        pytest.skip("no openssl on this machine")
    clear_away(world)
    sign, check = [one.text for one in blocks(ROOT / "docs" / "signing.md")]
    in_shell(sign, world)
    assert (world / "out.csv.certificate.json.sig").is_file()
    assert (world / "key.pem").stat().st_mode & 0o077 == 0
    in_shell(check, world)
    with (world / "out.csv.certificate.json").open("a") as certificate:
        certificate.write(" ")
    with pytest.raises(AssertionError, match="Signature Verification Failure"):
        in_shell(check, world)
