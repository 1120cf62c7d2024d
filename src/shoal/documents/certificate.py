"""Certificates: where they lie, and how they are read. Others write them, so none is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.documents.json_files import document_of, read_bytes

CERTIFICATE = "certificate"
MOST_BYTES = 100_000_000
"""Of a certificate: about a million groups with the population's rows in each."""


def certificate_path(path: Path) -> Path:
    """Return where the certificate of a released file lies."""
    return path.with_name(path.name + ".certificate.json")


def read_certificate(path: Path) -> dict[str, Any]:
    """Return the certificate in a file, or refuse what its schema does not allow."""
    return certificate_of(read_bytes(path, MOST_BYTES), path)


def certificate_of(text: bytes, path: Path) -> dict[str, Any]:
    """Return the certificate that a file's text is, or say what its schema does not allow, and where."""
    return document_of(text, path, CERTIFICATE)
