"""Shoal: what privacy costs, the provably best way to pay, and the release."""

from typing import TYPE_CHECKING, Any

from shoal.version import VERSION

if TYPE_CHECKING:
    from shoal.errors import InputError, NoSolutionError, ShoalError
    from shoal.hierarchy import Hierarchy, Taxonomy
    from shoal.negotiate.answer import Answer, Offer
    from shoal.negotiate.negotiator import Negotiator
    from shoal.solution import Frontier, NodeSolution
    from shoal.study import Study

__version__ = VERSION

_HOMES = {
    "Answer": "shoal.negotiate.answer",
    "Frontier": "shoal.solution",
    "Hierarchy": "shoal.hierarchy",
    "InputError": "shoal.errors",
    "Negotiator": "shoal.negotiate.negotiator",
    "NoSolutionError": "shoal.errors",
    "NodeSolution": "shoal.solution",
    "Offer": "shoal.negotiate.answer",
    "ShoalError": "shoal.errors",
    "Study": "shoal.study",
    "Taxonomy": "shoal.hierarchy",
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
