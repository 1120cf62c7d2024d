"""DuckDB, embedded: for files, frames and its own databases."""
