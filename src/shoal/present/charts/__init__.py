"""Pictures of answers: pure functions from plain data to SVG, each with a table of the same data."""
