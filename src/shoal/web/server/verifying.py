"""Verifies releases: one in a folder, or one in a downloaded zip file."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.documents.signature import SUFFIX
from shoal.errors import InputError
from shoal.present.verdicts import told
from shoal.verification.release_check import verify_release
from shoal.web.server.server_limits import Limits, in_words
from shoal.web.server.sniff import BLOCK

CERTIFICATE = ".certificate.json"


def verdict_of(table: Path) -> dict[str, Any]:
    """Return what `shoal verify --json` prints about a release."""
    return told(verify_release(table))


def verify_zip(
    upload: Path, folder: Path, limits: Limits, check: Callable[[Path], None]
) -> dict[str, Any]:
    """Return the verdict on the release in a zip file: a table, its certificate, and a second table if any.

    `check` refuses a table that is too large here. Names in the zip file are compared, never used as paths.
    """
    try:
        with zipfile.ZipFile(upload) as packed:
            names = [one for one in packed.namelist() if one.endswith(CERTIFICATE)]
            if len(names) != 1:
                raise InputError(f"{len(names)} certificates in this file; a release has one")
            stem = names[0].removesuffix(CERTIFICATE)
            if stem not in packed.namelist():
                raise InputError("the table of the certificate is not in this file")
            wanted = [one for one in packed.namelist() if one == stem or _beside(one, stem)]
            place = folder / f"table{_ending(stem)}"
            left = limits.unpacked_bytes
            for name in wanted:
                suffix = name[len(stem) :]
                left -= _unpack(packed, name, place.with_name(place.name + suffix), left)
                if suffix != CERTIFICATE:
                    check(place.with_name(place.name + suffix))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError):
        raise InputError("this is not the zip file of a release, or it is damaged") from None
    try:
        return verdict_of(place)
    except InputError as problem:
        raise InputError(str(problem).replace(str(place), Path(stem).name)) from None


def _beside(name: str, stem: str) -> bool:
    suffix = name[len(stem) :] if name.startswith(stem) else ""
    return suffix in (CERTIFICATE, CERTIFICATE + SUFFIX) or (
        suffix.startswith(".sensitive.") and "/" not in suffix
    )


def _ending(stem: str) -> str:
    for ending in (".csv", ".tsv", ".parquet", ".arrow"):
        if stem.endswith(ending):
            return ending
    raise InputError("Shoal does not write tables of this kind; give it a release that it wrote")


def _unpack(packed: zipfile.ZipFile, name: str, place: Path, most: int) -> int:
    """Unpack one file up to a number of bytes, whatever size it claims; return its size."""
    size = 0
    with packed.open(name) as source, place.open("wb") as target:
        while block := source.read(BLOCK):
            size += len(block)
            if size > most:
                raise InputError(f"unpacked, the release is larger than {in_words(most)}")
            target.write(block)
    return size
