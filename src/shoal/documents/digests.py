"""Refuses files that cannot be read, and digests files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import InputError


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Say in one sentence why a file cannot be opened or read."""
    try:
        yield
    except FileNotFoundError:
        raise InputError("no such file; check the path", file=path) from None
    except OSError as problem:
        raise InputError(f"cannot be read: {problem.strerror}", file=path) from None
    except ValueError as problem:  # a NUL in the path
        raise InputError(f"cannot be read: {problem}", file=path) from None


def decoded(data: bytes, path: Path) -> str:
    """Return the text of a file's bytes, or refuse what is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        raise InputError(
            f"not UTF-8 (byte 0x{data[problem.start]:02x}); save the file as UTF-8", file=path, line=line
        ) from None


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
