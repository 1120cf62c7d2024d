"""The server's limits on uploads, sessions and jobs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Whatever goes beyond one of these is refused with a sentence that says so."""

    upload_bytes: int = 512 << 20
    body_bytes: int = 32 << 20
    """For a request that is not an upload."""
    study_bytes: int = 1 << 20
    """For a study's YAML, without the hierarchies it names."""
    unpacked_bytes: int = 2 << 30
    rows: int = 5_000_000
    columns: int = 1000
    line_bytes: int = 1 << 20
    cell_characters: int = 65_536
    read_seconds: int = 120
    read_memory: int = 4 << 30
    """Address space of the process that reads an upload; DuckDB reserves far more than it uses."""
    sql_seconds: int = 30
    """For somebody's own indicators on both tables, which run in a process of the same memory."""
    connections: int = 1024
    """Open at once, by all browsers and programs; one more is told to try again."""
    head_bytes: int = 64 << 10
    head_seconds: float = 20.0
    """For the header of a request, counted from its first byte or from the start of the connection."""
    body_seconds: float = 30.0
    """For a body to arrive, plus one second for every `body_rate` bytes received."""
    body_rate: int = 2048
    stalled_seconds: float = 60.0
    """A connection that reads nothing of its answer for so long is closed."""
    sessions: int = 64
    idle_seconds: int = 12 * 3600
    """A session without a request for so long may be ended to make room for another."""
    session_disk_bytes: int = 8 << 30
    """All files of one session."""
    disk_bytes: int = 32 << 30
    """All files of all sessions."""
    free_disk_bytes: int = 256 << 20
    """Kept free on the disk for other programs."""
    studies: int = 8
    """In one session."""
    running_jobs: int = 3
    running_jobs_one: int = 2
    """Of one session, so that one is left for others."""
    waiting_jobs: int = 16
    jobs: int = 4
    """Unfinished jobs of one session."""
    kept_jobs: int = 32
    """Finished jobs that a session can still ask about."""
    job_seconds: float = 600.0
    answering: int = 4
    """Questions worked on at once, of all sessions."""
    answering_one: int = 2
    """Of one session."""
    questions: int = 16
    """Unanswered questions of one session."""
    question_seconds: float = 120.0
    pins: int = 4
    undo: int = 200


def in_words(size: int) -> str:
    """Return a number of bytes in words.

    >>> in_words(512 << 20), in_words(1500)
    ('512 MB', '1 KB')
    """
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if size >= unit:
            return f"{size // unit:,} {name}"
    return f"{size:,} bytes"
