"""Saved solutions: a frontier, one recoding, or the answer of a negotiation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.documents.json_files import check, read_json
from shoal.errors import InputError

SOLUTION = "solution"
_RECODINGS = {"node", "cut", "groups"}


def solution_in(path: Path) -> dict[str, Any]:
    """Return the solution in a file, or refuse what its schema does not allow."""
    return check_solution(read_json(path), path)


def check_solution(document: Any, path: Path | None = None) -> dict[str, Any]:
    """Return a document that is a solution, or say what its schema does not allow, and where."""
    if not isinstance(document, dict):
        raise InputError("this is not a saved solution", file=path)
    if "results" in document:
        raise InputError(
            "this is a comparison of algorithms; save the answer of one of them instead", file=path
        )
    if "points" in document:
        return check(document, SOLUTION, path, "frontier")
    if "exact" in document:
        return check(document, SOLUTION, path, "negotiation")
    if not _RECODINGS & document.keys():
        raise InputError("this document holds no node, cut or groups; save a solution first", file=path)
    return check(document, SOLUTION, path, "decision")
