"""Keeps numeric libraries to one thread, where more of them would only wait for each other."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Return a block in which numpy, scipy and scikit-learn use one thread.

    On matrices of some thousand rows, on a machine that has other work too, several threads took ten times
    the processor's time of one. It holds for libraries that are loaded already. Without threadpoolctl, which
    comes with scikit-learn, nothing changes.
    """
    try:
        limits: AbstractContextManager[Any] = import_module("threadpoolctl").threadpool_limits(1)
    except ImportError:
        return nullcontext()
    return limits
