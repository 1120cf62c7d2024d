"""Shoal: what privacy costs, the provably best way to pay, and the release."""

from typing import TYPE_CHECKING, Any

from shoal.version import VERSION

if TYPE_CHECKING:
    from shoal.answers.negotiation import Answer, Offer
    from shoal.answers.solution import Frontier, NodeSolution
    from shoal.describe.hierarchies import Hierarchy, Taxonomy
    from shoal.errors import InputError, NoSolutionError, ShoalError
    from shoal.search.negotiation.negotiator import Negotiator
    from shoal.study import Study

__version__ = VERSION

_HOMES = {
    "Answer": "shoal.answers.negotiation",
    "Frontier": "shoal.answers.solution",
    "Hierarchy": "shoal.describe.hierarchies",
    "InputError": "shoal.errors",
    "Negotiator": "shoal.search.negotiation.negotiator",
    "NoSolutionError": "shoal.errors",
    "NodeSolution": "shoal.answers.solution",
    "Offer": "shoal.answers.negotiation",
    "ShoalError": "shoal.errors",
    "Study": "shoal.study",
    "Taxonomy": "shoal.describe.hierarchies",
}

__all__ = [
    "Answer",
    "Frontier",
    "Hierarchy",
    "InputError",
    "Negotiator",
    "NoSolutionError",
    "NodeSolution",
    "Offer",
    "ShoalError",
    "Study",
    "Taxonomy",
    "__version__",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'shoal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
