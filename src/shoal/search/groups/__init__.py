"""Searches that recode group by group."""
