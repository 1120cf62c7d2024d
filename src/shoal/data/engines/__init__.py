"""The engines, one folder each."""
