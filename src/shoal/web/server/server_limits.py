"""How much the server takes: of uploads, sessions and jobs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What is refused above these numbers, each with a sentence."""

    upload_bytes: int = 512 << 20
    body_bytes: int = 32 << 20
    """Of requests that are not uploads."""
    study_bytes: int = 1 << 20
    """Of a study's YAML, without the hierarchies that it names."""
    unpacked_bytes: int = 2 << 30
    rows: int = 5_000_000
    columns: int = 1000
    line_bytes: int = 1 << 20
    cell_characters: int = 65_536
    read_seconds: int = 120
    read_memory: int = 4 << 30
    """Address space of the process that reads an upload; DuckDB reserves far more than it uses."""
    connections: int = 1024
    """Open at once, of all browsers and programs; one more is told to come back."""
    head_bytes: int = 64 << 10
    head_seconds: float = 20.0
    """For the head of a request, from its first byte on, or from the beginning of a connection."""
    body_seconds: float = 30.0
    """For which a body is waited for, and longer by a second for each `body_rate` of bytes that came."""
    body_rate: int = 2048
    stalled_seconds: float = 60.0
    """After so long a connection that takes nothing of its answer is given up."""
    sessions: int = 64
    idle_seconds: int = 12 * 3600
    """After so long without a request a session may be ended to make room for another."""
    session_disk_bytes: int = 8 << 30
    """All files of one session."""
    disk_bytes: int = 32 << 30
    """All files of all sessions."""
    free_disk_bytes: int = 256 << 20
    """What is left free on the disk for others."""
    studies: int = 8
    """In one session."""
    running_jobs: int = 3
    running_jobs_one: int = 2
    """Of one session; one that is left is for others."""
    waiting_jobs: int = 16
    jobs: int = 4
    """Unfinished ones of one session."""
    kept_jobs: int = 32
    """Finished ones that a session can still ask about."""
    job_seconds: float = 600.0
    answering: int = 4
    """Questions that are worked on at once, of all sessions."""
    answering_one: int = 2
    """Of one session."""
    questions: int = 16
    """Unanswered ones of one session."""
    question_seconds: float = 120.0
    pins: int = 4
    undo: int = 200


def in_words(size: int) -> str:
    """Return a number of bytes as sentences say it.

    >>> in_words(512 << 20), in_words(1500)
    ('512 MB', '1 KB')
    """
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if size >= unit:
            return f"{size // unit:,} {name}"
    return f"{size:,} bytes"
