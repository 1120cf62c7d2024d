"""The step Optimize."""
