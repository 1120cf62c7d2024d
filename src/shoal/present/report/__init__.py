"""The reports: one HTML page for the curator, one for everybody."""
