"""Attacks on a release, one file each, beside what the same guess finds without it."""
