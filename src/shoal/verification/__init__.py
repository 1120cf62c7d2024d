"""Reads a release afresh, from its rows alone, and says what holds of it."""
