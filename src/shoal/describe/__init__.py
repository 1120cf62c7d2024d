"""What a curator says: roles, where the table lies, hierarchies, and what is promised."""

from shoal.describe.places import Place
from shoal.describe.specification import Attribute, HierarchyLike, Role, Specification

__all__ = ["Attribute", "HierarchyLike", "Place", "Role", "Specification"]
