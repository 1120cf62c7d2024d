"""Makes a release from a decision: the rows, their verification, and the papers beside them."""
