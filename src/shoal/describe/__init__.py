"""What a curator says: each column's role, where the table is, the hierarchies, and what is promised."""

from shoal.describe.places import Place
from shoal.describe.specification import Attribute, HierarchyLike, Role, Specification

__all__ = ["Attribute", "HierarchyLike", "Place", "Role", "Specification"]
