"""Takes uploads: counts their bytes into a private file, then reads that in a separate process."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import AsyncIterable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

from shoal.errors import InputError, TooLargeError, TooManyError
from shoal.running import stopping
from shoal.web.server.server_limits import Limits, in_words

log = logging.getLogger("shoal.web")

READERS = 3
"""Uploads read at once: more than one session may read, so that others need not wait."""
WAIT = 60.0
"""Seconds an upload waits for its turn."""
WAITING = 12
"""Uploads being read or waiting; more are refused."""
_reading = BoundedSemaphore(READERS)
_waiting = BoundedSemaphore(WAITING)
_readers: dict[int, tuple[subprocess.Popen[str], Path]] = {}
GRACE = 5.0
"""Seconds beyond its processor time after which the reading process is killed."""
LOOK = 8 << 20
"""Bytes of an upload between two checks of the room left."""


async def receive(blocks: AsyncIterable[bytes], path: Path, most: int, left: Callable[[], int]) -> Path:
    """Write an upload to a new private file, and remove it if anything goes wrong.

    `left` says how much room there is, or refuses.
    """
    room, size = left(), 0
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(opened, "wb") as file:
            async for block in blocks:
                size += len(block)
                if size > most:
                    raise TooLargeError(
                        f"the file is larger than {in_words(most)}; use the command line for it"
                    )
                room -= len(block)
                if room < 0 or size % LOOK < len(block):  # others use the disk, too
                    file.flush()
                    room = left()
                file.write(block)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _run_reader(request: str, folder: Path, seconds: float) -> str:
    """Return what the reading process prints; kill it after so many seconds."""
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "shoal.web.server.reader"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        cwd=folder,
    ) as process:
        _readers[process.pid] = (process, folder)
        try:
            with stopping.interrupted_by(process.kill, "the upload"):
                return process.communicate(request, timeout=seconds)[0]
        finally:
            process.kill()
            del _readers[process.pid]


def end_readers(root: Path) -> None:
    """Kill the processes that read uploads into folders below a root."""
    for process, folder in list(_readers.values()):
        if folder.is_relative_to(root):
            process.kill()


@contextmanager
def _turn() -> Iterator[None]:
    """Wait until an upload may be read; each waiting upload blocks a thread, so few may wait."""
    busy = TooManyError("other uploads are being read; try again soon")
    if not _waiting.acquire(blocking=False):
        raise busy
    try:
        if not _reading.acquire(timeout=WAIT):
            raise busy
        try:
            yield
        finally:
            _reading.release()
    finally:
        _waiting.release()


_TOO_LARGE = (
    "the file cannot be read within {memory} of memory and {seconds} seconds; upload a smaller table, or use "
    "the command line"
)


def read_apart(
    task: str, upload: Path, folder: Path, limits: Limits, words: str = _TOO_LARGE
) -> dict[str, Any]:
    """Return what the reading process finds in an upload, or refuse the upload.

    `words` say that it took too much memory or time.
    """
    request = json.dumps(
        {"task": task, "upload": str(upload), "folder": str(folder), "limits": asdict(limits)}
    )
    seconds = limits.read_seconds
    too_much = InputError(words.format(memory=in_words(limits.read_memory), seconds=seconds))
    try:
        with _turn():
            printed = _run_reader(request, folder, seconds + GRACE)
    except subprocess.TimeoutExpired:
        raise too_much from None
    finally:
        upload.unlink(missing_ok=True)
    try:
        answer: dict[str, Any] = json.loads(printed.splitlines()[-1])
    except (IndexError, ValueError):
        raise too_much from None
    if answer.get("memory"):
        raise too_much
    if "trace" in answer:
        log.warning("an upload could not be read:\n%s", answer["trace"])
    if "error" in answer:
        raise InputError(str(answer["error"]))
    return answer
