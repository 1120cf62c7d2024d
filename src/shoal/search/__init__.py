"""The searches, one file each, named as in the literature."""
