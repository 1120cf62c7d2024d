"""Searches that recode each group of rows separately: Mondrian, local recoding, Anatomy."""
