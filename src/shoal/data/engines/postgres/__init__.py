"""PostgreSQL: the table stays on its server."""
