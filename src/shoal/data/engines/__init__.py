"""The engines, one room each."""
