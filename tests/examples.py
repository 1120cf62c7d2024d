"""How many examples the property tests draw: some of them here, all of them in continuous integration."""

from __future__ import annotations

import os

SHARE = int(os.environ.get("SHOAL_EXAMPLES", "10"))
"""Percent of the examples. Ten minutes are for every test; CI runs them once more, with all examples."""


def examples(most: int) -> int:
    """Return how many examples to draw of those that a test would like."""
    return max(most * SHARE // 100, min(most, 10))
