"""`shoal init`: looks at a table and writes a study to edit."""

from __future__ import annotations


def init() -> None:
    """Look at a table, guess roles and hierarchies, and write a commented study to edit."""
