"""One curator's work on one table, without a page."""
