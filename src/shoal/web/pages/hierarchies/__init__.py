"""The step Hierarchies."""
