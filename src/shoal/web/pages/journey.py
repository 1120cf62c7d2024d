"""The eight steps of the journey, in their order; each is a page of its own that can be opened directly."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.web.pages.frame import Frame
    from shoal.web.workspace.workspace import Workspace

    Build = Callable[[Workspace, Frame], Awaitable[None]]


@dataclass(frozen=True)
class JourneyStep:
    """One step: its address and module, its name, and what is done there in a few words."""

    key: str
    title: str
    what: str

    def builder(self) -> Build:
        """Return what fills the content area; the module is imported when it is first shown."""
        build: Build = import_module(f"shoal.web.pages.{self.key}").build
        return build


STEPS = (
    JourneyStep("table", "Table", "what is in it"),
    JourneyStep("roles", "Roles", "what each column is"),
    JourneyStep("hierarchies", "Hierarchies", "how values are coarsened"),
    JourneyStep("risk", "Risk today", "who stands out"),
    JourneyStep("negotiate", "Negotiate", "what privacy costs"),
    JourneyStep("optimize", "Optimize", "the provably best recoding"),
    JourneyStep("compare", "Compare", "solutions side by side"),
    JourneyStep("release", "Release", "verified, with its papers"),
)
