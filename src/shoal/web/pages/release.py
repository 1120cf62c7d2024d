"""The step Release."""

from __future__ import annotations

from shoal.web.pages import parts
from shoal.web.pages.frame import Frame
from shoal.web.workspace import Workspace


async def build(work: Workspace, frame: Frame) -> None:
    """Fill the content area."""
    parts.heading("Release", "This step is not there yet.")
