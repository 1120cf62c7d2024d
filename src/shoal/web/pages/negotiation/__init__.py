"""The step Negotiate."""
