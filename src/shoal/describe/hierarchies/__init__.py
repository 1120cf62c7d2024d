"""Generalization hierarchies: as levels, as a tree, from files and from descriptions."""

from shoal.describe.hierarchies.builders import build_hierarchy
from shoal.describe.hierarchies.files import read_hierarchy, write_hierarchy
from shoal.describe.hierarchies.levels import ROOT, Hierarchy, Label
from shoal.describe.hierarchies.tree import Taxonomy

__all__ = [
    "ROOT",
    "Hierarchy",
    "Label",
    "Taxonomy",
    "build_hierarchy",
    "read_hierarchy",
    "write_hierarchy",
]
