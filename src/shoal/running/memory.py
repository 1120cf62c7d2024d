"""How much memory this process may still use: the machine's, or its container's if that is less."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

UNKNOWN = 2 * 10**9
"""Assumed if the system does not say."""


def available_memory(root: Path = Path("/")) -> int:
    """Return how many bytes this process may still use; `root` is where the system's files are."""
    found = [_machine(root), *(_left(*group) for group in _groups(root))]
    return min((left for left in found if left is not None), default=UNKNOWN)


def _machine(root: Path) -> int | None:
    if found := re.search(r"(?m)^MemAvailable:\s*([0-9]+) kB", _text(root / "proc/meminfo")):
        return int(found[1]) * 1024
    try:  # macOS: half of the machine's memory
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):
        return None


def _groups(root: Path) -> Iterator[tuple[Path, str, str]]:
    """Yield the control groups of this process, each with the names of its limit and usage files.

    A group's limit holds for all groups below it. In a container the group's own path may not be visible;
    its folder is then the top one.
    """
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            top, files = root / "sys/fs/cgroup", ("memory.max", "memory.current")
        elif "memory" in controllers.split(","):
            top, files = (
                root / "sys/fs/cgroup/memory",
                ("memory.limit_in_bytes", "memory.usage_in_bytes"),
            )
        else:
            continue
        own = top / path.lstrip("/")
        for folder in (own, *own.parents):
            yield folder, *files
            if folder == top:
                break


def _left(folder: Path, limit: str, used: str) -> int | None:
    """Return what a group may still use; cached files can be dropped, so they do not count as used."""
    try:
        most, now = int((folder / limit).read_text()), int((folder / used).read_text())
    except (OSError, ValueError):  # no such file, or "max"
        return None
    cached = re.search(r"(?m)^(?:total_)?inactive_file ([0-9]+)$", _text(folder / "memory.stat"))
    return max(0, most - now + (int(cached[1]) if cached else 0))


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
