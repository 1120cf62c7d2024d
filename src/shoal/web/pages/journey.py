"""The steps of the journey in order; each is a page that can be opened directly."""

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
    """One step: its address, its name, a few words about it, and the module that builds it."""

    key: str
    title: str
    what: str
    module: str

    def builder(self) -> Build:
        """Return the function that fills the content area, importing its module on first use."""
        build: Build = import_module(f"shoal.web.pages.{self.module}").build
        return build


STEPS = (
    JourneyStep("table", "Table", "what is in it", "table_step"),
    JourneyStep("roles", "Roles", "what each column is", "roles_step"),
    JourneyStep(
        "hierarchies", "Hierarchies", "how values are coarsened", "hierarchies.hierarchies_step"
    ),
    JourneyStep("risk", "Risk today", "who stands out", "risk_step"),
    JourneyStep("negotiate", "Negotiate", "what privacy costs", "negotiation.negotiate_step"),
    JourneyStep("optimize", "Optimize", "the provably best recoding", "optimizing.optimize_step"),
    JourneyStep("methods", "Methods", "any method, any promise", "methods_step"),
    JourneyStep("compare", "Compare", "solutions side by side", "compare_step"),
    JourneyStep("release", "Release", "verified, with its papers", "release_step"),
    JourneyStep("use", "Use", "what it is still good for", "use_step"),
    JourneyStep("attacks", "Attacks", "what others would find", "attacks_step"),
)
