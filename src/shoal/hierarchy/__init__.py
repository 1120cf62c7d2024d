"""Generalization hierarchies: as levels, as a tree, from files and from descriptions."""

from shoal.hierarchy.builders import build_hierarchy
from shoal.hierarchy.files import read_hierarchy, write_hierarchy
from shoal.hierarchy.levels import ROOT, Hierarchy, Label
from shoal.hierarchy.tree import Taxonomy

__all__ = [
    "ROOT",
    "Hierarchy",
    "Label",
    "Taxonomy",
    "build_hierarchy",
    "read_hierarchy",
    "write_hierarchy",
]
