"""What two releases of the same table reveal together."""

from shoal.assess.composition.comparing import compare_releases
from shoal.assess.composition.findings import ReleaseComparison
from shoal.assess.composition.mappings import functional, read_mappings

__all__ = ["ReleaseComparison", "compare_releases", "functional", "read_mappings"]
