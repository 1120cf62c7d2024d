"""Offers the work on a study as files: the project, and the study alone."""

from __future__ import annotations

from shoal.web.pages import parts
from shoal.web.workspace.workspace import Workspace


def offer_files(work: Workspace) -> None:
    """Open a dialog with the two downloads."""
    path = f"/api/studies/{work.key}"
    with parts.dialog("Save your work") as dialog:
        parts.text(
            "The project is everything in one file: the table, roles, hierarchies, and what is pinned. "
            "Drop it on the step Table to go on with it, also after the server was started anew. It "
            "holds the original table, so it is for you alone."
        )
        parts.file_link("Save the project", f"{path}/project.shoal", "project.shoal")
        parts.text(
            "The study has roles and hierarchies, without the table; the command line reads it too."
        )
        parts.file_link("Save the study", f"{path}/study.zip", "study.zip")
        with parts.actions():
            parts.button("Close", dialog.close)
