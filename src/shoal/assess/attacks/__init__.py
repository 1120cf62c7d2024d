"""Attacks on a release, one file each, compared with what the same guess finds without it."""
