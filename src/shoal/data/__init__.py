"""Where rows live: engines, files, SQL statements, and the tally."""
