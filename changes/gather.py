"""Puts the fragments of changes into the changelog: python changes/gather.py VERSION."""

from __future__ import annotations

import re
import sys
from pathlib import Path

HEAD = "# Changelog\n"


def gather(folder: Path, changelog: Path, version: str) -> int:
    """Move all fragments under the heading of a version; return how many there were."""
    if not re.fullmatch(r"\d+\.\d+\.\d+( \(unreleased\))?", version):
        raise SystemExit(f"{version!r} is no version; write one such as 0.2.0")
    found = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    text = changelog.read_text(encoding="utf-8")
    if not text.startswith(HEAD):
        raise SystemExit(f"{changelog} does not begin with {HEAD.strip()!r}")
    bullets = "".join(path.read_text(encoding="utf-8").strip() + "\n" for path in found)
    heading = f"## {version}\n\n"
    rest = text.removeprefix(HEAD)
    if heading in rest:
        rest = rest.replace(heading, heading + bullets, 1)
    elif found:
        rest = f"\n{heading}{bullets}{rest}"
    changelog.write_text(HEAD + rest, encoding="utf-8")
    for path in found:
        path.unlink()
    return len(found)


if __name__ == "__main__":
    here = Path(__file__).parent
    print(f"{gather(here, here.with_name('CHANGELOG.md'), ' '.join(sys.argv[1:]))} changes")
