"""What contributors are told is there: fragments of the changelog, and the files that the guide names."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "changes"))
from gather import gather  # noqa: E402

sys.path.pop(0)


def test_fragments_become_bullets_of_their_version(tmp_path: Path) -> None:
    log, folder = tmp_path / "CHANGELOG.md", tmp_path / "changes"
    folder.mkdir()
    log.write_text("# Changelog\n\n## 0.1.0\n\n- old\n")
    (folder / "b.md").write_text("- second\n")
    (folder / "a.md").write_text("- first\n")
    (folder / "README.md").write_text("how\n")
    assert gather(folder, log, "0.2.0") == 2
    assert log.read_text() == "# Changelog\n\n## 0.2.0\n\n- first\n- second\n\n## 0.1.0\n\n- old\n"
    (folder / "c.md").write_text("- third\n")
    assert gather(folder, log, "0.2.0") == 1
    assert "## 0.2.0\n\n- third\n- first\n" in log.read_text()
    assert sorted(path.name for path in folder.iterdir()) == ["README.md"]
    (folder / "d.md").write_text("- fourth\n")
    with pytest.raises(SystemExit, match="is no version; write one such as"):
        gather(folder, log, "--help")
    assert (folder / "d.md").exists()


def test_every_file_that_the_guide_names_exists() -> None:
    page = (ROOT / "docs" / "first-change.md").read_text()
    for path in re.findall(r"`((?:src|tests)/[\w/.]+)`", page):
        assert (ROOT / path).exists(), path
