"""A saved tally in the place of its table."""
