"""Where rows live: engines, files, statements, and the tally."""
