"""Groups in a file of their own, beside the document that they belong to: named and digested there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.answers.group_recoding import GroupRecoding
from shoal.answers.groups_file import read_groups, write_groups
from shoal.answers.recoding import Decision
from shoal.documents.digests import digest
from shoal.errors import InputError

SUFFIX = ".groups.parquet"
"""What the file's name adds to that of the table or solution it belongs to."""
LISTED = 1_000
"""The most values and labels that documents list themselves, so that people can read them."""


def kept_apart(decision: Decision) -> GroupRecoding | None:
    """Return the groups of a decision if they are too many for a document, else None."""
    recoding = decision.recoding
    return recoding if isinstance(recoding, GroupRecoding) and recoding.cells > LISTED else None


def groups_beside(recoding: GroupRecoding, path: Path, file: str | None = None) -> dict[str, Any]:
    """Write groups to a file beside a path, and return what the document at that path says of them.

    The file is named like the path, with `SUFFIX`, or as is said.
    """
    made = path.with_name(file or path.name + SUFFIX)
    write_groups(recoding, made)
    count = {"groups": len(recoding), "combinations": len(recoding.columns.of)}
    told = {"file": made.name, "sha256": digest(made), **count}
    return {"attributes": list(recoding.attributes), "groups_file": told}


def decision_in(document: Mapping[str, Any], path: Path) -> Decision:
    """Return the decision of a document that lies at a path, with groups from the file beside it if any."""
    told = document.get("groups_file")
    if told is None:
        return Decision.from_dict(document)
    return Decision.from_dict(document, read_groups(file_of(told, path), document["attributes"]))


def file_of(told: Mapping[str, Any], path: Path, what: str = "groups") -> Path:
    """Return the file of groups that a document at a path tells of, or refuse another one.

    `what` is said of other files that are kept in this way.
    """
    file = path.with_name(str(told["file"]))
    if file.is_dir():
        raise InputError(
            f"the {what} of {path.name} are in a file of this name, and this is a folder; put the file in "
            "its place",
            file=file,
        )
    if not file.is_file():
        raise InputError(
            f"the {what} of {path.name} are in this file, which does not exist; keep the two together",
            file=file,
        )
    if digest(file) != told["sha256"]:
        raise InputError(f"these are not the {what} of {path.name}: the digest differs", file=file)
    return file
