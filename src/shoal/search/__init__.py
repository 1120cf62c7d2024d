"""The searches, one file per algorithm, named as in the literature."""
