"""Reads each kind of document: certificates, records, solutions, and the heads of tallies and indexes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.documents.json_files import check, document_of, read_bytes, read_json
from shoal.errors import InputError
from shoal.version import VERSION

CERTIFICATE, RECORD, SOLUTION, TALLY, INDEX = "certificate", "record", "solution", "tally", "index"
LARGEST_CERTIFICATE = 100_000_000
"""In bytes: about a million groups with the population's rows in each."""
KEY = b"shoal"
"""The key of a tally's head in the metadata of its Parquet file."""
_RECODINGS = {"node", "cut", "groups", "groups_file"}


def certificate_path(path: Path) -> Path:
    """Return the path of a released file's certificate."""
    return path.parent / f"{path.name}.certificate.json"


def read_certificate(path: Path) -> dict[str, Any]:
    """Return the certificate in a file, or refuse what its schema does not allow."""
    return certificate_of(read_bytes(path, LARGEST_CERTIFICATE), path)


def certificate_of(text: bytes, path: Path) -> dict[str, Any]:
    """Return the certificate in a file's text, or say what in it its schema does not allow."""
    return document_of(text, path, CERTIFICATE)


def record_in(path: Path) -> dict[str, Any]:
    """Return the record in a file, or refuse what its schema does not allow."""
    return document_of(read_bytes(path), path, RECORD)


def solution_in(path: Path) -> dict[str, Any]:
    """Return the solution in a file, or refuse what its schema does not allow."""
    return check_solution(read_json(path), path)


def check_solution(document: Any, path: Path | None = None) -> dict[str, Any]:
    """Return a document if it is a solution, or say what in it its schema does not allow."""
    if not isinstance(document, dict):
        raise InputError("this is not a saved solution", file=path)
    if "results" in document:
        raise InputError("this is a comparison of algorithms; save the answer of one instead", file=path)
    if "curves" in document:
        return check(document, SOLUTION, path, "curves")
    if "points" in document:
        return check(document, SOLUTION, path, "frontier")
    if "exact" in document:
        return check(document, SOLUTION, path, "negotiation")
    if not _RECODINGS & document.keys():
        raise InputError("this document has no node, cut or groups; save a solution first", file=path)
    return check(document, SOLUTION, path, "decision")


def tally_head(metadata: Mapping[bytes, bytes] | None, path: Path) -> dict[str, Any]:
    """Return the head in the metadata of a file, or refuse what its schema does not allow."""
    if metadata is None or KEY not in metadata:
        raise InputError("this is not a tally of Shoal; make one with shoal tally", file=path)
    return document_of(metadata[KEY], path, TALLY)


def tally_metadata(**head: Any) -> dict[bytes, bytes]:
    """Return the metadata of a tally's file."""
    text = json.dumps({"kind": TALLY, "shoal": VERSION, **head}, ensure_ascii=False)
    return {KEY: text.encode()}


def index_head(text: bytes, path: Path) -> dict[str, Any]:
    """Return the head in a part of a file, or refuse what its schema does not allow.

    Whatever is not JSON raises a ValueError: an index that cannot be read is rebuilt.
    """
    return check(json.loads(text), INDEX, path)


def index_text(**head: Any) -> bytes:
    """Return the text of a head."""
    return json.dumps(head).encode()
