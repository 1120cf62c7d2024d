"""A recoding carried out on the tally: which rows get which labels, and which are suppressed."""
