"""The tally: how many rows share each combination; how it is counted, coarsened and kept."""
