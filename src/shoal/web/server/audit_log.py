"""The audit log: who did what to which study, one JSON document a line, and nothing of the data.

It names no columns either: in a table without a header, the first row would be taken for their names.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any

from shoal.errors import InputError

DONE: dict[str, dict[str, str]] = {
    "decisions": {
        **dict.fromkeys(
            ("set_roles", "adopt", "set_levels", "set_weight", "set_title"), "decided roles"
        ),
        **dict.fromkeys(
            (
                "describe",
                "list_hierarchy",
                "import_hierarchy",
                "import_hierarchies",
                "edit_hierarchy",
                "propose_again",
            ),
            "decided hierarchies",
        ),
        **dict.fromkeys(("undo", "redo"), "took a decision back or again"),
        "export_hierarchy": "downloaded a hierarchy",
    },
    "questions": {
        name: f"asked {name}"
        for name in ("negotiate", "risk", "explain", "frontier", "optimize", "anonymize")
    },
    "pins": {
        "add": "decided pins",
        "remove": "decided pins",
        "rename": "decided pins",
        "compare": "asked compare",
    },
    "releases": {
        "make": "released",
        "acknowledge": "acknowledged warnings",
        "verify": "verified",
        "download": "downloaded the release",
    },
    "attacks": {"attack": "attacked the release"},
    "uses": {"measure": "measured the release"},
}
"""What the log calls each method of a workspace's parts."""
_AGAIN = frozenset({"asked negotiate", "asked explain"})
"""What a moving slider asks: logged once, until something else is done."""


class Audit:
    """A file that lines are added to; if a line cannot be written, the request gets no answer."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._last: dict[tuple[str, str | None], str] = {}
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        try:
            self._file = os.open(path, flags, 0o600)
            os.fchmod(self._file, 0o600)
        except OSError as problem:
            raise InputError(f"cannot keep an audit log here: {problem.strerror}", file=path) from None

    def tell(self, account: str | None, session: str, did: str, study: str | None = None) -> None:
        """Write down what was done, or refuse it."""
        told = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "account": account,
            "session": session,
            "study": study,
            "did": did,
        }
        line = json.dumps(told).encode() + b"\n"
        with self._lock:
            if did in _AGAIN and self._last.get((session, study)) == did:
                return
            try:
                written = os.write(self._file, line)
            except OSError:
                written = 0
            if written != len(line):
                raise InputError(
                    "the audit log cannot be written, so you get no answer; tell whoever runs the server"
                )
            self._last[session, study] = did

    def forget(self, session: str) -> None:
        """Forget what a session did last, once it has ended."""
        with self._lock:
            self._last = {key: did for key, did in self._last.items() if key[0] != session}

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
            self._file = -1


def watch(work: Any, tell: Callable[[str], None]) -> None:
    """Log what is done with a workspace, after it is done and before anybody gets the result.

    Calls between its own methods are not logged.
    """
    inside = threading.local()

    def told(method: Callable[..., Any], did: str) -> Callable[..., Any]:
        @wraps(method)
        def watched(*given: Any, **named: Any) -> Any:
            if getattr(inside, "deep", False):
                return method(*given, **named)
            inside.deep = True
            try:
                found = method(*given, **named)
            finally:
                inside.deep = False
            tell(did)
            return found

        return watched

    for part, methods in ((getattr(work, name), methods) for name, methods in DONE.items()):
        for name, did in methods.items():
            setattr(part, name, told(getattr(part, name), did))
