"""What two releases of the same table reveal together."""

from shoal.diff.compare import compare_releases
from shoal.diff.comparison import Comparison
from shoal.diff.mappings import functional, read_mappings

__all__ = ["Comparison", "compare_releases", "functional", "read_mappings"]
