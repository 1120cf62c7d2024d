"""Spark: the table stays in its cluster."""
